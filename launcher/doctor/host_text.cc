// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/host_text.h"

#include <algorithm>

#include "topology/numbers.h"
#include "topology/read/text_lines.h"

namespace ringmaster::launcher::doctor {

namespace {

constexpr std::string_view kDigits = "0123456789";

/// The number of "KEY:  123 kB", in bytes; 0 where it lacks.
std::uint64_t kilobytes_behind(std::string_view text, std::string_view key) {
  const auto value = topology::parse_number(value_behind(text, key), 0, 1LL << 50);
  return value ? static_cast<std::uint64_t>(*value) << 10 : 0;
}

/// "12.4" at the beginning of the text.
std::optional<int> parse_major_minor(std::string_view text, int major_unit, int minor_unit) {
  const std::size_t dot = text.find_first_not_of(kDigits);
  if (dot == std::string_view::npos || text[dot] != '.') return std::nullopt;
  std::string_view rest = text.substr(dot + 1);
  rest = rest.substr(0, rest.find_first_not_of(kDigits));
  const auto major = topology::parse_number(text.substr(0, dot), 0, 999);
  const auto minor = topology::parse_number(rest, 0, major_unit / minor_unit - 1);
  if (!major || !minor) return std::nullopt;
  return static_cast<int>(*major) * major_unit + static_cast<int>(*minor) * minor_unit;
}

bool is_version_word(std::string_view word) {
  return !word.empty() && word.front() >= '0' && word.front() <= '9' &&
         word.find('.') != std::string_view::npos &&
         word.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace

std::string_view value_behind(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.size() <= key.size() || !line.starts_with(key) || line[key.size()] != ':') continue;
    const auto words = topology::split_words(line.substr(key.size() + 1), 2);
    return words.empty() ? std::string_view() : words.front();
  }
  return {};
}

std::optional<MemoryFacts> parse_memory(std::string_view text) {
  MemoryFacts memory{.total = kilobytes_behind(text, "MemTotal"),
                     .available = kilobytes_behind(text, "MemAvailable"),
                     .swap_total = kilobytes_behind(text, "SwapTotal"),
                     .swap_free = kilobytes_behind(text, "SwapFree"),
                     .commit_limit = kilobytes_behind(text, "CommitLimit"),
                     .committed = kilobytes_behind(text, "Committed_AS")};
  if (memory.total == 0 || value_behind(text, "MemAvailable").empty()) return std::nullopt;
  const std::uint64_t page = kilobytes_behind(text, "Hugepagesize");
  // kilobytes_behind has multiplied a mere count by 1,024.
  memory.huge_total = kilobytes_behind(text, "HugePages_Total") / 1024 * page;
  memory.huge_free = kilobytes_behind(text, "HugePages_Free") / 1024 * page;
  return memory;
}

std::string parse_module_version(std::string_view text) {
  constexpr std::string_view kLine = "NVRM version:";
  const std::size_t begin = text.find(kLine);
  if (begin == std::string_view::npos) return "";
  std::string_view line = text.substr(begin + kLine.size());
  line = line.substr(0, line.find('\n'));
  for (const std::string_view word : topology::split_words(line, 32)) {
    if (is_version_word(word)) return std::string(word);
  }
  return "";
}

std::optional<std::uint64_t> parse_group_limit(std::string_view text) {
  text = topology::trim(text.substr(0, text.find('\n')));
  if (text == "max") return kUnlimited;
  const auto value = topology::parse_number(text, 0, INT64_MAX);
  if (!value) return std::nullopt;
  return *value >= INT64_MAX / 2 ? kUnlimited : static_cast<std::uint64_t>(*value);
}

std::optional<std::string> parse_choice(std::string_view text) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos) return std::nullopt;
  const std::size_t close = text.find(']', open);
  if (close == std::string_view::npos) return std::nullopt;
  return std::string(text.substr(open + 1, close - open - 1));
}

std::optional<int> parse_kernel(std::string_view release) {
  return parse_major_minor(release, 100, 1);
}

std::string parse_port_state(std::string_view text) {
  const std::size_t colon = text.find(':');
  return std::string(
      topology::trim(colon == std::string_view::npos ? text : text.substr(colon + 1)));
}

std::optional<int> parse_nccl_cuda(std::string_view bytes) {
  constexpr std::string_view kVersion = "NCCL version ", kCuda = "+cuda";
  constexpr std::size_t kVersionMax = 32;
  for (std::size_t at = bytes.find(kVersion); at != std::string_view::npos;
       at = bytes.find(kVersion, at + 1)) {
    const std::string_view rest = bytes.substr(at + kVersion.size(), kVersionMax);
    const std::size_t cuda = rest.find(kCuda);
    if (cuda == std::string_view::npos ||
        rest.substr(0, cuda).find('\0') != std::string_view::npos) {
      continue;
    }
    // 32 bytes may end within the number: it is read from the whole.
    const std::size_t from = at + kVersion.size() + cuda + kCuda.size();
    const auto version = parse_major_minor(bytes.substr(from, kVersionMax), 1000, 10);
    if (version) return version;
  }
  return std::nullopt;
}

}  // namespace ringmaster::launcher::doctor
