// SPDX-License-Identifier: Apache-2.0
//
// The options of another launcher that belong to a host list, given as one text: "--host +n0,+n2",
// "--include worker-0@worker-1:0,1". Only those that change the list are known; another one would
// be ignored, so it is refused.
//
// Pure.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "launcher/hostlist/formats.h"

namespace ringmaster::launcher::hostlist {

struct OptionWord {
  std::string_view name;   // as in `known`: its first spelling
  std::string_view value;  // a view into the source
};

/// One option that is known, with its spellings; the first one names it.
using Spellings = std::vector<std::string_view>;

/// "--name value" and "--name=value", again and again. At least one.
ListResult<std::vector<OptionWord>> parse_option_words(const Source& source,
                                                       const std::vector<Spellings>& known);

}  // namespace ringmaster::launcher::hostlist
