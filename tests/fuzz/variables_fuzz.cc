// SPDX-License-Identifier: Apache-2.0
//
// Env files and -x. An input is an -x, a line end, and a file. What is taken has each name once,
// and comes out the same when it is written as `env -0` would and read again.
#include <algorithm>
#include <set>

#include "base/check.h"
#include "launcher/variables.h"
#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

namespace {

using launcher::Variables;

void check_chosen(const Variables& variables) {
  std::set<std::string> names;
  std::string text;
  for (const auto& [name, value] : variables) {
    CHECK(!name.empty());
    CHECK(name.find('=') == name.npos);
    CHECK(names.insert(name).second);
    CHECK(value.find('\0') == value.npos);
    text += name + "=" + value + '\0';
  }
  const auto again = launcher::choose_variables({}, {{"again", text}}, {});
  CHECK(again.ok());
  CHECK(again->variables == variables);
  std::vector<std::string> environment = {"A=before", "B=before", "KEPT-BY-ALL=1"};
  launcher::set_variables(environment, variables);
  for (const auto& [name, value] : variables) {
    CHECK_EQ(std::count(environment.begin(), environment.end(), name + "=" + value), 1);
  }
}

void run(std::string_view input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  // An argument of a program ends at a NUL.
  const std::string_view word = input.substr(0, std::min(end, input.find('\0')));
  const std::string file(input.substr(std::min(end + 1, input.size())));
  std::vector<std::string> exports;
  if (!word.empty()) exports.emplace_back(word);
  const auto chosen = launcher::choose_variables(exports, {{"file", file}}, {"HOME=/home/kim"});
  if (chosen) return check_chosen(chosen->variables);
  CHECK(!chosen.error().message.empty());
  CHECK(chosen.error().message.find('\n') == std::string::npos);
}

}  // namespace

Target variables_target() {
  return {"variables",
          {"A=1\n# words\nB=\"x\" $Y\nHOME\n\nC=\r\n", std::string("HOME\nA=1\n2\0B=\0", 13),
           "A=b=c\n", "\nexport A=1\n", "RINGMASTER_RANK=1\n", "NONE\nNONE\n"},
          &run,
          5000};
}

}  // namespace ringmaster::fuzz
