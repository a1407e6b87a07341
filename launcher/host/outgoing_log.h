// SPDX-License-Identifier: Apache-2.0
//
// Which bytes of one job's output on this host go to the coordinator next, and which need not be
// kept any more.
//
// Every byte has an offset, counted from the first that the ranks wrote. The coordinator answers
// each piece with how far it has come; what it has is dropped here. What is on the way may be lost
// with the connection: rewind() sends it again, and the coordinator knows it by its offset. Output
// that nobody takes loses its oldest part, so that a coordinator that is away stops no rank and
// fills no disk.
//
// Pure. Not here: the file that holds the bytes (job_on_host.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/check.h"

namespace ringmaster::launcher {

class OutgoingLog {
 public:
  struct Piece {
    std::int64_t offset = 0;
    std::int64_t size = 0;
    bool last = false;  // nothing comes after it
  };

  /// The ranks have written up to here.
  void grow(std::int64_t end) {
    CHECK_LE(end_, end);
    end_ = end;
  }
  /// Nothing will be written any more.
  void close() { closed_ = true; }
  /// Bytes before `first` are gone.
  void drop(std::int64_t first) {
    CHECK_LE(first, end_);
    first_ = std::max(first_, first);
    sent_ = std::max(sent_, first_);
  }

  /// The next piece, of at most `room` bytes; it counts as sent.
  std::optional<Piece> next(std::int64_t room) {
    const Piece piece{sent_, std::min(end_ - sent_, room), closed_ && end_ - sent_ <= room};
    if (complete_ || (piece.size <= 0 && !(piece.last && !said_last_))) return std::nullopt;
    sent_ += piece.size;
    in_flight_ += piece.size;
    flying_.push_back({sent_, piece.size});
    said_last_ = said_last_ || piece.last;
    return piece;
  }
  /// The coordinator has all before `offset`; `complete`: it wants nothing more. True when it has
  /// come further.
  bool take(std::int64_t offset, bool complete) {
    const bool further = offset > first_ || (complete && !complete_);
    complete_ = complete_ || complete;
    while (!flying_.empty() && (complete_ || flying_.front().end <= offset)) {
      in_flight_ -= flying_.front().size;
      flying_.pop_front();
    }
    if (offset > first_) drop(std::min(offset, end_));
    return further;
  }
  /// Nothing that was sent and not answered will arrive.
  void rewind() {
    sent_ = first_;
    in_flight_ = 0;
    flying_.clear();
    said_last_ = false;
  }

  std::int64_t first() const { return first_; }
  std::int64_t end() const { return end_; }
  /// Bytes that are on the way, those that were dropped meanwhile included.
  std::int64_t in_flight() const { return in_flight_; }
  bool waits_for_answer() const { return !complete_ && (said_last_ || !flying_.empty()); }
  bool complete() const { return complete_; }

 private:
  struct Flying {
    std::int64_t end = 0;
    std::int64_t size = 0;
  };
  std::int64_t first_ = 0;  // the oldest byte that is kept
  std::int64_t sent_ = 0;   // what comes next
  std::int64_t end_ = 0;
  std::deque<Flying> flying_;  // pieces that nobody has answered: no more than there is room for
  std::int64_t in_flight_ = 0;
  bool closed_ = false;
  bool said_last_ = false;
  bool complete_ = false;
};

}  // namespace ringmaster::launcher
