// SPDX-License-Identifier: Apache-2.0
//
// A job's spec: what a user hands in as a YAML file (docs/job-spec.md).
//
// Strict: nothing is ignored, guessed or coerced. What the spec leaves out gets its default here,
// so that everything behind sees one value, and `effective_text` shows that value as a spec again.
//
// Pure: text in, a value or an error with its place out. Not here: reading the file, and whether
// the program and the folder exist.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/core/spec.h"
#include "jobs/spec/amount.h"
#include "jobs/spec/spec_error.h"

namespace ringmaster::jobs {

struct CheckpointPolicy {
  std::string to = {};  // "file:///absolute/path"
  Period every = Steps{1};
  int keep = 0;  // how many of the newest ones stay

  bool operator==(const CheckpointPolicy&) const = default;
};

struct JobFile {
  JobSpec spec = {};
  std::vector<std::string> command = {};  // the program and its arguments
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::string provider = {};    // one of fields.h's choices
  std::string on_reclaim = {};  // one of fields.h's choices
  int hosts = 0, slots = 0;     // of the local provider: how many hosts, ranks on each
  std::optional<CheckpointPolicy> checkpoint = {};
};

/// `file` is the spec's name, for messages ("job.yaml:3:8: ...").
SpecResult<JobFile> parse_job_file(std::string_view text, std::string_view file);

/// The spec with all defaults, as YAML that parses to the same value. `file` came from
/// parse_job_file, or is as valid.
std::string effective_text(const JobFile& file);

}  // namespace ringmaster::jobs
