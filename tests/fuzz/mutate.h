// SPDX-License-Identifier: Apache-2.0
//
// Makes new inputs out of valid ones: a few random edits, of the kinds that parsers stumble over.
//
// Valid examples as a start reach deep into a parser without any feedback from it; what needs
// feedback is left to libFuzzer (entry.cc). The same seed gives the same inputs everywhere.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"

namespace ringmaster::fuzz {

/// Above it an input is cut: the parsers are not asked for speed.
inline constexpr std::size_t kInputMax = 64 * 1024;

/// One of `corpus`, edited; of an empty corpus, random bytes.
std::string mutate(const std::vector<std::string>& corpus, Random& random);

}  // namespace ringmaster::fuzz
