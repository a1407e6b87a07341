// SPDX-License-Identifier: Apache-2.0
#include "collectives/transfer_agreement.h"

#include <fmt/format.h>

namespace ringmaster::collectives {

namespace {

/// What the two ends of a transfer compare.
struct TransferHead {
  std::uint64_t count = 0;
  std::uint32_t type = 0;
  std::uint32_t memory = 0;
  friend bool operator==(const TransferHead&, const TransferHead&) = default;
};

std::string transfer_text(const TransferHead& head) {
  const Call call{.kind = kAllGather, .type = head.type, .count = head.count};
  const std::string text = call_text(call);  // "all_gather of 3 float32"
  const bool device = head.memory == static_cast<std::uint32_t>(Memory::device);
  return text.substr(text.find(" of ") + 4) + (device ? " in device memory" : " in host memory");
}

}  // namespace

Memory together(Memory a, Memory b) {
  if (a == b || b == Memory::none) return a;
  if (a == Memory::none) return b;
  const bool other = a == Memory::other_device || b == Memory::other_device;
  return other ? Memory::other_device : Memory::both;
}

Result<Memory> agree_on_transfers(
    const Transfers& sends, const Transfers& receives, const std::vector<int>& numbers,
    int position, const std::function<Memory(const Transfer&)>& memory_of,
    const std::function<Result<void>(const Transfers&, const Transfers&)>& exchange) {
  Transfers all = sends;
  all.insert(all.end(), receives.begin(), receives.end());
  std::vector<TransferHead> own, theirs(all.size());
  Memory memory = Memory::none;
  for (const Transfer& one : all) {
    const Memory here = memory_of(one);
    memory = together(memory, here);
    own.push_back(
        {one.count, static_cast<std::uint32_t>(one.type), static_cast<std::uint32_t>(here)});
  }
  // Heads meet in the order in which transfers do: what a rank says of its sends comes first, so
  // what it hears first is of its receives.
  Transfers out, in;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t heard = i < receives.size() ? sends.size() + i : i - receives.size();
    out.push_back({&own[i], sizeof(TransferHead), RINGMASTER_UINT8, all[i].peer});
    in.push_back({&theirs[heard], sizeof(TransferHead), RINGMASTER_UINT8, all[heard].peer});
  }
  auto told = exchange(out, in);
  if (!told) return told.error();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (own[i] == theirs[i]) continue;
    const bool send = i < sends.size();
    return Error{Errc::mismatch,
                 fmt::format("rank {} {} {}, rank {} {} {}",
                             numbers[static_cast<std::size_t>(position)], send ? "sends" : "takes",
                             transfer_text(own[i]), numbers[static_cast<std::size_t>(all[i].peer)],
                             send ? "takes" : "sends", transfer_text(theirs[i]))};
  }
  return memory;
}

}  // namespace ringmaster::collectives
