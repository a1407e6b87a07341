// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "tests/tidy/rules.h"

namespace ringmaster::tidy {
namespace {

/// One open brace: a switch's, with what was seen directly inside it, or another one.
struct Scope {
  bool is_switch = false;
  bool over_own_enum = false;
  std::size_t default_line = 0;
};

class SwitchWalk {
 public:
  SwitchWalk(const OwnEnums& enums, Findings& findings) : enums_(enums), findings_(findings) {}

  void line(std::size_t number, const std::string& code) {
    for (std::size_t i = 0; i < code.size(); ++i) {
      const std::string_view rest = std::string_view(code).substr(i);
      if (rest.starts_with("switch (")) switch_ahead_ = true;
      if (rest.starts_with("case ")) case_label(code.substr(i + 5));
      if (rest.starts_with("default:") && in_switch()) scopes_.back().default_line = number;
      if (rest.starts_with('{')) open();
      if (rest.starts_with('}')) close();
    }
  }

 private:
  bool in_switch() const { return !scopes_.empty() && scopes_.back().is_switch; }

  void open() {
    scopes_.push_back({.is_switch = switch_ahead_});
    switch_ahead_ = false;
  }
  void close() {
    if (scopes_.empty()) return;
    const Scope scope = scopes_.back();
    scopes_.pop_back();
    if (scope.over_own_enum && scope.default_line != 0) {
      findings_.add(scope.default_line,
                    "default in a switch over an enum of ours hides new values");
    }
  }
  /// `label` begins with the value: "core::State::running: ...", "running: ...", "SIGINT: ...".
  void case_label(const std::string& label) {
    if (!in_switch()) return;
    std::size_t end = 0;  // of the value: the first single colon
    while (end < label.size() && (label[end] != ':' || label.substr(end, 2) == "::")) {
      end += label[end] == ':' ? 2 : 1;
    }
    const auto words = words_of(label.substr(0, end));
    const auto is_type = [&](const std::string& word) { return enums_.types.contains(word); };
    const bool own = std::ranges::any_of(words, is_type) ||
                     (words.size() == 1 && enums_.values.contains(words.front()));
    if (own) scopes_.back().over_own_enum = true;
  }

  const OwnEnums& enums_;
  Findings& findings_;
  std::vector<Scope> scopes_;
  bool switch_ahead_ = false;
};

}  // namespace

void check_default_labels(const SourceFile& file, const Tree& tree, Findings& findings) {
  SwitchWalk walk(tree.enums, findings);
  for (std::size_t i = 0; i < file.code.size(); ++i) walk.line(i + 1, file.code[i]);
}

}  // namespace ringmaster::tidy
