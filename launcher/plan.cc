// SPDX-License-Identifier: Apache-2.0
#include "launcher/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/whole_number.h"
#include "launcher/plan_gpus.h"
#include "launcher/plan_places.h"

namespace ringmaster::launcher {

namespace {

// Replacements that a job may start when nobody says otherwise: enough for a bad day, few enough
// that a program that cannot run ends within a minute.
constexpr int kDefaultRestarts = 10;
// A rank costs the launcher two sockets (of its session and of PMI), a pidfd, an eventfd and two
// pipes; the rest is the launcher's own (signals, timer, epoll, segment, standard streams) and what
// one start holds for a moment.
constexpr int kFilesPerRank = 6;
constexpr int kFilesOwn = 24;
constexpr int kFilesOfOutput = 2;  // of each rank, with --output-dir
constexpr int kFilesOfInput = 1;   // of each rank, with --stdin all

Result<void> check_gpus(const RunSettings& settings, const HostFacts& host, int ranks) {
  if (host.gpus == 0 || ranks <= host.gpus || settings.oversubscribe) return {};
  return Error{Errc::exhausted,
               fmt::format("{} ranks, but {} has {} GPUs: --oversubscribe lets ranks share them",
                           ranks, host.name, host.gpus)};
}

/// Of the ranks that this host starts.
Result<void> check_open_files(Plan* plan, const HostFacts& host, int ranks) {
  const int each = kFilesPerRank + (plan->output.folder.empty() ? 0 : kFilesOfOutput) +
                   (plan->input.all ? kFilesOfInput : 0);
  plan->open_files = static_cast<std::uint64_t>(kFilesOwn + each * ranks);
  if (plan->open_files <= host.open_files_max) return {};
  return Error{Errc::exhausted,
               fmt::format("{} ranks need {} open files, the limit is {}: raise it (ulimit -n)",
                           ranks, plan->open_files, host.open_files_max)};
}

/// How many ranks the command line names; 0: none.
int ranks_named(const std::vector<RankProgram>& programs) {
  int ranks = 0;
  for (const RankProgram& program : programs) ranks += program.ranks;
  return ranks;
}

Result<void> read_elastic(const RunSettings& settings, const std::vector<RankProgram>& programs,
                          Plan* plan) {
  auto& spec = plan->spec;
  if (settings.elastic.empty()) {
    // Plain ranks have nothing that a replacement could go on with: all of them start again.
    spec.whole = settings.restarts > 0;
    spec.restarts = std::max(0, static_cast<int>(settings.restarts));
    return {};
  }
  auto bounds = parse_elastic(settings.elastic);
  if (!bounds) return bounds.error();
  const auto [least, most] = *bounds;
  const int ranks = ranks_named(programs);
  if (programs.size() > 1) {
    return Error{Errc::invalid,
                 fmt::format("--elastic {}: ranks of an elastic job share one state, so it takes "
                             "one program, not {}",
                             settings.elastic, programs.size())};
  }
  if (ranks != 0 && ranks != most) {
    return Error{Errc::invalid,
                 fmt::format("--elastic {}: a job starts with its maximum, and -np "
                             "says {}: use -np {} or --elastic {}:{}",
                             settings.elastic, ranks, most, std::min(least, ranks), ranks)};
  }
  spec.ranks_min = least;
  spec.ranks_max = most;
  spec.restarts = settings.restarts >= 0 ? static_cast<int>(settings.restarts) : kDefaultRestarts;
  return {};
}

Result<void> read_output(const RunSettings& settings, Plan* plan) {
  OutputWishes& output = plan->output;
  output = {
      settings.tag_output, settings.time_output, settings.output_folder, {}, plan->spec.ranks_max};
  if (settings.output_ranks.empty()) return {};
  auto shown = parse_rank_list(settings.output_ranks, plan->spec.ranks_max);
  if (!shown) return shown.error();
  output.shown = std::move(*shown);
  return {};
}

Result<void> read_drills(const RunSettings& settings, Plan* plan) {
  for (const std::string& text : settings.drills) {
    auto drill = parse_drill(text);
    if (!drill) return drill.error();
    if (drill->rank >= plan->spec.ranks_max) {
      return Error{Errc::invalid, fmt::format("--drill {}: there is no rank {}, they are 0 to {}",
                                              text, drill->rank, plan->spec.ranks_max - 1)};
    }
    plan->drills.push_back(*drill);
  }
  return {};
}

Duration seconds_of(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

/// What nobody has given is as with torchrun and srun; who presses keys is there, and waits.
void read_times(const RunSettings& settings, Plan* plan) {
  plan->spec.grace = std::chrono::seconds(30);
  if (settings.grace_seconds >= 0) {
    plan->spec.grace = plan->interrupt_grace = seconds_of(settings.grace_seconds);
  }
  if (settings.timeout_seconds > 0) plan->timeout = seconds_of(settings.timeout_seconds);
  if (settings.no_progress_seconds > 0) {
    plan->no_progress = seconds_of(settings.no_progress_seconds);
  }
}

Result<void> read_input(const RunSettings& settings, Plan* plan) {
  auto wish = parse_input_wish(settings.input, plan->spec.ranks_max);
  if (!wish) return wish.error();
  plan->input = *wish;
  return {};
}

}  // namespace

Result<Drill> parse_drill(const std::string& text) {
  const auto colon = text.find(':');
  const auto sign = text.find('@');
  Drill drill;
  const bool shape = colon != std::string::npos && sign != std::string::npos && colon < sign &&
                     text.substr(0, colon) == "kill";
  if (!shape || !read_whole(text.substr(colon + 1, sign - colon - 1), &drill.rank) ||
      !read_whole(text.substr(sign + 1), &drill.steps) || drill.rank < 0 || drill.steps < 1) {
    return Error{Errc::invalid,
                 fmt::format("--drill {}: it takes kill:RANK@STEP, as in kill:1@200", text)};
  }
  return drill;
}

Result<std::pair<int, int>> parse_elastic(const std::string& text) {
  const auto colon = text.find(':');
  std::pair<int, int> bounds;
  if (colon == std::string::npos || !read_whole(text.substr(0, colon), &bounds.first) ||
      !read_whole(text.substr(colon + 1), &bounds.second) || bounds.first < 1 ||
      bounds.second > 4096) {
    return Error{Errc::invalid,
                 fmt::format("--elastic {}: it takes MIN:MAX from 1 to 4096, as in 2:4", text)};
  }
  if (bounds.first > bounds.second) {
    return Error{Errc::invalid,
                 fmt::format("--elastic {}: the minimum is above the maximum", text)};
  }
  return bounds;
}

Result<Plan> make_plan(const RunSettings& settings, const std::vector<RankProgram>& programs,
                       const HostFacts& facts, const HostChoice& hosts) {
  if (programs.empty() || programs.front().command.empty()) {
    return Error{Errc::invalid, "which program? See ringrun --help"};
  }
  // The plan speaks of hosts as the user does.
  HostFacts host = facts;
  if (!hosts.here.empty()) host.name = hosts.here;
  Plan plan;
  plan.programs = programs;
  plan.host = host.name;
  plan.cpus = host.cpus;
  if (auto valid = read_elastic(settings, programs, &plan); !valid) return valid.error();
  const int ranks = settings.elastic.empty() ? ranks_named(programs) : plan.spec.ranks_max;
  auto placed = place_ranks(settings, ranks, host, hosts);
  if (!placed) return placed.error();
  const int here = placed->ranks_here;
  plan.places = std::move(placed->map.ranks);
  plan.gpus = std::move(placed->gpus);
  plan.processors = std::move(placed->binding);
  plan.remarks = std::move(placed->remarks);
  // Where all ranks are on this host, they meet without leaving it.
  if (here < static_cast<int>(plan.places.size())) {
    plan.master_address = plan.places.front().host;
  }
  if (settings.elastic.empty()) {
    plan.spec.ranks_min = plan.spec.ranks_max = static_cast<int>(plan.places.size());
  }
  auto valid = read_drills(settings, &plan);
  if (valid) valid = read_output(settings, &plan);
  if (valid) valid = read_input(settings, &plan);
  if (valid) valid = check_gpus(settings, host, here);
  if (valid) valid = check_open_files(&plan, host, here);
  if (valid && settings.map == "topo") valid = map_to_gpus(settings, host, &plan);
  if (!valid) return valid.error();
  plan.spec.name = programs.front().command.front();
  read_times(settings, &plan);
  return plan;
}

Result<void> check_startable(const Plan& plan) {
  for (const mapping::Placement& place : plan.places) {
    if (place.host == plan.host) continue;
    return Error{Errc::not_found,
                 fmt::format("start rank {} on {}: ranks are started on this host only (take {} "
                             "out of the list, or look at the plan with --dry-run)",
                             place.rank, place.host, place.host)};
  }
  return {};
}

std::optional<std::vector<int>> processors_of(const Plan& plan, int rank) {
  const auto index = static_cast<std::size_t>(rank);
  if (index >= plan.processors.size() || plan.processors[index].empty()) return std::nullopt;
  return plan.processors[index];
}

const RankProgram& program_of(const Plan& plan, int rank) {
  CHECK(!plan.programs.empty());
  for (const RankProgram& program : plan.programs) {
    if (rank < program.ranks) return program;
    rank -= program.ranks;
  }
  // The only one, which takes as many ranks as there are.
  return plan.programs.back();
}

std::vector<std::string> hosts_of(const Plan& plan) {
  if (plan.places.empty()) return {plan.host};
  std::vector<std::string> hosts(plan.gpus.size());
  for (const auto& place : plan.places) {
    hosts[static_cast<std::size_t>(place.host_index)] = place.host;
  }
  return hosts;
}

}  // namespace ringmaster::launcher
