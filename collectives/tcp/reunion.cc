// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/reunion.h"

#include "base/check.h"

namespace ringmaster::collectives {

namespace {

// Old frames before the abort word is looked at again: 8 MiB at most.
constexpr int kOldFramesAtOnce = 64;

}  // namespace

Reunion::Reunion(std::unique_ptr<Link> link, int peer, std::int64_t generation)
    : link_(std::move(link)), generation_(generation) {
  CHECK(link_ != nullptr && !link_->broken() && !link_->sending());
  link_->place(peer);
  Frame frame;
  frame.kind = FrameKind::reunion;
  frame.generation = generation;
  link_->start(frame, nullptr);
}

void Reunion::step() {
  if (ready_ || lost()) return;
  const Io out = link_->push();
  for (int i = 0; i < kOldFramesAtOnce && !met_ && !lost(); ++i) {
    if (!read()) break;
  }
  ready_ = met_ && out == Io::done && !lost();
}

bool Reunion::read() {
  if (link_->pull_header() != Io::done) return false;
  const Frame& frame = *link_->frame();
  // The peer has gone on to a generation of which this rank will hear: the frame waits for it.
  if (frame.generation > generation_) return false;
  const bool word = frame.kind == FrameKind::reunion && frame.generation == generation_;
  if (link_->pull_payload(nullptr) != Io::done) return false;
  met_ = word;
  return true;
}

void Reunion::add_to(std::vector<pollfd>& fds) const {
  // While a frame of a newer generation waits nothing more is read.
  const bool ahead = link_->frame() && link_->frame()->generation > generation_;
  short events = 0;
  if (!met_ && !ahead) events |= POLLIN;
  if (link_->sending()) events |= POLLOUT;
  if (events != 0) fds.push_back({link_->fd(), events, 0});
}

}  // namespace ringmaster::collectives
