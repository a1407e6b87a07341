// SPDX-License-Identifier: Apache-2.0
//
// The PCI tree of a machine: its devices, which bridge each is behind, and the link up to it.
//
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringmaster::topology {

/// A PCIe link now and at best. Nothing is what the source does not tell.
struct PciLink {
  // Giga transfers a second of one lane, and lanes.
  std::optional<double> gt_s = std::nullopt, gt_s_max = std::nullopt;
  std::optional<int> width = std::nullopt, width_max = std::nullopt;

  bool operator==(const PciLink&) const = default;
};

struct PciDevice {
  std::string bus_id;  // as parse_bus_id gives it
  int parent = -1;     // the bridge it is behind, by its place in the list
  std::optional<int> root =
      std::nullopt;  // which processor's tree it is in, where there are several
  std::optional<int> numa = std::nullopt;
  std::optional<std::uint32_t> class_code = std::nullopt;  // base class, subclass, interface
  std::optional<std::uint32_t> vendor = std::nullopt, device = std::nullopt;
  std::optional<std::uint32_t> subsystem_vendor = std::nullopt, subsystem_device = std::nullopt;
  PciLink link = {};

  bool operator==(const PciDevice&) const = default;
};

/// A bus id in lower case with its domain in at least four digits ("0000:3b:00.0"), from the forms
/// of sysfs, lspci ("3b:00.0") and the driver ("00000000:3B:00.0"). Nothing for any other text.
/// Virtual machines have domains of more than four digits.
std::optional<std::string> parse_bus_id(std::string_view text);

/// What a class code and a vendor say a device is. A display adapter is a GPU only where its vendor
/// makes such that compute: servers have one for their console.
bool is_gpu(const PciDevice& device);
bool is_nic(const PciDevice& device);
bool is_accelerator(const PciDevice& device);  // of a maker that we do not know
bool is_bridge(const PciDevice& device);       // a PCI-to-PCI bridge or switch
bool is_nvswitch(std::uint32_t class_code);

/// The order of bus ids that parse_bus_id gave: that of the driver's GPU numbers.
bool is_before(std::string_view a, std::string_view b);

inline constexpr std::uint32_t kNvidia = 0x10de, kAmd = 0x1002;

}  // namespace ringmaster::topology
