// SPDX-License-Identifier: Apache-2.0
//
// Where the hosts of torchrun meet (its rendezvous), for a job of one host, which meets nobody:
// what an option says is kept where it names this host, and refused where it cannot be kept.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "launcher/dialects/torchrun_settings.h"
#include "launcher/this_host.h"

namespace ringmaster::launcher {

struct MeetingPlace {
  std::string address = {};  // of rank 0; "": ringrun's choice
  int port = 0;              // 0: one that is free
  std::vector<std::string> remarks = {};
};

/// From --master-addr, --master-port and the --rdzv options. `own`: what this host is called.
Result<MeetingPlace> read_meeting(const TorchrunSettings& settings, const OwnNames& own);

}  // namespace ringmaster::launcher
