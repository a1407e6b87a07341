// SPDX-License-Identifier: Apache-2.0
//
// For tests: cases of host lists, one a line of a table, and how an answer is written there.
//
// Columns, separated by tabs: id, syntax, input, expected, and a remark. Of an input \n, \r, \t,
// \uXXXX and a doubled backslash are escapes, and a line that begins with @file, @rankfile, @args
// or @tasks begins another input. An expected answer is "host=slots" by commas, with "(max N)" and
// "{slot ids}", or "rank@host{cores}", or ERROR; several by " OR ". Of our own refusals the remark
// is a part of what they say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/hostlist/formats.h"

namespace ringmaster::hostlists {

using launcher::hostlist::Format;
using launcher::hostlist::HostList;
using launcher::hostlist::ListResult;
using launcher::hostlist::Question;

struct ListCase {
  std::string id = {}, syntax = {}, input = {}, expected = {}, remark = {};

  /// The format that the syntax stands for; never null.
  const Format& format() const;
  /// What is asked, with the inputs taken apart. The list is called "list", another file "second".
  Question question() const;
  /// Whether this answer is one of those expected.
  bool accepts(std::string_view answer) const;
};

/// The cases of a table; CHECKs that it is one.
std::vector<ListCase> parse_cases(std::string_view table);

/// Our own cases, beside this header.
const std::vector<ListCase>& own_cases();

/// A list, or ERROR, as a table has it.
std::string answer_of(const ListResult<HostList>& result);

}  // namespace ringmaster::hostlists
