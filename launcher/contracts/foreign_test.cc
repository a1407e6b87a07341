// SPDX-License-Identifier: Apache-2.0
#include "launcher/contracts/foreign.h"

#include <gtest/gtest.h>

#include "launcher/contracts/variables.h"

namespace ringmaster::launcher {
namespace {

TEST(Foreign, WhatOtherLaunchersSetForTheirProcessesGoes) {
  for (const char* name :
       {"RANK", "OMPI_COMM_WORLD_RANK", "OMPI_UNIVERSE_SIZE", "OMPI_MCA_ess", "PMI_FD", "PMI_PORT",
        "PMIX_NAMESPACE", "PMIX_SERVER_URI41", "HOROVOD_RANK", "HOROVOD_GLOO_RENDEZVOUS_PORT",
        "_HOROVOD_SECRET_KEY", "TORCHELASTIC_RUN_ID", "TORCHELASTIC_TIMER_FILE", "SLURM_PROCID",
        "SLURM_STEP_ID", "SLURM_STEPID", "JSM_JSRUN_PORT", "FLUX_JOB_ID", "MPI_LOCALRANKID"}) {
    EXPECT_TRUE(is_foreign(name)) << name;
  }
}

TEST(Foreign, WhatUsersSetStays) {
  for (const char* name :
       {"OMPI_MCA_btl", "OMPI_MCA_pml", "PMIX_MCA_gds", "PMI_DEBUG", "HOROVOD_FUSION_THRESHOLD",
        "HOROVOD_TIMELINE", "SLURM_JOB_ID", "SLURM_JOB_NODELIST", "TORCHELASTIC_SIGNALS_TO_HANDLE",
        "OMP_NUM_THREADS", "TORCH_NCCL_ASYNC_ERROR_HANDLING", "CUDA_VISIBLE_DEVICES", "RANKS", "",
        "PATH", "NCCL_SOCKET_IFNAME"}) {
    EXPECT_FALSE(is_foreign(name)) << name;
  }
}

TEST(Foreign, OfEqualNamesTheUsersIsTaken) {
  const std::vector<std::string> base = {"PATH=/bin", "OMP_NUM_THREADS=3", "A=1", "A=2"};
  const std::vector<std::string> rank = {"RANK=0", "OMP_NUM_THREADS=8", "HOROVOD_CONTROLLER=gloo"};
  const std::vector<std::string> user = {"HOROVOD_CONTROLLER=mpi", "A=x=\n'\"$\xff"};
  const std::vector<std::string> expected = {"PATH=/bin", "OMP_NUM_THREADS=3", "A=x=\n'\"$\xff",
                                             "RANK=0", "HOROVOD_CONTROLLER=mpi"};
  EXPECT_EQ(merge_environments(base, rank, user), expected);
}

TEST(Foreign, TheUsersWordIsLastEvenOnWhatIsInherited) {
  const std::vector<std::string> merged =
      merge_environments({"OMP_NUM_THREADS=3"}, {"OMP_NUM_THREADS=8"}, {"OMP_NUM_THREADS=5"});
  EXPECT_EQ(merged, std::vector<std::string>{"OMP_NUM_THREADS=5"});
}

}  // namespace
}  // namespace ringmaster::launcher
