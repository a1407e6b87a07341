// SPDX-License-Identifier: Apache-2.0
#include "launcher/dialects/streams.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/whole_number.h"

namespace ringmaster::launcher {

namespace {

Error bad_streams(std::string_view option, std::string_view text) {
  return {Errc::invalid,
          fmt::format("{} {}: it takes 0 (none), 1 (standard output), 2 (standard error) or 3 "
                      "(both), for all ranks or as in 0:3,1:1",
                      option, text)};
}

bool read_small(std::string_view text, int most, int* number) {
  return read_whole(text, number) && *number >= 0 && *number <= most;
}

/// The bits of each rank: 1 standard output, 2 standard error.
Result<std::vector<int>> read_bits(std::string_view option, std::string_view text, int ranks) {
  int all = 0;
  if (read_small(text, 3, &all)) return std::vector<int>(static_cast<std::size_t>(ranks), all);
  std::vector<int> bits(static_cast<std::size_t>(ranks), -1);
  for (std::string_view left = text;;) {
    const std::size_t comma = left.find(',');
    const std::string_view field = left.substr(0, comma);
    const std::size_t colon = field.find(':');
    int rank = 0, value = 0;
    if (colon == std::string_view::npos || !read_small(field.substr(0, colon), 1 << 20, &rank) ||
        !read_small(field.substr(colon + 1), 3, &value)) {
      return bad_streams(option, text);
    }
    if (rank >= ranks) {
      return Error{Errc::invalid, fmt::format("{} {}: there is no local rank {}, they are 0 to {}",
                                              option, text, rank, ranks - 1)};
    }
    int& own = bits[static_cast<std::size_t>(rank)];
    if (own >= 0) {
      return Error{Errc::invalid,
                   fmt::format("{} {}: local rank {} is there twice", option, text, rank)};
    }
    own = value;
    if (comma == std::string_view::npos) break;
    left.remove_prefix(comma + 1);
  }
  for (int& own : bits) own = std::max(own, 0);
  return bits;
}

StreamWay way_of(int redirects, int tee, int bit) {
  if ((tee & bit) != 0) return StreamWay::tee;
  return (redirects & bit) != 0 ? StreamWay::file : StreamWay::pass;
}

}  // namespace

Result<std::vector<RankStreams>> read_streams(std::string_view redirects, std::string_view tee,
                                              int ranks) {
  const auto files = read_bits("--redirects", redirects, ranks);
  if (!files) return files.error();
  const auto both = read_bits("--tee", tee, ranks);
  if (!both) return both.error();
  std::vector<RankStreams> streams;
  for (std::size_t rank = 0; rank < files->size(); ++rank) {
    streams.push_back(
        {way_of((*files)[rank], (*both)[rank], 1), way_of((*files)[rank], (*both)[rank], 2)});
  }
  return streams;
}

bool has_files(const std::vector<RankStreams>& streams) {
  return std::ranges::any_of(streams, [](const RankStreams& own) {
    return own.output != StreamWay::pass || own.error != StreamWay::pass;
  });
}

}  // namespace ringmaster::launcher
