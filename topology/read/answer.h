// SPDX-License-Identifier: Apache-2.0
//
// What a reader of a machine's description gives: the machine, or why the text is none.
//
// Not Result<Topology>: programs ask for the line as a number (design of --json), and people for
// what to do instead.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "topology/topology.h"

namespace ringmaster::topology {

struct Refusal {
  std::string what;       // one line, without the file's name and the line
  int line = 0;           // from 1; 0 where no line is to blame
  std::string hint = {};  // what to try; may be empty
};

using Answer = std::variant<Topology, Refusal>;

// Limits of all readers: far above any machine, so that no text makes them slow or large.
inline constexpr std::size_t kTextBytesMax = 16U << 20;
inline constexpr std::size_t kDevicesMax = 512;  // GPUs and NICs of a matrix, which is a square
inline constexpr std::size_t kMessagesMax = 64;  // warnings and missing parts, each

/// Adds a message unless there are kMessagesMax of them.
inline void add_message(std::vector<std::string>& messages, std::string text) {
  if (messages.size() < kMessagesMax) messages.push_back(std::move(text));
}

/// A text of the source for a message: bytes that are no printable ASCII as "?", and not too long.
std::string shown(std::string_view text);

}  // namespace ringmaster::topology
