// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/exchange.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>

#include "collectives/call_text.h"
#include "collectives/tcp/farewell.h"

namespace ringmaster::collectives {

namespace {

// Frames in one direction before the other, and the abort word, are looked at again.
constexpr int kFramesAtOnce = 8;
// A neighbour on the same host usually answers within a few yields, a wake-up costs more.
constexpr int kPollYields = 32;

}  // namespace

Result<void> Exchange::run() {
  moved_at_ = read_clock();
  for (int idle = 0;;) {
    if (alarm_.raised()) {
      return Error{Errc::generation_changed,
                   call_text(setup_.call) + ": the generation has changed"};
    }
    bool moved = send();
    moved |= receive();
    // A mismatch stops everything: there is no need to look for it while something moves.
    if (!moved) moved = hear_next();
    if (mismatch_) return farewell();
    if (failed_) return *failed_;
    if (done()) return {};
    if (moved) {
      if (idle > 0) moved_at_ = read_clock();
      idle = 0;
    } else if (++idle <= kPollYields) {
      sched_yield();
    } else {
      sleep();
      check_patience();
    }
  }
}

bool Exchange::done() const {
  return flow_.in.done() && flow_.out.done() && tokens_received_ == flow_.tokens &&
         tokens_sent_ == flow_.tokens && !links_.next.sending();
}

bool Exchange::expecting() const {
  return !flow_.in.done() || tokens_received_ < flow_.tokens;
}

bool Exchange::may_receive() const {
  return expecting() && !prev_gone_ && flow_.in.index() < chunks_sent_ + flow_.window;
}

Frame Exchange::frame(FrameKind kind) const {
  Frame frame;
  frame.kind = kind;
  frame.generation = setup_.generation;
  frame.operation = setup_.operation;
  frame.call = setup_.call;
  return frame;
}

bool Exchange::start_frame() {
  if (tokens_sent_ < flow_.tokens && tokens_sent_ <= tokens_received_) {
    links_.next.start(frame(FrameKind::token), nullptr);
    ++tokens_sent_;
    return true;
  }
  if (flow_.out.done() || flow_.out.index() >= flow_.own + flow_.in.index()) return false;
  const Chunk chunk = flow_.out.chunk();
  Frame header = frame(FrameKind::chunk);
  header.bytes = static_cast<std::uint32_t>(chunk.bytes);
  header.index = static_cast<std::uint32_t>(chunk.index);
  links_.next.start(header, flow_.source(chunk));
  chunk_on_its_way_ = true;
  flow_.out.advance();
  return true;
}

bool Exchange::send() {
  bool moved = false;
  for (int i = 0; i < kFramesAtOnce && !next_gone_; ++i) {
    if (!links_.next.sending() && !start_frame()) return moved;
    const Io io = links_.next.push();
    if (io == Io::gone) {
      next_gone_ = true;
      lose(links_.next);
    }
    if (io != Io::done) return moved || io == Io::some;
    if (std::exchange(chunk_on_its_way_, false)) ++chunks_sent_;
    moved = true;
  }
  return moved;
}

bool Exchange::receive() {
  bool moved = false;
  Link& link = links_.prev;
  for (int i = 0; i < kFramesAtOnce && may_receive(); ++i) {
    const bool begun = link.frame().has_value();
    Io io = link.pull_header();
    if (io == Io::done && (begun || admit(*link.frame()))) take(&io);
    if (io == Io::gone) {
      prev_gone_ = true;
      lose(link);
    }
    if (io == Io::damaged) damage(link, "bytes that are no frame");
    if (mismatch_ || failed_) return true;
    if (io != Io::done) return moved || io == Io::some;
    moved = true;
  }
  return moved;
}

bool Exchange::admit(const Frame& frame) {
  if (frame.kind == FrameKind::mismatch) return true;
  if (frame.generation != setup_.generation || frame.operation != setup_.operation) {
    damage(links_.prev, "a frame of another operation");
    return false;
  }
  if (!(frame.call == setup_.call)) {
    mismatch_ = Mismatch{static_cast<std::uint32_t>(links_.prev.peer()),
                         static_cast<std::uint32_t>(setup_.position), frame.call, setup_.call};
    return false;
  }
  const bool token = frame.kind == FrameKind::token && tokens_received_ < flow_.tokens;
  const bool chunk = frame.kind == FrameKind::chunk && !flow_.in.done() &&
                     frame.bytes == flow_.in.chunk().bytes &&
                     frame.index == static_cast<std::uint32_t>(flow_.in.index());
  if (!token && !chunk) damage(links_.prev, "a frame out of order");
  return token || chunk;
}

bool Exchange::take(Io* io) {
  Link& link = links_.prev;
  const FrameKind kind = link.frame()->kind;
  if (kind == FrameKind::mismatch) return take_mismatch(link, io);
  *io = link.pull_payload(kind == FrameKind::chunk ? flow_.target(flow_.in.chunk()) : nullptr);
  if (*io != Io::done) return false;
  if (kind == FrameKind::chunk) {
    take_chunk();
  } else {
    ++tokens_received_;
  }
  return true;
}

void Exchange::take_chunk() {
  if (flow_.received) flow_.received(flow_.in.chunk());
  flow_.in.advance();
}

bool Exchange::take_mismatch(Link& link, Io* io) {
  *io = link.pull_payload(heard_.data());
  if (*io != Io::done) return false;
  const Mismatch told = decode_mismatch(heard_);
  const auto ranks = static_cast<std::uint32_t>(size());
  if (told.position_a >= ranks || told.position_b >= ranks) {
    damage(link, "a mismatch of ranks that are not there");
    return false;
  }
  mismatch_ = told;
  told_by_ = &link;
  return true;
}

// With three ranks and more the next rank sends nothing but a mismatch, which ends everything.
bool Exchange::hear_next() {
  Link& link = links_.next;
  if (&link == &links_.prev || next_silent_ || mismatch_ || failed_) return false;
  Io io = link.pull_header();
  if (io == Io::done) {
    if (link.frame()->kind != FrameKind::mismatch) {
      damage(link, "a frame against the direction of the ring");
      return true;
    }
    // It has completed this operation and is in the next one already: to be looked at there.
    if (link.frame()->operation > setup_.operation) {
      next_silent_ = true;
      return false;
    }
    take_mismatch(link, &io);
  }
  if (io == Io::damaged) damage(link, "bytes that are no frame");
  // Closed: it may have completed and left. Whoever still has to send to it will notice.
  if (io == Io::gone) next_silent_ = true;
  return io == Io::done || io == Io::some;
}

void Exchange::lose(const Link& link) {
  if (lost_at_) return;
  lost_at_ = read_clock();
  lost_ = link.peer();
}

void Exchange::damage(const Link& link, const char* what) {
  failed_ = Error{Errc::corrupt, fmt::format("{}: rank {} sent {}", call_text(setup_.call),
                                             number(link.peer()), what)};
}

void Exchange::sleep() {
  std::vector<pollfd> fds;
  if (may_receive()) fds.push_back({links_.prev.fd(), POLLIN, 0});
  if (links_.next.sending() && !next_gone_) fds.push_back({links_.next.fd(), POLLOUT, 0});
  if (&links_.next != &links_.prev && !next_silent_) fds.push_back({links_.next.fd(), POLLIN, 0});
  Duration left = moved_at_ + setup_.timeout - read_clock();
  if (lost_at_) left = std::min(left, *lost_at_ + setup_.grace - read_clock());
  alarm_.sleep(fds, left);
}

void Exchange::check_patience() {
  const Time now = read_clock();
  if (lost_at_ && now - *lost_at_ >= setup_.grace) {
    failed_ = Error{Errc::closed, fmt::format("{}: the connection to rank {} is closed",
                                              call_text(setup_.call), number(lost_))};
  } else if (now - moved_at_ >= setup_.timeout) {
    failed_ = Error{Errc::timed_out,
                    late_text(setup_.call, number(late_position()), to_seconds(setup_.timeout))};
  }
}

/// Whom the ring waits for, as far as this rank can tell: what comes next from the previous rank
/// is, in the first round, the contribution of one rank after another backwards.
int Exchange::late_position() const {
  if (!expecting()) return links_.next.peer();
  const int step = tokens_received_ < flow_.tokens
                       ? tokens_received_
                       : static_cast<int>(std::min<std::size_t>(flow_.in.chunk().step,
                                                                static_cast<std::size_t>(size())));
  if (step > size() - 2) return links_.prev.peer();
  return (setup_.position - 1 - step + 2 * size()) % size();
}

Error Exchange::farewell() {
  if (mismatch_->position_b < mismatch_->position_a) {
    std::swap(mismatch_->position_a, mismatch_->position_b);
    std::swap(mismatch_->a, mismatch_->b);
  }
  Frame last = frame(FrameKind::mismatch);
  last.bytes = kMismatchBytes;
  const MismatchBytes payload = encode_mismatch(*mismatch_);
  std::vector<Goodbye> goodbyes = {{links_.prev}};
  if (&links_.next != &links_.prev) goodbyes.push_back({links_.next});
  for (Goodbye& goodbye : goodbyes) goodbye.heard = told_by_ == &goodbye.link;
  say_goodbye(goodbyes, last, payload, alarm_);
  return {Errc::mismatch,
          mismatch_text(mismatch_->a, number(static_cast<int>(mismatch_->position_a)), mismatch_->b,
                        number(static_cast<int>(mismatch_->position_b)))};
}

}  // namespace ringmaster::collectives
