// SPDX-License-Identifier: Apache-2.0
//
// Unmodified MPI programs under ringrun: MPICH's and Open MPI's, as each MPI's own compiler makes
// them. Tests of an MPI that is not installed are skipped, and say so.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <optional>
#include <set>
#include <thread>

#include "tests/end_to_end/program.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {
namespace {

namespace fs = std::filesystem;

/// The folders of this user's jobs are named after their guards (launcher/contracts/job_folder.h).
std::optional<pid_t> guard_of(const fs::path& folder) {
  const std::string name = folder.filename();
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return {};
  return std::atoi(name.c_str() + dot + 1);
}

bool is_there(const std::string& home, std::optional<pid_t> guard) {
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(home, code)) {
    if (guard_of(entry.path()) == guard) return true;
  }
  return false;
}

std::vector<std::string> homes_of_folders() {
  std::vector<std::string> homes = {"/dev/shm", "/tmp"};
  for (std::string& home : homes) home += fmt::format("/ringmaster-{}", ::geteuid());
  return homes;
}

bool has_folder(pid_t guard) {
  const auto homes = homes_of_folders();
  return std::ranges::any_of(homes, [&](const auto& home) { return is_there(home, guard); });
}

/// Folders of jobs that are over, and what Open MPI makes where nobody tells it better. Other jobs
/// may run beside this one.
std::set<std::string> leftovers() {
  std::set<std::string> found;
  std::error_code code;
  for (const std::string home : {"/dev/shm", "/tmp"}) {
    for (const auto& entry : fs::directory_iterator(home, code)) {
      const std::string name = entry.path().filename();
      if (name.starts_with("vader_segment.") || name.starts_with("ompi.")) {
        found.insert(entry.path());
      }
    }
  }
  for (const std::string& home : homes_of_folders()) {
    for (const auto& entry : fs::directory_iterator(home, code)) {
      const auto guard = guard_of(entry.path());
      if (!guard || ::kill(*guard, 0) != 0) found.insert(entry.path());
    }
  }
  return found;
}

/// What others' jobs make goes by itself; what stays is ours.
bool leaves_nothing_but(const std::set<std::string>& before) {
  for (int look = 0; look < 200; ++look) {
    const auto now = leftovers();
    if (std::ranges::includes(before, now)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

class MpiPrograms : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string compile = fmt::format("mpicc.{} -o {} {}/tests/end_to_end/mpi_program.c",
                                            GetParam(), program(), RINGMASTER_SOURCE_DIR);
    if (run_shell("command -v mpicc." + GetParam()).exit_code != 0) {
      GTEST_SKIP() << GetParam() << " is absent";
    }
    const bool served = GetParam() != "openmpi" || fs::exists(built("ringmaster-pmix"));
    if (!served) GTEST_SKIP() << "built without libpmix";
    const Ended compiled = run_shell(compile);
    ASSERT_EQ(compiled.exit_code, 0) << compiled.error;
    before_ = leftovers();
  }
  void TearDown() override { EXPECT_TRUE(IsSkipped() || leaves_nothing_but(before_)); }

  std::string program() const { return folder_.file("mpi-program"); }
  Ended run(int ranks, const std::string& mode) const {
    return run_program({"ringrun", "-np", std::to_string(ranks), program(), mode});
  }

  TemporaryFolder folder_;
  std::set<std::string> before_;
};

TEST_P(MpiPrograms, RanksMeetAndSumAndSplit) {
  // MPICH's waits spin: 8 ranks on 2 processors take 5 s.
  for (const int ranks : GetParam() == "mpich" ? std::vector{2, 4} : std::vector{2, 8}) {
    const Ended ended = run(ranks, "sum");
    EXPECT_EQ(ended.exit_code, 0) << ended.error;
    const auto lines = lines_of(ended.output);
    EXPECT_EQ(lines.size(), static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
      const int part = (ranks - 1 - rank) / 2;  // split in the opposite order
      const std::string line =
          fmt::format("rank {} of {}, part {} of {}, host {}", rank, ranks, part, ranks / 2, ranks);
      EXPECT_EQ(std::count(lines.begin(), lines.end(), line), 1) << line << "\n" << ended.output;
    }
  }
}

TEST_P(MpiPrograms, AnAbortEndsTheJobWithItsCode) {
  const Ended ended = run(3, "abort");
  EXPECT_EQ(ended.exit_code, 7) << ended.error;
  EXPECT_NE(ended.error.find("rank 2: called MPI_Abort(7)"), std::string::npos) << ended.error;
}

TEST_P(MpiPrograms, ACrashInTheMiddleEndsTheJob) {
  const Ended ended = run(3, "crash");
  EXPECT_EQ(ended.exit_code, 139) << ended.error;
  EXPECT_NE(ended.error.find("rank 2: killed by signal 11 (SIGSEGV)"), std::string::npos)
      << ended.error;
}

TEST_P(MpiPrograms, NobodyWaitsForARankThatLeft) {
  const Ended left = run(3, "leave");
  EXPECT_EQ(left.exit_code, 1) << left.error;
  EXPECT_NE(left.error.find("rank 2: ended between MPI_Init and MPI_Finalize"), std::string::npos)
      << left.error;
  const Ended never_came = run(2, "late");
  EXPECT_EQ(never_came.exit_code, 1) << never_came.error;
  EXPECT_NE(never_came.error.find("rank 1: waits in MPI for rank 0, which has ended"),
            std::string::npos)
      << never_came.error;
}

TEST_P(MpiPrograms, ASpawnIsRefused) {
  const Ended ended = run(2, "spawn");
  const bool said = ended.error.find("MPI_Comm_spawn") != std::string::npos;
  const bool returned = ended.output.find("spawn refused") != std::string::npos;
  EXPECT_TRUE(said || returned) << ended.output << ended.error;
  EXPECT_EQ(ended.output.find("spawn done"), std::string::npos);
}

TEST_P(MpiPrograms, NothingIsLeftWhenWatchersAreKilled) {
  const std::string script = fmt::format("{} sum; exec sleep 100", program());
  for (const bool guard_too : {false, true}) {
    Program job({"ringrun", "-np", "2", "sh", "-c", script});
    ASSERT_TRUE(job.wait_for_output("host 2", 2)) << job.error();
    const pid_t guard = job.pid(), launcher = job.child();
    EXPECT_TRUE(has_folder(guard));
    if (guard_too) job.signal(SIGKILL);
    ::kill(launcher, SIGKILL);
    EXPECT_EQ(job.wait().exit_code, 137);
    EXPECT_TRUE(job.leaves_nothing());
    // The next one sweeps where both were killed.
    if (guard_too) run_program({"ringrun", "-np", "1", "true"});
    EXPECT_FALSE(has_folder(guard));
  }
}

INSTANTIATE_TEST_SUITE_P(Mpis, MpiPrograms, testing::Values("mpich", "openmpi"),
                         [](const auto& one) { return one.param; });

TEST(MpiPython, ASumOfPickledObjects) {
  const std::string script =
      "from mpi4py import MPI\n"
      "world = MPI.COMM_WORLD\n"
      "total = world.allreduce({world.Get_rank()}, lambda a, b: a | b)\n"
      "print(world.Get_size(), sorted(total))\n";
  // Debian's python; another may come first on PATH.
  if (run_shell("/usr/bin/python3 -c 'import mpi4py'").exit_code != 0) {
    GTEST_SKIP() << "mpi4py is absent";
  }
  const Ended ended = run_program({"ringrun", "-np", "4", "/usr/bin/python3", "-c", script});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_EQ(ended.output, "4 [0, 1, 2, 3]\n4 [0, 1, 2, 3]\n4 [0, 1, 2, 3]\n4 [0, 1, 2, 3]\n");
}

}  // namespace
}  // namespace ringmaster::tests
