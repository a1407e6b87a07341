// SPDX-License-Identifier: Apache-2.0
#include "launcher/dialects/torchrun_settings.h"

#include "launcher/settings.h"

namespace ringmaster::launcher {

Flags TorchrunSettings::flags() {
  return {
      {"--nproc_per_node,--nproc-per-node", &ranks, "N",
       "ranks: a number; gpu or cpu: one for each; auto: gpu where there are any, else cpu"},
      {"--nnodes", &nodes, "N", "hosts: 1, or 1:1"},
      {"--node_rank,--node-rank", &group_rank, "N", "the number of this host", between(0, 0)},
      {"--standalone", &standalone, "", "one host that meets nobody, with a run id of its own"},
      {"--master_addr,--master-addr", &master_address, "ADDRESS", "where rank 0 is found"},
      {"--master_port,--master-port", &master_port, "N",
       "the port for rank 0; not given or 0: one that is free", between(0, 65535)},
      {"--rdzv_backend,--rdzv-backend", &meeting, "KIND",
       "how hosts meet; one host meets nobody either way", one_of({"static", "c10d"})},
      {"--rdzv_endpoint,--rdzv-endpoint", &meeting_endpoint, "HOST:PORT",
       "this host; with static, the address and port of rank 0"},
      {"--rdzv_id,--rdzv-id", &run, "ID", "the run id (none)"},
      {"--rdzv_conf,--rdzv-conf", &meeting_conf, "K=V,...",
       "limits of the meeting; one host keeps them all"},
      {"--max_restarts,--max-restarts", &restarts, "K",
       "when a rank fails, start all ranks again, so many times", between(0, 1000000)},
      {"--role", &role, "NAME", "ROLE_NAME, and in tags"},
      {"-m,--module", &module, "", "PROGRAM is a module, as behind python -m"},
      {"--no_python,--no-python", &no_python, "", "run PROGRAM itself, without Python"},
      {"--run_path,--run-path", &run_path, "", "run the script PROGRAM with Python"},
      {"--log_dir,--log-dir", &log_folder, "DIR",
       "files in DIR/<run id>_<random>/attempt_A/R; not given: below TMPDIR, if any are asked for"},
      {"-r,--redirects", &redirects, "WHAT",
       "to files only: 0 nothing, 1 standard output, 2 standard error, 3 both; or as in 0:3,1:1"},
      {"-t,--tee", &tee, "WHAT", "to files and, with a tag, to the console; as --redirects"},
      {"--local_ranks_filter,--local-ranks-filter", &shown, "LIST",
       "show the output of these ranks only, as in 0,4-7; files get all"},
  };
}

const std::vector<RefusedOption>& torchrun_refusals() {
  static const std::vector<RefusedOption> all = {
      {"--monitor_interval,--monitor-interval", "S",
       "the end of a rank is seen at once, nothing looks every S seconds; leave it out"},
      {"--start_method,--start-method", "METHOD",
       "ranks are programs of their own, not copies of a Python process; leave it out"},
      {"--signals_to_handle,--signals-to-handle", "LIST",
       "TERM, INT, HUP and QUIT end the job, USR1 and USR2 reach every rank; leave it out"},
      {"--local_addr,--local-addr", "ADDRESS", "one host has no other address; use --master-addr"},
      {"--event_log_handler,--event-log-handler", "NAME",
       "a Python plug-in; see what happens with ringmaster report"},
      {"--logs_specs,--logs-specs", "NAME",
       "a Python plug-in; use --log-dir, --redirects and --tee"},
      {"--numa_binding,--numa-binding", "KIND",
       "use ringrun's own words: ringrun -np N --map numa --bind numa python3 -u PROGRAM"},
      {"--virtual_local_rank,--virtual-local-rank", "",
       "each rank finds all GPUs, and its own by LOCAL_RANK"},
      {"--duplicate_stdout_filters,--duplicate-stdout-filters", "LIST",
       "use --tee, and grep in the files"},
      {"--duplicate_stderr_filters,--duplicate-stderr-filters", "LIST",
       "use --tee, and grep in the files"},
      {"--shutdown_timeout,--shutdown-timeout", "S",
       "it is 30 s; ringrun's own words have --grace"},
      {"--use_env,--use-env", "", "LOCAL_RANK is in the environment always; leave it out"},
  };
  return all;
}

std::string torchrun_help() {
  TorchrunSettings settings;
  return help_text("ringrun --as torchrun [options] PROGRAM [ARGUMENTS...]",
                   "Starts a PyTorch script's ranks on this host as torchrun does: the same "
                   "variables, log folder and\nclosing block, and exit code 1 when a rank fails. "
                   "The script runs with PYTHON_EXEC, else python3.\nEach option may come as "
                   "PET_<OPTION> in the environment (PET_NPROC_PER_NODE=4); the line wins.",
                   settings.flags(), "ringrun --as torchrun --nproc-per-node 2 train.py") +
         "\n" + refusals_text(torchrun_refusals());
}

}  // namespace ringmaster::launcher
