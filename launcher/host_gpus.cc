// SPDX-License-Identifier: Apache-2.0
#include "launcher/host_gpus.h"

#include <algorithm>
#include <utility>

#include "launcher/host_facts.h"
#include "launcher/plan_gpus.h"
#include "topology/detect/this_machine.h"

namespace ringmaster::launcher {

void look_at_gpus(HostFacts* host) {
  topology::Topology machine = topology::read_this_machine();
  // Without a driver nothing can run on a GPU that is there.
  const bool driven = std::any_of(machine.gpus.begin(), machine.gpus.end(),
                                  [](const topology::Gpu& gpu) { return !gpu.uuid.empty(); });
  if (!driven) return;
  host->machine = std::move(machine);
  host->visible = read_visible_devices();
  if (host->gpus > 0) return;
  // Of a driver that shows nothing below /proc.
  const auto places = visible_places(*host->machine, host->visible);
  if (places) host->gpus = static_cast<int>(places->size());
}

}  // namespace ringmaster::launcher
