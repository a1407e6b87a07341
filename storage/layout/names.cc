// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace ringmaster::storage {

namespace {

constexpr std::size_t kTermDigits = 8;
constexpr std::size_t kStepDigits = 12;
constexpr std::string_view kOpening = "-from";

std::string text_of(const CheckpointName& name) {
  CHECK_LT(0, name.term);
  CHECK_LE(name.term, kTermMax);
  CHECK_LE(0, name.step);
  CHECK_LE(name.step, kStepMax);
  return fmt::format("{:08}-{:012}", name.term, name.step);
}

std::string term_text(std::int64_t term) {
  CHECK_LT(0, term);
  CHECK_LE(term, kTermMax);
  return fmt::format("{:08}", term);
}

/// Exactly so many digits.
std::optional<std::int64_t> parse_digits(std::string_view text, std::size_t digits) {
  if (text.size() != digits) return std::nullopt;
  std::int64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number;
}

}  // namespace

bool is_job_name(std::string_view job) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !job.empty() && job.size() <= kJobNameMax && job.front() != '.' &&
         std::all_of(job.begin(), job.end(), allowed);
}

std::string describe(const CheckpointName& name) {
  return fmt::format("term {}, step {}", name.term, name.step);
}

std::string terms_prefix(const std::string& job) {
  CHECK(is_job_name(job));
  return job + "/terms/";
}

std::string claim_key(const std::string& job, std::int64_t term) {
  return terms_prefix(job) + term_text(term);
}

std::string opening_key(const std::string& job, std::int64_t term) {
  return claim_key(job, term) + std::string(kOpening);
}

std::string manifests_prefix(const std::string& job) {
  CHECK(is_job_name(job));
  return job + "/manifests/";
}

std::string manifest_key(const std::string& job, const CheckpointName& name) {
  return manifests_prefix(job) + text_of(name);
}

std::string shards_prefix(const std::string& job) {
  CHECK(is_job_name(job));
  return job + "/shards/";
}

std::string shards_prefix(const std::string& job, const CheckpointName& name) {
  return shards_prefix(job) + text_of(name) + "/";
}

std::string shard_key(const std::string& job, const ShardName& name, std::uint32_t crc) {
  CHECK_LE(0, name.position);
  CHECK_LT(name.position, name.world);
  CHECK_LE(name.world, kWorldMax);
  return fmt::format("{}{:05}-of-{:05}-{:08x}.safetensors", shards_prefix(job, name.checkpoint),
                     name.position, name.world, crc);
}

std::string marks_prefix(const std::string& job) {
  CHECK(is_job_name(job));
  return job + "/removed/";
}

std::string mark_key(const std::string& job, const CheckpointName& name) {
  return marks_prefix(job) + text_of(name);
}

std::optional<TermFile> parse_term_file(std::string_view rest) {
  const bool opening = rest.ends_with(kOpening);
  if (opening) rest.remove_suffix(kOpening.size());
  const auto term = parse_digits(rest, kTermDigits);
  if (!term || *term == 0) return std::nullopt;
  return TermFile{*term, opening};
}

std::optional<CheckpointName> parse_checkpoint_name(std::string_view rest) {
  if (rest.size() != kTermDigits + 1 + kStepDigits || rest[kTermDigits] != '-') {
    return std::nullopt;
  }
  const auto term = parse_digits(rest.substr(0, kTermDigits), kTermDigits);
  const auto step = parse_digits(rest.substr(kTermDigits + 1), kStepDigits);
  if (!term || *term == 0 || !step) return std::nullopt;
  return CheckpointName{*term, *step};
}

}  // namespace ringmaster::storage
