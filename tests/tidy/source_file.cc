// SPDX-License-Identifier: Apache-2.0
#include "tests/tidy/source_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace ringmaster::tidy {
namespace {

constexpr std::array kTextFiles = {".h",  ".cc", ".c",   ".cmake", ".txt",  ".sh",
                                   ".py", ".md", ".yml", ".yaml",  ".json", ".proto"};

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Collects `enum [class] NAME [: type] { a, b = 1 }` from blanked code.
void collect_enums(const SourceFile& file, OwnEnums& enums) {
  std::string all;
  for (const std::string& line : file.code) {
    if (!line.starts_with('#')) all += line + "\n";
  }
  for (std::size_t at = all.find("enum "); at != std::string::npos;
       at = all.find("enum ", at + 1)) {
    const std::size_t open = all.find_first_of("{;", at);
    if (open == std::string::npos || all[open] == ';') continue;
    for (const std::string& word : words_of(all.substr(at + 5, open - at - 5))) {
      if (word == "class" || word == "struct") continue;
      enums.types.insert(word);
      break;
    }
    std::istringstream list(all.substr(open + 1, all.find('}', open) - open - 1));
    for (std::string value; std::getline(list, value, ',');) {
      const auto words = words_of(value);
      if (!words.empty()) enums.values.insert(words.front());
    }
  }
}

bool is_skipped_folder(const std::filesystem::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with('.') || name.starts_with("build") || name == "__pycache__";
}

Result<std::string> read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return Error{Errc::io, "read " + path.string() + ": failed"};
  return text.str();
}

}  // namespace

bool SourceFile::is_header() const {
  return path.ends_with(".h");
}
bool SourceFile::is_source() const {
  return path.ends_with(".cc") || path.ends_with(".c");
}
bool SourceFile::is_test() const {
  return path.ends_with("_test.cc") || is_under("tests");
}
bool SourceFile::is_under(std::string_view folder) const {
  return path.starts_with(std::string(folder) + "/");
}
std::string SourceFile::name() const {
  return path.substr(path.rfind('/') + 1);
}

SourceFile make_source_file(std::string path, std::string_view text) {
  SourceFile file{std::move(path), lines_of(text), {}};
  if (file.is_cpp()) file.code = lines_of(blank_comments_and_literals(text));
  return file;
}

Tree make_tree(std::vector<SourceFile> files) {
  Tree tree{std::move(files), {}};
  for (const SourceFile& file : tree.files) collect_enums(file, tree.enums);
  return tree;
}

Result<Tree> read_tree(const std::string& root) {
  namespace fs = std::filesystem;
  std::vector<SourceFile> files;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(root, failed), end; at != end; at.increment(failed)) {
    if (failed) return Error{Errc::io, "list " + root + ": " + failed.message()};
    if (at->is_directory() && is_skipped_folder(at->path())) at.disable_recursion_pending();
    const std::string extension = at->path().extension().string();
    if (!at->is_regular_file() || std::ranges::count(kTextFiles, extension) == 0) continue;
    auto text = read_text(at->path());
    if (!text) return text.error();
    files.push_back(make_source_file(fs::relative(at->path(), root).generic_string(), *text));
  }
  if (failed) return Error{Errc::io, "list " + root + ": " + failed.message()};
  std::ranges::sort(files, {}, &SourceFile::path);
  return make_tree(std::move(files));
}

}  // namespace ringmaster::tidy
