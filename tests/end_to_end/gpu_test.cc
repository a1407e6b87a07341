// SPDX-License-Identifier: Apache-2.0
//
// What a user of GPUs meets on a machine that has none: clear words, and a table that is made with
// the stand-ins for CUDA and NCCL.
#include <gtest/gtest.h>

#include "tests/end_to_end/program.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {
namespace {

const std::string kLibraries = RINGMASTER_BINARY_DIR "/../lib/";

Ended run_gpu_table(const std::string& flags, const std::string& cuda) {
  return run_shell("exec " RINGMASTER_BINARY_DIR "/gpu-table " + flags,
                   {"RINGMASTER_CUDA_RUNTIME=" + cuda,
                    "RINGMASTER_NCCL_LIBRARY=" + kLibraries + "libnccl-stand-in.so"});
}

TEST(Gpu, TheTableOfEveryOperationIsRight) {
  for (const std::string operation :
       {"all_reduce", "reduce_scatter", "all_gather", "broadcast", "all_to_all"}) {
    const Ended ended =
        run_gpu_table("--operation " + operation + " --gpus 3 --from 12 --to 48 --iterations 2",
                      kLibraries + "libcuda-stand-in.so");
    ASSERT_EQ(ended.exit_code, 0) << ended.error;
    const auto lines = lines_of(ended.output);
    ASSERT_EQ(lines.size(), 5u) << ended.output;
    EXPECT_EQ(lines[0], "# " + operation + " over 3 GPUs, NCCL 2.28.9");
    for (std::size_t row = 2; row < lines.size(); ++row) {
      EXPECT_TRUE(lines[row].ends_with("        0")) << lines[row];  // none wrong
    }
  }
}

TEST(Gpu, WithoutACudaRuntimeItIsOneLine) {
  const Ended ended = run_gpu_table("--gpus 2", "libcudart-nowhere.so");
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.output, "");
  EXPECT_EQ(lines_of(ended.error).size(), 1u) << ended.error;
  EXPECT_TRUE(contains(ended.error, "gpu-table: no CUDA runtime: libcudart-nowhere.so"))
      << ended.error;
}

TEST(Gpu, TheCheckSaysThatThereIsNoGpu) {
  if (run_shell("nvidia-smi -L").exit_code == 0) GTEST_SKIP() << "there is a GPU here";
  const Ended ended = run_shell("exec " RINGMASTER_SOURCE_DIR "/scripts/gpu-check");
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(lines_of(ended.error).size(), 1u) << ended.error;
  EXPECT_TRUE(contains(ended.error, "gpu-check: no GPU here: ")) << ended.error;
}

}  // namespace
}  // namespace ringmaster::tests
