// SPDX-License-Identifier: Apache-2.0
//
// The part of the executor that moves frames: what goes out next, and what comes in.
#include <fmt/format.h>

#include <algorithm>

#include "collectives/call_text.h"
#include "collectives/reduce.h"
#include "collectives/tcp/executor.h"

namespace ringmaster::collectives {

namespace {

using schedules::Action;

// Frames of one lane before the others, and the abort word, are looked at again.
constexpr int kFramesAtOnce = 8;

std::size_t next_chunk(const Task& task) {
  return std::min(kChunkBytes, task.stretch.bytes - task.done);
}

std::size_t place_of(const Job& job, const Task& task) {
  return job.window == 0 ? task.done : task.done % job.window;
}

std::uint32_t index_of(const Task& task) {
  return static_cast<std::uint32_t>(task.done / kChunkBytes);
}

bool is_note(FrameKind kind) {
  return kind == FrameKind::mismatch || kind == FrameKind::differ || kind == FrameKind::present;
}

void advance(Task& task, std::size_t bytes, std::size_t* at) {
  task.done += bytes;
  if (task.done < task.stretch.bytes) return;
  task.finished = true;
  ++*at;
}

}  // namespace

bool Executor::send(Lane& lane) {
  bool moved = false;
  for (int i = 0; i < kFramesAtOnce && lane.link != nullptr && !lane.no_out; ++i) {
    if (!lane.link->sending() && !start(lane)) return moved;
    const Io io = lane.link->push();
    if (io == Io::gone) {
      lane.no_out = true;
      if (lane.chunk_out || !lane.all_sent()) lose(lane);
    }
    if (io != Io::done) return moved || io == Io::some;
    if (lane.chunk_out) chunk_sent(lane);
    moved = true;
  }
  return moved;
}

bool Executor::start(Lane& lane) {
  if (lane.news) {
    lane.news = false;
    lane.note_out = roll_.bits();
    Frame header = frame(FrameKind::present, job_.call);
    header.bytes = static_cast<std::uint32_t>(lane.note_out.size());
    lane.link->start(header, lane.note_out.data());
    return true;
  }
  if (lane.all_sent()) return false;
  const Task& task = front_out(lane);
  const std::size_t bytes = next_chunk(task);
  if (!may_move(job_, task, bytes)) return false;
  const FrameKind kind = job_.messages ? FrameKind::message
                         : bytes == 0  ? FrameKind::token
                                       : FrameKind::chunk;
  Frame header = frame(kind, task.call);
  header.bytes = static_cast<std::uint32_t>(bytes);
  header.index = index_of(task);
  lane.link->start(header, bytes == 0 ? nullptr : task.own + place_of(job_, task));
  lane.chunk_out = true;
  return true;
}

void Executor::chunk_sent(Lane& lane) {
  lane.chunk_out = false;
  Task& task = front_out(lane);
  advance(task, next_chunk(task), &lane.out_at);
}

bool Executor::may_read(const Lane& lane) const {
  if (lane.link == nullptr || lane.no_in || lane.ahead) return false;
  if (lane.all_received()) return true;
  const Task& task = front_in(lane);
  const bool waits = lane.held || (lane.admitted && task.action == Action::receive &&
                                   !is_note(lane.link->frame()->kind));
  return !waits || may_move(job_, task, next_chunk(task));
}

bool Executor::receive(Lane& lane) {
  bool moved = false;
  for (int i = 0; i < kFramesAtOnce && !lane.all_received() && may_read(lane); ++i) {
    const Io io = read(lane);
    if (!mismatch_.empty() || failed_) return true;
    if (io != Io::done) return moved || io == Io::some;
    moved = true;
  }
  return moved;
}

// Those that have no more to send to us in this job. They may have completed it and left.
bool Executor::listen() {
  bool moved = false;
  for (Lane& lane : lanes_) {
    if (!lane.all_received() || !may_read(lane)) continue;
    const Io io = read(lane);
    moved |= io == Io::done || io == Io::some;
    if (!mismatch_.empty() || failed_) return true;
  }
  return moved;
}

Io Executor::read(Lane& lane) {
  if (lane.held) {
    take_chunk(lane);
    return Io::done;
  }
  Io io = Io::done;
  if (!lane.admitted) {
    io = lane.link->pull_header(lane.all_received() ? 0 : next_chunk(front_in(lane)));
    if (io == Io::done && !admit(lane, *lane.link->frame())) return Io::blocked;
    lane.admitted = io == Io::done;
  }
  if (io == Io::done && is_note(lane.link->frame()->kind)) {
    io = take_note(lane);
  } else if (io == Io::done) {
    const Task& task = front_in(lane);
    const bool reduces = task.action == Action::reduce;
    const std::size_t bytes = next_chunk(task);
    if (!reduces && !may_move(job_, task, bytes)) return Io::blocked;
    std::byte* to = reduces ? lane.link->room() : task.target + place_of(job_, task);
    io = lane.link->pull_payload(bytes == 0 ? nullptr : to);
    if (io == Io::done) {
      lane.admitted = false;
      lane.held = reduces && !may_move(job_, task, bytes);
      if (!lane.held) take_chunk(lane);
    }
  }
  if (io == Io::gone) {
    lane.no_in = true;
    // A neighbour that is done may leave. If nothing moves any more, it was not.
    if (!lane.all_received() || lane.neighbour) lose(lane);
  }
  if (io == Io::damaged) damage(lane, "bytes that are no frame");
  return io;
}

void Executor::take_chunk(Lane& lane) {
  Task& task = front_in(lane);
  const std::size_t bytes = next_chunk(task);
  if (task.action == Action::reduce && bytes > 0) {
    const auto type = static_cast<Type>(job_.call.type);
    // Only the last sum is the whole one.
    const bool partial = job_.reduction == RINGMASTER_AVERAGE && !task.complete;
    const void* own = task.own + task.done;
    const void* arrived = lane.link->room();
    reduce({task.arrived_first ? arrived : own, task.arrived_first ? own : arrived},
           task.target + task.done, bytes / size_of(type), type,
           partial ? RINGMASTER_SUM : job_.reduction, job_.average_of);
  }
  lane.held = false;
  advance(task, bytes, &lane.in_at);
}

Io Executor::take_note(Lane& lane) {
  const Frame header = *lane.link->frame();
  lane.note_in.resize(kNoteBytesMax);
  const Io io = lane.link->pull_payload(lane.note_in.data());
  if (io != Io::done) return io;
  lane.admitted = false;
  if (header.kind == FrameKind::mismatch || header.kind == FrameKind::differ) {
    mismatch_.assign(reinterpret_cast<const char*>(lane.note_in.data()), header.bytes);
    if (header.kind == FrameKind::mismatch) told_by_ = &lane;
  } else if (!job_.messages && header.operation == setup_.operation) {
    if (!roll_.add(lane.note_in.data(), header.bytes)) return io;
    roll_.add_self();
    for (Lane& other : lanes_) other.news = other.neighbour;
  }
  return io;
}

bool Executor::admit(Lane& lane, const Frame& frame) {
  if (frame.kind == FrameKind::mismatch || frame.kind == FrameKind::differ) {
    // It may have ended this operation, and found that the next one is none.
    const bool next = frame.operation > setup_.operation && lane.all_received();
    return next ? later(lane) : true;
  }
  const std::int64_t generation = mesh_.membership().generation;
  if (frame.kind == FrameKind::reunion && frame.generation > generation) {
    // This generation is over, and the abort on its way here.
    lose(lane);
    return later(lane);
  }
  if (frame.generation != generation || frame.kind == FrameKind::reunion) {
    return damage(lane, "a frame of another generation");
  }
  if (frame.kind == FrameKind::present) return admit_note(lane, frame);
  const bool due = !lane.all_received();
  const bool message = frame.kind == FrameKind::message;
  // Whoever owes us something, and begins something else, has called something else.
  if (message != job_.messages) {
    return due ? differ(lane, frame.call, front_in(lane).call) : later(lane);
  }
  if (!message && frame.operation != setup_.operation) {
    if (!due && frame.operation > setup_.operation) return later(lane);
    return damage(lane, "a frame of another operation");
  }
  if (!due && message) return later(lane);
  const Call& expected = due ? front_in(lane).call : job_.call;
  if (!(frame.call == expected)) return differ(lane, frame.call, expected);
  if (due && fits(frame, front_in(lane))) return true;
  return damage(lane, "a frame out of order");
}

bool Executor::admit_note(Lane& lane, const Frame& frame) {
  if (frame.operation > setup_.operation) {
    const bool due = !lane.all_received();
    if (!due) return later(lane);
    if (job_.messages) return differ(lane, frame.call, front_in(lane).call);
    return damage(lane, "a frame of another operation");
  }
  const bool same = frame.operation == setup_.operation && !job_.messages;
  return !same || frame.call == job_.call || differ(lane, frame.call, job_.call);
}

bool Executor::fits(const Frame& frame, const Task& task) const {
  const std::size_t bytes = next_chunk(task);
  const bool token = frame.kind == FrameKind::token;
  return frame.bytes == bytes && frame.index == index_of(task) &&
         (job_.messages || token == (bytes == 0));
}

bool Executor::later(Lane& lane) {
  lane.ahead = true;
  return false;
}

bool Executor::differ(const Lane& lane, const Call& theirs, const Call& ours) {
  const int own = mesh_.membership().position;
  const int them = mesh_.number(lane.peer), us = mesh_.number(own);
  mismatch_ = lane.peer < own ? mismatch_text(theirs, them, ours, us)
                              : mismatch_text(ours, us, theirs, them);
  // A message that is another one concerns nobody but its two ends.
  decided_ = theirs.kind == kExchange && ours.kind == kExchange;
  CHECK_LE(mismatch_.size(), kNoteBytesMax);
  return false;
}

bool Executor::damage(const Lane& lane, const char* what) {
  failed_ = error(Errc::corrupt, fmt::format("rank {} sent {}", mesh_.number(lane.peer), what));
  return false;
}

}  // namespace ringmaster::collectives
