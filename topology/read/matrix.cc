// SPDX-License-Identifier: Apache-2.0
//
// A machine out of the table of `nvidia-smi topo -m`.
#include <fmt/format.h>

#include <algorithm>

#include "topology/fabric.h"
#include "topology/numbers.h"
#include "topology/read/matrix_table.h"
#include "topology/read/readers.h"

namespace ringmaster::topology {

namespace {

/// The node of a NUMA column: one number, or the first of a list of single ones and ranges (GPUs
/// whose memory is nodes of its own: "0,3-9,11-17"). A range alone, such as "0-7", is what a
/// control group lets the process use, and says nothing of the GPU.
std::optional<int> node_of(std::string_view text) {
  constexpr int kNodeMax = 4095;
  const auto node = parse_number(text.substr(0, text.find(',')), 0, kNodeMax);
  if (!node) return std::nullopt;
  return static_cast<int>(*node);
}

/// Cells are told twice, by the rows of both devices. The last cell of a text that ends in it may
/// have lost a letter ("NV1" of "NV12"): it counts only where the other row is not there.
struct CellReader {
  const MatrixTable& table;

  MaybePath told(std::size_t row, std::size_t column) const {
    const auto& cells = table.rows[row];
    if (!cells || column >= cells->cells.size()) return std::nullopt;
    return cells->cells[column];
  }
  bool is_cut(std::size_t row, std::size_t column) const {
    const auto& cells = table.rows[row];
    return cells && cells->ends_in_text && !cells->whole && column + 1 == cells->cells.size();
  }
  MaybePath between(std::size_t a, std::size_t b, std::vector<std::string>& warnings) const {
    if (a == b) return Path{PathClass::self, 0};
    const MaybePath one = told(a, b), other = told(b, a);
    MaybePath path = one ? one : other;
    if (one && other && *one != *other) {
      path = is_cut(a, b) ? other : is_cut(b, a) ? one : std::nullopt;
      if (!path) {
        add_message(warnings, fmt::format("{} and {}: one row says {}, the other {}: unknown",
                                          table.devices[a], table.devices[b], path_text(*one),
                                          path_text(*other)));
      }
    }
    if (path && path->kind == PathClass::self) {
      add_message(warnings, fmt::format("{} and {}: X between two devices: unknown",
                                        table.devices[a], table.devices[b]));
      return std::nullopt;
    }
    return path;
  }
};

Gpu gpu_of_row(int index, const std::optional<MatrixRow>& row) {
  Gpu gpu{.index = index};
  if (!row) return gpu;
  gpu.numa = node_of(row->numa);
  gpu.memory_node = node_of(row->gpu_numa);
  // Where the text ends right behind a list, the list may have gone on.
  if (!row->ends_in_text || !row->numa.empty()) gpu.cpus = parse_cpu_list(row->cpus);
  return gpu;
}

/// Rows that are not there or end early: neighbours in one message.
void name_missing(const MatrixTable& table, Topology& machine) {
  for (std::size_t i = 0; i < table.rows.size();) {
    if (table.rows[i]) {
      if (!table.rows[i]->whole) {
        add_message(machine.missing,
                    fmt::format("row {} after column {}", table.devices[i],
                                table.rows[i]->cells.empty()
                                    ? std::string("0")
                                    : table.devices[table.rows[i]->cells.size() - 1]));
      } else if (table.rows[i]->ends_in_text && i + 1 < table.rows.size()) {
        add_message(machine.missing, fmt::format("the end of row {}", table.devices[i]));
      }
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < table.rows.size() && !table.rows[end]) ++end;
    add_message(machine.missing, end - i == 1 ? fmt::format("row {}", table.devices[i])
                                              : fmt::format("rows {} to {}", table.devices[i],
                                                            table.devices[end - 1]));
    i = end;
  }
}

const std::optional<MatrixRow>& row_of_gpu(const MatrixTable& table, int index) {
  std::size_t at = 0;
  while (gpu_number(table.devices[at]) != index) ++at;
  return table.rows[at];
}

/// Whether each GPU that has a row also has a NIC at its own switch, and no two share one: so are
/// boards with NVLink built.
bool has_nic_beside_each(const Topology& machine, const MatrixTable& table) {
  std::size_t rows = 0, beside = 0;
  std::vector<bool> used(machine.nics.size());
  for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
    const auto& row = row_of_gpu(table, machine.gpus[i].index);
    if (!row || !row->whole) continue;
    ++rows;
    for (std::size_t n = 0; n < machine.nics.size(); ++n) {
      const bool near = machine.nics[n].paths[i] == Path{PathClass::pix, 0};
      if (!near || used[n]) continue;
      used[n] = true;
      ++beside;
      break;
    }
  }
  return rows >= 4 && beside == rows;
}

/// `topo -mp` prints the same table with NVLinks left out: it has no NV# in its legend.
bool may_hide_nvlink(const Topology& machine, const MatrixTable& table) {
  if (table.says_mp) return true;
  if (table.has_legend) return !table.legend_has_nvlink;
  return has_nic_beside_each(machine, table);
}

void settle_fabric(const MatrixTable& table, Topology& machine) {
  machine.fabric = fabric_of(machine.gpus.size(), machine.links);
  if (machine.fabric != Fabric::none) return;
  if (machine.gpus.size() < 2) {
    machine.fabric = Fabric::unknown;
  } else if (may_hide_nvlink(machine, table)) {
    machine.fabric = Fabric::unknown;
    add_message(machine.warnings,
                "no NVLink is shown, but this may be `nvidia-smi topo -mp`, which hides them: "
                "`topo -m` tells");
  } else if (std::none_of(table.rows.begin(), table.rows.end(),
                          [](const auto& row) { return row && row->whole; })) {
    machine.fabric = Fabric::unknown;
  }
}

void add_nic(const MatrixTable& table, std::size_t at, const std::vector<std::size_t>& gpus,
             Topology& machine) {
  Nic nic{.name = table.devices[at]};
  for (const auto& [short_name, name] : table.nic_names) {
    if (short_name == nic.name) nic.rdma = name;
  }
  for (const std::size_t gpu : gpus) {
    nic.paths.push_back(CellReader{table}.between(gpu, at, machine.warnings));
  }
  machine.nics.push_back(std::move(nic));
}

void fill_pairs(const MatrixTable& table, const std::vector<std::size_t>& gpus, Topology& machine) {
  machine.paths.assign(gpus.size(), std::vector<MaybePath>(gpus.size()));
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    for (std::size_t j = i; j < gpus.size(); ++j) {
      const MaybePath path = CellReader{table}.between(gpus[i], gpus[j], machine.warnings);
      machine.paths[i][j] = machine.paths[j][i] = path;
      if (path && path->kind == PathClass::nvlink) {
        machine.links.push_back({machine.gpus[i].index, machine.gpus[j].index, path->links});
      }
    }
  }
}

}  // namespace

Answer read_matrix(std::string_view text) {
  auto read = read_matrix_table(text);
  if (const auto* refusal = std::get_if<Refusal>(&read)) return *refusal;
  const auto& table = std::get<MatrixTable>(read);
  Topology machine;
  machine.warnings = table.warnings;
  std::vector<std::size_t> gpus;
  for (std::size_t i = 0; i < table.devices.size(); ++i) {
    if (gpu_number(table.devices[i])) gpus.push_back(i);
  }
  std::sort(gpus.begin(), gpus.end(), [&](std::size_t a, std::size_t b) {
    return *gpu_number(table.devices[a]) < *gpu_number(table.devices[b]);
  });
  for (std::size_t i = 1; i < gpus.size(); ++i) {
    if (gpu_number(table.devices[gpus[i - 1]]) == gpu_number(table.devices[gpus[i]])) {
      return Refusal{
          fmt::format("{} and {} are one GPU", table.devices[gpus[i - 1]], table.devices[gpus[i]])};
    }
  }
  for (const std::size_t at : gpus) {
    machine.gpus.push_back(gpu_of_row(*gpu_number(table.devices[at]), table.rows[at]));
  }
  fill_pairs(table, gpus, machine);
  for (std::size_t i = 0; i < table.devices.size(); ++i) {
    if (!gpu_number(table.devices[i])) add_nic(table, i, gpus, machine);
  }
  name_missing(table, machine);
  settle_fabric(table, machine);
  return machine;
}

}  // namespace ringmaster::topology
