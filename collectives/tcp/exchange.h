// SPDX-License-Identifier: Apache-2.0
//
// Carries out one operation on the ring: sends to the next rank and receives from the previous one
// at once, until the flow (flow.h) is at its end or something else is.
//
//   abort        Errc::generation_changed, from any wait
//   mismatch     found with the first frame of the previous rank whose call is another. The finder
//                tells both neighbours, they tell theirs; every rank names the same two calls or
//                another pair that differs. No rank has completed: to complete, everybody must
//                have compared.
//   a lost peer  is most likely the loss that ends this generation: the abort is waited for, and
//                only when it does not come within the grace this is Errc::closed
//   silence      Errc::timed_out when nothing has moved for the time-out, and who is missing
//
// Thread rules: one thread.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "collectives/tcp/alarm.h"
#include "collectives/tcp/flow.h"
#include "collectives/tcp/link.h"

namespace ringmaster::collectives {

/// The two connections of a rank. With two ranks both are the same one.
struct Neighbours {
  Link& next;
  Link& prev;
};

class Exchange {
 public:
  struct Setup {
    std::int64_t generation;
    std::uint64_t operation;
    Call call;
    int position;
    const std::vector<int>& numbers;  // of the ranks, by position, for messages
    Duration timeout;
    Duration grace;
  };

  Exchange(Neighbours links, const Alarm& alarm, Setup setup, Flow flow)
      : links_(links), alarm_(alarm), setup_(setup), flow_(std::move(flow)) {}

  Result<void> run();

 private:
  bool done() const;
  /// Whether the previous rank has to send more, and whether there is room for it now.
  bool expecting() const;
  bool may_receive() const;

  // Each does what can be done without waiting, and says whether anything was.
  bool send();
  bool receive();
  bool hear_next();

  bool start_frame();
  /// Looks at a header from the previous rank; false: the operation is over, failed_ says why.
  bool admit(const Frame& frame);
  bool take(Io* io);
  void take_chunk();
  bool take_mismatch(Link& link, Io* io);
  void lose(const Link& link);
  void damage(const Link& link, const char* what);
  void sleep();
  void check_patience();
  Error farewell();
  int late_position() const;
  int number(int position) const { return setup_.numbers[static_cast<std::size_t>(position)]; }
  int size() const { return static_cast<int>(setup_.numbers.size()); }
  Frame frame(FrameKind kind) const;

  Neighbours links_;
  const Alarm& alarm_;
  Setup setup_;
  Flow flow_;

  int tokens_sent_ = 0;
  int tokens_received_ = 0;
  std::size_t chunks_sent_ = 0;
  bool chunk_on_its_way_ = false;
  bool next_gone_ = false;    // nothing can be sent
  bool next_silent_ = false;  // nothing will be heard
  bool prev_gone_ = false;
  MismatchBytes heard_{};
  std::optional<Mismatch> mismatch_;
  const Link* told_by_ = nullptr;  // the link over which the mismatch came
  std::optional<Error> failed_;
  std::optional<Time> lost_at_;
  int lost_ = 0;  // position
  Time moved_at_{};
};

}  // namespace ringmaster::collectives
