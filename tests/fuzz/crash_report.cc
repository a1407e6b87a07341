// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/crash_report.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <cstddef>

// Of the sanitizers' runtime; absent without one.
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace ringmaster::fuzz {

namespace {

// No input takes a millisecond; a machine that is busy with other things may stop us for seconds.
constexpr unsigned kHangSeconds = 60;

struct Announced {
  std::string_view target = {};
  std::uint64_t seed = 0;
  std::string_view input = {};
};
Announced announced;

void say(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Only what a signal handler may do: no memory is allocated, no lock is taken.
void report() {
  if (announced.target.empty()) return;
  std::array<char, 32> number;
  const auto end = std::to_chars(number.data(), number.data() + number.size(), announced.seed).ptr;
  say("\nfuzz target ");
  say(announced.target);
  say(", seed ");
  say({number.data(), static_cast<std::size_t>(end - number.data())});
  say(", input in hex:\n");
  for (const char c : announced.input) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const auto value = static_cast<unsigned char>(c);
    const std::array<char, 2> hex = {kDigits[value >> 4], kDigits[value & 15]};
    say({hex.data(), hex.size()});
  }
  say("\n");
  announced.target = {};
}

void on_signal(int signal) {
  report();
  // SA_RESETHAND: this time it ends the process.
  ::raise(signal);
}

}  // namespace

void install_crash_report() {
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(report);
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM}) {
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(signal, &action, nullptr);
  }
}

void announce(std::string_view target, std::uint64_t seed, std::string_view input) {
  announced = {target, seed, input};
  ::alarm(target.empty() ? 0 : kHangSeconds);
}

}  // namespace ringmaster::fuzz
