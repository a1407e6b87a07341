// SPDX-License-Identifier: Apache-2.0
#include "topology/rings/speeds.h"

#include <algorithm>
#include <array>

#include "topology/pci_paths.h"

namespace ringmaster::topology {

namespace {

constexpr int kLinksOfVolta = 6, kLinksOfAmpere = 12;  // of one GPU
constexpr double kPascalLink = 18, kVoltaLink = 20, kHopperLink = 20.6, kBlackwellLink = 40.1;
constexpr double kVegaLink = 24, kMi200Link = 36, kMi300Link = 48;

/// By the version of the NVLink protocol; 2 and 3 are V100 and A100.
std::optional<double> by_version(const Gpu& gpu) {
  for (const NvlinkPort& port : gpu.health.nvlinks) {
    if (!port.version) continue;
    constexpr std::array<double, 5> kLinks = {kPascalLink, kVoltaLink, kVoltaLink, kHopperLink,
                                              kBlackwellLink};
    const int version = std::clamp(*port.version, 1, static_cast<int>(kLinks.size()));
    return kLinks[static_cast<std::size_t>(version - 1)];
  }
  return std::nullopt;
}

/// AMD's devices with XGMI links, by the high bits of their PCI device numbers: 66a. are MI50 and
/// MI60, 738. MI100, 740. MI210 to MI250X, 74a. MI300A to MI325X, 75a. MI350X.
double of_amd(std::uint32_t device) {
  switch (device >> 4) {
    case 0x740:
      return kMi200Link;
    case 0x74a:
    case 0x74b:
    case 0x75a:
      return kMi300Link;
    default:
      return kVegaLink;
  }
}

const PciDevice* pci_of(const Topology& machine, const Gpu& gpu) {
  const auto at = gpu.bus_id ? find_pci(machine.pci, *gpu.bus_id) : std::nullopt;
  return at ? &machine.pci[*at] : nullptr;
}

}  // namespace

int links_of(const Topology& machine, const Gpu& gpu) {
  int sum = 0, widest = 0;
  for (const Link& link : machine.links) {
    if (link.a != gpu.index && link.b != gpu.index) continue;
    sum += link.count;
    widest = std::max(widest, link.count);
  }
  return machine.fabric == Fabric::switched ? widest : sum;
}

bool is_of_amd(const Topology& machine, const Gpu& gpu) {
  const PciDevice* pci = pci_of(machine, gpu);
  if (pci == nullptr) return false;
  constexpr std::uint32_t kOtherDisplay = 0x0380;  // NVIDIA's are VGA or 3D controllers
  return pci->vendor ? *pci->vendor == kAmd : pci->class_code.value_or(0) >> 8 == kOtherDisplay;
}

Speed link_speed(const Topology& machine, const Gpu& gpu, int links) {
  if (const auto told = by_version(gpu)) return {*told, false};
  if (is_of_amd(machine, gpu)) {
    const auto device = pci_of(machine, gpu)->device;
    return {of_amd(device.value_or(0)), !device};
  }
  return {links > kLinksOfAmpere ? kHopperLink : kVoltaLink, true};
}

Speed pcie_speed(const PciLink& link, double gt_s_assumed) {
  // Before 8 GT/s a fifth of the bits was coding, not a sixty-fifth.
  constexpr double kOld = 0.075, kNew = 0.09375, kFirstNew = 8;
  constexpr int kLanes = 16;
  const bool told = link.gt_s && link.width && *link.width > 0;
  const double gt_s = told ? *link.gt_s : gt_s_assumed;
  const int lanes = told ? *link.width : kLanes;
  return {gt_s * lanes * (gt_s < kFirstNew ? kOld : kNew), !told};
}

double usual_gt_s(const Topology& machine) {
  double fastest = 0;
  for (const Gpu& gpu : machine.gpus) {
    const PciDevice* pci = pci_of(machine, gpu);
    if (pci != nullptr) fastest = std::max(fastest, pci->link.gt_s.value_or(0));
  }
  if (fastest > 0) return fastest;
  int links = 0;
  for (const Gpu& gpu : machine.gpus) links = std::max(links, links_of(machine, gpu));
  if (links > kLinksOfAmpere) return 32;
  return links > kLinksOfVolta ? 16 : 8;
}

Speed socket_speed(double gt_s) {
  if (gt_s > 16) return {22, true};
  return {gt_s > 8 ? 16.0 : 10.0, true};
}

Speed nic_speed(const Nic& nic) {
  constexpr double kMegabitsOfGigabyte = 8000;
  constexpr double kTaken = 100000;  // megabits a second
  return {nic.speed_mbit_s.value_or(kTaken) / kMegabitsOfGigabyte, !nic.speed_mbit_s};
}

}  // namespace ringmaster::topology
