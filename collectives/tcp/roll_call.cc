// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/roll_call.h"

#include <algorithm>

namespace ringmaster::collectives {

namespace {

std::byte bit_of(int index) {
  return std::byte{1} << (index % 8);
}

std::size_t byte_of(int index) {
  return static_cast<std::size_t>(index) / 8;
}

}  // namespace

void RollCall::make_room() {
  bits_.resize((static_cast<std::size_t>(size_) + 7) / 8);
}

bool RollCall::has(int index) const {
  return !bits_.empty() && (bits_[byte_of(index)] & bit_of(index)) != std::byte{0};
}

bool RollCall::add_self() {
  if (has(self_)) return false;
  make_room();
  bits_[byte_of(self_)] |= bit_of(self_);
  return true;
}

bool RollCall::add(const std::byte* bits, std::size_t bytes) {
  make_room();
  bool news = false;
  for (std::size_t i = 0; i < std::min(bytes, bits_.size()); ++i) {
    news = news || (bits[i] & ~bits_[i]) != std::byte{0};
    bits_[i] |= bits[i];
  }
  return news;
}

std::optional<int> RollCall::missing() const {
  for (int back = 1; back < size_; ++back) {
    const int index = (self_ - back + size_) % size_;
    if (!has(index)) return index;
  }
  return {};
}

}  // namespace ringmaster::collectives
