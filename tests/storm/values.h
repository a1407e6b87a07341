// SPDX-License-Identifier: Apache-2.0
//
// What the arrays of a call hold before it, and must hold after it: computed serially, element by
// element, by code that shares nothing with the engines.
//
// Sums of rounded floats depend on the order of the engine: those are compared with the exact sum,
// within what roundings can make of it, and by digests among the ranks, which must be the same.
//
// Pure.
#pragma once

#include <cstddef>
#include <string>

#include "tests/storm/call.h"

namespace ringmaster::storm {

/// Elements [begin, begin + count) of what the rank puts in.
void fill(const Call& call, int rank, std::size_t begin, std::size_t count, std::byte* to);

/// What is wrong with `got`, which should hold those elements; "" when nothing is.
std::string compare(const Call& call, int rank, std::size_t begin, std::size_t count,
                    const std::byte* got);

/// The same for the reduction of what ranks 0 to ranks-1 put in.
std::string compare_reduced(const Call& call, int ranks, std::size_t begin, std::size_t count,
                            const std::byte* got);

std::uint64_t digest_of(const std::byte* bytes, std::size_t count);

}  // namespace ringmaster::storm
