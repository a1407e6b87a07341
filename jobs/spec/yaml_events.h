// SPDX-License-Identifier: Apache-2.0
//
// What yaml-cpp says about a text, as a flat list: the only place that knows the library.
//
// Its events are used and not its nodes: nodes lose repeated keys, follow aliases and turn words
// into whatever type is asked for, so that a slip comes out as a value. What the library itself
// accepts though it is a slip is refused here: aliases, anchors, tags, directives, a second
// document, a quote that is never closed, a bare text that goes over several lines.
//
// Pure. Its exceptions end here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/spec/spec_error.h"

namespace ringmaster::jobs {

enum class YamlEventKind { scalar, nothing, list_start, list_end, map_start, map_end };

struct YamlEvent {
  YamlEventKind kind = YamlEventKind::nothing;
  std::size_t offset = 0;  // of its first byte in the text; of an end, that of the last event
  std::string text = {};   // a scalar's, without quotes and escapes
  bool quoted = false;     // or a block scalar: its text was meant as text
};

inline constexpr std::size_t kSpecBytesMax = 64 * 1024;  // a spec is written by hand
inline constexpr std::size_t kSpecDepthMax = 8;          // the deepest key stands at 2

/// The events of the one document in `text`, balanced. Errors carry no file name.
SpecResult<std::vector<YamlEvent>> read_yaml_events(std::string_view text);

/// Finds lines and columns. Going forward costs what lies between; a text is asked for the place of
/// each of its values, and counting from its start each time takes seconds for a long list.
class Places {
 public:
  explicit Places(std::string_view text) : text_(text) {}
  Place of(std::size_t offset);

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  Place place_ = {};  // of at_
};

}  // namespace ringmaster::jobs
