// SPDX-License-Identifier: Apache-2.0
#include "launcher/ending/closing.h"

#include <fmt/format.h>

#include "launcher/output/voices.h"

namespace ringmaster::launcher {

std::string headline(const jobs::EndJob& end, const Casualties& casualties,
                     const LastWords& words) {
  std::string line = fmt::format("failed: {}", end.reason);
  if (!casualties.cause()) return line;
  // What the rank itself has said stands for its exit code, which is then still to be named.
  const std::string ended = jobs::describe(casualties.cause()->status);
  if (line.find(ended) == std::string::npos) line += fmt::format(" ({})", ended);
  const std::string raised = traceback_end(words.lines);
  if (!raised.empty() && line.find(raised) == std::string::npos) line += ": " + raised;
  return line;
}

std::vector<std::string> details(const Casualties& casualties, const LastWords& words,
                                 Duration grace) {
  std::vector<std::string> lines;
  if (casualties.cause() && words.repeat && !words.lines.empty()) {
    const auto rank = casualties.cause()->id.rank.value;
    lines.push_back(words.file.empty()
                        ? fmt::format("  rank {} wrote last to standard error:", rank)
                        : fmt::format("  rank {} wrote last to {}:", rank, words.file));
    for (const std::string& line : words.lines) lines.push_back("    " + line);
  } else if (casualties.cause() && !words.file.empty()) {
    lines.push_back(fmt::format("  its standard error is in {}", words.file));
  }
  for (const std::string& line : casualties.lines(grace)) lines.push_back("  " + line);
  return lines;
}

}  // namespace ringmaster::launcher
