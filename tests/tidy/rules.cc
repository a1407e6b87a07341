// SPDX-License-Identifier: Apache-2.0
#include "tests/tidy/rules.h"

#include <fmt/format.h>

#include <utility>

namespace ringmaster::tidy {

std::string Violation::describe() const {
  return fmt::format("{}:{}: {}: {}", file, line, rule, text);
}

void Findings::begin(std::string_view rule, const SourceFile& file) {
  rule_ = rule;
  file_ = file.path;
}

void Findings::add(std::size_t line, std::string text) {
  all_.push_back({file_, line, rule_, std::move(text)});
}

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = {
      {"layers", check_layers},
      {"include-path", check_include_path},
      {"asio-homes", check_asio_homes},
      {"pure-includes", check_pure_includes},
      {"pure-words", check_pure_words},
      {"coroutines", check_coroutines},
      {"detached", check_detached},
      {"threads", check_threads},
      {"environment", check_environment},
      {"leftovers", check_leftovers},
      {"replaced-words", check_replaced_words},
      {"machine-paths", check_machine_paths},
      {"default-label", check_default_labels},
      {"helper-names", check_helper_names},
      {"file-length", check_file_length},
      {"function-length", check_function_length},
      {"width", check_width},
      {"licence", check_licence},
      {"head-comment", check_head_comment},
      {"pragma-once", check_pragma_once},
      {"file-name", check_file_name},
      {"test-place", check_test_place},
  };
  return all;
}

std::vector<Violation> check_tree(const Tree& tree) {
  std::vector<Violation> all;
  Findings findings(all);
  for (const SourceFile& file : tree.files) {
    for (const Rule& rule : rules()) {
      findings.begin(rule.name, file);
      rule.check(file, tree, findings);
    }
  }
  return all;
}

}  // namespace ringmaster::tidy
