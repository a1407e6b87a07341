// SPDX-License-Identifier: Apache-2.0
#include "jobs/spec/spec_error.h"

#include <fmt/format.h>

#include "jobs/spec/yaml_text.h"

namespace ringmaster::jobs {

namespace {

constexpr std::size_t kShownBytes = 60;  // enough to know it again

}  // namespace

std::string SpecError::message() const {
  return fmt::format("{}:{}:{}: {}: {}{}", file, place.line, place.column, what, why,
                     hint.empty() ? "" : " (" + hint + ")");
}

Error SpecError::as_error() const {
  return {Errc::invalid, message()};
}

std::string shown(std::string_view text) {
  std::size_t end = std::min(text.size(), kShownBytes);
  const bool cut = end < text.size();
  while (cut && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return yaml_word(text.substr(0, end)) + (cut ? ".." : "");
}

}  // namespace ringmaster::jobs
