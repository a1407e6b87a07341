// SPDX-License-Identifier: Apache-2.0
//
// What `ringmaster checkpoint` shows: one row a checkpoint, as a table for people, as lines for a
// pipe, as objects for programs.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "storage/checkpoint/newest.h"

namespace ringmaster::launcher {

enum class CheckpointState {
  newest,   // the first whole one of the line: a job would start from it
  whole,    // an older one
  damaged,  // passed over; the problem says why
  ignored,  // written by an older term after a newer one had taken over
};

const char* checkpoint_state_name(CheckpointState state);

struct CheckpointRow {
  std::string job = {};
  storage::CheckpointName name = {};
  std::int64_t world = 0;  // this and the next three: 0 when the manifest cannot be read
  std::size_t tensors = 0, shards = 0;
  std::uint64_t bytes = 0;
  CheckpointState state = CheckpointState::whole;
  storage::Problem problem = {};
};

/// `standings` of one job, in the order that inspect_all gives.
std::vector<CheckpointRow> checkpoint_rows(const std::string& job,
                                           const std::vector<storage::Standing>& standings);

/// With a head line and sizes for people.
std::string checkpoint_table(const std::vector<CheckpointRow>& rows);
/// A row a line, fields with a tab between them, sizes in bytes.
std::string checkpoint_lines(const std::vector<CheckpointRow>& rows);
/// An object a line.
std::string checkpoint_json(const std::vector<CheckpointRow>& rows);

/// "1.5 MiB".
std::string bytes_text(std::uint64_t bytes);

}  // namespace ringmaster::launcher
