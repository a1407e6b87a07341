// SPDX-License-Identifier: Apache-2.0
#include "launcher/output/rank_outputs.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "base/whole_number.h"

namespace ringmaster::launcher {

namespace {

Result<std::unique_ptr<Sink>> open_file(boost::asio::io_context& loop, const std::string& path,
                                        const std::function<void(const Error&)>& on_error) {
  FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.valid()) return errno_error(errno, path);
  auto sink = Sink::open(loop, file.get(), path, on_error);
  if (!sink) return sink.error();
  return std::make_unique<Sink>(std::move(*sink));
}

Output shown(const OutputWishes& wishes, const OutputStream& stream, int rank, bool error,
             bool tagged) {
  const auto ends =
      stream.terminal ? LineSplitter::Ends::newline_or_return : LineSplitter::Ends::newline;
  const std::string tag = !tagged              ? ""
                          : wishes.tag.empty() ? tag_of(rank, stream.colours)
                                               : fill_tag(wishes.tag, rank, error);
  // A single rank has no lines of others to tear.
  return {stream.sink, LineSplitter(tag, ends), stream.terminal || wishes.ranks == 1,
          wishes.times ? std::optional(tag) : std::nullopt};
}

/// Nothing: as all ranks of the job.
std::optional<StreamWay> way_of_stream(const OutputWishes& wishes, int rank, bool error) {
  const auto index = static_cast<std::size_t>(rank);
  if (index >= wishes.streams.size()) return std::nullopt;
  return error ? wishes.streams[index].error : wishes.streams[index].output;
}

}  // namespace

std::string tag_of(int rank, bool colours) {
  // Red is left to errors, black and white to backgrounds.
  constexpr std::array<int, 5> kColours = {36, 33, 32, 35, 34};
  if (!colours) return fmt::format("[{}] ", rank);
  return fmt::format("\x1b[{}m[{}]\x1b[0m ", kColours[static_cast<std::size_t>(rank) % 5], rank);
}

std::string error_file_path(const OutputWishes& wishes, int attempt, int rank) {
  if (wishes.folder.empty() || way_of_stream(wishes, rank, true) == StreamWay::pass) return "";
  return fmt::format("{}/{}",
                     files_folder(wishes.layout, wishes.folder, attempt, rank, wishes.ranks),
                     file_name(wishes.layout, true));
}

Result<void> make_output_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && !std::filesystem::is_directory(folder)) {
    error = std::make_error_code(std::errc::not_a_directory);
  }
  if (error) return errno_error(error.value(), fmt::format("--output-dir {}", folder));
  return {};
}

Result<RankOutput> open_rank_output(boost::asio::io_context& loop, const OutputWishes& wishes,
                                    const OutputStream& output, const OutputStream& error, int rank,
                                    int attempt,
                                    const std::function<void(const Error&)>& on_error) {
  RankOutput made;
  for (const bool is_error : {false, true}) {
    const auto way = way_of_stream(wishes, rank, is_error);
    const bool passes = wishes.shown.empty() || wishes.shown.contains(rank);
    if (!passes || way == StreamWay::file) continue;
    const OutputStream& stream = is_error && !wishes.merged ? error : output;
    auto& outputs = is_error ? made.error : made.output;
    outputs.push_back(
        shown(wishes, stream, rank, is_error, way ? way == StreamWay::tee : wishes.tags));
  }
  if (wishes.folder.empty()) return made;
  const std::string folder =
      files_folder(wishes.layout, wishes.folder, attempt, rank, wishes.ranks);
  auto is_there = make_output_folder(folder);
  if (!is_there) return is_there.error();
  for (const bool is_error : {false, true}) {
    if (way_of_stream(wishes, rank, is_error) == StreamWay::pass) continue;
    auto file =
        open_file(loop, fmt::format("{}/{}", folder, file_name(wishes.layout, is_error)), on_error);
    if (!file) return file.error();
    // Whole lines are for streams of several ranks; here each byte is on disk as soon as it is
    // read.
    auto& outputs = is_error ? made.error : made.output;
    outputs.push_back({file->get(), LineSplitter(), true});
    made.files.push_back(std::move(*file));
  }
  return made;
}

Result<std::set<int>> parse_rank_list(std::string_view text, int ranks) {
  std::set<int> all;
  for (std::string_view left = text;;) {
    const std::size_t comma = left.find(',');
    const std::string_view field = left.substr(0, comma);
    const std::size_t dash = field.find('-');
    int first = 0, last = 0;
    const bool read = read_whole(field.substr(0, dash), &first) &&
                      (dash == std::string_view::npos || read_whole(field.substr(dash + 1), &last));
    if (dash == std::string_view::npos) last = first;
    if (!read || first < 0 || last < first) {
      return Error{Errc::invalid,
                   fmt::format("--output-ranks {}: it takes ranks as in 0,4-7", text)};
    }
    if (last >= ranks) {
      return Error{Errc::invalid, fmt::format("--output-ranks {}: there is no rank {}, they are 0 "
                                              "to {}",
                                              text, last, ranks - 1)};
    }
    for (int rank = first; rank <= last; ++rank) all.insert(rank);
    if (comma == std::string_view::npos) return all;
    left.remove_prefix(comma + 1);
  }
}

}  // namespace ringmaster::launcher
