// SPDX-License-Identifier: Apache-2.0
//
// Numbers as machines write them: decimal, hexadecimal, lists of processors and masks of them, PCI
// speeds. Whole texts only: "12x" is no number, and what is out of bounds is none either.
//
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringmaster::topology {

/// A decimal number within [low, high].
std::optional<std::int64_t> parse_number(std::string_view text, std::int64_t low,
                                         std::int64_t high);

/// A hexadecimal number, with or without 0x.
std::optional<std::uint64_t> parse_hex(std::string_view text);

/// "16.0 GT/s PCIe", "8 GT/s" or "32 GT/s PCIe/s" in GT/s; nothing for "" or "Unknown".
std::optional<double> parse_gt_s(std::string_view text);

/// The numbers of "0-3,8,10-11", ascending; nothing for what is no such list, or when one is
/// kProcessorMax or above.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);
inline constexpr int kProcessorMax = 16384;  // twice what Linux can be built for

/// The numbers of a mask such as "000000ff,ffff0000" (words of 32 bits, the highest first).
std::optional<std::vector<int>> parse_cpu_mask(std::string_view text);

/// The list that parse_cpu_list reads.
std::string cpu_list_text(const std::vector<int>& cpus);

/// The mask that parse_cpu_mask reads.
std::string cpu_mask_text(const std::vector<int>& cpus);

/// Without blanks (and carriage returns) at both ends.
std::string_view trim(std::string_view text);

}  // namespace ringmaster::topology
