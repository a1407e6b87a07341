// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "launcher/commands/checkpoint.h"

namespace ringmaster::launcher {

namespace {

using Cells = std::array<std::string, 8>;

const Cells kHead = {"JOB", "STEP", "TERM", "RANKS", "TENSORS", "SHARDS", "SIZE", "STATE"};

std::string state_text(const CheckpointRow& row) {
  std::string text = checkpoint_state_name(row.state);
  if (row.state == CheckpointState::ignored) text += ": of an older term";
  if (!row.problem.key.empty()) text += fmt::format(": {}: {}", row.problem.key, row.problem.why);
  return text;
}

Cells cells_of(const CheckpointRow& row, bool for_people) {
  const bool known = row.world > 0;
  const auto count = [&](auto number) { return known ? fmt::format("{}", number) : "-"; };
  return {row.job,
          fmt::format("{}", row.name.step),
          fmt::format("{}", row.name.term),
          count(row.world),
          count(row.tensors),
          count(row.shards),
          known && for_people ? bytes_text(row.bytes) : count(row.bytes),
          state_text(row)};
}

}  // namespace

const char* checkpoint_state_name(CheckpointState state) {
  switch (state) {
    case CheckpointState::newest:
      return "newest";
    case CheckpointState::whole:
      return "whole";
    case CheckpointState::damaged:
      return "damaged";
    case CheckpointState::ignored:
      return "ignored";
  }
  CHECK(false);
}

std::string bytes_text(std::uint64_t bytes) {
  static constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits.at(unit));
}

std::vector<CheckpointRow> checkpoint_rows(const std::string& job,
                                           const std::vector<storage::Standing>& standings) {
  std::vector<CheckpointRow> rows;
  bool found = false;
  for (const storage::Standing& standing : standings) {
    const storage::Inspection& inspection = standing.inspection;
    CheckpointRow row;
    row.job = job;
    row.name = inspection.name;
    if (inspection.manifest) {
      row.world = inspection.manifest->world;
      row.tensors = inspection.manifest->tensors.size();
      row.shards = inspection.manifest->shards.size();
      row.bytes = storage::data_bytes(*inspection.manifest);
    }
    if (inspection.problem) row.problem = *inspection.problem;
    if (!standing.on_line) {
      row.state = CheckpointState::ignored;
    } else if (inspection.problem) {
      row.state = CheckpointState::damaged;
    } else {
      row.state = found ? CheckpointState::whole : CheckpointState::newest;
      found = true;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string checkpoint_table(const std::vector<CheckpointRow>& rows) {
  std::vector<Cells> all = {kHead};
  for (const CheckpointRow& row : rows) all.push_back(cells_of(row, true));
  std::array<std::size_t, kHead.size()> widths = {};
  for (const Cells& cells : all) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text;
  for (const Cells& cells : all) {
    text += fmt::format("{:<{}}", cells.front(), widths.front());
    for (std::size_t i = 1; i + 1 < cells.size(); ++i) {
      text += fmt::format("  {:>{}}", cells[i], widths[i]);
    }
    text += "  " + cells.back() + "\n";
  }
  return text;
}

std::string checkpoint_lines(const std::vector<CheckpointRow>& rows) {
  std::string text;
  for (const CheckpointRow& row : rows) {
    text += fmt::format("{}\n", fmt::join(cells_of(row, false), "\t"));
  }
  return text;
}

std::string checkpoint_json(const std::vector<CheckpointRow>& rows) {
  using OrderedJson = nlohmann::ordered_json;
  std::string text;
  for (const CheckpointRow& row : rows) {
    const bool known = row.world > 0;
    const auto number = [&](auto value) {
      return known ? OrderedJson(value) : OrderedJson(nullptr);
    };
    OrderedJson json = {{"job", row.job},
                        {"step", row.name.step},
                        {"term", row.name.term},
                        {"ranks", number(row.world)},
                        {"tensors", number(row.tensors)},
                        {"shards", number(row.shards)},
                        {"bytes", number(row.bytes)},
                        {"state", checkpoint_state_name(row.state)}};
    if (!row.problem.key.empty()) {
      json["problem"] = {{"key", row.problem.key}, {"why", row.problem.why}};
    }
    text += json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
  }
  return text;
}

}  // namespace ringmaster::launcher
