// SPDX-License-Identifier: Apache-2.0
//
// Which hosts a launch may use: those that a queueing system gave to this job, those of a hostfile,
// and what -H or a rank file takes from them. Each narrows the one before, and none adds a host to
// an allocation; where there is none of them, the launch is for this host alone.
//
// Names that mean this host are one host, under the first of its names in the list.
//
// Pure: texts in, hosts out. read_host_texts (host_choice_settings.cc) fetches them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/hostlist/allocation.h"
#include "launcher/settings.h"
#include "launcher/this_host.h"

namespace ringmaster::launcher {

struct HostTexts {
  std::vector<std::string> picked = {};  // the values of -H
  std::optional<hostlist::Source> file = {};
  std::string format = "auto";  // the file's
  std::optional<hostlist::Source> rank_file = {};
  std::optional<hostlist::Allocation> allocation = {};

  /// Whether hosts are named at all.
  bool any() const { return !picked.empty() || file || rank_file || allocation; }
};

struct HostChoice {
  std::optional<hostlist::HostList> list = {};  // nothing: this host, which nobody listed
  std::string here = {};  // what the list calls this host; "": it does not name it
  std::vector<std::string> remarks = {};
};

/// Refusals have file, line and entry; "-H" and "-x" stand where a file would.
hostlist::ListResult<HostChoice> choose_hosts(const HostTexts& texts, const OwnNames& own);

/// Reads files, and the environment for allocations.
hostlist::ListResult<HostTexts> read_host_texts(const RunSettings& settings);

}  // namespace ringmaster::launcher
