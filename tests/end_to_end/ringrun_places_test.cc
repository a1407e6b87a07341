// SPDX-License-Identifier: Apache-2.0
//
// Where ringrun puts ranks: what the dry run says is what ranks find, and lists with other hosts
// are plans that are not started.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/cpus.h"
#include "launcher/exit_codes.h"
#include "launcher/mapping/bind_ranks.h"
#include "tests/end_to_end/program.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {
namespace {

using Json = nlohmann::json;

Json plan_of(const std::string& arguments, const std::vector<std::string>& variables = {}) {
  const Ended dry = run_shell("ringrun --dry-run --json " + arguments, variables);
  EXPECT_EQ(dry.exit_code, 0) << dry.error;
  return Json::parse(dry.output, nullptr, false);
}

std::string host_of(const Json& plan, std::size_t rank) {
  return plan["ranks"][rank]["host"].get<std::string>();
}

TEST(RingrunPlaces, RanksFindWhatTheDryRunSays) {
  TemporaryFolder folder;
  const std::string odd = "a \"b\" 'c' $HOME `id` \\\n \u00fc";
  write_text(folder.file("variables"), "QUOTED=\"as it stands\" $X\nLATER=1\n");
  const std::string arguments =
      "-np 2 --bind core -x ODD -x LATER=2 --env-file $HERE/variables --wdir $HERE "
      "sh -c 'exec env -0 > $HERE/$RANK' : -np 1 -x OTHER=1 sh -c 'exec env -0 > $HERE/$RANK'";
  const std::vector<std::string> variables = {"HERE=" + folder.path(), "ODD=" + odd};
  const Json plan = plan_of(arguments, variables);
  const Ended ended = run_shell("ringrun " + arguments, variables);
  ASSERT_EQ(ended.exit_code, 0) << ended.error;
  ASSERT_EQ(plan["ranks"].size(), 3U);
  for (const Json& rank : plan["ranks"]) {
    const std::string found =
        '\0' + read_text(folder.file(std::to_string(rank["rank"].get<int>())));
    EXPECT_LE(5U, rank["env"].size());
    for (const auto& [name, value] : rank["env"].items()) {
      const std::string variable = name + "=" + value.get<std::string>();
      EXPECT_TRUE(contains(found, '\0' + variable + '\0')) << variable;
    }
    const bool first = rank["rank"] != 2;
    EXPECT_EQ(contains(found, '\0' + std::string("QUOTED=\"as it stands\" $X") + '\0'), first);
    EXPECT_EQ(contains(found, '\0' + std::string("LATER=2") + '\0'), first);
    EXPECT_EQ(contains(found, '\0' + std::string("OTHER=1") + '\0'), !first);
    EXPECT_EQ(rank["env"].count("ODD"), first ? 1U : 0U);
    EXPECT_EQ(rank["env"].value("ODD", ""), first ? odd : "");
  }
}

TEST(RingrunPlaces, LargeValuesOfAnEnvFileArriveByteForByte) {
  TemporaryFolder folder;
  const std::string large = std::string(100000, 'x') + "\n\r\n\xff\u20ac'\"$\\";
  write_text(folder.file("variables"), "LARGE=" + large + std::string(1, '\0'));
  const Ended ended =
      run_shell("ringrun -np 2 --env-file $HERE/variables sh -c 'printenv LARGE > $HERE/$RANK'",
                {"HERE=" + folder.path()});
  ASSERT_EQ(ended.exit_code, 0) << ended.error;
  for (const std::string rank : {"0", "1"}) {
    EXPECT_TRUE(read_text(folder.file(rank)) == large + "\n");
  }
}

TEST(RingrunPlaces, ThisHostByAnyOfItsNames) {
  for (const std::string list :
       {"localhost:2", "127.0.0.1:2", "[::1]:2", "$(hostname):2", "localhost,localhost"}) {
    const Ended ended =
        run_shell("ringrun -H " + list + " sh -c 'echo $RANK $LOCAL_RANK $LOCAL_WORLD_SIZE'");
    EXPECT_EQ(ended.exit_code, 0) << list << ": " << ended.error;
    auto lines = lines_of(ended.output);
    std::ranges::sort(lines);
    EXPECT_EQ(lines, (std::vector<std::string>{"0 0 2", "1 1 2"})) << list;
  }
}

TEST(RingrunPlaces, OtherHostsAreAPlanAndNoStart) {
  TemporaryFolder folder;
  write_text(folder.file("hosts"), "n1 slots=2\nlocalhost slots=2\nn2 slots=1\n");
  const std::string list = "--hostfile " + folder.file("hosts") + " ";
  const Json plan = plan_of(list + "--map node --bind core true");
  ASSERT_EQ(plan["hosts"], (Json{"n1", "localhost", "n2"}));
  ASSERT_EQ(plan["ranks"].size(), 5U);
  EXPECT_EQ(host_of(plan, 1), "localhost");
  EXPECT_EQ(plan["ranks"][4]["local_rank"], 1);
  EXPECT_EQ(plan["ranks"][4]["env"]["LOCAL_WORLD_SIZE"], "2");
  EXPECT_EQ(plan["ranks"][4]["env"]["MASTER_ADDR"], "n1");
  EXPECT_TRUE(plan["ranks"][0]["cores"].is_null()) << "it was not looked at";
  EXPECT_FALSE(plan["ranks"][1]["cores"].is_null());
  const Ended started = run_shell("ringrun " + list + "touch " + folder.file("started"));
  EXPECT_EQ(started.exit_code, launcher::kExitOtherHosts);
  ASSERT_EQ(lines_of(started.error).size(), 1U) << started.error;
  EXPECT_TRUE(contains(started.error, "start rank 0 on n1")) << started.error;
  EXPECT_TRUE(contains(started.error, "--dry-run")) << started.error;
  EXPECT_EQ(read_text(folder.file("started")), "");
  EXPECT_EQ(run_shell("ringrun " + list + "-H localhost:2 true").exit_code, 0) << "picked";
}

TEST(RingrunPlaces, AnAllocationIsReadAndSaid) {
  const std::vector<std::string> slurm = {"SLURM_JOB_ID=17", "SLURM_JOB_NODELIST=n1,localhost",
                                          "SLURM_TASKS_PER_NODE=2,3"};
  const Json plan = plan_of("true", slurm);
  EXPECT_EQ(plan["ranks"].size(), 5U);
  const Ended picked = run_shell("ringrun -H localhost:3 sh -c 'echo $WORLD_SIZE'", slurm);
  EXPECT_EQ(picked.output, "3\n3\n3\n") << picked.error;
  EXPECT_TRUE(contains(picked.error, "ringrun: Slurm job 17: 2 hosts, 5 slots")) << picked.error;
  const Ended outside = run_shell("ringrun -H n7 true", slurm);
  EXPECT_EQ(outside.exit_code, launcher::kExitHostList);
  EXPECT_EQ(lines_of(outside.error).size(), 1U) << outside.error;
  auto step = slurm;
  step.push_back("SLURM_STEP_NUM_TASKS=2");
  const Ended one_of_two = run_shell("ringrun true", step);
  EXPECT_EQ(one_of_two.exit_code, launcher::kExitHostList);
  EXPECT_TRUE(contains(one_of_two.error, "srun -n1")) << one_of_two.error;
}

TEST(RingrunPlaces, ACpusetOfOneCoreIsSharedAndSaid) {
  const int core = read_allowed_cpus().front();
  const std::string on_one = "taskset -c " + std::to_string(core) + " ringrun -np 4 ";
  const std::string show = "sed -n 's/^Cpus_allowed_list:.//p' /proc/self/status";
  const Ended shared = run_shell(on_one + "--bind core " + show);
  EXPECT_EQ(shared.exit_code, 0) << shared.error;
  EXPECT_EQ(shared.error, "ringrun: 4 ranks share 1 core, to which they are bound in turn\n");
  const std::string number = std::to_string(core) + "\n";
  EXPECT_EQ(shared.output, number + number + number + number);
  const Ended own = run_shell(on_one + "-c 1 " + show);
  EXPECT_EQ(own.exit_code, launcher::kExitTooFew);
  ASSERT_EQ(lines_of(own.error).size(), 1U) << own.error;
  EXPECT_TRUE(contains(own.error, "it has 1 core (")) << own.error;
}

TEST(RingrunPlaces, ARankFilePlacesAndBinds) {
  const auto allowed = read_allowed_cpus();
  TemporaryFolder folder;
  write_text(folder.file("ranks"), "rank 1=localhost slot=0\nrank 0=localhost\n");
  const Ended ended =
      run_shell("ringrun --rankfile $HERE/ranks --report-bindings true", {"HERE=" + folder.path()});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_TRUE(contains(ended.error, "ringrun: rank 0 on localhost: not bound")) << ended.error;
  EXPECT_TRUE(contains(ended.error, "ringrun: rank 1 on localhost: bound to processors " +
                                        std::to_string(allowed.front())))
      << ended.error;
}

TEST(RingrunPlaces, ProgramsRunInTheirFolders) {
  TemporaryFolder folder;
  const Ended ended = run_shell("cd $HERE; ringrun -np 1 --wdir . sh -c 'pwd; echo $PWD'",
                                {"HERE=" + folder.path()});
  EXPECT_EQ(lines_of(ended.output).size(), 2U) << ended.error;
  for (const std::string& line : lines_of(ended.output)) {
    EXPECT_TRUE(line == folder.path() || line == folder.path() + "/") << line;
  }
  const Ended none = run_shell("ringrun -np 2 --wdir /no/such/folder true");
  EXPECT_EQ(none.exit_code, launcher::kExitNotExecutable);
  EXPECT_TRUE(contains(none.error, "/no/such/folder")) << none.error;
}

}  // namespace
}  // namespace ringmaster::tests
