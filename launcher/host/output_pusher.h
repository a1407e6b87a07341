// SPDX-License-Identifier: Apache-2.0
//
// Sends the output of all jobs on this host to the coordinator, as much at a time as disturbs
// nobody: jobs take turns, a bounded amount is on its way and a bounded amount goes in a second.
//
// Thread rules: the loop's thread. Not here: which bytes are next (outgoing_log.h).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "launcher/host/job_on_host.h"
#include "net/timer.h"

namespace ringmaster::launcher {

class OutputPusher {
 public:
  using Jobs = std::map<std::int64_t, std::unique_ptr<JobOnHost>>;
  using Send = std::function<void(wire::FromAgent::Output)>;
  /// `listens`: whether the coordinator was heard of just now.
  OutputPusher(boost::asio::io_context& loop, const Jobs& jobs, Send send,
               std::function<bool()> listens);

  /// Looks for new output from now on.
  void start();
  void on_welcome();
  void on_taken(const wire::ToAgent::OutputTaken& answer);
  /// Writes what nobody has taken into files in the folder; says where, or what failed, in lines.
  std::string keep(const std::string& folder) const;

 private:
  void look();
  void send();
  bool send_piece();
  void rewind();

  const Jobs& jobs_;
  Send send_;
  std::function<bool()> listens_;
  net::Timer timer_;
  Time heard_;                 // when the coordinator has come further, or had nothing to answer
  Time rewound_;               // when all that was on its way was last taken for lost
  std::int64_t budget_ = 0;    // until the next look
  std::int64_t last_job_ = 0;  // whose output was sent last
};

}  // namespace ringmaster::launcher
