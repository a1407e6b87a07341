// SPDX-License-Identifier: Apache-2.0
//
// Archives of /sys and /proc: tar, plain or packed with xz, as `tar -cJf` makes them.
//
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "topology/read/answer.h"
#include "topology/read/file_tree.h"

namespace ringmaster::topology {

inline constexpr std::size_t kUnpackedBytesMax = 64U << 20;  // a tree of a large server has 18 MiB

bool is_xz(std::string_view bytes);
bool is_tar(std::string_view bytes);

/// What an xz file holds. Refuses damage, and more than kUnpackedBytesMax.
std::variant<std::string, Refusal> unpack_xz(std::string_view bytes);

/// The files below "sys" and "proc" that tell of devices, wherever these two stand in the archive.
std::variant<FileTree, Refusal> read_tar(std::string_view bytes);

}  // namespace ringmaster::topology
