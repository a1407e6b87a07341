// SPDX-License-Identifier: Apache-2.0
#include "worker/contract.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/whole_number.h"

namespace ringmaster::worker {

namespace {

Result<int> read_number(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return Error{Errc::not_found, fmt::format("{} is not set", name)};
  int number = 0;
  if (!read_whole(text, &number) || number < 0) {
    return Error{Errc::invalid, fmt::format("{}={}: not a number", name, text)};
  }
  return number;
}

}  // namespace

Result<std::optional<RankContract>> read_rank_contract() {
  if (std::getenv(kSocketVariable) == nullptr) return std::optional<RankContract>{};
  const auto socket = read_number(kSocketVariable);
  if (!socket) return socket.error();
  const auto segment = read_number(kSegmentVariable);
  if (!segment) return segment.error();
  const auto rank = read_number(kRankVariable);
  if (!rank) return rank.error();
  RankContract contract{*socket, *segment, *rank};
  for (const auto& [name, value] : {std::pair(kAbortVariable, &contract.abort_fd),
                                    std::pair(kListenerVariable, &contract.listener_fd)}) {
    if (std::getenv(name) == nullptr) continue;
    const auto number = read_number(name);
    if (!number) return number.error();
    *value = *number;
  }
  const char* algorithm = std::getenv(kAlgorithmVariable);
  if (algorithm != nullptr) contract.algorithm = algorithm;
  return std::optional<RankContract>{contract};
}

}  // namespace ringmaster::worker
