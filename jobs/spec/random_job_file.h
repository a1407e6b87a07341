// SPDX-License-Identifier: Apache-2.0
//
// Valid JobFiles and texts from a seed, for property tests. Header only.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/random.h"
#include "jobs/spec/job_file.h"

namespace ringmaster::jobs {

inline std::size_t random_below(Random& random, std::size_t bound) {
  return static_cast<std::size_t>(random.below(bound));
}

/// Text of all kinds that a reader may stumble over, without zero bytes.
inline std::string random_text(Random& random, std::size_t parts_max) {
  constexpr std::array<std::string_view, 40> kParts = {
      "a", "Z", "0",    "7",    "-",  ".",  "_",   ":",        ": ",       " #",
      "#", " ", "\n",   "\t",   "\r", "\"", "'",   "\\",       "{",        "}",
      "[", "]", ",",    "&",    "*",  "!",  "%",   "@",        "`",        "|",
      ">", "?", "\x01", "\x7f", "no", "~",  "1e3", "\xc3\xa9", "\xc2\x85", "\xf0\x9f\x90\x8e"};
  std::string text;
  for (std::size_t i = random_below(random, parts_max + 1); i > 0; --i) {
    text += kParts[random_below(random, kParts.size())];
  }
  return text;
}

inline std::string random_name(Random& random, std::string_view first, std::string_view others,
                               std::size_t size_max) {
  std::string name(1, first[random_below(random, first.size())]);
  for (std::size_t i = random_below(random, size_max); i > 0; --i) {
    name += others[random_below(random, others.size())];
  }
  return name;
}

inline Period random_period(Random& random) {
  if (random.chance(0.5)) return Steps{1 + static_cast<std::int64_t>(random.below(1'000'000'000))};
  constexpr std::array<std::int64_t, 5> kUnits = {1, 1'000, 1'000'000, 1'000'000'000,
                                                  60'000'000'000};
  const std::int64_t unit = kUnits[random_below(random, kUnits.size())];
  const std::int64_t count = unit * static_cast<std::int64_t>(1 + random.below(40'000));
  return Duration(std::clamp<std::int64_t>(count, kPeriodMin.count(), kPeriodMax.count()));
}

inline JobFile random_job_file(Random& random) {
  constexpr std::string_view kAlnum = "abcXYZ0189";
  const auto between = [&](std::size_t low, std::size_t high) {
    return static_cast<int>(low + random_below(random, high - low + 1));
  };
  JobFile file;
  file.spec.name = random_name(random, kAlnum, "abcXYZ0189-_.", 60);
  file.command.push_back("x" + random_text(random, 6));
  for (int i = between(0, 5); i > 0; --i) file.command.push_back(random_text(random, 10));
  file.hosts = between(1, 64);
  file.slots = between(1, 256);
  file.spec.ranks_max =
      between(1, std::min<std::size_t>(4096, static_cast<std::size_t>(file.hosts * file.slots)));
  file.spec.ranks_min = between(1, static_cast<std::size_t>(file.spec.ranks_max));
  file.spec.restarts = between(0, 1'000'000);
  file.provider = "local";
  file.on_reclaim = "replace";
  if (random.chance(0.5)) {
    file.checkpoint = CheckpointPolicy{.to = "file:///d" + random_text(random, 10),
                                       .every = random_period(random),
                                       .keep = between(1, 1000)};
  }
  for (int i = between(0, 4); i > 0; --i) {
    const std::string name = random_name(random, "NOYabc_", "ABCnoe019_", 12);
    file.environment.emplace_back(fmt::format("{}{}", name, i), random_text(random, 12));
  }
  if (random.chance(0.1)) file.environment.emplace_back("NO", "no");
  return file;
}

}  // namespace ringmaster::jobs
