// SPDX-License-Identifier: Apache-2.0
//
// The house style as a program. Each rule looks at one file and names what is wrong with it, where
// and why; a rule file holds the rules of one subject.
//
// Rules are heuristics on blanked text. They lean towards silence: a rule that cries wolf is
// switched off by the first person it annoys, so each one looks only for what is surely wrong.
//
// Pure. Not here: reading the tree (source_file.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/source_file.h"

namespace ringmaster::tidy {

struct Violation {
  std::string file;
  std::size_t line;  // from 1
  std::string rule;
  std::string text;

  std::string describe() const;  // "FILE:LINE: rule: text"
};

/// Where a rule leaves what it found.
class Findings {
 public:
  explicit Findings(std::vector<Violation>& all) : all_(all) {}
  void begin(std::string_view rule, const SourceFile& file);
  void add(std::size_t line, std::string text);

 private:
  std::vector<Violation>& all_;
  std::string rule_;
  std::string file_;
};

struct Rule {
  std::string_view name;
  void (*check)(const SourceFile&, const Tree&, Findings&);
};

const std::vector<Rule>& rules();

/// Every rule on every file, in the order of the files.
std::vector<Violation> check_tree(const Tree& tree);

// rules_include.cc
void check_layers(const SourceFile&, const Tree&, Findings&);
void check_include_path(const SourceFile&, const Tree&, Findings&);
void check_asio_homes(const SourceFile&, const Tree&, Findings&);

// rules_pure.cc
void check_pure_includes(const SourceFile&, const Tree&, Findings&);
void check_pure_words(const SourceFile&, const Tree&, Findings&);

// rules_word.cc
void check_coroutines(const SourceFile&, const Tree&, Findings&);
void check_detached(const SourceFile&, const Tree&, Findings&);
void check_threads(const SourceFile&, const Tree&, Findings&);
void check_environment(const SourceFile&, const Tree&, Findings&);
void check_leftovers(const SourceFile&, const Tree&, Findings&);
void check_replaced_words(const SourceFile&, const Tree&, Findings&);
void check_machine_paths(const SourceFile&, const Tree&, Findings&);

// rules_switch.cc
void check_default_labels(const SourceFile&, const Tree&, Findings&);

// rules_helper.cc
void check_helper_names(const SourceFile&, const Tree&, Findings&);

// rules_length.cc
void check_file_length(const SourceFile&, const Tree&, Findings&);
void check_function_length(const SourceFile&, const Tree&, Findings&);
void check_width(const SourceFile&, const Tree&, Findings&);

// rules_file.cc
void check_licence(const SourceFile&, const Tree&, Findings&);
void check_head_comment(const SourceFile&, const Tree&, Findings&);
void check_pragma_once(const SourceFile&, const Tree&, Findings&);
void check_file_name(const SourceFile&, const Tree&, Findings&);
void check_test_place(const SourceFile&, const Tree&, Findings&);

}  // namespace ringmaster::tidy
