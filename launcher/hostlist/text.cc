// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/text.h"

#include <algorithm>

namespace ringmaster::launcher::hostlist {

namespace {

constexpr std::string_view kBlanks = " \t";

int line_at(std::string_view text, std::size_t offset) {
  return 1 + static_cast<int>(std::ranges::count(text.substr(0, offset), '\n'));
}

void blank_out(std::string& text, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    if (text[i] != '\n' && text[i] != '\r') text[i] = ' ';
  }
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> fields(std::string_view text, char separator) {
  std::vector<std::string_view> all;
  while (true) {
    const std::size_t end = text.find(separator);
    all.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return all;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> all;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
    all.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return all;
}

std::optional<Line> Lines::next() {
  while (!rest_.empty()) {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (comments_ == Comments::hash) line = line.substr(0, line.find('#'));
    line = trimmed(line);
    if (!line.empty()) return Line{number_, line};
  }
  return std::nullopt;
}

ListResult<std::string> without_comments(std::string_view text, std::string_view file) {
  std::string result(text);
  std::size_t at = 0;
  while ((at = result.find_first_of("#/", at)) != std::string::npos) {
    const std::string_view here = std::string_view(result).substr(at);
    if (here.starts_with("/*")) {
      const std::size_t end = result.find("*/", at + 2);
      if (end == std::string::npos) {
        return refusal("a comment begins here and does not end", "close it with */")
            .at({file, line_at(text, at), here.substr(0, here.find('\n'))});
      }
      blank_out(result, at, end + 2);
      at = end + 2;
    } else if (here.starts_with('#') || here.starts_with("//")) {
      const std::size_t end = std::min(result.find('\n', at), result.size());
      blank_out(result, at, end);
      at = end;
    } else {
      ++at;
    }
  }
  return result;
}

ListResult<Line> only_line(std::string_view text, std::string_view file) {
  Lines lines(text, Lines::Comments::none);
  const std::optional<Line> line = lines.next();
  if (!line) return Line{1, {}};
  if (const auto second = lines.next()) {
    return refusal("a second line, and such a list is one", "put the hosts on one line")
        .at({file, second->number, second->text});
  }
  return *line;
}

}  // namespace ringmaster::launcher::hostlist
