// SPDX-License-Identifier: Apache-2.0
#include "launcher/contracts/variables.h"

#include <fmt/format.h>

namespace ringmaster::launcher {

namespace {

using Value = std::optional<std::string>;
using Table = std::vector<ContractVariable>;

Value text_of(int number) {
  return fmt::format("{}", number);
}

Value rank_value(const LaunchFacts&, const RankFacts& rank) {
  return text_of(rank.seat.rank);
}
Value size_value(const LaunchFacts&, const RankFacts& rank) {
  return text_of(rank.ranks);
}
Value local_rank_value(const LaunchFacts&, const RankFacts& rank) {
  return text_of(rank.seat.local_rank);
}
Value local_size_value(const LaunchFacts&, const RankFacts& rank) {
  return text_of(rank.seat.local_size);
}
Value where_hosts_are_known(const LaunchFacts& launch, int number) {
  return launch.hosts.empty() ? std::nullopt : text_of(number);
}
Value cross_rank_value(const LaunchFacts& launch, const RankFacts& rank) {
  return where_hosts_are_known(launch, rank.seat.cross_rank);
}
Value cross_size_value(const LaunchFacts& launch, const RankFacts& rank) {
  return where_hosts_are_known(launch, rank.seat.cross_size);
}
Value host_value(const LaunchFacts& launch, const RankFacts& rank) {
  return where_hosts_are_known(launch, rank.seat.host);
}
Value hosts_value(const LaunchFacts& launch, const RankFacts&) {
  return where_hosts_are_known(launch, static_cast<int>(launch.hosts.size()));
}
Value host_name_value(const LaunchFacts& launch, const RankFacts& rank) {
  if (launch.hosts.empty()) return std::nullopt;
  return launch.hosts.at(static_cast<std::size_t>(rank.seat.host));
}

Value mpi_folder_value(const LaunchFacts& launch, const RankFacts&) {
  if (launch.mpi_folder.empty()) return std::nullopt;
  return launch.mpi_folder;
}

template <int number>
Value number_value(const LaunchFacts&, const RankFacts&) {
  return text_of(number);
}

void add_common(Table& table) {
  table.insert(
      table.end(),
      {{"RANK", "torchrun", "the rank's number", rank_value},
       {"LOCAL_RANK", "torchrun", "its number among the ranks of its host", local_rank_value},
       {"WORLD_SIZE", "torchrun", "how many ranks there are", size_value},
       {"LOCAL_WORLD_SIZE", "torchrun", "how many are on its host", local_size_value},
       {"MASTER_ADDR", "torchrun", "where rank 0 is found",
        [](const LaunchFacts& launch, const RankFacts&) -> Value { return launch.master_address; }},
       {"MASTER_PORT", "torchrun", "a port that rank 0 can listen on and nobody else is given",
        [](const LaunchFacts& launch, const RankFacts&) {
          return launch.master_port > 0 ? text_of(launch.master_port) : std::nullopt;
        }}});
}

void add_torchrun(Table& table) {
  table.insert(
      table.end(),
      {{"GROUP_RANK", "torchrun", "the number of its host", host_value},
       {"GROUP_WORLD_SIZE", "torchrun", "how many hosts there are", hosts_value},
       {"ROLE_RANK", "torchrun", "as RANK: there is one role", rank_value},
       {"ROLE_WORLD_SIZE", "torchrun", "as WORLD_SIZE", size_value},
       {"ROLE_NAME", "torchrun", "`default`",
        [](const LaunchFacts&, const RankFacts&) -> Value { return "default"; }},
       {"TORCHELASTIC_RUN_ID", "torchrun", "names the job",
        [](const LaunchFacts& launch, const RankFacts&) -> Value {
          if (launch.run.empty()) return std::nullopt;
          return launch.run;
        }},
       {"RINGMASTER_RESTART", "Ringmaster", "attempts before this one",
        [](const LaunchFacts& launch, const RankFacts&) { return text_of(launch.restarts); }},
       {"TORCHELASTIC_RESTART_COUNT", "torchrun", "as RINGMASTER_RESTART",
        [](const LaunchFacts& launch, const RankFacts&) { return text_of(launch.restarts); }},
       {"TORCHELASTIC_MAX_RESTARTS", "torchrun", "how many there may be",
        [](const LaunchFacts& launch, const RankFacts&) { return text_of(launch.restarts_max); }},
       {"TORCHELASTIC_USE_AGENT_STORE", "torchrun", "`False`: rank 0 serves the store",
        [](const LaunchFacts&, const RankFacts&) -> Value { return "False"; }},
       {"TORCHELASTIC_ERROR_FILE", "torchrun", "where a failing rank leaves its traceback",
        [](const LaunchFacts& launch, const RankFacts& rank) -> Value {
          if (!launch.log_folder.empty()) {
            return fmt::format("{}/attempt_{}/{}/error.json", launch.log_folder, launch.restarts,
                               rank.seat.local_rank);
          }
          if (launch.error_folder.empty()) return std::nullopt;
          // Of this attempt: an older one's words are not the reason of what comes later.
          return fmt::format("{}/error-{}-{}.json", launch.error_folder, launch.restarts,
                             rank.seat.rank);
        }},
       {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "torchrun", "1: NCCL's failures end the rank",
        number_value<1>, Precedence::inherited},
       {"OMP_NUM_THREADS", "torchrun", "the cores that the rank is bound to; not set when to none",
        [](const LaunchFacts&, const RankFacts& rank) {
          return rank.cores > 0 ? text_of(rank.cores) : std::nullopt;
        },
        Precedence::inherited}});
}

void add_horovod(Table& table) {
  table.insert(table.end(),
               {{"HOROVOD_RANK", "Horovod", "as RANK", rank_value},
                {"HOROVOD_SIZE", "Horovod", "as WORLD_SIZE", size_value},
                {"HOROVOD_LOCAL_RANK", "Horovod", "as LOCAL_RANK", local_rank_value},
                {"HOROVOD_LOCAL_SIZE", "Horovod", "as LOCAL_WORLD_SIZE", local_size_value},
                {"HOROVOD_CROSS_RANK", "Horovod", "its number among those with its LOCAL_RANK",
                 cross_rank_value},
                {"HOROVOD_CROSS_SIZE", "Horovod", "how many have its LOCAL_RANK", cross_size_value},
                {"HOROVOD_HOSTNAME", "Horovod", "the name of its host", host_name_value},
                {"HOROVOD_CONTROLLER", "Horovod", "`gloo`",
                 [](const LaunchFacts&, const RankFacts&) -> Value { return "gloo"; }},
                {"HOROVOD_CPU_OPERATIONS", "Horovod", "`gloo`",
                 [](const LaunchFacts&, const RankFacts&) -> Value { return "gloo"; }},
                {"HOROVOD_GLOO_RENDEZVOUS_ADDR", "Horovod", "where ringrun's key-value store is",
                 [](const LaunchFacts& launch, const RankFacts&) -> Value {
                   if (launch.rendezvous_port == 0) return std::nullopt;
                   return launch.rendezvous_address;
                 }},
                {"HOROVOD_GLOO_RENDEZVOUS_PORT", "Horovod", "its port",
                 [](const LaunchFacts& launch, const RankFacts&) {
                   return launch.rendezvous_port > 0 ? text_of(launch.rendezvous_port)
                                                     : std::nullopt;
                 }},
                {"HOROVOD_GLOO_IFACE", "Horovod", "`lo` when all ranks are on one host",
                 [](const LaunchFacts& launch, const RankFacts&) -> Value {
                   if (launch.hosts.size() != 1) return std::nullopt;
                   return "lo";
                 },
                 Precedence::inherited}});
}

void add_openmpi(Table& table) {
  table.insert(
      table.end(),
      {{"OMPI_COMM_WORLD_RANK", "Open MPI", "as RANK", rank_value},
       {"OMPI_COMM_WORLD_SIZE", "Open MPI", "as WORLD_SIZE", size_value},
       {"OMPI_COMM_WORLD_LOCAL_RANK", "Open MPI", "as LOCAL_RANK", local_rank_value},
       {"OMPI_COMM_WORLD_LOCAL_SIZE", "Open MPI", "as LOCAL_WORLD_SIZE", local_size_value},
       {"OMPI_COMM_WORLD_NODE_RANK", "Open MPI", "as LOCAL_RANK: a host has one job of ours",
        local_rank_value},
       {"OMPI_WORLD_SIZE", "Open MPI", "as WORLD_SIZE", size_value},
       {"OMPI_WORLD_LOCAL_SIZE", "Open MPI", "as LOCAL_WORLD_SIZE", local_size_value},
       {"OMPI_NUM_APP_CTX", "Open MPI", "1: there is one program", number_value<1>},
       {"OMPI_APP_CTX_NUM_PROCS", "Open MPI", "as WORLD_SIZE", size_value},
       {"OMPI_FIRST_RANKS", "Open MPI", "0: its first rank", number_value<0>},
       {"JSM_JSRUN_PORT", "Open MPI", "1: by this it looks for our PMIx server",
        [](const LaunchFacts& launch, const RankFacts&) {
          return launch.mpi_folder.empty() ? std::nullopt : text_of(1);
        }},
       {"OMPI_MCA_btl_vader_backing_directory", "Open MPI",
        "where its shared memory lies, gone with the job", mpi_folder_value, Precedence::inherited},
       {"OMPI_MCA_osc_sm_backing_directory", "Open MPI", "the same for windows", mpi_folder_value,
        Precedence::inherited},
       {"OMPI_MCA_pml", "Open MPI",
        "ob1 when all ranks are on one host without GPU or fast network",
        [](const LaunchFacts& launch, const RankFacts&) -> Value {
          if (!launch.plain_host || launch.mpi_folder.empty()) return std::nullopt;
          return "ob1";
        },
        Precedence::inherited},
       {"OMPI_MCA_mpi_yield_when_idle", "Open MPI", "1 when ranks share processors",
        [](const LaunchFacts& launch, const RankFacts&) {
          const bool helps = launch.crowded && !launch.mpi_folder.empty();
          return helps ? text_of(1) : std::nullopt;
        },
        Precedence::inherited},
       {"OMPI_MCA_orte_hnp_uri", "Open MPI",
        "by this JAX knows the launcher; nothing listens there",
        [](const LaunchFacts& launch, const RankFacts&) -> Value {
          if (launch.master_port == 0) return std::nullopt;
          return fmt::format("{0}.0;tcp://{1}:{0}", launch.master_port, launch.master_address);
        }}});
}

/// PMI's numbers only where there is a server: without one MPICH takes the rank for a lone one.
void add_mpich(Table& table) {
  table.insert(
      table.end(),
      {{"PMI_FD", "MPICH", "the descriptor of the rank's connection to ringrun's PMI-1 server",
        [](const LaunchFacts&, const RankFacts& rank) {
          return rank.pmi_fd >= 0 ? text_of(rank.pmi_fd) : std::nullopt;
        }},
       {"PMI_RANK", "MPICH", "as RANK",
        [](const LaunchFacts&, const RankFacts& rank) {
          return rank.pmi_fd >= 0 ? text_of(rank.seat.rank) : std::nullopt;
        }},
       {"PMI_SIZE", "MPICH", "as WORLD_SIZE",
        [](const LaunchFacts&, const RankFacts& rank) {
          return rank.pmi_fd >= 0 ? text_of(rank.ranks) : std::nullopt;
        }},
       {"MPI_LOCALRANKID", "MPICH", "as LOCAL_RANK", local_rank_value},
       {"MPI_LOCALNRANKS", "MPICH", "as LOCAL_WORLD_SIZE", local_size_value}});
}

void add_others(Table& table) {
  table.insert(table.end(),
               {{"NODE_RANK", "Ray Train, Lightning", "the number of its host", host_value},
                {"CROSS_RANK", "DeepSpeed", "as HOROVOD_CROSS_RANK", cross_rank_value},
                {"CROSS_SIZE", "DeepSpeed", "as HOROVOD_CROSS_SIZE", cross_size_value},
                {"LOCAL_SIZE", "DeepSpeed", "as LOCAL_WORLD_SIZE", local_size_value}});
}

}  // namespace

const std::vector<ContractVariable>& contract_variables() {
  static const Table all = [] {
    Table table;
    add_common(table);
    add_torchrun(table);
    add_horovod(table);
    add_openmpi(table);
    add_mpich(table);
    add_others(table);
    return table;
  }();
  return all;
}

Variables contract_values(const LaunchFacts& launch, const RankFacts& rank) {
  Variables values;
  for (const ContractVariable& variable : contract_variables()) {
    auto value = variable.value(launch, rank);
    if (value) values.emplace_back(variable.name, std::move(*value));
  }
  return values;
}

}  // namespace ringmaster::launcher
