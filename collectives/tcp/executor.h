// SPDX-License-Identifier: Apache-2.0
//
// Carries out a job (job.h): everything that may move does, in chunks, to and from all peers at
// once, until the job is done or something else is.
//
//   connections  to the peers of the job, and for a collective to the two neighbours in the ring;
//                made when they are missing, while the others are used already
//   abort        Errc::generation_changed, from any wait
//   mismatch     found with the first frame of a rank whose call is another. All come to return the
//                same words (farewell.h). No rank has completed: what it needs from all has gone
//                through frames that were compared. Ranks that only wait for one another find it by
//                the roll call (roll_call.h)
//   a lost peer  is most likely the loss that ends this generation: the abort is waited for, and
//                only when it does not come within the grace this is Errc::closed
//   silence      Errc::timed_out when nothing has moved for the time-out, and who is missing
//
// Thread rules: one thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "collectives/tcp/job.h"
#include "collectives/tcp/lane.h"
#include "collectives/tcp/mesh.h"
#include "collectives/tcp/roll_call.h"

namespace ringmaster::collectives {

class Executor {
 public:
  struct Setup {
    std::uint64_t operation;          // of a collective; else the last one before
    const std::vector<int>& members;  // positions of those that take part, in the ring's order
    int self;                         // index among them
    Duration timeout;
    Duration grace;
  };

  Executor(Mesh& mesh, Setup setup, Job& job);

  /// Before run(): the operation is a mismatch already, in these words.
  void refuse(const std::string& words) { mismatch_ = words; }
  Result<void> run();

 private:
  /// A lane to the peer; made when there is none.
  Lane& lane_to(int peer);
  bool yield(bool idle);
  Result<void> want_all();
  bool done() const;

  // Each does what can be done without waiting, and says whether anything was.
  bool connect();
  bool send(Lane& lane);
  bool receive(Lane& lane);
  bool listen();

  bool start(Lane& lane);
  void chunk_sent(Lane& lane);
  /// Whether there is something to read that could be taken now.
  bool may_read(const Lane& lane) const;
  Io read(Lane& lane);
  Io take_note(Lane& lane);
  void take_chunk(Lane& lane);
  /// Looks at a header; false: it is not for now, or the operation is over.
  bool admit(Lane& lane, const Frame& frame);
  bool admit_note(Lane& lane, const Frame& frame);
  bool fits(const Frame& frame, const Task& task) const;

  bool later(Lane& lane);
  bool differ(const Lane& lane, const Call& theirs, const Call& ours);
  bool damage(const Lane& lane, const char* what);
  void lose(const Lane& lane);

  /// Whether there is something to tell now.
  bool call_the_roll();
  void sleep();
  void check_patience();
  int late_number() const;
  Error farewell();
  Error error(Errc code, const std::string& what) const;
  Frame frame(FrameKind kind, const Call& call) const;
  Task& front_out(const Lane& lane) {
    return job_.tasks[static_cast<std::size_t>(lane.out_front())];
  }
  Task& front_in(const Lane& lane) { return job_.tasks[static_cast<std::size_t>(lane.in_front())]; }
  const Task& front_in(const Lane& lane) const {
    return job_.tasks[static_cast<std::size_t>(lane.in_front())];
  }

  Mesh& mesh_;
  const Alarm& alarm_;
  Setup setup_;
  Job& job_;
  std::vector<Lane> lanes_;
  std::size_t unlinked_ = 0;
  bool small_ = false;  // worth some yields before it sleeps
  RollCall roll_;
  std::string mismatch_;           // in words
  bool decided_ = false;           // they are everybody's
  const Lane* told_by_ = nullptr;  // with its last frame
  std::optional<Error> failed_;
  std::optional<Time> lost_at_;
  int lost_ = 0;  // position
  Time moved_at_{};
};

}  // namespace ringmaster::collectives
