// SPDX-License-Identifier: Apache-2.0
#include "topology/read/text_lines.h"

#include "topology/numbers.h"

namespace ringmaster::topology {

namespace {

constexpr char kEscape = '\x1b';

/// The length of "[...m" at the beginning of the text, where digits and semicolons stand between.
std::size_t colour_length(std::string_view text) {
  if (text.empty() || text.front() != '[') return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", 1);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

std::string without_colours(std::string_view line) {
  std::string plain;
  while (!line.empty()) {
    const bool escape = line.front() == kEscape;
    const std::size_t colour = colour_length(line.substr(escape ? 1 : 0));
    if (colour == 0 && !escape) plain += line.front();
    line.remove_prefix(colour == 0 ? 1 : colour + (escape ? 1 : 0));
  }
  return plain;
}

}  // namespace

std::vector<TextLine> clean_lines(std::string_view text) {
  std::vector<TextLine> lines;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string plain = without_colours(text.substr(0, end));
    // "# GPU0", "> GPU0", "| GPU0": comments, quotes and tables. Tabs stay: they are columns.
    const std::size_t first = plain.find_first_not_of("#>| ");
    plain.erase(0, first == std::string::npos ? plain.size() : first);
    while (!plain.empty() && plain.back() == '\r') plain.pop_back();
    lines.push_back({++number, std::move(plain)});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string_view> split_words(std::string_view line, std::size_t most) {
  constexpr std::string_view kBetween = " \t\r\f\v";
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t first = line.find_first_not_of(kBetween);
    if (first == std::string_view::npos) return words;
    line.remove_prefix(first);
    if (words.size() + 1 == most) {
      words.push_back(trim(line));
      return words;
    }
    const std::size_t end = std::min(line.find_first_of(kBetween), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

}  // namespace ringmaster::topology
