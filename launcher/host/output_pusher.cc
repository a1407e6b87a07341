// SPDX-License-Identifier: Apache-2.0
#include "launcher/host/output_pusher.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace ringmaster::launcher {

namespace {

/// How often new output is looked for.
constexpr Duration kPushLook = std::chrono::milliseconds(100);
/// On its way to the coordinator: heartbeats wait behind it, and on a line of 1 Mbit/s that is two
/// seconds.
constexpr std::int64_t kInFlightMax = 256 * 1024;
/// Between two looks: more would take the network from the ranks, and the coordinator keeps no more
/// than seconds of it anyway.
constexpr std::int64_t kBudget = 1600 * 1024;
/// A piece that is not answered for so long was lost with a connection.
constexpr Duration kResend = std::chrono::seconds(5);
/// Of hellos that had to wait for a coordinator there are many, and each has its welcome.
constexpr Duration kRewindPause = std::chrono::seconds(2);

}  // namespace

OutputPusher::OutputPusher(boost::asio::io_context& loop, const Jobs& jobs, Send send,
                           std::function<bool()> listens)
    : jobs_(jobs),
      send_(std::move(send)),
      listens_(std::move(listens)),
      timer_(loop),
      heard_(read_clock()) {}

void OutputPusher::start() {
  look();
}

void OutputPusher::look() {
  const Time now = read_clock();
  const bool waits = std::any_of(jobs_.begin(), jobs_.end(),
                                 [](const auto& at) { return at.second->output_waits(); });
  if (!waits) heard_ = now;
  // While no coordinator listens, more of the same would only pile up.
  if (now - heard_ > kResend && listens_()) rewind();
  budget_ = kBudget;
  send();
  timer_.start(kPushLook, [this] { look(); });
}

void OutputPusher::on_welcome() {
  if (read_clock() - rewound_ > kRewindPause) rewind();
}

void OutputPusher::rewind() {
  for (const auto& [id, job] : jobs_) job->rewind_output();
  rewound_ = heard_ = read_clock();
}

void OutputPusher::on_taken(const wire::ToAgent::OutputTaken& answer) {
  const auto job = jobs_.find(answer.job());
  if (job != jobs_.end() && job->second->output_taken(answer)) heard_ = read_clock();
  send();
}

void OutputPusher::send() {
  bool more = true;
  while (more && budget_ > 0) {
    std::int64_t in_flight = 0;
    for (const auto& [id, job] : jobs_) in_flight += job->output_in_flight();
    more = in_flight < kInFlightMax && send_piece();
  }
}

bool OutputPusher::send_piece() {
  for (std::size_t turn = 0; turn < jobs_.size(); ++turn) {
    auto at = jobs_.upper_bound(last_job_);
    if (at == jobs_.end()) at = jobs_.begin();
    last_job_ = at->first;
    auto output = at->second->next_output();
    if (!output) continue;
    budget_ -= static_cast<std::int64_t>(output->data().size());
    send_(std::move(*output));
    return true;
  }
  return false;
}

std::string OutputPusher::keep(const std::string& folder) const {
  std::string lines;
  for (const auto& [id, job] : jobs_) {
    const std::string path = fmt::format("{}/job-{}-{}.log", folder, id, getpid());
    const auto kept = job->keep_output(path);
    if (!kept) lines += kept.error().message + "\n";
    if (kept && *kept) lines += fmt::format("output of job {} is in {}\n", id, path);
  }
  return lines;
}

}  // namespace ringmaster::launcher
