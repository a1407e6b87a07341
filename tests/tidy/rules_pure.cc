// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "tests/tidy/rules.h"

namespace ringmaster::tidy {
namespace {

/// The simulator's own test looks at the clock and prints: it says how fast the simulator is.
bool is_pure(const SourceFile& file) {
  return file.is_under("jobs/core") || (file.is_under("jobs/simulator") && !file.is_test());
}

/// The headers that reach the world. <csignal> is not among them: the core names signals.
const std::set<std::string>& impure_headers() {
  static const std::set<std::string> all = {"ctime",        "random",
                                            "thread",       "mutex",
                                            "shared_mutex", "condition_variable",
                                            "future",       "atomic",
                                            "stop_token",   "semaphore",
                                            "latch",        "barrier",
                                            "fstream",      "cstdio",
                                            "filesystem",   "iostream",
                                            "csetjmp",      "stdio.h",
                                            "time.h",       "signal.h",
                                            "unistd.h",     "fcntl.h",
                                            "poll.h",       "pthread.h",
                                            "spawn.h",      "sched.h",
                                            "syscall.h",    "base/file_descriptor.h"};
  return all;
}

const std::set<std::string>& impure_words() {
  static const std::set<std::string> all = {"read_clock",
                                            "read_wall_seconds",
                                            "system_clock",
                                            "steady_clock",
                                            "clock_gettime",
                                            "gettimeofday",
                                            "high_resolution_clock",
                                            "random_device",
                                            "rand",
                                            "srand",
                                            "mt19937",
                                            "thread",
                                            "jthread",
                                            "mutex",
                                            "condition_variable",
                                            "atomic",
                                            "ifstream",
                                            "ofstream",
                                            "fstream",
                                            "fopen",
                                            "FILE",
                                            "printf",
                                            "cout",
                                            "cerr",
                                            "getenv",
                                            "sleep_for",
                                            "sigaction",
                                            "raise",
                                            "fork",
                                            "execve",
                                            "socket",
                                            "asio"};
  return all;
}

bool reaches_the_system(const std::string& header) {
  for (const char* folder : {"sys/", "linux/", "netinet/", "arpa/", "boost/asio", "asio"}) {
    if (header.starts_with(folder)) return true;
  }
  return impure_headers().contains(header);
}

}  // namespace

void check_pure_includes(const SourceFile& file, const Tree&, Findings& findings) {
  if (!is_pure(file)) return;
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    const std::string& line = file.code[i];
    if (!line.starts_with("#include")) continue;
    const std::size_t open = line.find_first_of("\"<") + 1;
    const std::string header = line.substr(open, line.find_first_of("\">", open) - open);
    if (reaches_the_system(header)) findings.add(i + 1, "pure code includes " + header);
    // The simulator draws from a seed that it was given; the core draws from nothing.
    const bool core = file.is_under("jobs/core") && !file.is_test();
    if (core && header == "base/random.h") findings.add(i + 1, "the core has no random source");
  }
}

void check_pure_words(const SourceFile& file, const Tree&, Findings& findings) {
  if (!is_pure(file)) return;
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    if (file.code[i].starts_with('#')) continue;
    for (const std::string& word : words_of(file.code[i])) {
      if (impure_words().contains(word)) findings.add(i + 1, "pure code says " + word);
    }
  }
}

}  // namespace ringmaster::tidy
