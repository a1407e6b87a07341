// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/seal.h"

#include <fmt/format.h>

#include "storage/layout/crc32c.h"

namespace ringmaster::storage {

namespace {

std::string seal_of(std::string_view before) {
  return fmt::format("\"crc32c\":\"{:08x}\"}}\n", crc32c(before));
}

constexpr std::size_t kSealBytes = sizeof("\"crc32c\":\"89abcdef\"}\n") - 1;

}  // namespace

std::string seal(const std::string& members) {
  const std::string before = "{" + members;
  CHECK_EQ(before.back(), ',');
  return before + seal_of(before);
}

Result<void> check_seal(std::string_view text) {
  if (text.size() <= kSealBytes) return Error{Errc::corrupt, "cut off"};
  const std::string_view before = text.substr(0, text.size() - kSealBytes);
  if (text.substr(before.size()) != seal_of(before)) {
    return Error{Errc::corrupt, "cut off, or its checksum is wrong"};
  }
  return {};
}

}  // namespace ringmaster::storage
