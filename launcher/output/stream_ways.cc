// SPDX-License-Identifier: Apache-2.0
#include "launcher/output/stream_ways.h"

#include <fmt/format.h>

namespace ringmaster::launcher {

std::string files_folder(FileLayout layout, const std::string& folder, int attempt, int rank,
                         int ranks) {
  switch (layout) {
    case FileLayout::torchrun:
      return fmt::format("{}/attempt_{}/{}", folder, attempt, rank);
    case FileLayout::openmpi:
      return fmt::format("{}/1/rank.{:0{}}", folder, rank, fmt::format("{}", ranks).size());
  }
  return {};
}

std::string_view file_name(FileLayout layout, bool error) {
  switch (layout) {
    case FileLayout::torchrun:
      return error ? "stderr.log" : "stdout.log";
    case FileLayout::openmpi:
      return error ? "stderr" : "stdout";
  }
  return {};
}

std::string fill_tag(std::string_view form, int rank, bool error) {
  std::string text;
  while (!form.empty()) {
    const std::size_t open = form.find("${");
    const std::size_t close = open == std::string_view::npos ? open : form.find('}', open);
    text += form.substr(0, close == std::string_view::npos ? form.size() : open);
    if (close == std::string_view::npos) return text;
    const std::string_view name = form.substr(open + 2, close - open - 2);
    if (name == "rank" || name == "local_rank") {
      text += fmt::format("{}", rank);
    } else if (name == "stream") {
      text += error ? "stderr" : "stdout";
    } else {
      text += form.substr(open, close - open + 1);
    }
    form.remove_prefix(close + 1);
  }
  return text;
}

}  // namespace ringmaster::launcher
