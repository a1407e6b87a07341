// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <vector>

#include "tests/tidy/rules.h"

namespace ringmaster::tidy {
namespace {

constexpr std::size_t kHeaderLinesMax = 150;
constexpr std::size_t kSourceLinesMax = 400;
constexpr std::size_t kFileLinesMax = 600;
constexpr std::size_t kFunctionLinesMax = 70;
constexpr std::size_t kColumnsMax = 100;

/// Columns as a terminal counts them, near enough: bytes that continue a UTF-8 letter are none.
std::size_t columns(const std::string& line) {
  std::size_t count = 0;
  for (const char c : line) count += (static_cast<unsigned char>(c) & 0xc0U) != 0x80U ? 1 : 0;
  return count;
}

bool has_limited_width(const SourceFile& file) {
  return file.is_cpp() || file.path.ends_with(".cmake") || file.path.ends_with(".sh") ||
         file.path.ends_with(".py") || file.path.ends_with("CMakeLists.txt");
}

/// Follows braces outside functions; a brace after a closed parameter list opens a function.
class FunctionWalk {
 public:
  explicit FunctionWalk(Findings& findings) : findings_(findings) {}

  void line(std::size_t number, const std::string& code) {
    for (const char c : code) character(number, c);
    statement_ += ' ';
  }

 private:
  void character(std::size_t number, char c) {
    if (statement_.find_first_not_of(' ') == std::string::npos) statement_line_ = number;
    if (c == '{') return open();
    if (c == '}') return close(number);
    if (c == '(') ++parentheses_;
    if (c == ')') --parentheses_;
    if (c == ';' && parentheses_ == 0) return statement_.clear();
    statement_ += c;
  }
  void open() {
    ++depth_;
    if (!function_depth_ && opens_function()) {
      function_depth_ = depth_;
      function_line_ = statement_line_;
    }
    statement_.clear();
  }
  void close(std::size_t number) {
    if (function_depth_ == depth_) {
      const std::size_t length = number - function_line_ + 1;
      if (length > kFunctionLinesMax) {
        findings_.add(function_line_,
                      fmt::format("a function of {} lines, at most {}", length, kFunctionLinesMax));
      }
      function_depth_.reset();
    }
    --depth_;
    statement_.clear();
  }
  bool opens_function() const {
    if (parentheses_ != 0) return false;
    const auto words = words_of(statement_);
    const std::string first = words.empty() ? "" : words.front();
    if (first == "namespace" || first == "extern" || first == "enum") return false;
    return statement_.find(')') != std::string::npos;
  }

  Findings& findings_;
  std::string statement_;
  std::size_t statement_line_ = 0;
  std::size_t function_line_ = 0;
  int depth_ = 0;
  int parentheses_ = 0;
  std::optional<int> function_depth_;
};

}  // namespace

void check_file_length(const SourceFile& file, const Tree&, Findings& findings) {
  std::size_t most = kFileLinesMax;
  if (file.is_header()) most = kHeaderLinesMax;
  if (file.is_source()) most = kSourceLinesMax;
  const bool data = file.path.ends_with(".txt") || file.path.ends_with(".json");
  if (data || file.lines.size() <= most) return;
  findings.add(most + 1, fmt::format("{} lines, at most {}", file.lines.size(), most));
}

void check_function_length(const SourceFile& file, const Tree&, Findings& findings) {
  FunctionWalk walk(findings);
  bool continued = false;  // inside a directive that goes over several lines
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    const std::string& code = file.code[i];
    const bool directive = continued || code.starts_with('#');
    continued = directive && code.ends_with('\\');
    if (!directive) walk.line(i + 1, code);
  }
}

void check_width(const SourceFile& file, const Tree&, Findings& findings) {
  if (!has_limited_width(file)) return;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const std::size_t width = columns(file.lines[i]);
    if (width > kColumnsMax) findings.add(i + 1, fmt::format("{} columns, at most 100", width));
  }
}

}  // namespace ringmaster::tidy
