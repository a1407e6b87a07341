// SPDX-License-Identifier: Apache-2.0
#include "topology/detect/driver_view.h"

#include "topology/detect/child_answer.h"
#include "topology/read/readers.h"
#include "topology/show/show.h"

namespace ringmaster::topology {

Result<Topology> read_driver_view(const std::string& library, Duration patience) {
  const auto text =
      read_child_answer("NVIDIA's driver", patience, [&library]() -> Result<std::string> {
        const auto nvml = NvmlLibrary::load(library);
        if (!nvml) return nvml.error();
        const auto machine = ask_driver(*nvml);
        if (!machine) return machine.error();
        return topology_json(*machine);
      });
  if (!text) {
    const Error& why = text.error();
    if (why.code != Errc::timed_out) return why;
    return Error{why.code, why.message + ": nvidia-smi will not either"};
  }
  auto answer = read_topology_json(*text);
  if (const auto* refusal = std::get_if<Refusal>(&answer)) {
    return Error{Errc::io, "NVIDIA's driver: " + refusal->what};
  }
  return std::get<Topology>(std::move(answer));
}

}  // namespace ringmaster::topology
