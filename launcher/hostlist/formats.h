// SPDX-License-Identifier: Apache-2.0
//
// The formats of host lists, as a table: name, what it is, who reads it. --help, errors and the
// guess are made from it, so a format that is not here does not exist.
//
// The same text means different things in different formats (docs/hostlists.md has the points), so
// there is no reader that takes everything: each one refuses what its own tool does not know.
//
// Pure: texts in, a value or an error with its place out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/hostlist/host_list.h"

namespace ringmaster::launcher::hostlist {

/// A text and what messages call it.
struct Source {
  std::string name = {};
  std::string text = {};
};

/// What is to be read. Most formats are one text; what a format does not take must be absent.
struct Question {
  Source list = {};
  std::optional<Source> second = {};  // openmpi: a layout of the list's hosts; rankfile: the other
  std::optional<Source> tasks = {};   // slurm: ranks on each host, as in "8(x2),4"
  std::optional<Source> args = {};    // openmpi: "--host ..."; deepspeed: "--include ..."
};

struct Format {
  std::string_view name;
  std::string_view what;  // for people, a few words
  ListResult<HostList> (*read)(const Question& question);
  bool second = false, tasks = false, args = false;  // what it takes besides the list
  bool one_line = false;                             // such a list is the value of an option
  // Whether a list whose format is not named may be one. Not where Open MPI's hostfiles take the
  // same texts, or a destination's port would be taken for slots.
  bool guessed = false;
};

/// "auto" is the first one: Open MPI's hostfile, or what else reads it (guess.h).
const std::vector<Format>& formats();

/// The format of this name, or null.
const Format* find_format(std::string_view name);

/// The names of all formats.
std::vector<std::string> format_names();

/// Reads the list in that format. Refuses texts above kTextMax, and what the format does not take.
ListResult<HostList> read_host_list(const Format& format, const Question& question);

}  // namespace ringmaster::launcher::hostlist
