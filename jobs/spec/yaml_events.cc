// SPDX-License-Identifier: Apache-2.0
#include "jobs/spec/yaml_events.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

#include "jobs/spec/yaml_text.h"

namespace ringmaster::jobs {

namespace {

using enum YamlEventKind;
using Trouble = std::optional<SpecError>;

SpecError error_at(std::string_view text, std::size_t offset, std::string why, std::string hint) {
  return {.place = Places(text).of(offset),
          .what = "YAML",
          .why = std::move(why),
          .hint = std::move(hint)};
}

/// The code of the control character at the front that ends no line, or -1. Those from 0x80 on, two
/// bytes in UTF-8, steer terminals as well.
int control_code(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first == '\n' || text.starts_with("\r\n")) return -1;
  if (first < 0x20U || first == 0x7fU) return first;
  if (first != 0xc2U || text.size() < 2) return -1;
  const auto second = static_cast<unsigned char>(text[1]);
  return second < 0xa0U ? second : -1;
}

/// What no spec holds, whatever its YAML is. The library takes some of these bytes for signs of
/// its own (4 for the end of the text).
Trouble check_bytes(std::string_view text) {
  if (text.size() > kSpecBytesMax) {
    return error_at(text, 0, fmt::format("{} bytes are too long for a spec", text.size()),
                    fmt::format("it takes at most {}", kSpecBytesMax));
  }
  if (const auto bad = find_invalid_utf8(text)) {
    return error_at(text, *bad, "the text is not UTF-8", "save the file as UTF-8");
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\t') {
      return error_at(text, i, "a tab", "indent with spaces; inside double quotes write \\t");
    }
    if (const int code = control_code(text.substr(i)); code >= 0) {
      return error_at(text, i, fmt::format("a control character ({:#04x})", code),
                      fmt::format("inside double quotes write \\x{:02x}", code));
    }
    if (c == '%' && (i == 0 || text[i - 1] == '\n')) {
      return error_at(text, i, "a line that begins with % is a directive", "leave it out");
    }
  }
  return {};
}

/// Whether the quoted text that begins at `offset` ends: the library takes the file's end for it.
bool is_closed(std::string_view text, std::size_t offset) {
  const char quote = text[offset];
  if (quote != '"' && quote != '\'') return true;  // a block scalar ends with its indentation
  for (std::size_t i = offset + 1; i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (text[i] == quote) {
      return true;
    }
  }
  return false;
}

/// Takes the library's events; after the first trouble it takes no more.
class Recorder : public YAML::EventHandler {
 public:
  explicit Recorder(std::string_view text) : text_(text) {}

  Trouble trouble() const { return trouble_; }
  std::vector<YamlEvent> take() { return std::move(events_); }
  bool has_document() const { return documents_ > 0; }

  /// Where the innermost list or map begins that is open and of this kind.
  std::optional<std::size_t> innermost(YamlEventKind kind) const {
    const auto at = std::find_if(open_.rbegin(), open_.rend(),
                                 [&](std::size_t event) { return events_[event].kind == kind; });
    if (at == open_.rend()) return std::nullopt;
    return events_[*at].offset;
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) {
      refuse(offset_of(mark), "a second document begins here", "a file holds one job");
    }
  }
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark& mark, const std::string&) override { refuse_anchor(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_anchor(mark); }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (anchor != 0) return refuse_anchor(mark);
    add({.kind = nothing, .offset = offset_of(mark)});
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (!is_bare(mark, tag, anchor)) return;
    const std::size_t offset = offset_of(mark);
    const bool quoted = tag == "!";
    if (quoted && !is_closed(text_, offset)) {
      return refuse(offset, "a quote is opened here and never closed", "close it");
    }
    if (!quoted && text_.substr(offset, value.size()) != value) {
      return refuse(offset, "a text without quotes goes over several lines",
                    "put it in quotes, or check the indentation of the next line");
    }
    if (find_invalid_utf8(value)) {  // it makes single bytes of \N and \_
      return refuse(offset, "an escape in it stands for no character", "write \\u0085 or \\u00a0");
    }
    add({.kind = scalar, .offset = offset, .text = value, .quoted = quoted});
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    if (is_bare(mark, tag, anchor)) begin(list_start, offset_of(mark));
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    if (is_bare(mark, tag, anchor)) begin(map_start, offset_of(mark));
  }
  void OnSequenceEnd() override { end(list_end); }
  void OnMapEnd() override { end(map_end); }

 private:
  std::size_t offset_of(const YAML::Mark& mark) const {
    if (mark.pos < 0) return 0;
    return std::min(static_cast<std::size_t>(mark.pos), text_.size());
  }
  void refuse(std::size_t offset, std::string why, std::string hint) {
    if (!trouble_) trouble_ = error_at(text_, offset, std::move(why), std::move(hint));
  }
  void refuse_anchor(const YAML::Mark& mark) {
    refuse(offset_of(mark), "anchors (&) and aliases (*) have no place in a spec",
           "write the value out, or quote a text that begins so");
  }
  /// Without tag and anchor. A quoted scalar has the tag "!", and so has one with a bare "!".
  bool is_bare(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    const std::size_t offset = offset_of(mark);
    if (anchor != 0) {
      refuse_anchor(mark);
    } else if ((tag != "?" && tag != "!") || text_.substr(offset, 1) == "!") {
      refuse(offset, "tags (!) have no place in a spec",
             "leave it out, or quote a text that begins so");
    }
    return !trouble_;
  }
  void add(YamlEvent event) {
    if (!trouble_) events_.push_back(std::move(event));
  }
  void begin(YamlEventKind kind, std::size_t offset) {
    if (open_.size() == kSpecDepthMax) {
      refuse(offset, "lists and maps are nested too deep",
             fmt::format("at most {} deep", kSpecDepthMax));
    }
    if (trouble_) return;
    open_.push_back(events_.size());
    add({.kind = kind, .offset = offset});
  }
  void end(YamlEventKind kind) {
    if (trouble_) return;
    open_.pop_back();
    add({.kind = kind, .offset = events_.back().offset});
  }

  std::string_view text_;
  std::vector<YamlEvent> events_;
  std::vector<std::size_t> open_;
  int documents_ = 0;
  Trouble trouble_;
};

/// What to try when the library says this.
struct Hint {
  std::string_view said;
  std::string_view hint;
};
const std::array<Hint, 6>& hints() {
  namespace said = YAML::ErrorMsg;
  static const std::array<Hint, 6> all = {{
      {said::MAP_VALUE, "check the indentation; a text with a colon and a space needs quotes"},
      {said::BLOCK_ENTRY,
       "a list begins on a line of its own; a text that begins with - and a "
       "space needs quotes"},
      {said::UNKNOWN_TOKEN, "a text that begins with @, % or a backquote needs quotes"},
      {said::FLOW_END, "nothing is open that it could close; a text with it needs quotes"},
      {said::END_OF_MAP, "check the indentation, and what follows a closing quote or bracket"},
      {said::END_OF_SEQ, "check the indentation, and what follows a closing quote or bracket"},
  }};
  return all;
}

SpecError library_error(std::string_view text, const Recorder& recorder,
                        const YAML::Exception& error) {
  const auto open_list = recorder.innermost(list_start), open_map = recorder.innermost(map_start);
  if (error.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW && open_list) {
    return error_at(text, *open_list, "[ is never closed", "close it with ]");
  }
  if (error.msg == YAML::ErrorMsg::END_OF_MAP_FLOW && open_map) {
    return error_at(text, *open_map, "{ is never closed", "close it with }");
  }
  const std::size_t offset = error.mark.pos < 0 ? 0 : static_cast<std::size_t>(error.mark.pos);
  const std::string_view escape = YAML::ErrorMsg::INVALID_ESCAPE;
  if (error.msg.starts_with(escape)) {  // the user's own bytes follow
    return error_at(text, offset,
                    fmt::format("{}{}", escape, shown(error.msg.substr(escape.size()))),
                    "a backslash in double quotes is written twice");
  }
  const auto* hint = std::ranges::find(hints(), error.msg, &Hint::said);
  return error_at(text, offset, error.msg, hint == hints().end() ? "" : std::string(hint->hint));
}

SpecResult<std::vector<YamlEvent>> read_events(std::string_view text) {
  Recorder recorder(text);
  try {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    // The second call finds out whether there is another document.
    for (int i = 0; i < 2 && !recorder.trouble(); ++i) parser.HandleNextDocument(recorder);
  } catch (const YAML::Exception& error) {
    return recorder.trouble() ? *recorder.trouble() : library_error(text, recorder, error);
  }
  if (recorder.trouble()) return *recorder.trouble();
  if (!recorder.has_document()) {
    return error_at(text, 0, "the text is empty", "a spec has at least name, command and ranks");
  }
  return recorder.take();
}

}  // namespace

Place Places::of(std::size_t offset) {
  offset = std::min(offset, text_.size());
  if (offset < at_) *this = Places(text_);
  for (; at_ < offset; ++at_) {
    if (text_[at_] == '\n') {
      ++place_.line;
      place_.column = 1;
    } else if ((static_cast<unsigned char>(text_[at_]) & 0xc0U) != 0x80U) {
      ++place_.column;  // at the first byte of a character
    }
  }
  return place_;
}

SpecResult<std::vector<YamlEvent>> read_yaml_events(std::string_view text) {
  if (const Trouble bad = check_bytes(text)) return *bad;
  auto events = read_events(text);
  if (events || events.error().why != YAML::ErrorMsg::EOF_IN_SCALAR) return events;
  // A quote that is not closed: the library names the end of the text. Behind a last line's end it
  // takes it for closed, and the recorder says where it was opened.
  const auto opened = read_events(std::string(text) + "\n");
  return opened ? events : opened;
}

}  // namespace ringmaster::jobs
