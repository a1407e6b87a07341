// SPDX-License-Identifier: Apache-2.0
//
// What a machine is, as far as training cares: its GPUs, network adapters and NUMA nodes, and how
// each reaches the others.
//
// A value: readers (topology/read) and detection (topology/detect) make one, and everything else is
// a function of it. Unknown stays unknown: an empty optional is "the source does not say", never
// "none" or 0, and what the source should have said and does not is named in `missing`.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topology/health.h"
#include "topology/path.h"
#include "topology/pci.h"

namespace ringmaster::topology {

/// A part of a GPU that is a device of its own.
struct MigDevice {
  int index = 0;        // within its GPU
  std::string profile;  // "1g.20gb"
  std::string uuid;

  bool operator==(const MigDevice&) const = default;
};

struct Gpu {
  int index = 0;  // the number that the source gives, else its place in the order of bus ids
  std::optional<std::string> bus_id = std::nullopt;
  std::string name = {}, uuid = {};           // "" where not told
  std::optional<int> numa = std::nullopt;     // the node of its processors
  std::optional<std::vector<int>> cpus = {};  // the processors near it, as the source lists them
  std::optional<int> memory_node = std::nullopt;  // the NUMA node that is its own memory
  std::vector<MigDevice> mig = {};
  Health health = {};

  bool operator==(const Gpu&) const = default;
};

struct Nic {
  std::string name;  // of its interface or RDMA device, else its bus id
  std::optional<std::string> bus_id = std::nullopt;
  std::string rdma = {};  // its RDMA device where `name` is the interface
  std::optional<int> numa = std::nullopt;
  std::optional<int> speed_mbit_s = std::nullopt;  // megabits a second
  std::vector<MaybePath> paths = {};               // to each GPU, in their order

  bool operator==(const Nic&) const = default;
};

/// NVLinks or XGMI links between two GPUs, by their `index`; a < b.
struct Link {
  int a = 0, b = 0, count = 0;

  bool operator==(const Link&) const = default;
};

struct NumaNode {
  int id = 0;
  std::vector<int> cpus = {};  // empty: memory only, such as that of a GPU

  bool operator==(const NumaNode&) const = default;
};

/// A device that may be a GPU or not: the source does not tell enough.
struct UnknownDevice {
  std::string bus_id;
  std::optional<int> numa = std::nullopt;
  std::string what = {};  // "processing accelerator"; "" where nothing is told

  bool operator==(const UnknownDevice&) const = default;
};

/// What joins the GPUs. `none`: the source shows that nothing does; `unknown`: it does not say.
enum class Fabric { switched, direct, none, unknown };

struct Topology {
  std::vector<Gpu> gpus = {};                      // ascending by index
  std::vector<std::vector<MaybePath>> paths = {};  // [i][j]: of gpus[i] and gpus[j]
  std::vector<Link> links = {};                    // ascending
  Fabric fabric = Fabric::unknown;
  std::vector<Nic> nics = {};
  std::vector<NumaNode> nodes = {};
  std::vector<PciDevice> pci = {};  // parents stand before their children; empty for a matrix
  std::vector<UnknownDevice> unknown_devices = {};
  std::vector<std::string> missing = {};   // parts that the source has lost ("row GPU4")
  std::vector<std::string> warnings = {};  // what was odd, and how it was taken

  bool operator==(const Topology&) const = default;
};

/// "switch", "direct", "none" or "unknown".
const char* fabric_name(Fabric fabric);

/// The place of the GPU with this index, or nothing.
std::optional<std::size_t> find_gpu(const Topology& machine, int index);

/// The number of NVLinks between two GPUs, by index; 0 where there are none or it is not known.
int link_count(const Topology& machine, int a, int b);

/// What must hold of every topology that a reader gives: aborts where it does not.
void check_topology(const Topology& machine);

}  // namespace ringmaster::topology
