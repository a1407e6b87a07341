// SPDX-License-Identifier: Apache-2.0
//
// How a GPU is, when its driver was asked. All of it is optional: drivers, versions and permissions
// differ in what they tell.
//
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/pci.h"

namespace ringmaster::topology {

enum class LinkState { up, down };

/// One NVLink of a GPU as its driver sees it.
struct NvlinkPort {
  int port = 0;
  LinkState state = LinkState::down;
  std::optional<int> version = std::nullopt;                // of the NVLink protocol
  std::optional<std::string> remote_bus_id = std::nullopt;  // a GPU or an NVSwitch
  bool to_switch = false;

  bool operator==(const NvlinkPort&) const = default;
};

struct Health {
  std::string lost = {};  // why the driver cannot reach it ("fallen off the bus"); "" where it can
  PciLink pcie = {};
  std::vector<NvlinkPort> nvlinks = {};
  std::optional<int> temperature_c = std::nullopt;
  std::optional<int> busy_percent = std::nullopt;
  std::optional<std::uint64_t> memory_bytes = std::nullopt, memory_used_bytes = std::nullopt;
  std::optional<std::uint64_t> ecc_uncorrected = std::nullopt;  // since the driver was loaded

  bool operator==(const Health&) const = default;
};

}  // namespace ringmaster::topology
