// SPDX-License-Identifier: Apache-2.0
//
// Shared memory in huge pages: an all-reduce of large arrays walks through the memory of all ranks,
// and with pages of 4 KiB it waits for page tables about a fifth of its time (more on virtual
// machines). Shared memory gets huge pages by itself only where an administrator has allowed it,
// which is seldom; asking for a stretch that has its memory already (MADV_COLLAPSE, Linux 6.1)
// needs nobody's leave.
//
// Everything here is an attempt: memory that stays in small pages works as well, but slower.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"

namespace ringmaster::collectives {

inline constexpr std::size_t kHugePage = 2 * 1024 * 1024;

/// Maps `bytes` of the file from `offset` on, read and write, at an address that differs from the
/// offset by whole huge pages: else no huge page of the file can be one of the mapping. It is left
/// out of core dumps, which would fill every hole of it.
Result<void*> map_for_huge_pages(int fd, std::uint64_t offset, std::size_t bytes);

/// The same over a mapping that is there, wherever it is.
Result<void*> map_over(void* place, int fd, std::uint64_t offset, std::size_t bytes);

/// Moves the whole huge pages of a mapping, all of which has memory, into huge pages: for at most
/// half a second (some hundred MiB), since the owner waits.
void make_huge(void* memory, std::size_t bytes);

}  // namespace ringmaster::collectives
