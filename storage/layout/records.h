// SPDX-License-Identifier: Apache-2.0
//
// The small records beside manifests: how a term was opened, and when a checkpoint was removed.
//
// Each has one spelling: what would not be written back byte for byte is damage. Pure.
#pragma once

#include "base/result.h"
#include "storage/layout/names.h"

namespace ringmaster::storage {

inline constexpr std::uint64_t kRecordBytesMax = 4096;

struct Opening {
  std::string job = {};
  std::int64_t term = 0;
  std::optional<CheckpointName> resumes = {};  // of an older term; none: there was nothing
  friend bool operator==(const Opening&, const Opening&) = default;
};

std::string encode_opening(const Opening& opening);
Result<Opening> decode_opening(std::string_view text);

/// Seconds since 1970 by the collector's clock.
std::string encode_mark(std::int64_t seconds);
Result<std::int64_t> decode_mark(std::string_view text);

/// What a claim holds: a line for people, its name says all.
std::string claim_text(const std::string& job, std::int64_t term);

}  // namespace ringmaster::storage
