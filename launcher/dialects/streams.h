// SPDX-License-Identifier: Apache-2.0
//
// torchrun's words for where ranks write: 0 to the console, 1 standard output, 2 standard error, 3
// both to a file; for all ranks ("3") or for some ("0:3,1:1").
//
// Pure.
#pragma once

#include <string_view>
#include <vector>

#include "launcher/output/rank_outputs.h"

namespace ringmaster::launcher {

/// What `--redirects` (to a file only) and `--tee` (to a file as well) come to, for each of `ranks`
/// ranks. Errors name the option.
Result<std::vector<RankStreams>> read_streams(std::string_view redirects, std::string_view tee,
                                              int ranks);

/// Whether some rank writes to a file.
bool has_files(const std::vector<RankStreams>& streams);

}  // namespace ringmaster::launcher
