// SPDX-License-Identifier: Apache-2.0
//
// Small helpers for what programs wrote: lines, and whole files.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace ringmaster::tests {

/// The lines without their ends; a last one without an end counts.
inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Those that begin with `start`.
inline std::vector<std::string> lines_with(const std::string& text, const std::string& start) {
  std::vector<std::string> lines;
  for (const std::string& line : lines_of(text)) {
    if (line.compare(0, start.size(), start) == 0) lines.push_back(line);
  }
  return lines;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace ringmaster::tests
