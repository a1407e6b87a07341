// SPDX-License-Identifier: Apache-2.0
//
// The keys of a job's checkpoints. Numbers have a fixed width, so that the order of the names is
// the order of (term, step). docs/checkpoint-format.md has the table.
//
// Pure.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringmaster::storage {

inline constexpr std::size_t kJobNameMax = 128;
inline constexpr std::int64_t kTermMax = 99'999'999;
inline constexpr std::int64_t kStepMax = 999'999'999'999;
inline constexpr std::int64_t kWorldMax = 99'999;

/// [A-Za-z0-9._-], not beginning with a dot.
bool is_job_name(std::string_view job);

/// Which checkpoint of a job. The order is by term first.
struct CheckpointName {
  std::int64_t term = 0;
  std::int64_t step = 0;
  friend auto operator<=>(const CheckpointName&, const CheckpointName&) = default;
};

/// "term 3, step 1200", for people.
std::string describe(const CheckpointName& name);

/// Which rank's part of a checkpoint.
struct ShardName {
  CheckpointName checkpoint = {};
  std::int64_t position = 0;
  std::int64_t world = 1;
};

std::string terms_prefix(const std::string& job);
std::string claim_key(const std::string& job, std::int64_t term);
std::string opening_key(const std::string& job, std::int64_t term);
std::string manifests_prefix(const std::string& job);
std::string manifest_key(const std::string& job, const CheckpointName& name);
std::string shards_prefix(const std::string& job);
/// The folder of a checkpoint's own shards, with a slash at the end.
std::string shards_prefix(const std::string& job, const CheckpointName& name);
std::string shard_key(const std::string& job, const ShardName& name, std::uint32_t crc);
std::string marks_prefix(const std::string& job);
std::string mark_key(const std::string& job, const CheckpointName& name);

/// What the rest of a key behind its prefix says; none for what is not ours.
struct TermFile {
  std::int64_t term = 0;
  bool opening = false;  // else the claim
};
std::optional<TermFile> parse_term_file(std::string_view rest);
std::optional<CheckpointName> parse_checkpoint_name(std::string_view rest);

}  // namespace ringmaster::storage
