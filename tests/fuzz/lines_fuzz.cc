// SPDX-License-Identifier: Apache-2.0
//
// The line splitter: portions and flushes of any kind give the same output as all at once, taking
// the prefixes out gives back the input, and a prefix stands at the start of every line and nowhere
// else.
#include <algorithm>

#include "base/check.h"
#include "base/random.h"
#include "launcher/output/line_splitter.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

namespace {

using launcher::LineSplitter;

constexpr char kPrefix = '\x01';  // taken out of the input, so that it tells where prefixes went

/// Bytes from 0x80 stand for a run of letters, so that short inputs hold lines above the limit.
std::string unfold(std::string_view input) {
  std::string text;
  for (const char c : input) {
    const auto value = static_cast<unsigned char>(c);
    if (value < 0x80) {
      if (c != kPrefix) text += c;
    } else if (text.size() <= LineSplitter::kLineMax) {
      text.append(static_cast<std::size_t>(value - 0x7f) * 512 - 1, 'x');
    }
  }
  return text;
}

std::string split_at_once(const std::string& text, LineSplitter::Ends ends) {
  LineSplitter splitter(std::string(1, kPrefix), ends);
  std::string out;
  splitter.feed(text, out);
  splitter.flush(out);
  CHECK(!splitter.has_partial());
  return out;
}

std::string split_in_portions(std::string_view text, LineSplitter::Ends ends, Random& random) {
  LineSplitter splitter(std::string(1, kPrefix), ends);
  std::string out;
  while (!text.empty()) {
    const std::uint64_t most = random.chance(0.7) ? 9 : LineSplitter::kLineMax + 9;
    const auto portion = text.substr(0, static_cast<std::size_t>(random.below(most)));
    splitter.feed(portion, out);
    text.remove_prefix(portion.size());
    if (random.chance(0.1)) splitter.flush(out);
    // A long text in tiny portions would take most of the time.
    if (text.size() > 3000 && random.chance(0.3)) {
      splitter.feed(text.substr(0, text.size() - 2000), out);
      text.remove_prefix(text.size() - 2000);
    }
  }
  splitter.flush(out);
  return out;
}

/// Where each line starts, by the definition: after a newline, or after a '\r' that ends a line.
std::string with_prefixes(std::string_view text, LineSplitter::Ends ends) {
  const std::string_view marks = ends == LineSplitter::Ends::newline ? "\n" : "\r\n";
  std::string out;
  while (!text.empty()) {
    const std::size_t mark = text.find_first_of(marks);
    std::size_t length = mark == std::string_view::npos ? text.size() : mark + 1;
    if (text.substr(length - 1).starts_with("\r\n") && marks.size() == 2) ++length;
    out += kPrefix;
    out += text.substr(0, length);
    text.remove_prefix(length);
  }
  return out;
}

void run(std::string_view input) {
  Input in(input);
  const auto ends = in.flag() ? LineSplitter::Ends::newline_or_return : LineSplitter::Ends::newline;
  Random random(in.byte());
  const std::string text = unfold(in.rest());
  const std::string expected = with_prefixes(text, ends);
  CHECK(split_at_once(text, ends) == expected);
  CHECK(split_in_portions(text, ends, random) == expected);
}

}  // namespace

Target lines_target() {
  const std::string text = "loss 0.5\r\nloss 0.4\rloss 0.3\n\n\r\r\nend";
  const std::string terminal = std::string("\x01\x02", 2), pipe = std::string("\x00\x03", 2);
  return {"lines",
          {terminal + text, pipe + text, terminal + "\xff\r\n\xff\r", terminal + "\xffx\r\nb",
           pipe + "\xff\xbf\nx\xff", terminal},
          &run,
          500};
}

}  // namespace ringmaster::fuzz
