// SPDX-License-Identifier: Apache-2.0
//
// What carries data between GPUs, and from there to other hosts: NVLink, PCIe, RDMA.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "launcher/doctor/checks.h"
#include "topology/pci_paths.h"

namespace ringmaster::launcher::doctor {

namespace {

/// The NVLinks of one GPU.
struct PortCount {
  std::vector<int> down = {};
  std::size_t up = 0;
  bool switched = false;
};

PortCount count_ports(const topology::Gpu& gpu) {
  PortCount count;
  for (const topology::NvlinkPort& port : gpu.health.nvlinks) {
    if (port.state == topology::LinkState::up) {
      ++count.up;
      count.switched = count.switched || port.to_switch;
    } else {
      count.down.push_back(port.port);
    }
  }
  return count;
}

/// GPUs of one model have as many links as the best of them, unless one is broken. Where all lack
/// the same, it may be how the machine was built: a bridge joins only some of a card's links.
Verdict of_ports_down(const topology::Gpu& gpu, const PortCount& count, std::size_t best) {
  std::string what = fmt::format("{}: NVLink {} {} down ({} of {} are up)", gpu_name(gpu),
                                 fmt::join(count.down, ", "), count.down.size() == 1 ? "is" : "are",
                                 count.up, gpu.health.nvlinks.size());
  if (count.switched || count.up < best) {
    return warning(std::move(what),
                   "reset the GPUs or reboot; if it stays, the link, its bridge or switch is bad");
  }
  return note(std::move(what), "normal where cards have no bridge for these links; else reboot");
}

/// As the driver tells it, else as the kernel does.
topology::PciLink pcie_link_of(const Facts& facts, const topology::Gpu& gpu) {
  if (gpu.health.pcie.width || !gpu.bus_id) return gpu.health.pcie;
  const auto at = topology::find_pci(facts.machine.pci, *gpu.bus_id);
  return at ? facts.machine.pci[*at].link : gpu.health.pcie;
}

const char* peer_reason(int status) {
  switch (status) {
    case 1:
      return "the chipset does not do it";
    case 2:
      return "these GPUs do not do it";
    case 3:
      return "the path between the processors does not do it";
    case 4:
      return "it is switched off in the driver's settings";
    default:
      return "the driver does not do it here";
  }
}

const char* peer_advice(int status) {
  constexpr int kSwitchedOff = 4;
  return status == kSwitchedOff
             ? "remove the setting of the nvidia module (/etc/modprobe.d), and reboot"
             : "transfers go through the host's memory: keep ranks that talk much on GPUs that "
               "reach each other (ringmaster topo)";
}

Verdict of_peer_pairs(int status, const std::vector<std::string>& pairs) {
  constexpr int kGpuCannot = 2;
  constexpr std::size_t kShown = 4;
  const std::vector<std::string> some(
      pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(std::min(pairs.size(), kShown)));
  const std::string what =
      fmt::format("{} pairs of GPUs do not reach each other's memory, {}: {}{}", pairs.size(),
                  peer_reason(status), fmt::join(some, ", "), pairs.size() > kShown ? ", ..." : "");
  return status == kGpuCannot ? note(what, peer_advice(status))
                              : warning(what, peer_advice(status));
}

}  // namespace

Verdicts judge_nvlinks(const Facts& facts) {
  if (Verdicts nothing = nothing_to_ask(facts); !nothing.empty()) return nothing;
  std::map<std::string, std::size_t> best;  // by model
  std::size_t ports = 0;
  for (const topology::Gpu& gpu : facts.machine.gpus) {
    best[gpu.name] = std::max(best[gpu.name], count_ports(gpu).up);
    ports += gpu.health.nvlinks.size();
  }
  if (ports == 0) return {fine("no NVLink here")};
  Verdicts verdicts;
  for (const topology::Gpu& gpu : facts.machine.gpus) {
    const PortCount count = count_ports(gpu);
    if (!count.down.empty()) verdicts.push_back(of_ports_down(gpu, count, best[gpu.name]));
  }
  if (verdicts.empty()) verdicts.push_back(fine(fmt::format("{} NVLink ports are up", ports)));
  return verdicts;
}

Verdicts judge_pcie(const Facts& facts) {
  if (facts.machine.gpus.empty()) return {fine("no GPU here")};
  Verdicts verdicts;
  std::vector<std::string> slow;
  bool told = false;
  for (const topology::Gpu& gpu : facts.machine.gpus) {
    const topology::PciLink link = pcie_link_of(facts, gpu);
    if (link.width && link.width_max) {
      told = true;
      if (*link.width < *link.width_max) {
        verdicts.push_back(
            warning(fmt::format("{}: PCIe runs on {} of {} lanes", gpu_name(gpu), *link.width,
                                *link.width_max),
                    "seat the card again, or see whether its slot has so few lanes"));
      }
    }
    if (link.gt_s && link.gt_s_max && *link.gt_s < *link.gt_s_max) {
      slow.push_back(fmt::format("{} at {} of {} GT/s", gpu_name(gpu), *link.gt_s, *link.gt_s_max));
    }
  }
  if (!slow.empty()) {
    verdicts.push_back(
        note(fmt::format("PCIe is slower than it could be: {}", fmt::join(slow, ", ")),
             "idle GPUs do that to save power; look again while a job runs"));
  }
  if (verdicts.empty()) {
    verdicts.push_back(told ? fine("PCIe runs on all lanes") : not_known("no GPU tells its lanes"));
  }
  return verdicts;
}

Verdicts judge_peer_access(const Facts& facts) {
  constexpr int kReaches = 0, kUnknownStatus = 6;
  if (Verdicts nothing = nothing_to_ask(facts); !nothing.empty()) return nothing;
  if (facts.driver.checks->gpus.size() < 2) return {fine("one GPU has no peer")};
  std::map<int, std::vector<std::string>> refused;
  std::size_t told = 0;
  for (const topology::PeerAccess& pair : facts.driver.checks->peers) {
    if (pair.status == kUnknownStatus) continue;
    ++told;
    // Both directions are asked, and said once.
    const bool said =
        std::any_of(facts.driver.checks->peers.begin(), facts.driver.checks->peers.end(),
                    [&](const topology::PeerAccess& other) {
                      return other.from == pair.to && other.to == pair.from &&
                             other.status == pair.status && pair.from > pair.to;
                    });
    if (pair.status == kReaches || said) continue;
    refused[pair.status].push_back(
        fmt::format("{} to {}", gpu_name(facts, pair.from), gpu_name(facts, pair.to)));
  }
  Verdicts verdicts;
  for (const auto& [status, pairs] : refused) verdicts.push_back(of_peer_pairs(status, pairs));
  if (verdicts.empty()) {
    verdicts.push_back(told > 0 ? fine("all GPUs reach each other's memory")
                                : not_known("the driver does not tell"));
  }
  return verdicts;
}

Verdicts judge_rdma_ports(const Facts& facts) {
  if (facts.rdma.empty()) return {fine("no RDMA device here")};
  Verdicts verdicts;
  std::size_t active = 0;
  for (const RdmaPort& port : facts.rdma) active += port.state == "ACTIVE" ? 1 : 0;
  for (const RdmaPort& port : facts.rdma) {
    if (port.state == "ACTIVE") continue;
    const std::string what = fmt::format("{} port {} is {}", port.device, port.port, port.state);
    // Many adapters have a second port that nobody uses.
    verdicts.push_back(active > 0 ? note(what, "bring it up if it should carry traffic")
                                  : warning(what,
                                            "look at its cable, switch and subnet manager; "
                                            "transfers between hosts go over TCP"));
  }
  if (verdicts.empty()) verdicts.push_back(fine(fmt::format("{} RDMA ports are active", active)));
  return verdicts;
}

Verdicts judge_gpu_direct(const Facts& facts) {
  if (facts.rdma.empty() || nvidia_gpus(facts).empty()) {
    return {fine("no RDMA device beside a GPU here")};
  }
  if (!facts.peer_memory_module) return {not_known("the kernel's modules cannot be seen")};
  if (*facts.peer_memory_module) return {fine("nvidia_peermem is loaded")};
  return {note("nvidia_peermem is not loaded",
               "modprobe nvidia_peermem, unless NCCL says that it uses DMA-BUF: else transfers "
               "between hosts go through the host's memory")};
}

}  // namespace ringmaster::launcher::doctor
