// SPDX-License-Identifier: Apache-2.0
//
// The answer of a child process: a line is a word and its values, "-" what is not told.
#include <fmt/format.h>

#include <algorithm>

#include "topology/detect/driver_checks.h"
#include "topology/numbers.h"
#include "topology/pci.h"
#include "topology/read/text_lines.h"

namespace ringmaster::topology {

namespace {

template <class Value>
std::string told(const std::optional<Value>& value) {
  return value ? fmt::format("{}", static_cast<long long>(*value)) : "-";
}

/// Texts of a driver are one line here.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return std::string(trim(text));
}

template <class Value>
bool take_told(std::string_view word, std::optional<Value>& to) {
  if (word == "-") return true;
  const auto value = parse_number(word, -(1LL << 40), 1LL << 40);
  if (!value) return false;
  to = static_cast<Value>(*value);
  return true;
}

bool take_gpu_checks(const std::vector<std::string_view>& words, DriverChecks& checks) {
  if (words.size() != 9) return false;
  const auto bus_id = parse_bus_id(words[1]);
  if (!bus_id) return false;
  GpuChecks gpu{.bus_id = *bus_id};
  const bool taken =
      take_told(words[2], gpu.remap_failed) && take_told(words[3], gpu.repair_pending) &&
      take_told(words[4], gpu.throttle) && take_told(words[5], gpu.compute_mode) &&
      take_told(words[6], gpu.persistence) && take_told(words[7], gpu.fabric_state) &&
      take_told(words[8], gpu.fabric_result);
  if (taken) checks.gpus.push_back(std::move(gpu));
  return taken;
}

bool take_peers(const std::vector<std::string_view>& words, DriverChecks& checks) {
  if (words.size() != 4) return false;
  const auto from = parse_bus_id(words[1]), to = parse_bus_id(words[2]);
  const auto status = parse_number(words[3], 0, 1000);
  if (!from || !to || !status) return false;
  checks.peers.push_back({*from, *to, static_cast<int>(*status)});
  return true;
}

bool take_checks_line(std::string_view line, DriverChecks& checks) {
  const std::size_t blank = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, blank);
  const std::string_view rest = trim(line.substr(blank));
  if (word == "gpu") return take_gpu_checks(split_words(line, 16), checks);
  if (word == "peer") return take_peers(split_words(line, 16), checks);
  if (word == "cuda") return take_told(rest, checks.cuda_version);
  if (word == "mismatch") return checks.mismatch = true;
  std::string* text = word == "library"  ? &checks.library_version
                      : word == "driver" ? &checks.driver_version
                      : word == "error"  ? &checks.error
                                         : nullptr;
  if (text == nullptr) return false;
  *text = rest;
  return true;
}

}  // namespace

std::string driver_checks_text(const DriverChecks& checks) {
  std::string text = fmt::format("library {}\ndriver {}\nerror {}\ncuda {}\n",
                                 one_line(checks.library_version), one_line(checks.driver_version),
                                 one_line(checks.error), told(checks.cuda_version));
  if (checks.mismatch) text += "mismatch\n";
  for (const GpuChecks& gpu : checks.gpus) {
    text += fmt::format("gpu {} {} {} {} {} {} {} {}\n", gpu.bus_id, told(gpu.remap_failed),
                        told(gpu.repair_pending), told(gpu.throttle), told(gpu.compute_mode),
                        told(gpu.persistence), told(gpu.fabric_state), told(gpu.fabric_result));
  }
  for (const PeerAccess& pair : checks.peers) {
    text += fmt::format("peer {} {} {}\n", pair.from, pair.to, pair.status);
  }
  return text;
}

std::optional<DriverChecks> parse_driver_checks(std::string_view text) {
  DriverChecks checks;
  if (!text.ends_with('\n')) return std::nullopt;  // cut on the way
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (!take_checks_line(text.substr(0, end), checks)) return std::nullopt;
    text.remove_prefix(end + 1);
  }
  return checks;
}

}  // namespace ringmaster::topology
