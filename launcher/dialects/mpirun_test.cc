// SPDX-License-Identifier: Apache-2.0
#include "launcher/dialects/mpirun.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "launcher/dialects/mpirun_settings.h"

namespace ringmaster::launcher {
namespace {

Result<Translation> mpirun(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  return translate_mpirun(words);
}

std::string in_ringruns(const std::string& text) {
  const auto made = mpirun(text);
  return made ? fmt::format("{}", fmt::join(made->words, " ")) : made.error().message;
}

TEST(Mpirun, OptionsInRingrunsWords) {
  const std::pair<const char*, const char*> cases[] = {
      {"./a", "./a"},
      {"-np 4 ./a -np 5", "-np 4 ./a -np 5"},
      {"-n 4 ./a", "-np 4 ./a"},
      {"--n 4 ./a", "-np 4 ./a"},
      {"-c 4 ./a", "-np 4 ./a"},
      {"-H a:2,b -np 2 ./a", "-H a:2,b -np 2 ./a"},
      {"--host a --machinefile f ./a", "-H a --hostfile f ./a"},
      {"-rf f ./a", "--rankfile f ./a"},
      {"--map-by node ./a", "--map node ./a"},
      {"--map-by slot:PE=2 ./a", "--map slot -c 2 ./a"},
      {"--map-by :OVERSUBSCRIBE -np 9 ./a", "--oversubscribe -np 9 ./a"},
      {"--map-by NUMA:pe=2,oversubscribe ./a", "--map numa -c 2 --oversubscribe ./a"},
      {"--map-by core --bind-to core --rank-by core ./a", "--map slot --bind core ./a"},
      {"-bind-to none ./a", "--bind none ./a"},
      {"-bind-to core:2 ./a", "-c 2 ./a"},
      {"--bind-to core:overload-allowed ./a", "--bind core ./a"},
      {"--cpus-per-proc 3 ./a", "-c 3 ./a"},
      {"--oversubscribe --report-bindings ./a", "--oversubscribe --report-bindings ./a"},
      {"--tag-output --timestamp-output ./a", "--tag-output --timestamp-output ./a"},
      {"--output-filename d ./a", "--output-dir d ./a"},
      {"--timeout 60 ./a", "--timeout 60 ./a"},
      {"--stdin none ./a", "--stdin none ./a"},
      {"--allow-run-as-root --nooversubscribe -q ./a", "./a"},
      {"--display-map --do-not-launch ./a", "--dry-run ./a"},
      {"-x A -x B=2 -wdir /d ./a", "--wdir /d -x A -x B=2 ./a"},
      {"-mca btl self,tcp --mca pml ob1 ./a", "-x OMPI_MCA_btl=self,tcp -x OMPI_MCA_pml=ob1 ./a"},
      {"-genv A 1 -env B 2 -ppn 2 ./a -mca x y", "-x A=1 -x B=2 ./a -mca x y"},
      {"-np 1 -x A=1 ./a 1 : -np 2 --mca m v --wdir /b ./b",
       "-np 1 -x A=1 ./a 1 : -np 2 --wdir /b -x OMPI_MCA_m=v ./b"},
  };
  for (const auto& [line, words] : cases) EXPECT_EQ(in_ringruns(line), words) << line;
}

TEST(Mpirun, RulesThatNoOptionOfRingrunHas) {
  const auto made = mpirun("--map-by ppr:2:node --merge-stderr-to-stdout -q --display-map ./a");
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made->rules.per_host, 2);
  EXPECT_TRUE(made->rules.merged && made->rules.quiet && made->rules.shows_plan);
  EXPECT_TRUE(made->rules.cores_are_slots);
  EXPECT_FALSE(made->rules.oversubscribe);
  EXPECT_EQ(made->rules.layout, FileLayout::openmpi);
  EXPECT_TRUE(mpirun("--map-by :oversubscribe ./a")->rules.oversubscribe);
  EXPECT_EQ(mpirun("-pernode ./a")->rules.per_host, 1);
  EXPECT_EQ(mpirun("-v -np 2 ./a")->remarks.front(), "in ringrun's words: ringrun -np 2 ./a");
}

TEST(Mpirun, WhatCannotBeIsSaidInItsWords) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "which program?"},
      {"-np 2", "which program?"},
      {"-np 2 ./a :", "which program?"},
      {"-np 0 ./a", "-np 0: out of bounds"},
      {"-np -1 ./a", "-np -1: out of bounds"},
      {"-np 99999999999 ./a", "-np 99999999999: out of bounds"},
      {"-np abc ./a", "-np abc: not a whole number"},
      {"-np", "-np: needs a value N"},
      {"-np 1 -n 2 ./a", "-n: given twice"},
      {"--map-by socket ./a", "\"socket\" is not here"},
      {"--map-by ppr:x:node ./a", "--map-by ppr:x:node:"},
      {"--map-by ppr:2:socket ./a", "--map-by ppr:2:socket:"},
      {"--map-by slot:PE=0 ./a", "\"pe=0\" is not here"},
      {"--map-by slot:PE=2 --bind-to core:3 ./a", "2 and 3, which disagree"},
      {"-N 2 -pernode ./a", "2 and 1, which disagree"},
      {"-N 2 -H a,b ./a", "write the number behind the hosts"},
      {"--bind-to socket ./a", "it takes core, core:N, numa or none"},
      {"--rank-by fill ./a", "it takes slot, core"},
      {"--oversubscribe --nooversubscribe ./a", "exclude each other"},
      {"--mca rmaps_base_mapping_policy node ./a", "it steers Open MPI's mpirun"},
      {"--mca =a b ./a", "--mca =a=b: it takes a name and a value"},
      {"--timeout 0 ./a", "--timeout 0: out of bounds"},
      {"-cpu-set 0,1 ./a", "--cpu-list: not here: start it below taskset"},
      {"--enable-recovery ./a", "use ringrun --elastic"},
      {"--oversubscrib ./a", "did you mean --oversubscribe?"},
      {"-np 1 ./a : -np 1 --map-by node ./b", "--map-by: it is for the whole job here"},
  };
  for (const auto& [line, words] : cases) {
    EXPECT_NE(in_ringruns(line).find(words), std::string::npos)
        << line << ": " << in_ringruns(line);
  }
}

TEST(Mpirun, NoOptionIsBothTakenAndRefused) {
  MpirunSettings settings;
  Refusals refusals(mpirun_refusals());
  std::vector<std::string> seen;
  Flags all = settings.flags();
  for (const Flag& flag : refusals.flags()) all.push_back(flag);
  for (const Flag& flag : all) {
    std::istringstream names{std::string(flag.names)};
    for (std::string name; std::getline(names, name, ',');) {
      EXPECT_EQ(std::count(seen.begin(), seen.end(), name), 0) << name;
      seen.push_back(name);
    }
  }
}

TEST(Mpirun, TheHelpPageHasEachOption) {
  const auto made = mpirun("-np 2 --help");
  ASSERT_TRUE(made.ok());
  MpirunSettings settings;
  for (const Flag& flag : settings.flags()) {
    EXPECT_NE(made->help.find(last_name(flag.names)), std::string::npos) << flag.names;
  }
}

}  // namespace
}  // namespace ringmaster::launcher
