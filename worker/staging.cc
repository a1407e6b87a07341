// SPDX-License-Identifier: Apache-2.0
#include "worker/staging.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

namespace ringmaster::worker {

namespace {

void copy(const State& state, const std::vector<storage::Part>& share, std::byte* into) {
  for (const storage::Part& part : share) {
    const std::uint64_t bytes = storage::elements_of(part.box.shape);
    if (bytes == 0) continue;
    const auto* block = static_cast<const std::byte*>(state.parts()[part.tensor].data);
    std::memcpy(into, block + part.box.offset[0], bytes);
    into += bytes;
  }
}

}  // namespace

Staging::Staged Staging::stage(const State& state, std::int64_t generation, std::uint32_t position,
                               std::uint32_t members) {
  Staged staged{
      {.generation = generation, .steps = state.steps(), .position = position, .members = members},
      -1};
  const auto skip = [&](const std::string& why) {
    staged.message.why = why;
    return staged;
  };
  if (state.parts().size() > kBlocksMax) {
    return skip(fmt::format("a state of {} parts, at most {} can be saved", state.parts().size(),
                            kBlocksMax));
  }
  for (const State::Part& part : state.parts()) staged.message.blocks.push_back(part.bytes);
  const auto share = share_of(staged.message.blocks, position, members);
  const auto memory = find_memory(bytes_of(share));
  if (!memory) return skip(memory.error().message);
  copy(state, share, (*memory)->data());
  staged.fd = (*memory)->fd();
  return staged;
}

void Staging::wait_for_room(Duration limit) const {
  constexpr auto kPoll = std::chrono::milliseconds(2);
  const Time deadline = read_clock() + limit;
  const auto done = [](const StagedMemory& memory) { return memory.is_done(); };
  while (memories_.size() >= kOnTheirWayMax &&
         std::none_of(memories_.begin(), memories_.end(), done) && read_clock() < deadline) {
    std::this_thread::sleep_for(kPoll);
  }
}

Result<StagedMemory*> Staging::find_memory(std::uint64_t bytes) {
  for (StagedMemory& memory : memories_) {
    if (!memory.is_done() || memory.bytes() != bytes) continue;
    memory.clear_mark();
    return &memory;
  }
  // Of a generation with other shares.
  std::erase_if(memories_, [](const StagedMemory& memory) { return memory.is_done(); });
  if (memories_.size() >= kOnTheirWayMax) {
    return Error{Errc::exhausted, "the saves before it are still being written"};
  }
  auto memory = StagedMemory::create(bytes);
  if (!memory) return memory.error();
  memories_.push_back(std::move(*memory));
  return &memories_.back();
}

}  // namespace ringmaster::worker
