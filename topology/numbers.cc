// SPDX-License-Identifier: Apache-2.0
#include "topology/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/whole_number.h"

namespace ringmaster::topology {

namespace {

constexpr int kWordBits = 32;

/// Up to and without `end`, which is taken off as well.
std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

void sort_unique(std::vector<int>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

}  // namespace

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::optional<std::int64_t> parse_number(std::string_view text, std::int64_t low,
                                         std::int64_t high) {
  std::int64_t value = 0;
  if (!read_whole(text, &value) || value < low || value > high) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_gt_s(std::string_view text) {
  constexpr double kFastest = 1024;  // PCIe 7 has 128
  const std::string_view number = text.substr(0, text.find(' '));
  double value = 0;
  if (!read_whole(number, &value)) return std::nullopt;
  if (text.find("GT/s") == std::string_view::npos) return std::nullopt;
  if (!std::isfinite(value) || value <= 0 || value > kFastest) return std::nullopt;
  return value;
}

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  text = trim(text);
  if (text.empty() || text.ends_with(',')) return std::nullopt;
  while (!text.empty()) {
    const std::string_view part = take_until(text, ',');
    const std::size_t dash = part.find('-');
    const auto first = parse_number(part.substr(0, dash), 0, kProcessorMax - 1);
    const auto last = dash == std::string_view::npos
                          ? first
                          : parse_number(part.substr(dash + 1), 0, kProcessorMax - 1);
    if (!first || !last || *last < *first) return std::nullopt;
    // As often as each processor once: "0-9,0-9,..." is repeated work without end.
    if (cpus.size() + static_cast<std::size_t>(*last - *first) >= kProcessorMax) {
      return std::nullopt;
    }
    for (auto cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<int>(cpu));
  }
  sort_unique(cpus);
  return cpus;
}

std::optional<std::vector<int>> parse_cpu_mask(std::string_view text) {
  std::vector<std::uint64_t> words;
  text = trim(text);
  if (text.empty() || text.ends_with(',')) return std::nullopt;
  while (!text.empty()) {
    const auto word = parse_hex(take_until(text, ','));
    if (!word || *word > 0xffffffffU || words.size() >= kProcessorMax / kWordBits) {
      return std::nullopt;
    }
    words.push_back(*word);
  }
  std::vector<int> cpus;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const int base = static_cast<int>(words.size() - 1 - i) * kWordBits;
    for (int bit = 0; bit < kWordBits; ++bit) {
      if ((words[i] >> bit & 1U) != 0) cpus.push_back(base + bit);
    }
  }
  sort_unique(cpus);
  return cpus;
}

std::string cpu_list_text(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += end - i == 1 ? std::to_string(cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[end - 1]);
    i = end;
  }
  return text;
}

std::string cpu_mask_text(const std::vector<int>& cpus) {
  const int last = cpus.empty() ? 0 : *std::max_element(cpus.begin(), cpus.end());
  std::vector<std::uint32_t> words(static_cast<std::size_t>(last / kWordBits) + 1);
  for (const int cpu : cpus) {
    words[static_cast<std::size_t>(cpu / kWordBits)] |= 1U << (cpu % kWordBits);
  }
  std::string text;
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    text += fmt::format("{}{:08x}", text.empty() ? "" : ",", *word);
  }
  return text;
}

}  // namespace ringmaster::topology
