// SPDX-License-Identifier: Apache-2.0
//
// Lists of Slurm, as in SLURM_JOB_NODELIST, with the ranks on each host, as in
// SLURM_TASKS_PER_NODE. Order and repeated names stay: ranks follow them.
#include <fmt/format.h>

#include <algorithm>

#include "launcher/hostlist/readers.h"
#include "launcher/hostlist/slurm_names.h"
#include "launcher/hostlist/slurm_tasks.h"
#include "launcher/hostlist/text.h"

namespace ringmaster::launcher::hostlist {

namespace {

/// Where the entry that `text` begins with ends: at a comma or a blank outside brackets.
std::size_t entry_end(std::string_view text) {
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') inside = true;
    if (text[i] == ']') inside = false;
    if (!inside && (text[i] == ',' || text[i] == ' ' || text[i] == '\t')) return i;
  }
  return text.size();
}

Refusal add_entry(HostTable& table, const Place& place) {
  auto names = expand_names(place.entry, kHostsMax - table.size());
  if (!names) return names.error().at(place);
  for (std::string& name : *names) {
    if (auto bad = table.append({.host = std::move(name), .slots = 1}, place)) return bad;
  }
  return {};
}

}  // namespace

ListResult<HostList> read_slurm(const Question& question) {
  HostTable table(question.list.name);
  Lines lines(question.list.text, Lines::Comments::none);
  while (const auto line = lines.next()) {
    std::string_view rest = line->text;
    while (!rest.empty()) {
      const std::size_t end = entry_end(rest);
      const Place place{question.list.name, line->number, rest.substr(0, end)};
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (place.entry.empty()) continue;
      if (auto bad = add_entry(table, place)) return *bad;
    }
  }
  auto list = table.finish();
  if (!list || !question.tasks) return list;
  const auto counts = parse_slurm_tasks(*question.tasks, list->hosts.size());
  if (!counts) return counts.error();
  for (std::size_t i = 0; i < counts->size(); ++i) list->hosts[i].slots = (*counts)[i];
  return list;
}

}  // namespace ringmaster::launcher::hostlist
