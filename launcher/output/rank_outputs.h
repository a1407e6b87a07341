// SPDX-License-Identifier: Apache-2.0
//
// Where the output of each rank goes, and how its lines look there: our own streams, with a tag and
// a time when the user wants them, and files of the rank's own, as it wrote it.
//
// Files are DIR/attempt_A/R/stdout.log and stderr.log, the layout that users of torchrun know:
// attempt A is the rank's process number A + 1, so a replacement's words do not follow those of the
// process that it replaces. What an earlier job has left under the same names is replaced.
//
// Thread rules: the loop's thread; the streams outlive this.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "launcher/output/pipe_reader.h"
#include "launcher/output/sink.h"
#include "launcher/output/stream_ways.h"

namespace ringmaster::launcher {

struct OutputWishes {
  bool tags = false;         // a line begins with its rank's number
  bool times = false;        // and with the moment at which it was whole
  std::string folder = {};   // of files for each rank; "": none
  std::set<int> shown = {};  // ranks whose lines pass through our streams; empty: all
  int ranks = 1;             // of the job
  bool colours = false;      // of tags, where a person watches
  std::string tag = {};      // what a line begins with, for fill_tag; "": as tag_of has it
  std::vector<RankStreams> streams =
      {};  // of each rank; none: shown, and in files if there are any
  FileLayout layout = FileLayout::torchrun;
  bool merged = false;  // standard error of ranks is shown where their output is
};

/// One of our own streams.
struct OutputStream {
  Sink* sink = nullptr;
  bool terminal = false;  // a person watches
  bool colours = false;   // and sees colours
};

/// What one process of a rank writes to. The files live as long as its readers.
struct RankOutput {
  std::vector<Output> output = {}, error = {};
  std::vector<std::unique_ptr<Sink>> files = {};
};

/// Opens the rank's files, if it is to have some. `on_error` is called when one cannot be written.
Result<RankOutput> open_rank_output(boost::asio::io_context& loop, const OutputWishes& wishes,
                                    const OutputStream& output, const OutputStream& error, int rank,
                                    int attempt, const std::function<void(const Error&)>& on_error);

/// Pure: the file of a rank's standard error; "": it has none.
std::string error_file_path(const OutputWishes& wishes, int attempt, int rank);

/// Makes the folder. An error says what is in the way.
Result<void> make_output_folder(const std::string& folder);

/// Pure: the ranks of "0,4-7". Errors name `text`; `ranks`: how many there are.
Result<std::set<int>> parse_rank_list(std::string_view text, int ranks);

/// Pure: what a line begins with besides the time.
std::string tag_of(int rank, bool colours);

}  // namespace ringmaster::launcher
