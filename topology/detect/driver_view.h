// SPDX-License-Identifier: Apache-2.0
//
// What NVIDIA's driver tells of the GPUs: names, NVLinks, PCIe links, MIG devices, health.
//
// A GPU that has fallen off the bus can make each call to the driver wait for a minute, or for
// ever, in the kernel, where nothing ends it. So a child process asks, and is given up after a
// deadline; its answer is our own JSON, up to where it got.
#pragma once

#include <string>

#include "base/result.h"
#include "base/time.h"
#include "topology/detect/nvml_library.h"
#include "topology/topology.h"

namespace ringmaster::topology {

/// Asks the loaded library. The machine has GPUs, links and fabric, no PCI tree; a GPU that cannot
/// be asked has the reason in its health. May hang where the driver does. Errors: Errc::denied,
/// Errc::not_found (no driver) or Errc::io, with the library's words.
Result<Topology> ask_driver(const NvmlLibrary& nvml);

/// Loads the library and asks in a child process. Errc::timed_out after `patience`. Errc::not_found
/// where there is no library or driver, which is a normal machine. Thread rules: the child is a
/// copy of this process with one thread: call it before others are started.
Result<Topology> read_driver_view(const std::string& library, Duration patience);

/// Why a GPU is lost that is in the PCI tree and of which the driver tells nothing.
inline constexpr const char* kUnknownToDriver = "not known to NVIDIA's driver";

/// Adds what the driver tells to a machine out of /sys: GPUs meet by their bus ids.
void merge_driver_view(Topology& machine, const Topology& driver);

}  // namespace ringmaster::topology
