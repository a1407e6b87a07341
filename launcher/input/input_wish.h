// SPDX-License-Identifier: Apache-2.0
//
// Which ranks get our standard input; the others read /dev/null.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace ringmaster::launcher {

struct InputWish {
  bool all = false;             // each gets every byte
  std::optional<int> rank = 0;  // else this one; nothing: none
};

/// Pure: "all", "none", or a rank of so many. Errors say what `--stdin` takes.
Result<InputWish> parse_input_wish(const std::string& text, int ranks);

}  // namespace ringmaster::launcher
