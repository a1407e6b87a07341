// SPDX-License-Identifier: Apache-2.0
//
// Texts cut into lines, words and fields. Views into the text: nothing is copied, so a million
// lines cost no more than looking at them.
//
// A blank is a space or a tab, and nothing else: a no-break space or a vertical tab is no blank to
// any launcher, and must not become one here, or part of a name.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/hostlist/list_error.h"

namespace ringmaster::launcher::hostlist {

/// Without the blanks at both ends.
std::string_view trimmed(std::string_view text);

/// What stands between separators; always one more field than there are separators.
std::vector<std::string_view> fields(std::string_view text, char separator);

/// What stands between blanks, never empty words.
std::vector<std::string_view> words(std::string_view text);

struct Line {
  int number = 0;  // from 1
  std::string_view text = {};
};

/// The lines of a text that say something, trimmed. A carriage return at the end of a line is part
/// of the line's end; one elsewhere is a character of the line.
class Lines {
 public:
  enum class Comments { none, hash };  // hash: a # and what follows says nothing

  Lines(std::string_view text, Comments comments) : rest_(text), comments_(comments) {}
  /// The next such line, until there is none.
  std::optional<Line> next();

 private:
  std::string_view rest_;
  Comments comments_;
  int number_ = 0;
};

/// The text with the comments of Open MPI's files replaced by spaces: # and // up to the line's
/// end, and /* to */ over several lines. Line numbers stay. `file` is for the refusal of a comment
/// that does not end.
ListResult<std::string> without_comments(std::string_view text, std::string_view file);

/// The one line of a text that says something: lists that are an option's value. An empty one when
/// there is none.
ListResult<Line> only_line(std::string_view text, std::string_view file);

}  // namespace ringmaster::launcher::hostlist
