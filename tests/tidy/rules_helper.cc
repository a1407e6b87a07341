// SPDX-License-Identifier: Apache-2.0
//
// Helpers of a library's files have names of their own: the files are compiled several as one
// (RINGMASTER_UNITY), and which ones are together changes with every new file.
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "tests/tidy/rules.h"

namespace ringmaster::tidy {
namespace {

/// Folders that are a library of their own, as in cmake/folder.cmake.
constexpr std::array<std::string_view, 13> kOwnFolders = {
    "worker/training",  "jobs/core",      "jobs/simulator",   "jobs/spec",  "jobs/wire",
    "jobs/coordinator", "storage/layout", "tests/end_to_end", "tests/fuzz", "tests/storm",
    "tests/tidy",       "topology/read",  "topology/detect"};
/// Compiled alone (RINGMASTER_ALONE).
constexpr std::array<std::string_view, 2> kAlone = {"launcher/output/sink.cc",
                                                    "storage/file/file_store.cc"};

/// What is compiled together: a library, or its tests. "" for what never is.
std::string group_of(const SourceFile& file) {
  const bool alone = file.is_under("tests/fuzz") || file.is_under("collectives/kernels") ||
                     file.path.ends_with("_main.cc") || !file.path.ends_with(".cc") ||
                     std::ranges::count(kAlone, file.path) > 0;
  if (alone) return "";
  const std::string suffix = file.path.ends_with("_test.cc") ? " tests" : "";
  for (const std::string_view folder : kOwnFolders) {
    if (file.is_under(folder)) return std::string(folder) + suffix;
  }
  return file.path.substr(0, file.path.find('/')) + suffix;
}

/// What a line at the beginning of its column defines: a constant, a type or an alias, a function
/// with its parameters, since overloads may share a name.
std::optional<std::string> defined_in(const std::string& line) {
  const auto words = words_of(line);
  if (words.size() < 2) return std::nullopt;
  if (words[0] == "struct" || words[0] == "class") {
    return line.find('{') != std::string::npos ? std::optional(words[1]) : std::nullopt;
  }
  if (words[0] == "using" && words.size() > 2 && words[1] != "namespace" &&
      line.find('=') != std::string::npos) {
    return words[1];
  }
  const std::size_t paren = line.find('('), brace = line.find('{'), equals = line.find('=');
  if (words[0] == "constexpr" && equals < paren && equals < brace) {
    return words_of(line.substr(0, equals)).back();
  }
  const bool function = paren != std::string::npos && brace != std::string::npos &&
                        line.ends_with('{') && paren < brace && equals > paren;
  if (!function || words[0] == "template" || words[0] == "namespace") return std::nullopt;
  const auto before = words_of(line.substr(0, paren));
  if (before.size() < 2 || line.find("::" + before.back()) != std::string::npos) {
    return std::nullopt;
  }
  return before.back() + line.substr(paren, brace - paren);
}

/// Calls `found(line, name, text)` for each helper: what stands in a namespace without a name.
template <class Found>
void for_each_helper(const SourceFile& file, const Found& found) {
  bool inside = false;
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    const std::string& line = file.code[i];
    if (line.starts_with("namespace {")) inside = true;
    // The closing brace of the innermost namespace: the comment behind it is blanked.
    if (inside && line.starts_with("}") &&
        file.lines[i].find("// namespace") != std::string::npos) {
      inside = false;
    }
    if (!inside || line.empty() || line[0] == ' ' || line[0] == '}') continue;
    if (const auto name = defined_in(line)) found(i + 1, *name, line);
  }
}

}  // namespace

void check_helper_names(const SourceFile& file, const Tree& tree, Findings& findings) {
  const std::string group = group_of(file);
  if (group.empty()) return;
  struct Place {
    std::size_t line;
    std::string text;
  };
  std::map<std::string, Place> own;
  for_each_helper(file, [&](std::size_t line, const std::string& name, const std::string& text) {
    own[name] = {line, text};
  });
  if (own.empty()) return;
  for (const SourceFile& other : tree.files) {
    if (other.path >= file.path || group_of(other) != group) continue;
    for_each_helper(other, [&](std::size_t, const std::string& name, const std::string& text) {
      const auto clash = own.find(name);
      // The same alias of the same type may be there twice.
      const bool alias = text.starts_with("using ");
      if (clash == own.end() || (alias && clash->second.text == text)) return;
      findings.add(clash->second.line,
                   "another helper of this library is called so, in " + other.path);
    });
  }
}

}  // namespace ringmaster::tidy
