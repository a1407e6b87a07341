// SPDX-License-Identifier: Apache-2.0
#include "jobs/core/event.h"

#include <array>

namespace ringmaster::jobs {

const char* event_name(const Event& event) {
  static constexpr std::array<const char*, std::variant_size_v<Event>> kNames = {
      "host_joined",       "host_create_failed", "host_notice",    "host_lost",
      "host_released",     "job_submitted",      "stop_requested", "rank_started",
      "rank_start_failed", "rank_ready",         "rank_synced",    "rank_finished",
      "rank_failed",       "rank_exited",        "timer_expired",  "shard_written",
      "shard_failed",      "term_opened",        "term_failed",    "checkpoint_committed",
      "checkpoint_failed"};
  return kNames[event.index()];
}

}  // namespace ringmaster::jobs
