// SPDX-License-Identifier: Apache-2.0
//
// What stands below a matrix and a tree: the fabric in words, and what is not known.
#include <fmt/format.h>

#include "topology/rings/speeds.h"
#include "topology/show/notes.h"
#include "topology/show/style.h"

namespace ringmaster::topology {

namespace {

const char* fabric_words(const Topology& machine) {
  switch (machine.fabric) {
    case Fabric::switched:
      return "NVLink through a switch";
    case Fabric::direct:
      return is_of_amd(machine, machine.gpus.front()) ? "XGMI from GPU to GPU"
                                                      : "NVLink from GPU to GPU";
    case Fabric::none:
      return is_of_amd(machine, machine.gpus.front()) ? "no XGMI" : "no NVLink";
    case Fabric::unknown:
      if (is_of_amd(machine, machine.gpus.front())) return "XGMI unknown";
      return machine.links.empty() ? "NVLink unknown" : "NVLink, through a switch or not unknown";
  }
  return "";
}

std::string count_text(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::string summary_text(const Topology& machine) {
  std::string text = machine.gpus.empty() ? "no GPU" : count_text(machine.gpus.size(), "GPU");
  if (machine.gpus.size() > 1) text += fmt::format(", {}", fabric_words(machine));
  text += ", " + count_text(machine.nics.size(), "NIC");
  if (!machine.nodes.empty()) text += ", " + count_text(machine.nodes.size(), "NUMA node");
  return text + "\n";
}

std::string notes_text(const Topology& machine, bool colours) {
  std::string text;
  for (const UnknownDevice& device : machine.unknown_devices) {
    text += fmt::format("{} {}{}\n", inked("unknown device:", Ink::yellow, colours), device.bus_id,
                        device.what.empty() ? "" : ", " + device.what);
  }
  for (const std::string& part : machine.missing) {
    text += fmt::format("{} {}\n", inked("missing:", Ink::yellow, colours), part);
  }
  for (const std::string& warning : machine.warnings) {
    text += fmt::format("{} {}\n", inked("warning:", Ink::yellow, colours), warning);
  }
  return text;
}

}  // namespace ringmaster::topology
