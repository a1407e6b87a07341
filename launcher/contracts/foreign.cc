// SPDX-License-Identifier: Apache-2.0
#include "launcher/contracts/foreign.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "launcher/contracts/variables.h"

namespace ringmaster::launcher {

namespace {

constexpr std::array<std::string_view, 15> kForeignPrefixes = {"OMPI_COMM_WORLD_",
                                                               "OMPI_MCA_ess",
                                                               "OMPI_MCA_orte_ess_",
                                                               "PMI_",
                                                               "PMIX_",
                                                               "SLURM_STEP",
                                                               "SLURM_SRUN_COMM_",
                                                               "SLURM_CPU_BIND",
                                                               "SLURM_TOPOLOGY_ADDR",
                                                               "PALS_",
                                                               "JSM_",
                                                               "ALPS_APP_",
                                                               "HYDI_",
                                                               "PRTE_LAUNCHED",
                                                               "FLUX_TASK_"};

constexpr std::array<std::string_view, 33> kForeignNames = {"OMPI_UNIVERSE_SIZE",
                                                            "OMPI_FILE_LOCATION",
                                                            "OMPI_COMMAND",
                                                            "OMPI_ARGV",
                                                            "OMPI_MCA_num_procs",
                                                            "OMPI_MCA_initial_wdir",
                                                            "OMPI_MCA_cpu_type",
                                                            "OMPI_MCA_num_restarts",
                                                            "OMPI_MCA_orte_local_daemon_uri",
                                                            "OMPI_MCA_orte_num_nodes",
                                                            "OMPI_MCA_orte_app_num",
                                                            "OMPI_MCA_orte_launch",
                                                            "OMPI_MCA_orte_bound_at_launch",
                                                            "OMPI_MCA_orte_jobfam_session_dir",
                                                            "OMPI_MCA_orte_top_session_dir",
                                                            "OMPI_MCA_orte_tmpdir_base",
                                                            "OMPI_MCA_orte_precondition_transports",
                                                            "OMPI_MCA_orte_jobid",
                                                            "OMPI_MCA_orte_vpid",
                                                            "OMPI_MCA_shmem_RUNTIME_QUERY_hint",
                                                            "HOROVOD_ELASTIC",
                                                            "HOROVOD_HOSTNAME",
                                                            "_HOROVOD_SECRET_KEY",
                                                            "SLURM_PROCID",
                                                            "SLURM_LOCALID",
                                                            "SLURM_NODEID",
                                                            "SLURM_GTIDS",
                                                            "SLURM_TASK_PID",
                                                            "SLURM_LAUNCH_NODE_IPADDR",
                                                            "SLURM_MPI_TYPE",
                                                            "FLUX_JOB_ID",
                                                            "MPIEXEC_HOSTNAME",
                                                            "TORCHELASTIC_TIMER_FILE"};

/// What users set to steer a library, under a prefix of those above.
constexpr std::array<std::string_view, 3> kUsersPrefixes = {"PMIX_MCA_", "PMI_DEBUG",
                                                            "OMPI_MCA_ess_base_verbose"};

using Names = std::unordered_set<std::string_view>;

Names names_with(Precedence precedence) {
  Names names;
  for (const ContractVariable& variable : contract_variables()) {
    if (variable.precedence == precedence) names.insert(variable.name);
  }
  return names;
}

bool has_prefix(std::string_view name, const auto& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

std::string_view variable_name(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

bool is_foreign(std::string_view name) {
  static const Names launch_sets = names_with(Precedence::launch);
  if (launch_sets.contains(name)) return true;
  if (std::find(kForeignNames.begin(), kForeignNames.end(), name) != kForeignNames.end()) {
    return true;
  }
  return has_prefix(name, kForeignPrefixes) && !has_prefix(name, kUsersPrefixes);
}

std::vector<std::string> merge_environments(const std::vector<std::string>& base,
                                            const std::vector<std::string>& rank,
                                            const std::vector<std::string>& user) {
  static const Names inherited_stay = names_with(Precedence::inherited);
  std::vector<std::string> merged;
  std::unordered_map<std::string, std::size_t> places;
  const auto put = [&](const std::string& variable) {
    const auto [at, is_new] =
        places.try_emplace(std::string(variable_name(variable)), merged.size());
    if (is_new) {
      merged.push_back(variable);
    } else {
      merged[at->second] = variable;
    }
  };
  for (const std::string& variable : base) put(variable);
  for (const std::string& variable : rank) {
    const std::string name(variable_name(variable));
    if (inherited_stay.contains(name) && places.contains(name)) continue;
    put(variable);
  }
  for (const std::string& variable : user) put(variable);
  return merged;
}

}  // namespace ringmaster::launcher
