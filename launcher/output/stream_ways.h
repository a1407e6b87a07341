// SPDX-License-Identifier: Apache-2.0
//
// How the output of ranks looks to users of other launchers: which streams go to files and which
// are shown, what lines begin with, and how the files are named.
//
// Pure.
#pragma once

#include <string>
#include <string_view>

namespace ringmaster::launcher {

/// Where one stream of a rank goes.
enum class StreamWay {
  pass,  // to our own stream, as it is
  file,  // to its file only
  tee,   // to its file, and with a tag to our own stream
};
struct RankStreams {
  StreamWay output = StreamWay::pass;
  StreamWay error = StreamWay::pass;
};

/// Below the folder of output.
enum class FileLayout {
  torchrun,  // attempt_A/R/stdout.log, stderr.log
  openmpi,   // 1/rank.R/stdout, stderr; R with as many digits as the number of ranks
};

/// The folder of a rank's files; `ranks`: of the job.
std::string files_folder(FileLayout layout, const std::string& folder, int attempt, int rank,
                         int ranks);
/// "stdout.log".
std::string_view file_name(FileLayout layout, bool error);

/// `form` with the values of ${rank}, ${local_rank} (the same: one host) and ${stream} (stdout or
/// stderr); other names stay as they stand.
std::string fill_tag(std::string_view form, int rank, bool error);

}  // namespace ringmaster::launcher
