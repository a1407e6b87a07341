// SPDX-License-Identifier: Apache-2.0
//
// Lines of text as people paste them: colours of a terminal, marks of quotes and comments before
// each line, tabs or blanks between columns.
//
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringmaster::topology {

struct TextLine {
  int number = 0;    // from 1
  std::string text;  // without colours and marks
};

/// All lines. Colours go whether their escape character is still there or got lost on the way
/// ("[4mGPU0[0m").
std::vector<TextLine> clean_lines(std::string_view text);

/// The words between blanks and tabs; at most `most`, of which the last holds the rest.
std::vector<std::string_view> split_words(std::string_view line, std::size_t most);

}  // namespace ringmaster::topology
