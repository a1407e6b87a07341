// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/allocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "launcher/hostlist/list_text.h"

namespace ringmaster::launcher::hostlist {

namespace {

/// A queueing system: the variable with the job's number, and those that may hold the list, the
/// one that tells most first.
struct Manager {
  struct List {
    std::string_view variable, format;
    bool is_path;
  };
  std::string_view name, job;
  std::array<List, 3> lists;
};
constexpr std::array<Manager, 4> kManagers = {{
    {"Slurm",
     "SLURM_JOB_ID",
     {{{"SLURM_JOB_NODELIST", "slurm", false}, {"SLURM_NODELIST", "slurm", false}, {}}}},
    {"PBS", "PBS_JOBID", {{{"PBS_NODEFILE", "pbs", true}, {}, {}}}},
    {"LSF",
     "LSB_JOBID",
     {{{"LSB_DJOB_HOSTFILE", "lsf", true},
       {"LSB_MCPU_HOSTS", "lsf-mcpu", false},
       {"LSB_HOSTS", "lsf", false}}}},
    {"Grid Engine", "JOB_ID", {{{"PE_HOSTFILE", "sge", true}, {}, {}}}},
}};
constexpr std::string_view kSlurmTasks = "SLURM_TASKS_PER_NODE";
constexpr std::string_view kSlurmStepTasks = "SLURM_STEP_NUM_TASKS";

std::string_view value_of(const Environment& environment, std::string_view name) {
  const auto at = environment.find(name);
  return at == environment.end() ? std::string_view() : std::string_view(at->second);
}

/// A job's number as it is, where it looks like one.
std::string in_words(std::string_view job) {
  const auto plain = [](char c) { return c > ' ' && c <= '~'; };
  return std::ranges::all_of(job, plain) ? std::string(job) : in_quotes(job);
}

const Manager::List* list_in(const Manager& manager, const Environment& environment) {
  if (value_of(environment, manager.job).empty()) return nullptr;
  for (const Manager::List& list : manager.lists) {
    if (!list.variable.empty() && !value_of(environment, list.variable).empty()) return &list;
  }
  return nullptr;
}

/// Each task of a step has the same environment, and would start the whole job.
Refusal check_slurm_step(const Environment& environment) {
  const std::string_view tasks = value_of(environment, kSlurmStepTasks);
  if (tasks.empty() || tasks == "1") return {};
  return refusal(fmt::format("this is one of {} tasks of a Slurm step, and each would start a job",
                             in_quotes(tasks)),
                 "start it once: in the batch script, or with srun -n1")
      .at({.file = kSlurmStepTasks});
}

AllocationSource source_of(const Manager& manager, const Manager::List& list,
                           const Environment& environment) {
  AllocationSource source{.manager = std::string(manager.name),
                          .job = std::string(value_of(environment, manager.job)),
                          .format = std::string(list.format),
                          .variable = std::string(list.variable)};
  const std::string value(value_of(environment, list.variable));
  if (list.is_path) {
    source.path = value;
    return source;
  }
  source.question.list = {.name = source.variable, .text = value};
  // LSB_HOSTS is the hostfile's lines in one.
  if (list.format == "lsf") std::ranges::replace(source.question.list.text, ' ', '\n');
  const std::string_view tasks = value_of(environment, kSlurmTasks);
  if (list.format == "slurm" && !tasks.empty()) {
    source.question.tasks = Source{std::string(kSlurmTasks), std::string(tasks)};
  }
  return source;
}

}  // namespace

const std::vector<std::string>& allocation_variables() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names = {std::string(kSlurmTasks), std::string(kSlurmStepTasks)};
    for (const Manager& manager : kManagers) {
      names.emplace_back(manager.job);
      for (const Manager::List& list : manager.lists) {
        if (!list.variable.empty()) names.emplace_back(list.variable);
      }
    }
    return names;
  }();
  return all;
}

ListResult<std::optional<AllocationSource>> find_allocation(const Environment& environment) {
  std::optional<AllocationSource> found;
  for (const Manager& manager : kManagers) {
    const Manager::List* list = list_in(manager, environment);
    if (list == nullptr) continue;
    if (found) {
      return refusal(fmt::format("both {} and {} seem to have given hosts to this job",
                                 found->manager, manager.name),
                     fmt::format("unset {} or {}", found->variable, list->variable))
          .at({.file = list->variable});
    }
    if (manager.name == "Slurm") {
      if (auto bad = check_slurm_step(environment)) return *bad;
    }
    found = source_of(manager, *list, environment);
  }
  return found;
}

ListResult<Allocation> read_allocation(AllocationSource source) {
  const Format* format = find_format(source.format);
  CHECK(format != nullptr);
  auto list = read_host_list(*format, source.question);
  if (!list) return list.error();
  // Without the numbers of tasks one slot a host would be a guess.
  if (source.format == "slurm" && !source.question.tasks) {
    for (HostEntry& entry : list->hosts) entry.slots.reset();
  }
  return Allocation{std::move(source), std::move(*list)};
}

std::string Allocation::line() const {
  std::string from = source.variable;
  if (!source.path.empty()) from += fmt::format(" ({})", in_quotes(source.path));
  if (source.question.tasks) from += " and " + source.question.tasks->name;
  return fmt::format("{} job {}: {}, from {}", source.manager, in_words(source.job), list_sum(list),
                     from);
}

}  // namespace ringmaster::launcher::hostlist
