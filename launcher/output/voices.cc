// SPDX-License-Identifier: Apache-2.0
#include "launcher/output/voices.h"

#include <algorithm>
#include <utility>

namespace ringmaster::launcher {

namespace {

/// Wider than terminals, short enough that ten of them are no wall of text.
constexpr std::size_t kTailLineMax = 300;

/// Drops escape sequences ("\x1b[31m"), and other bytes that could disturb a terminal.
std::string plain(std::string_view line) {
  std::string text;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const auto byte = static_cast<unsigned char>(line[at]);
    if (byte == 0x1b && at + 1 < line.size() && line[at + 1] == '[') {
      at += 2;
      while (at < line.size() && (line[at] < '@' || line[at] > '~')) ++at;
    } else if (byte == '\t' || (byte >= 0x20 && byte != 0x7f)) {
      text += line[at];
    }
  }
  if (text.size() > kTailLineMax) text = text.substr(0, kTailLineMax) + "...";
  return text;
}

}  // namespace

void Voice::hear(Time now, std::string_view bytes, bool error) {
  heard_ = now;
  if (!error) return;
  if (bytes.size() > kTailMax) bytes.remove_prefix(bytes.size() - kTailMax);
  errors_.append(bytes);
  if (errors_.size() > kTailMax) errors_.erase(0, errors_.size() - kTailMax);
}

Voices::Listener Voices::listen(const jobs::RankId& id) {
  auto voice = std::make_shared<Voice>(read_clock());
  kept_[id.rank] = {id.incarnation, voice};
  return [voice = std::move(voice)](std::string_view bytes, bool error) {
    voice->hear(read_clock(), bytes, error);
  };
}

std::shared_ptr<const Voice> Voices::of(const jobs::RankId& id) const {
  const auto found = kept_.find(id.rank);
  if (found == kept_.end() || found->second.incarnation != id.incarnation) return nullptr;
  return found->second.voice;
}

std::vector<std::string> last_lines_of(std::string_view text, std::size_t most) {
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < most) {
    if (text.back() == '\n') text.remove_suffix(1);
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    const std::size_t end = text.find_last_of("\r\n");
    const std::size_t start = end == std::string_view::npos ? 0 : end + 1;
    std::string line = plain(text.substr(start));
    if (!line.empty() || !lines.empty()) lines.push_back(std::move(line));
    text = text.substr(0, start);
  }
  std::ranges::reverse(lines);
  return lines;
}

std::string traceback_end(const std::vector<std::string>& lines) {
  // A frame is a line with its file and one with its text; what was raised is not indented.
  auto frame = lines.end();
  for (auto line = lines.begin(); line != lines.end(); ++line) {
    if (line->starts_with("  File \"")) frame = line;
  }
  const auto said = std::find_if(frame, lines.end(), [](const std::string& line) {
    return !line.empty() && line.front() != ' ';
  });
  return said == lines.end() ? "" : *said;
}

}  // namespace ringmaster::launcher
