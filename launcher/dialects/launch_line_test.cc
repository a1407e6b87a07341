// SPDX-License-Identifier: Apache-2.0
#include "launcher/dialects/launch_line.h"

#include <gtest/gtest.h>

namespace ringmaster::launcher {
namespace {

std::string chosen(std::string_view called, const std::vector<std::string>& arguments) {
  const auto choice = choose_dialect(called, arguments);
  if (!choice) return choice.error().message;
  std::string text = choice->dialect == Dialect::ringrun    ? "ringrun"
                     : choice->dialect == Dialect::torchrun ? "torchrun"
                                                            : "mpirun";
  for (const std::string& word : choice->arguments) text += " " + word;
  return text;
}

TEST(LaunchLine, TheNameOrTheFirstWordChooses) {
  EXPECT_EQ(chosen("/usr/bin/ringrun", {"-np", "2"}), "ringrun -np 2");
  EXPECT_EQ(chosen("/usr/bin/torchrun", {"-np", "2"}), "torchrun -np 2");
  EXPECT_EQ(chosen("mpiexec", {"a"}), "mpirun a");
  EXPECT_EQ(chosen("./mpirun", {}), "mpirun");
  EXPECT_EQ(chosen("ringrun", {"--as", "torchrun", "a"}), "torchrun a");
  EXPECT_EQ(chosen("ringrun", {"--as=mpiexec", "a"}), "mpirun a");
  EXPECT_EQ(chosen("mpirun", {"--as", "ringrun", "a"}), "ringrun a");
  EXPECT_EQ(chosen("my-mpirun", {"a"}), "ringrun a");
  EXPECT_EQ(chosen("ringrun", {"--as", "mpirum"}),
            "--as mpirum: it takes torchrun, mpirun or mpiexec; did you mean mpirun?");
  EXPECT_EQ(chosen("ringrun", {"--as"}), "--as : it takes torchrun, mpirun or mpiexec");
  EXPECT_EQ(read_launch_line("ringrun", {"-np", "2", "--as", "mpirun", "a"}).error().message,
            "--as: it stands first, as in ringrun --as mpirun -np 4 ./solver");
}

std::string fitted(const LaunchRules& rules, bool listed, std::vector<int> ranks) {
  std::vector<RankProgram> programs;
  for (const int own : ranks) programs.push_back({.command = {"a"}, .ranks = own});
  const auto fits = fit_programs(rules, listed, 4, &programs);
  if (!fits) return fits.error().message;
  std::string text;
  for (const RankProgram& program : programs) text += std::to_string(program.ranks) + " ";
  return text;
}

TEST(LaunchLine, MpirunCountsCoresWhereNoHostsAreListed) {
  const LaunchRules rules{.cores_are_slots = true};
  EXPECT_EQ(fitted(rules, false, {0}), "4 ");
  EXPECT_EQ(fitted(rules, false, {3, 1}), "3 1 ");
  EXPECT_EQ(fitted(rules, true, {0}), "0 ") << "the list's slots count";
  EXPECT_EQ(fitted(rules, true, {9}), "9 ");
  EXPECT_EQ(fitted(rules, false, {3, 2}).find("5 ranks, but this host has 4 cores"), 0U);
  LaunchRules more = rules;
  more.oversubscribe = true;
  EXPECT_EQ(fitted(more, false, {5}), "5 ");
  LaunchRules per_host = rules;
  per_host.per_host = 2;
  EXPECT_EQ(fitted(per_host, false, {0}), "2 ");
  EXPECT_EQ(fitted(per_host, false, {3}).find("3 ranks, but 2 on each host"), 0U);
  EXPECT_EQ(fitted(per_host, true, {0}).find("2 ranks on each host: the hosts are listed"), 0U);
  EXPECT_EQ(fitted({}, false, {9}), "9 ") << "ringrun's own words";
}

TEST(LaunchLine, OnlyTorchrunsFailuresAreOne) {
  EXPECT_EQ(exit_code_of({}, 7), 7);
  EXPECT_EQ(exit_code_of({.torch_program = "a"}, 7), 1);
  EXPECT_EQ(exit_code_of({.torch_program = "a"}, 0), 0);
}

}  // namespace
}  // namespace ringmaster::launcher
