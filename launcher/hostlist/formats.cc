// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/formats.h"

#include <fmt/format.h>

#include "launcher/hostlist/readers.h"

namespace ringmaster::launcher::hostlist {

namespace {

/// Refuses what the format has no use for: nothing that a user gives is ignored.
Refusal check_extras(const Format& format, const Question& question) {
  const auto check = [&](const std::optional<Source>& given, bool taken) -> Refusal {
    if (!given || taken) return {};
    return refusal(fmt::format("the format {} takes no such thing", format.name),
                   "leave it out, or name another format")
        .at({.file = given->name});
  };
  if (auto bad = check(question.second, format.second)) return bad;
  if (auto bad = check(question.tasks, format.tasks)) return bad;
  return check(question.args, format.args);
}

Refusal check_size(const Source& source) {
  if (source.text.size() <= kTextMax) return {};
  return refusal(fmt::format("{} bytes, at most {}", source.text.size(), kTextMax))
      .at({.file = source.name});
}

}  // namespace

const std::vector<Format>& formats() {
  static const std::vector<Format> all = {
      {.name = "auto",
       .what = "openmpi, or the one other format that reads it",
       .read = read_guessed,
       .second = true,
       .tasks = true,
       .args = true},
      {.name = "openmpi",
       .what = "a hostfile of Open MPI: n1 slots=4",
       .read = read_openmpi,
       .second = true,
       .args = true,
       .guessed = true},
      {.name = "openmpi-host",
       .what = "the value of its --host: n1:4,n2",
       .read = read_openmpi_host,
       .one_line = true,
       .guessed = true},
      {.name = "hydra",
       .what = "a host file of MPICH, Intel MPI: n1:4",
       .read = read_hydra,
       .guessed = true},
      {.name = "deepspeed",
       .what = "a hostfile of DeepSpeed: n1 slots=4",
       .read = read_deepspeed,
       .args = true},
      {.name = "horovod",
       .what = "the value of horovodrun -H: n1:4,n2:4",
       .read = read_horovod,
       .one_line = true,
       .guessed = true},
      {.name = "horovod-hostfile",
       .what = "a hostfile of horovodrun: n1 slots=4",
       .read = read_horovod_hostfile},
      {.name = "slurm",
       .what = "a list of Slurm: n[1-3,7]",
       .read = read_slurm,
       .tasks = true,
       .one_line = true,
       .guessed = true},
      {.name = "pbs", .what = "PBS_NODEFILE: a name a line and slot", .read = read_pbs},
      {.name = "lsf-mcpu",
       .what = "LSB_MCPU_HOSTS: n1 4 n2 2",
       .read = read_lsf_mcpu,
       .one_line = true,
       .guessed = true},
      {.name = "lsf", .what = "LSB_DJOB_HOSTFILE: a name a line and slot", .read = read_lsf},
      {.name = "lsf-user", .what = "bsub -hostfile: n1 4", .read = read_lsf_user, .guessed = true},
      {.name = "sge",
       .what = "PE_HOSTFILE: n1 4 all.q@n1 UNDEFINED",
       .read = read_sge,
       .guessed = true},
      {.name = "rankfile",
       .what = "a rankfile of Open MPI: rank 0=n1 slot=0-1",
       .read = read_rankfile,
       .second = true,
       .guessed = true},
      {.name = "user-host-port",
       .what = "ssh destinations: bob@n1:2222",
       .read = read_user_host_port},
  };
  return all;
}

const Format* find_format(std::string_view name) {
  for (const Format& format : formats()) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format& format : formats()) names.emplace_back(format.name);
  return names;
}

ListResult<HostList> read_host_list(const Format& format, const Question& question) {
  if (auto bad = check_extras(format, question)) return *bad;
  if (auto bad = check_size(question.list)) return *bad;
  for (const auto* extra : {&question.second, &question.tasks, &question.args}) {
    if (!extra->has_value()) continue;
    if (auto bad = check_size(**extra)) return *bad;
  }
  auto list = format.read(question);
  if (list && list->format.empty()) list->format = format.name;
  return list;
}

}  // namespace ringmaster::launcher::hostlist
