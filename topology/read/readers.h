// SPDX-License-Identifier: Apache-2.0
//
// The readers, one for each way in which a machine is described. Each takes any bytes and gives a
// machine or a refusal; none crashes, hangs or guesses silently.
//
// Pure. Not here: which of them reads a text (formats.h).
#pragma once

#include <string_view>

#include "topology/read/answer.h"

namespace ringmaster::topology {

/// The table that `nvidia-smi topo -m` prints, whole or cut.
Answer read_matrix(std::string_view text);

/// The list that `nvidia-smi -L` prints, MIG devices included.
Answer read_gpu_list(std::string_view text);

/// NCCL's topology XML, RCCL's included: hand-written files and dumps.
Answer read_nccl_xml(std::string_view text);

/// hwloc's XML, as lstopo writes it.
Answer read_hwloc_xml(std::string_view text);

/// An archive of /sys (and /proc/driver/nvidia), tar or tar.xz.
Answer read_sysfs_archive(std::string_view bytes);

/// What `ringmaster topo --json` prints.
Answer read_topology_json(std::string_view text);

}  // namespace ringmaster::topology
