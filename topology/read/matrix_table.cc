// SPDX-License-Identifier: Apache-2.0
#include "topology/read/matrix_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "topology/numbers.h"
#include "topology/read/text_lines.h"

namespace ringmaster::topology {

namespace {

constexpr int kGpuNumberMax = 9999;
constexpr std::size_t kWordsMax = kDevicesMax + 16;
constexpr const char* kWanted = "the table that `nvidia-smi topo -m` prints is wanted";

/// What tables of peer access (`topo -p2p`) have for cells.
constexpr std::array<std::string_view, 7> kPeerAccess = {"OK",  "CNS", "GNS", "TNS",
                                                         "DNS", "NS",  "U"};

bool is_device(std::string_view word) {
  // "mlx5_0", "mlx4_0", "mlx5_bond_0", "bnxt_re0", "irdma0", "hfi1_0": a name with a number.
  const bool letters = !word.empty() && std::isalpha(static_cast<unsigned char>(word.front()));
  const bool number = !word.empty() && std::isdigit(static_cast<unsigned char>(word.back()));
  return letters && number && !parse_path(word);
}

/// A header: at least one GPU, and devices only up to the affinity columns.
bool is_header(const std::vector<std::string_view>& words) {
  bool gpu = false;
  for (const std::string_view word : words) {
    if (word == "CPU" || word == "NUMA") break;
    if (!is_device(word)) return false;
    gpu = gpu || gpu_number(word).has_value();
  }
  return gpu;
}

std::vector<std::string> devices_of(const std::vector<std::string_view>& words) {
  std::vector<std::string> devices;
  for (const std::string_view word : words) {
    if (word == "CPU" || word == "NUMA") break;
    devices.emplace_back(word);
  }
  return devices;
}

/// The affinities behind the cells. A tab stands before each column, so an empty first one shows.
void read_affinities(std::string_view line, const std::vector<std::string_view>& words,
                     std::size_t first, MatrixRow& row) {
  std::vector<std::string_view> rest(words.begin() + static_cast<std::ptrdiff_t>(first),
                                     words.end());
  const std::string_view behind =
      first == 0 ? line
                 : line.substr(static_cast<std::size_t>(words[first - 1].data() - line.data()) +
                               words[first - 1].size());
  const bool no_cpus = behind.starts_with("\t\t") || behind.starts_with(" \t\t");
  if (no_cpus) rest.insert(rest.begin(), std::string_view{});
  if (!rest.empty()) row.cpus = rest[0];
  if (rest.size() > 1) row.numa = rest[1];
  if (rest.size() > 2) row.gpu_numa = rest[2];
}

struct TableReader {
  MatrixTable table = {};
  std::optional<Refusal> refusal = std::nullopt;

  void read_row(const TextLine& line, const std::vector<std::string_view>& words, bool at_end);
  void read_legend(std::string_view line);
  void read_line(const TextLine& line, bool at_end);
};

void TableReader::read_row(const TextLine& line, const std::vector<std::string_view>& words,
                           bool at_end) {
  const auto device = std::find(table.devices.begin(), table.devices.end(), words[0]);
  auto& place = table.rows[static_cast<std::size_t>(device - table.devices.begin())];
  if (place) {
    add_message(table.warnings,
                fmt::format("line {}: a second row of {}: left out", line.number, *device));
    return;
  }
  MatrixRow row{.line = line.number, .cells = {}, .cpus = {}, .numa = {}, .gpu_numa = {}};
  const std::size_t cells = std::min(words.size() - 1, table.devices.size());
  for (std::size_t i = 0; i < cells; ++i) {
    const std::string_view word = words[i + 1];
    if (std::find(kPeerAccess.begin(), kPeerAccess.end(), word) != kPeerAccess.end()) {
      refusal = Refusal{"this is a table of peer access (topo -p2p), not of how GPUs are wired",
                        line.number, kWanted};
      return;
    }
    row.cells.push_back(parse_path(word));
    const bool cut = at_end && i + 2 == words.size();
    if (row.cells.back() || cut) continue;
    refusal = Refusal{fmt::format("{} is no path between devices", shown(word)), line.number,
                      "cells are X, NV1 to NV18, PIX, PXB, PHB, NODE or SYS"};
    return;
  }
  row.whole = cells == table.devices.size();
  row.ends_in_text = at_end;
  if (row.whole) read_affinities(line.text, words, cells + 1, row);
  place = std::move(row);
}

void TableReader::read_legend(std::string_view line) {
  if (line.starts_with("Legend")) table.has_legend = true;
  if (line.starts_with("NV#")) table.legend_has_nvlink = true;
  const std::size_t colon = line.find(": ");
  if (!line.starts_with("NIC") || colon == std::string_view::npos) return;
  const std::string_view name = trim(line.substr(colon + 2));
  if (is_device(line.substr(0, colon)) && !name.empty() && table.nic_names.size() < kDevicesMax) {
    table.nic_names.emplace_back(line.substr(0, colon), name);
  }
}

void TableReader::read_line(const TextLine& line, bool at_end) {
  const auto words = split_words(line.text, kWordsMax);
  if (words.empty()) return;
  if (line.text.find("topo -mp") != std::string::npos) table.says_mp = true;
  if (table.devices.empty()) {
    if (!is_header(words)) return;
    table.devices = devices_of(words);
    if (table.devices.size() > kDevicesMax) {
      refusal = Refusal{fmt::format("more than {} devices", kDevicesMax), line.number, kWanted};
    }
    for (auto device = table.devices.begin(); device != table.devices.end(); ++device) {
      if (std::find(table.devices.begin(), device, *device) == device) continue;
      refusal = Refusal{fmt::format("{} stands twice in the header", shown(*device)), line.number,
                        kWanted};
    }
    table.rows.resize(table.devices.size());
    return;
  }
  const bool row =
      std::find(table.devices.begin(), table.devices.end(), words[0]) != table.devices.end();
  if (row && !table.has_legend) {
    read_row(line, words, at_end);
  } else {
    read_legend(trim(line.text));
  }
}

}  // namespace

std::optional<int> gpu_number(std::string_view device) {
  if (!device.starts_with("GPU")) return std::nullopt;
  const auto number = parse_number(device.substr(3), 0, kGpuNumberMax);
  return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

std::variant<MatrixTable, Refusal> read_matrix_table(std::string_view text) {
  TableReader reader;
  const std::vector<TextLine> lines = clean_lines(text);
  for (std::size_t i = 0; i < lines.size() && !reader.refusal; ++i) {
    reader.read_line(lines[i], i + 1 == lines.size() && !text.ends_with('\n'));
  }
  if (reader.refusal) return *reader.refusal;
  if (reader.table.devices.empty()) {
    return Refusal{"no line names GPUs as columns (GPU0, GPU1, ...)", 0, kWanted};
  }
  return std::move(reader.table);
}

}  // namespace ringmaster::topology
