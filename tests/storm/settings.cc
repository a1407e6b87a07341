// SPDX-License-Identifier: Apache-2.0
#include "tests/storm/settings.h"
#include "base/sanitized.h"
#include "base/whole_number.h"

#include <cstdlib>
#include <string_view>

#include "base/check.h"

namespace ringmaster::storm {

namespace {

std::optional<std::uint64_t> read_number(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return {};
  std::uint64_t number = 0;
  CHECK(read_whole(text, &number));
  return number;
}

}  // namespace

std::optional<std::uint64_t> read_storm_seed() {
  return read_number("RINGMASTER_STORM_SEED");
}

std::uint64_t read_storm_stories(std::uint64_t ordinary, std::uint64_t slow) {
  return read_number("RINGMASTER_STORM_STORIES").value_or(kSanitized ? slow : ordinary);
}

}  // namespace ringmaster::storm
