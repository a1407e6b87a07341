// SPDX-License-Identifier: Apache-2.0
//
// A file of the tree as the rules see it: its lines, and the same lines with comments and literals
// blanked out, so that a rule on code is not set off by a sentence or by a string.
//
// Blanking is a small scanner of its own, not a compiler front end: the rules need words, braces
// and includes, and must run in a second on a tree that does not compile yet.
//
// Pure, read_tree() excepted. Not here: what is right and wrong (rules.h).
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ringmaster::tidy {

struct SourceFile {
  std::string path;                // from the root of the tree, with '/'
  std::vector<std::string> lines;  // as they are
  std::vector<std::string> code;   // without comments, literals; directives are kept. C++ only

  bool is_header() const;
  bool is_source() const;  // .cc or .c
  bool is_cpp() const { return is_header() || is_source(); }
  bool is_test() const;                          // x_test.cc, or anything in tests/
  bool is_under(std::string_view folder) const;  // "jobs/core"
  std::string name() const;                      // "x_test.cc"
};

/// The enumerations that the tree defines: a switch over one of them has no `default:`.
struct OwnEnums {
  std::set<std::string> types;
  std::set<std::string> values;
};

struct Tree {
  std::vector<SourceFile> files;
  OwnEnums enums;
};

SourceFile make_source_file(std::string path, std::string_view text);
Tree make_tree(std::vector<SourceFile> files);

/// Every text file that people write, below `root`; build folders and hidden ones are left out.
Result<Tree> read_tree(const std::string& root);

/// `text` with comments and the insides of literals replaced by spaces; line breaks stay.
std::string blank_comments_and_literals(std::string_view text);

/// The identifiers of a line, in order.
std::vector<std::string> words_of(std::string_view line);

}  // namespace ringmaster::tidy
