// SPDX-License-Identifier: Apache-2.0
//
// Messages between two ranks of a host: through a mailbox for each pair and direction, two chunks
// at a time, all transfers of a group at once.
//
// A send ends when the receiver has taken its last chunk, so that a receiver who wants another
// message can refuse: then both fail, with both calls.
#include <algorithm>

#include "collectives/bytes.h"
#include "collectives/call_text.h"
#include "collectives/shm/shm_communicator.h"

namespace ringmaster::collectives {

/// The transfers of one pair and direction, one after the other.
struct ShmCommunicator::Lane {
  Mailbox* box;
  int from, to;  // rank numbers
  bool sends;
  std::vector<Transfer> messages = {};
  std::size_t message = 0;    // under way
  std::size_t chunk = 0;      // of it, the next to be sent or taken
  std::uint32_t counted = 0;  // chunks sent or taken since the generation's beginning

  /// Everything is sent or taken; a sender waits for the other side, too.
  bool done() const {
    return message == messages.size() && (!sends || reached(box->taken, counted));
  }
  std::size_t bytes() const { return messages[message].count * size_of(messages[message].type); }
  Call call() const {
    return {.kind = kExchange,
            .type = static_cast<std::uint32_t>(messages[message].type),
            .count = messages[message].count};
  }
  void count_chunk() {
    ++counted;
    ++chunk;
    if (chunk * Mailbox::kChunkBytes < bytes()) return;  // one of no elements has a chunk, too
    chunk = 0;
    ++message;
  }
};

namespace {

/// The chunk's bytes of an array, and where they begin.
struct MailPart {
  std::size_t begin, bytes;
};
MailPart mail_part(std::size_t chunk, std::size_t bytes) {
  const std::size_t begin = chunk * Mailbox::kChunkBytes;
  return {begin, std::min(Mailbox::kChunkBytes, bytes - begin)};
}

}  // namespace

std::vector<ShmCommunicator::Lane> ShmCommunicator::lanes_of(
    const std::vector<Transfer>& sends, const std::vector<Transfer>& receives) const {
  std::vector<Lane> lanes;
  const auto add = [&](const Transfer& transfer, bool is_send) {
    if (transfer.peer == position()) return;
    const int own = number(position()), theirs = number(transfer.peer);
    const int from = is_send ? own : theirs, to = is_send ? theirs : own;
    Mailbox* box = &segment_.mailbox(from, to);
    const auto same = [&](const Lane& lane) { return lane.box == box && lane.sends == is_send; };
    auto lane = std::find_if(lanes.begin(), lanes.end(), same);
    if (lane == lanes.end()) {
      lane = lanes.insert(lanes.end(), Lane{box, from, to, is_send});
      lane->counted = (is_send ? box->sent : box->taken).load();
    }
    lane->messages.push_back(transfer);
  };
  for (const Transfer& send : sends) add(send, true);
  for (const Transfer& receive : receives) add(receive, false);
  return lanes;
}

/// Sends a chunk when there is room for it. Whether there was something to do.
bool ShmCommunicator::send_chunk(Lane& lane) {
  if (lane.message == lane.messages.size()) return false;
  const auto room = static_cast<std::uint32_t>(Mailbox::kTurns);
  if (!reached(lane.box->taken, lane.counted + 1 - room)) return false;
  const MailPart part = mail_part(lane.chunk, lane.bytes());
  copy_bytes(segment_.mail_buffer(lane.from, lane.to, lane.counted % Mailbox::kTurns),
             at(lane.messages[lane.message].data, part.begin), part.bytes);
  // The other side reads it with the first chunk of a message, and this one waits for that.
  if (lane.chunk == 0) lane.box->sending[lane.counted % Mailbox::kTurns] = lane.call();
  lane.count_chunk();
  lane.box->sent.store(lane.counted, std::memory_order_seq_cst);
  return true;
}

/// Takes a chunk that has come; the message that it begins must be the one that is wanted.
Result<bool> ShmCommunicator::take_chunk(Lane& lane) {
  if (lane.message == lane.messages.size()) return false;
  if (!reached(lane.box->sent, lane.counted + 1)) return false;
  if (lane.chunk == 0 && lane.box->sending[lane.counted % Mailbox::kTurns] != lane.call()) {
    lane.box->receiving = lane.call();
    lane.box->refused.store(1, std::memory_order_seq_cst);
    ring_sleepers();
    return mail_mismatch(lane.box->sending[lane.counted % Mailbox::kTurns], lane);
  }
  const MailPart part = mail_part(lane.chunk, lane.bytes());
  copy_bytes(at(lane.messages[lane.message].data, part.begin),
             segment_.mail_buffer(lane.from, lane.to, lane.counted % Mailbox::kTurns), part.bytes);
  lane.count_chunk();
  lane.box->taken.store(lane.counted, std::memory_order_seq_cst);
  return true;
}

Error ShmCommunicator::mail_mismatch(const Call& sent, const Lane& lane) {
  const Call wanted = lane.box->receiving;
  return failure(Errc::mismatch, mismatch_text(sent, lane.from, wanted, lane.to));
}

/// Goes through all lanes once. Whether anything moved.
Result<bool> ShmCommunicator::move_mail(std::vector<Lane>& lanes) {
  bool moved = false;
  for (Lane& lane : lanes) {
    if (lane.sends && lane.box->refused.load(std::memory_order_seq_cst) != 0) {
      const std::uint32_t taken = lane.box->taken.load();
      return mail_mismatch(lane.box->sending[taken % Mailbox::kTurns], lane);
    }
    const Result<bool> one = lane.sends ? Result<bool>(send_chunk(lane)) : take_chunk(lane);
    if (!one) return one;
    moved = moved || *one;
  }
  if (moved) ring_sleepers();
  return moved;
}

Result<void> ShmCommunicator::exchange(const std::vector<Transfer>& sends,
                                       const std::vector<Transfer>& receives) {
  if (failed_) return *failed_;
  call_ = {.kind = kExchange};
  if (auto moved = exchange_with_self(sends, receives, position()); !moved) return moved;
  segment_.slot(number(position())).mail.store(1);
  auto lanes = lanes_of(sends, receives);
  const auto finished = [&] {
    return std::all_of(lanes.begin(), lanes.end(), [](const Lane& lane) { return lane.done(); });
  };
  while (!finished()) {
    const auto moved = move_mail(lanes);
    if (!moved) return moved.error();
    if (*moved && segment_.aborted(membership_.generation)) return aborted();
    if (*moved) continue;
    auto waited = wait_for_mail(lanes);
    if (!waited) return waited;
  }
  return {};
}

Result<void> ShmCommunicator::wait_for_mail(const std::vector<Lane>& lanes) {
  const auto stirs = [](const Lane& lane) {
    const auto room = static_cast<std::uint32_t>(Mailbox::kTurns);
    const bool over = lane.message == lane.messages.size();
    if (!lane.sends) return !over && reached(lane.box->sent, lane.counted + 1);
    return lane.box->refused.load(std::memory_order_seq_cst) != 0 ||
           reached(lane.box->taken, over ? lane.counted : lane.counted + 1 - room);
  };
  // What is done stirs for ever: only the others are waited for.
  std::vector<const Lane*> open;
  for (const Lane& lane : lanes) {
    if (!lane.done()) open.push_back(&lane);
  }
  if (open.empty()) return {};  // the others have taken the last chunks meanwhile
  const auto end = waiter_.wait_until(segment_, membership_.generation, timeout_, [&] {
    return std::any_of(open.begin(), open.end(), [&](const Lane* lane) { return stirs(*lane); });
  });
  const Lane& first = *open.front();
  if (first.message < first.messages.size()) call_ = first.call();
  return outcome(end, first.sends ? first.to : first.from);
}

}  // namespace ringmaster::collectives
