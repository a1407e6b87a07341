// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "tests/tidy/source_file.h"

namespace ringmaster::tidy {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Walks over the text once and blanks what is no code.
class Blanker {
 public:
  explicit Blanker(std::string_view text) : text_(text), out_(text) {}

  std::string run() {
    while (at_ < text_.size()) {
      if (starts("//")) {
        blank_until("\n", 0);
      } else if (starts("/*")) {
        blank_until("*/", 2);
      } else if (starts("R\"") && !is_word(before())) {
        raw_string();
      } else if (text_[at_] == '"') {
        in_include() ? blank_nothing_until_line_end() : literal('"');
      } else if (text_[at_] == '\'' && !is_word(before())) {  // else a digit separator
        literal('\'');
      } else {
        ++at_;
      }
    }
    return std::move(out_);
  }

 private:
  bool starts(std::string_view what) const { return text_.substr(at_, what.size()) == what; }
  char before() const { return at_ == 0 ? '\n' : text_[at_ - 1]; }

  bool in_include() const {
    const std::size_t line = text_.rfind('\n', at_) + 1;  // npos + 1 is 0
    return text_.substr(line, at_ - line).starts_with("#include");
  }
  void blank_nothing_until_line_end() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  void blank_to(std::size_t end) {
    for (; at_ < std::min(end, text_.size()); ++at_) {
      if (text_[at_] != '\n') out_[at_] = ' ';
    }
  }
  void blank_until(std::string_view end, std::size_t also) {
    const std::size_t found = text_.find(end, at_ + also);
    blank_to(found == std::string_view::npos ? text_.size() : found + also);
  }
  void literal(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    ++at_;  // the quotes stay: a literal is still something
    blank_to(end);
    at_ = std::max(at_, std::min(end + 1, text_.size()));
  }
  void raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return blank_to(text_.size());
    const std::string end = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
    const std::size_t found = text_.find(end, open);
    blank_to(found == std::string_view::npos ? text_.size() : found + end.size());
  }

  std::string_view text_;
  std::string out_;
  std::size_t at_ = 0;
};

}  // namespace

std::string blank_comments_and_literals(std::string_view text) {
  return Blanker(text).run();
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    while (end < line.size() && is_word(line[end])) ++end;
    if (end > at) words.emplace_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace ringmaster::tidy
