// SPDX-License-Identifier: Apache-2.0
//
// The table of `nvidia-smi topo -m` as rows of cells, before anything is made of it.
//
// Columns are found by counting, not by place: drivers separate them with tabs, people retype them
// with blanks, and cells of the affinity columns may be empty.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topology/read/answer.h"

namespace ringmaster::topology {

struct MatrixRow {
  int line = 0;
  std::vector<MaybePath> cells;  // one a device, as far as the row goes
  std::string cpus, numa, gpu_numa;
  bool whole = false;         // it has a cell for each device
  bool ends_in_text = false;  // the text ends in it, without a newline: its last cell may be cut
};

struct MatrixTable {
  std::vector<std::string> devices;            // "GPU0", "NIC3", "mlx5_1", in the header's order
  std::vector<std::optional<MatrixRow>> rows;  // one a device
  std::vector<std::pair<std::string, std::string>> nic_names;  // the NIC legend: "NIC0", "mlx5_0"
  bool has_legend = false, legend_has_nvlink = false, says_mp = false;
  std::vector<std::string> warnings;
};

/// The number in "GPU7", else nothing.
std::optional<int> gpu_number(std::string_view device);

std::variant<MatrixTable, Refusal> read_matrix_table(std::string_view text);

}  // namespace ringmaster::topology
