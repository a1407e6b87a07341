// SPDX-License-Identifier: Apache-2.0
//
// The calls of one seed, carried out by a crew and judged call by call. In every third story they
// are started, several at a time.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "collectives/async/work_queue.h"
#include "tests/storm/crew.h"
#include "tests/storm/trial.h"

namespace ringmaster::storm {

class Story {
 public:
  struct Shape {
    std::size_t calls = 50;
    std::size_t bytes_max = 0;                  // of one rank's part
    std::function<void()> before_call = [] {};  // on each rank
  };
  Story(Crew& crew, std::uint64_t seed, Shape shape);

  void run();
  /// What was found first, in words, with all calls up to that one; "" when all is well.
  const std::string& found() const { return found_; }

 private:
  struct Flight {
    std::unique_ptr<Trial> trial;
    collectives::WorkPointer work;
    std::size_t turn;
  };
  void live(collectives::Communicator& ring, collectives::Arena* arena);
  void gather_digests(collectives::Communicator& ring);
  void land(int rank, std::deque<Flight>& flights);
  void judge(int rank, std::size_t turn, const Result<void>& end, Trial& trial);
  void fail(std::size_t turn, const std::string& what);

  Crew& crew_;
  const std::uint64_t seed_;
  const Shape shape_;
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::string found_;
  std::vector<std::vector<std::uint64_t>> digests_;  // by position, by turn
};

}  // namespace ringmaster::storm
