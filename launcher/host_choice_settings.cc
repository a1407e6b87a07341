// SPDX-License-Identifier: Apache-2.0
//
// The texts that a choice of hosts is made from.
#include <fmt/format.h>

#include "launcher/host_choice.h"
#include "launcher/hostlist/read_source.h"

namespace ringmaster::launcher {

namespace {

/// The file of an option that may be given once; nothing when it was not given.
hostlist::ListResult<std::optional<hostlist::Source>> read_only_file(
    const std::vector<std::string>& paths, const char* option) {
  if (paths.empty()) return std::optional<hostlist::Source>();
  if (paths.size() > 1) {
    return hostlist::refusal(
               fmt::format("{} names another file as well", hostlist::on_one_line(paths.front())),
               "give one")
        .at({.file = option, .entry = paths.back()});
  }
  auto source = hostlist::read_source(paths.front());
  if (source) return std::optional(std::move(*source));
  return hostlist::refusal(source.error().message,
                           fmt::format("{} takes a file that can be read", option))
      .at({.file = paths.front().empty() ? "\"\"" : paths.front()});
}

}  // namespace

hostlist::ListResult<HostTexts> read_host_texts(const RunSettings& settings) {
  HostTexts texts{.picked = settings.hosts, .format = settings.host_file_format};
  auto file = read_only_file(settings.host_files, "--hostfile");
  if (!file) return file.error();
  texts.file = std::move(*file);
  auto rank_file = read_only_file(settings.rank_files, "--rankfile");
  if (!rank_file) return rank_file.error();
  texts.rank_file = std::move(*rank_file);
  if (!texts.file && texts.format != "auto") {
    return hostlist::refusal("there is no hostfile that could have it", "add --hostfile FILE")
        .at({.file = "--hostfile-format", .entry = texts.format});
  }
  auto allocation = hostlist::read_allocation_here(hostlist::read_allocation_environment());
  if (!allocation) return allocation.error();
  texts.allocation = std::move(*allocation);
  return texts;
}

}  // namespace ringmaster::launcher
