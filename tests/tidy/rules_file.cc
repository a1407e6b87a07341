// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "tests/tidy/rules.h"

namespace ringmaster::tidy {
namespace {

constexpr std::string_view kLicence = "SPDX-License-Identifier: Apache-2.0";

bool carries_licence(const SourceFile& file) {
  return file.is_cpp() || file.path.ends_with(".cmake") || file.path.ends_with(".sh") ||
         file.path.ends_with(".py") || file.path.ends_with("CMakeLists.txt") ||
         file.path.ends_with(".proto");
}

}  // namespace

void check_licence(const SourceFile& file, const Tree&, Findings& findings) {
  if (!carries_licence(file)) return;
  const bool script = !file.lines.empty() && file.lines[0].starts_with("#!");
  const std::size_t first = script ? 1 : 0;
  const bool there =
      file.lines.size() > first && file.lines[first].find(kLicence) != std::string::npos;
  if (!there) findings.add(first + 1, "the first line is \"" + std::string(kLicence) + "\"");
}

void check_head_comment(const SourceFile& file, const Tree&, Findings& findings) {
  if (!file.is_header()) return;
  for (std::size_t i = 1; i < std::min<std::size_t>(file.lines.size(), 5); ++i) {
    const std::string& line = file.lines[i];
    const bool comment = line.starts_with("//") || line.starts_with("/*") || line.starts_with(" *");
    if (!comment) break;
    const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
    if (std::ranges::any_of(line, is_letter)) return;
  }
  findings.add(2, "a header says what it is for below its licence");
}

void check_pragma_once(const SourceFile& file, const Tree&, Findings& findings) {
  if (!file.is_header()) return;
  if (std::ranges::count(file.lines, "#pragma once") != 1) {
    findings.add(1, "a header has one #pragma once");
  }
}

void check_file_name(const SourceFile& file, const Tree&, Findings& findings) {
  if (!file.is_cpp() && !file.path.ends_with(".py")) return;
  const auto is_snake = [](char c) {
    const auto letter = static_cast<unsigned char>(c);
    return std::islower(letter) != 0 || std::isdigit(letter) != 0 || c == '_' || c == '.' ||
           c == '/';
  };
  if (!std::ranges::all_of(file.path, is_snake)) findings.add(1, "file names are snake_case");
}

void check_test_place(const SourceFile& file, const Tree& tree, Findings& findings) {
  constexpr std::string_view kEnd = "_test.cc";
  if (file.is_under("tests") || !file.path.ends_with(kEnd)) return;
  const std::string tested = file.path.substr(0, file.path.size() - kEnd.size());
  const auto is_tested = [&](const SourceFile& other) {
    return other.path == tested + ".cc" || other.path == tested + ".h";
  };
  if (std::ranges::none_of(tree.files, is_tested)) {
    findings.add(1, "no " + tested + ".cc or .h stands beside this test");
  }
}

}  // namespace ringmaster::tidy
