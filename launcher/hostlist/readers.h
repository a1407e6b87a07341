// SPDX-License-Identifier: Apache-2.0
//
// The readers behind the table of formats (formats.h), a file a family.
//
// Pure. Called through read_host_list, which has checked the texts' size and that the question asks
// for nothing that the format does not take.
#pragma once

#include "launcher/hostlist/formats.h"

namespace ringmaster::launcher::hostlist {

// openmpi.cc: "n1 slots=4 max_slots=8" a line, and a layout of such hosts in a second file.
ListResult<HostList> read_openmpi(const Question& question);
// openmpi_host.cc: "n1:4,n2".
ListResult<HostList> read_openmpi_host(const Question& question);
// hydra.cc: "n1:4 user=bob" a line. MPICH and Intel MPI.
ListResult<HostList> read_hydra(const Question& question);
// deepspeed.cc: "n1 slots=4" a line, strictly.
ListResult<HostList> read_deepspeed(const Question& question);
// horovod.cc: "n1:4,n2:4"; "n1 slots=4" a line.
ListResult<HostList> read_horovod(const Question& question);
ListResult<HostList> read_horovod_hostfile(const Question& question);
// slurm.cc: "n[1-3,7],gpu[01-02]".
ListResult<HostList> read_slurm(const Question& question);
// batch.cc: what other queueing systems leave to a job.
ListResult<HostList> read_pbs(const Question& question);
ListResult<HostList> read_lsf_mcpu(const Question& question);
ListResult<HostList> read_lsf(const Question& question);
ListResult<HostList> read_lsf_user(const Question& question);
ListResult<HostList> read_sge(const Question& question);
// rankfile.cc: "rank 0=n1 slot=0-1" a line.
ListResult<HostList> read_rankfile(const Question& question);
// user_host_port.cc: "bob@n1:2222".
ListResult<HostList> read_user_host_port(const Question& question);
// guess.cc: as openmpi, or whichever of the above reads it.
ListResult<HostList> read_guessed(const Question& question);

}  // namespace ringmaster::launcher::hostlist
