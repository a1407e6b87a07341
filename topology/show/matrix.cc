// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "topology/numbers.h"
#include "topology/show/show.h"
#include "topology/show/style.h"

namespace ringmaster::topology {

namespace {

struct MatrixCell {
  std::string text;
  Ink ink = Ink::plain;
};
using MatrixCells = std::vector<std::vector<MatrixCell>>;

MatrixCell path_cell(const MaybePath& path) {
  return {path ? path_text(*path) : "?", ink_of(path)};
}

MatrixCell node_cell(const std::optional<int>& node) {
  return node ? MatrixCell{std::to_string(*node)} : MatrixCell{"?", Ink::dim};
}

MatrixCell cpus_cell(const std::optional<std::vector<int>>& cpus) {
  return cpus ? MatrixCell{cpu_list_text(*cpus)} : MatrixCell{"?", Ink::dim};
}

MatrixCells header_cells(const Topology& machine) {
  std::vector<MatrixCell> header = {{""}};
  for (const Gpu& gpu : machine.gpus) {
    header.push_back({fmt::format("GPU{}", gpu.index), Ink::bold});
  }
  for (const Nic& nic : machine.nics) header.push_back({nic.name, Ink::bold});
  for (const char* name : {"NUMA", "CPUs", "bus id"}) header.push_back({name, Ink::bold});
  return {header};
}

MatrixCells all_cells(const Topology& machine) {
  MatrixCells rows = header_cells(machine);
  for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
    const Gpu& gpu = machine.gpus[i];
    std::vector<MatrixCell> row = {{fmt::format("GPU{}", gpu.index), Ink::bold}};
    for (const MaybePath& path : machine.paths[i]) row.push_back(path_cell(path));
    for (const Nic& nic : machine.nics) row.push_back(path_cell(nic.paths[i]));
    row.push_back(node_cell(gpu.numa));
    row.push_back(cpus_cell(gpu.cpus));
    row.push_back(gpu.bus_id ? MatrixCell{*gpu.bus_id} : MatrixCell{"?", Ink::dim});
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string row_text(const std::vector<MatrixCell>& row, const std::vector<std::size_t>& widths,
                     bool colours) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    line += inked(row[i].text, row[i].ink, colours);
    if (i + 1 < row.size()) line += std::string(widths[i] - row[i].text.size() + 2, ' ');
  }
  return line + "\n";
}

}  // namespace

std::string matrix_text(const Topology& machine, bool colours) {
  if (machine.gpus.empty()) return "";
  const MatrixCells rows = all_cells(machine);
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].text.size());
    }
  }
  std::string text;
  for (const auto& row : rows) text += row_text(row, widths, colours);
  return text;
}

}  // namespace ringmaster::topology
