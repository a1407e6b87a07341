// SPDX-License-Identifier: Apache-2.0
//
// Ranks that are processes, and the agent that forms their generations, as small as can be: for
// storms in which ranks die, stop, come back, join, and call what the others do not.
//
// The agent does what launcher/ does: it aborts the generation that a loss has broken, waits until
// all survivors have left it, fences who is voted out (killed and reaped), clears the flags, and
// forms the next one.
//
// Thread rules: one thread; ranks are forked from it.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "base/time.h"
#include "collectives/shm/segment.h"

namespace ringmaster::storm {

enum class Ways { shm, tcp, hosts };

/// What ranks read when a generation forms. In memory that they share with the agent.
struct Form {
  static constexpr int kRanksMax = 6;
  std::int64_t generation = 0;
  int size = 0;
  int numbers[kRanksMax] = {};  // by position
  std::int64_t timeout_ms = 0;  // of an operation
  std::uint64_t seed = 0;       // of the calls
  int odd_number = -1;          // the rank that calls something else; -1: none
  std::uint64_t odd_turn = 0;   // instead of this call
  bool slow = false;            // ranks sleep now and then
};

/// What a rank says to the agent, and how it ended its last generation.
struct Post;
struct Board;

class Host {
 public:
  Host(Ways ways, std::uint64_t seed);
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  /// Ranks that live.
  std::vector<int> numbers() const;
  void start(int number);
  void signal(int number, int what) const;
  /// Kills and reaps it: from here on it can write nowhere.
  void fence(int number);

  /// The members are those that live and have left all older generations.
  void form(Form form);
  /// Ends the generation, as after a loss.
  void abort() const;
  /// Waits until all that live have left the generation. Within `at_most`: else, or when one has
  /// found a fault, false.
  bool wait_left(Duration at_most);
  /// Ends all ranks. Whether all had nothing to complain of.
  bool finish();

  /// Calls that ended well in the generation, on all ranks together.
  std::int64_t calls() const;
  /// What the rank's last generation ended with, in words.
  std::string end_of(int number) const;
  Errc code_of(int number) const;
  /// What a rank has found wrong; "".
  std::string found() const;

 private:
  bool reap_ended();

  Ways ways_;
  int hosts_;
  std::uint64_t seed_;
  std::vector<collectives::Segment> segments_;
  std::vector<FileDescriptor> listeners_;  // by number
  std::vector<std::string> endpoints_;
  Board* board_;
  std::map<int, pid_t> pids_;
  std::string found_;
};

}  // namespace ringmaster::storm
