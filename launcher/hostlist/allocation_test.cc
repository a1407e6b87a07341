// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/allocation.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "launcher/hostlist/check_list.h"

namespace ringmaster::launcher::hostlist {
namespace {

/// What an environment comes to: the allocation's line, "none", or the refusal.
std::string told(const Environment& environment) {
  const auto allocation = read_allocation_here(environment);
  if (!allocation) return allocation.error().message();
  return allocation->has_value() ? (**allocation).line() : "none";
}

class TextFile {
 public:
  explicit TextFile(const std::string& text) {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    path_ = testing::TempDir() + "allocation-" + name;
    std::ofstream(path_) << text;
  }
  ~TextFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(HostListAllocation, Slurm) {
  Environment environment = {{"SLURM_JOB_ID", "17"},
                             {"SLURM_JOB_NODELIST", "n[1-3]"},
                             {"SLURM_TASKS_PER_NODE", "8(x2),4"}};
  EXPECT_EQ(told(environment),
            "Slurm job 17: 3 hosts, 20 slots, from SLURM_JOB_NODELIST and SLURM_TASKS_PER_NODE");
  environment["SLURM_TASKS_PER_NODE"] = "8";
  EXPECT_EQ(told(environment), "SLURM_TASKS_PER_NODE:1: \"8\": 1 numbers for 3 hosts");
  environment.erase("SLURM_TASKS_PER_NODE");
  EXPECT_EQ(told(environment),
            "Slurm job 17: 3 hosts, slots as they have, from SLURM_JOB_NODELIST");
  environment["SLURM_JOB_NODELIST"] = "n[1-";
  EXPECT_EQ(told(environment),
            "SLURM_JOB_NODELIST:1: \"n[1-\": a bracket opens and does not close");
}

TEST(HostListAllocation, ATaskOfASlurmStepStartsNothing) {
  Environment environment = {
      {"SLURM_JOB_ID", "17"}, {"SLURM_JOB_NODELIST", "n1"}, {"SLURM_STEP_NUM_TASKS", "4"}};
  EXPECT_NE(told(environment).find("one of \"4\" tasks"), std::string::npos);
  environment["SLURM_STEP_NUM_TASKS"] = "1";
  EXPECT_NE(told(environment).find("1 host"), std::string::npos);
}

TEST(HostListAllocation, ListsWithoutAJobAreLeftOver) {
  EXPECT_EQ(told({{"SLURM_JOB_NODELIST", "n[1-3]"}, {"SLURM_TASKS_PER_NODE", "1(x3)"}}), "none");
  EXPECT_EQ(told({{"PBS_NODEFILE", "/nowhere"}}), "none");
  EXPECT_EQ(told({{"JOB_ID", "3"}}), "none");
  EXPECT_EQ(told({}), "none");
}

TEST(HostListAllocation, AStrangeNumberOfAJobIsQuoted) {
  const Environment environment = {{"SLURM_JOB_ID", "1\n\xff"}, {"SLURM_JOB_NODELIST", "n1"}};
  EXPECT_TRUE(told(environment).starts_with("Slurm job \"1\\n\\xff\": 1 host"));
}

TEST(HostListAllocation, Pbs) {
  const TextFile file("n1\nn2\nn1\n");
  EXPECT_EQ(told({{"PBS_JOBID", "5.server"}, {"PBS_NODEFILE", file.path()}}),
            "PBS job 5.server: 2 hosts, 3 slots, from PBS_NODEFILE (\"" + file.path() + "\")");
  EXPECT_EQ(told({{"PBS_JOBID", "5"}, {"PBS_NODEFILE", "/nowhere"}}),
            "/nowhere: No such file or directory");
}

TEST(HostListAllocation, LsfTakesWhatTellsMost) {
  const TextFile file("n1\nn1\nn2\n");
  Environment environment = {
      {"LSB_JOBID", "9"}, {"LSB_HOSTS", "a b b"}, {"LSB_MCPU_HOSTS", "a 4 b 4"}};
  EXPECT_EQ(told(environment), "LSF job 9: 2 hosts, 8 slots, from LSB_MCPU_HOSTS");
  environment["LSB_DJOB_HOSTFILE"] = file.path();
  EXPECT_EQ(told(environment),
            "LSF job 9: 2 hosts, 3 slots, from LSB_DJOB_HOSTFILE (\"" + file.path() + "\")");
  environment.erase("LSB_DJOB_HOSTFILE");
  environment.erase("LSB_MCPU_HOSTS");
  EXPECT_EQ(told(environment), "LSF job 9: 2 hosts, 3 slots, from LSB_HOSTS");
}

TEST(HostListAllocation, GridEngine) {
  const TextFile file("n1 4 all.q@n1 UNDEFINED\nn2 2 all.q@n2 UNDEFINED\n");
  EXPECT_EQ(told({{"JOB_ID", "3"}, {"PE_HOSTFILE", file.path()}}),
            "Grid Engine job 3: 2 hosts, 6 slots, from PE_HOSTFILE (\"" + file.path() + "\")");
}

TEST(HostListAllocation, TwoSystemsAtOnceAreRefused) {
  const std::string text = told({{"SLURM_JOB_ID", "1"},
                                 {"SLURM_JOB_NODELIST", "n1"},
                                 {"LSB_JOBID", "2"},
                                 {"LSB_HOSTS", "n1"}});
  EXPECT_NE(text.find("both Slurm and LSF"), std::string::npos) << text;
}

TEST(HostListAllocation, LooksAtItsVariablesOnly) {
  ::setenv("SLURM_JOB_ID", "33", 1);
  const Environment environment = read_allocation_environment();
  ::unsetenv("SLURM_JOB_ID");
  EXPECT_EQ(environment.at("SLURM_JOB_ID"), "33");
  EXPECT_FALSE(environment.contains("PATH"));
}

}  // namespace
}  // namespace ringmaster::launcher::hostlist
