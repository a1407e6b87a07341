// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/farewell.h"

#include <algorithm>

namespace ringmaster::collectives {

namespace {

// Frames of one peer before the others are looked at again.
constexpr int kFramesHeardAtOnce = 16;

/// Others than these may have nothing to do with us in what they called.
bool waits_for(const Lane& lane) {
  return lane.neighbour || lane.partner;
}

const std::byte* bytes_of_words(const std::string& words) {
  return reinterpret_cast<const std::byte*>(words.data());
}

}  // namespace

Farewell::Farewell(std::vector<Lane>& lanes, const Frame& header, std::string words,
                   const Lane* told_by)
    : lanes_(lanes),
      goodbyes_(lanes.size()),
      header_(header),
      found_(std::move(words)),
      words_(found_),
      decided_(told_by != nullptr) {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    goodbyes_[i].said = lanes_[i].no_out;
    goodbyes_[i].heard = lanes_[i].no_in || &lanes_[i] == told_by;
  }
  header_.bytes = static_cast<std::uint32_t>(found_.size());
}

bool Farewell::step() {
  bool moved = false, somebody = false;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (lanes_[i].link != nullptr) {
      moved |= hear(lanes_[i], goodbyes_[i]);
      moved |= say(lanes_[i], goodbyes_[i]);
    }
    somebody |= !goodbyes_[i].heard;
  }
  // Who would have decided, and all between, have left.
  if (!somebody) decided_ = true;
  return moved;
}

bool Farewell::say(Lane& lane, Goodbye& goodbye) {
  bool moved = false;
  while (!goodbye.said) {
    // A chunk that is half out goes first: the peer cannot find the next header otherwise.
    const Io io = lane.link->push();
    if (io == Io::gone) goodbye.said = true;
    if (io != Io::done) return moved || io == Io::some;
    if (goodbye.last) {
      goodbye.said = true;
    } else if (decided_) {
      goodbye.last = true;
      header_.kind = FrameKind::mismatch;
      header_.bytes = static_cast<std::uint32_t>(words_.size());
      lane.link->start(header_, bytes_of_words(words_));
    } else if (!goodbye.told && waits_for(lane)) {
      goodbye.told = true;
      header_.kind = FrameKind::differ;
      lane.link->start(header_, bytes_of_words(found_));
    } else {
      return moved;
    }
    moved = true;
  }
  return moved;
}

bool Farewell::hear(Lane& lane, Goodbye& goodbye) {
  bool moved = false;
  for (int frames = 0; frames < kFramesHeardAtOnce && !goodbye.heard; ++frames) {
    Io io = lane.link->pull_header();
    const Frame frame = lane.link->frame().value_or(Frame{});
    // Of the next generation, which finds it there.
    goodbye.heard = io == Io::done && frame.kind == FrameKind::reunion;
    if (goodbye.heard) return moved;
    const bool last = frame.kind == FrameKind::mismatch;
    lane.note_in.resize(kNoteBytesMax);
    if (io == Io::done) io = lane.link->pull_payload(last ? lane.note_in.data() : nullptr);
    if (io == Io::done && last && !decided_) {
      words_.assign(reinterpret_cast<const char*>(lane.note_in.data()), frame.bytes);
      decided_ = true;
    }
    if (io == Io::gone || io == Io::damaged || (io == Io::done && last)) goodbye.heard = true;
    if (io != Io::done) return moved || io == Io::some;
    moved = true;
  }
  return moved;
}

bool Farewell::over() const {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const Lane& lane = lanes_[i];
    // A neighbour that this rank has not met would go on knocking at a door that nobody opens.
    if (lane.link == nullptr && lane.neighbour) return false;
    if (lane.link == nullptr) continue;
    if (!goodbyes_[i].said || (waits_for(lane) && !goodbyes_[i].heard)) return false;
  }
  return true;
}

void Farewell::add_to(std::vector<pollfd>& fds) const {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const Link* link = lanes_[i].link;
    if (link == nullptr) continue;
    short events = 0;
    if (!goodbyes_[i].said && link->sending()) events |= POLLOUT;
    if (!goodbyes_[i].heard) events |= POLLIN;
    if (events != 0) fds.push_back({link->fd(), events, 0});
  }
}

}  // namespace ringmaster::collectives
