// SPDX-License-Identifier: Apache-2.0
#include "launcher/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

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

template <class Number>
bool read_whole(std::string_view text, Number* number) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return code == std::errc{} && end == text.data() + text.size();
}

Result<void> check_gpus(const RunSettings& settings, const HostFacts& host, int ranks) {
  if (host.gpus == 0 || ranks <= host.gpus || settings.oversubscribe) return {};
  return Error{Errc::exhausted,
               fmt::format("{} ranks, but {} has {} GPUs: --oversubscribe lets ranks share them",
                           ranks, host.name, host.gpus)};
}

Result<void> check_open_files(Plan* plan, const HostFacts& host) {
  plan->open_files = static_cast<std::uint64_t>(kFilesOwn + kFilesPerRank * plan->spec.ranks_max);
  if (plan->open_files <= host.open_files_max) return {};
  return Error{Errc::exhausted,
               fmt::format("{} ranks need {} open files, the limit is {}: raise it (ulimit -n)",
                           plan->spec.ranks_max, plan->open_files, host.open_files_max)};
}

Result<void> read_ranks(const RunSettings& settings, const HostFacts& host, Plan* plan) {
  int ranks = static_cast<int>(settings.ranks);
  auto& spec = plan->spec;
  spec.ranks_min = ranks > 0 ? ranks : std::max(1, host.gpus > 0 ? host.gpus : host.cpus);
  spec.ranks_max = spec.ranks_min;
  if (settings.elastic.empty()) {
    if (settings.restarts > 0) {
      return Error{Errc::invalid,
                   "--restarts needs --elastic MIN:MAX: plain programs have nothing "
                   "that a replacement could go on with"};
    }
    return {};
  }
  auto bounds = parse_elastic(settings.elastic);
  if (!bounds) return bounds.error();
  const auto [least, most] = *bounds;
  if (ranks == 0) ranks = most;
  if (ranks != most) {
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

Result<void> bind(const RunSettings& settings, const HostFacts& host, Plan* plan) {
  const Bind wanted = bind_of(settings.bind);
  if (wanted == Bind::none) return {};
  if (host.processors.empty()) {
    return Error{Errc::not_found, fmt::format("--bind {}: cannot see the cores of {}: leave it out",
                                              settings.bind, host.name)};
  }
  plan->processors = bind_ranks(wanted, plan->spec.ranks_max, host.processors);
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

Result<Plan> make_plan(const RunSettings& settings, const std::vector<std::string>& command,
                       const HostFacts& host) {
  if (command.empty()) return Error{Errc::invalid, "which program? See ringrun --help"};
  Plan plan;
  plan.command = command;
  plan.host = host.name;
  plan.cpus = host.cpus;
  plan.tag_output = settings.tag_output;
  auto valid = read_ranks(settings, host, &plan);
  if (valid) valid = read_drills(settings, &plan);
  if (valid) valid = check_gpus(settings, host, plan.spec.ranks_max);
  if (valid) valid = check_open_files(&plan, host);
  if (valid) valid = bind(settings, host, &plan);
  if (!valid) return valid.error();
  plan.spec.name = command.front();
  plan.spec.grace =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(settings.grace_seconds));
  if (settings.timeout_seconds > 0) {
    plan.timeout = std::chrono::duration_cast<Duration>(
        std::chrono::duration<double>(settings.timeout_seconds));
  }
  if (host.gpus == 0 && plan.spec.ranks_max > host.cpus) {
    plan.remarks.push_back(
        fmt::format("{} ranks share {} processors", plan.spec.ranks_max, host.cpus));
  }
  return plan;
}

std::optional<std::vector<int>> processors_of(const Plan& plan, int rank) {
  const auto index = static_cast<std::size_t>(rank);
  if (index >= plan.processors.size()) return std::nullopt;
  return plan.processors[index];
}

Variables rank_variables(const Plan& plan, int rank, int master_port) {
  const std::string number = fmt::format("{}", rank);
  const std::string size = fmt::format("{}", plan.spec.ranks_max);
  return {{"RANK", number},
          {"LOCAL_RANK", number},
          {"WORLD_SIZE", size},
          {"LOCAL_WORLD_SIZE", size},
          {"MASTER_ADDR", plan.master_address.empty() ? "127.0.0.1" : plan.master_address},
          {"MASTER_PORT", fmt::format("{}", master_port)}};
}

}  // namespace ringmaster::launcher
