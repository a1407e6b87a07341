// SPDX-License-Identifier: Apache-2.0
//
// What must hold of every answer, whatever the input: tests and fuzzing throw anything at the
// readers and ask this. Written apart from the readers' own checks, so that a mistake there shows.
//
// A violation is a failed CHECK. Header only: nothing but tests includes it.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/check.h"
#include "launcher/hostlist/host_list.h"

namespace ringmaster::launcher::hostlist {

/// Printable ASCII without blanks, quotes or what a shell reads: fit for ssh, logs and variables.
inline void check_host_name(std::string_view name) {
  CHECK(!name.empty());
  CHECK_LE(name.size(), std::size_t{320});
  const bool address = name.find(':') != std::string_view::npos;
  for (const char c : name) {
    const bool alphanumeric =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool mark = c == '-' || c == '_' || c == '.' || (address && (c == ':' || c == '%'));
    CHECK(alphanumeric || mark);
  }
  CHECK(name.front() != '-');
}

inline void check_error(const ListError& error) {
  CHECK(!error.why.empty());
  CHECK_LE(0, error.line);
  const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
  CHECK(std::ranges::all_of(error.message(), is_printable));
  CHECK(std::ranges::all_of(error.hint, is_printable));
  CHECK(error.message().starts_with(error.file + ":"));
  CHECK_LE(error.message().size(), error.file.size() + 1200);
}

inline void check_list(const HostList& list) {
  CHECK(!list.hosts.empty());
  CHECK_LE(list.hosts.size(), kHostsMax);
  CHECK(list.slots() > 0 || list.unknown() > 0);
  CHECK(!list.format.empty() && list.format != "auto");
  for (const HostEntry& entry : list.hosts) {
    check_host_name(entry.host);
    if (!entry.user.empty()) CHECK(entry.user.front() != '-');
    for (const char c : entry.user) CHECK(c > ' ' && c <= '~' && c != '@');
    if (entry.slots) CHECK(*entry.slots >= 0 && *entry.slots <= kSlotsMax);
    if (entry.slots && entry.max) CHECK_LE(*entry.slots, *entry.max);
    if (entry.port) CHECK(*entry.port >= 1 && *entry.port <= 65535);
    if (entry.slot_ids.empty()) continue;
    CHECK_EQ(static_cast<int>(entry.slot_ids.size()), entry.slots.value_or(-1));
    CHECK(std::ranges::is_sorted(entry.slot_ids, std::ranges::less_equal()));
  }
  for (std::size_t i = 0; i < list.ranks.size(); ++i) {
    CHECK_EQ(static_cast<std::size_t>(list.ranks[i].rank), i);
    check_host_name(list.ranks[i].host);
  }
}

inline void check_answer(const ListResult<HostList>& result) {
  if (result) return check_list(*result);
  check_error(result.error());
}

}  // namespace ringmaster::launcher::hostlist
