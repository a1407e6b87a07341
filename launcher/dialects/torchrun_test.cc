// SPDX-License-Identifier: Apache-2.0
#include "launcher/dialects/torchrun.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "launcher/dialects/meeting.h"

namespace ringmaster::launcher {
namespace {

Surroundings quiet_host() {
  return {.environment = {"OMP_NUM_THREADS=3", "TMPDIR=/scratch"},
          .cpus = 6,
          .gpus = 0,
          .names = {.host = "n1.lab", .user = "", .addresses = {"10.0.0.1"}},
          .random = "r7"};
}

Result<Translation> torchrun(const std::string& text, const Surroundings& around = quiet_host()) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  return translate_torchrun(words, around);
}

/// In ringrun's words, without those that are always the same; or the error.
std::string in_words(const std::string& text, const Surroundings& around = quiet_host()) {
  const auto made = torchrun(text, around);
  if (!made) return made.error().message;
  std::string words = fmt::format("{}", fmt::join(made->words, " "));
  for (const std::string usual :
       {"--oversubscribe --grace 30 ", "-x TORCHELASTIC_RUN_ID=none ", "-x ROLE_NAME=default "}) {
    const std::size_t at = words.find(usual);
    if (at != std::string::npos) words.erase(at, usual.size());
  }
  return words;
}

TEST(Torchrun, TheProgramRunsWithPythonUnlessItIsSaidOtherwise) {
  EXPECT_EQ(in_words("train.py --lr 1 -np 4"), "-np 1 -- python3 -u train.py --lr 1 -np 4");
  EXPECT_EQ(in_words("-m pkg.train x : y"), "-np 1 -- python3 -u -m pkg.train x : y");
  EXPECT_EQ(in_words("--no-python ./solver 1"), "-np 1 -- ./solver 1");
  EXPECT_EQ(in_words("--run_path --no_python /a/b.py"), "-np 1 -- python3 -u /a/b.py");
  Surroundings around = quiet_host();
  around.environment.emplace_back("PYTHON_EXEC=/opt/py");
  EXPECT_EQ(in_words("train.py", around), "-np 1 -- /opt/py -u train.py");
}

TEST(Torchrun, BothSpellingsMeanTheSame) {
  for (const char* line : {"--nproc_per_node 2 --max_restarts=3 a",
                           "--nproc-per-node=2 "
                           "--max-restarts 3 a"}) {
    EXPECT_EQ(in_words(line), "-np 2 --restarts 3 -- python3 -u a") << line;
  }
}

TEST(Torchrun, RanksByKind) {
  EXPECT_EQ(in_words("--nproc_per_node cpu a"), "-np 6 -- python3 -u a");
  EXPECT_EQ(in_words("--nproc_per_node auto a"), "-np 6 -- python3 -u a");
  Surroundings around = quiet_host();
  around.gpus = 4;
  EXPECT_EQ(in_words("--nproc_per_node auto a", around), "-np 4 -- python3 -u a");
  EXPECT_EQ(in_words("--nproc_per_node gpu a", around), "-np 4 -- python3 -u a");
  EXPECT_EQ(in_words("--nproc_per_node cpu a", around), "-np 6 -- python3 -u a");
}

TEST(Torchrun, OptionsFromTheEnvironmentGiveWayToTheLine) {
  Surroundings around = quiet_host();
  around.environment = {"PET_NPROC_PER_NODE=3", "PET_MAX_RESTARTS=1", "PET_NO_PYTHON=1",
                        "PET_MODULE=0",         "PET_ROLE=trainer",   "OMP_NUM_THREADS=1"};
  EXPECT_EQ(in_words("a", around), "-np 3 --restarts 1 -x ROLE_NAME=trainer -- a");
  EXPECT_EQ(in_words("--nproc-per-node 2 a", around),
            "-np 2 --restarts 1 -x ROLE_NAME=trainer -- a");
  around.environment = {"PET_NPROC_PER_NODE=three"};
  EXPECT_NE(in_words("a", around).find("--nproc-per-node three"), std::string::npos);
  around.environment = {"PET_MAX_RESTARTS=x"};
  EXPECT_EQ(in_words("a", around), "--max-restarts x: not a whole number (from PET_MAX_RESTARTS)");
  around.environment = {"PET_STANDALONE=yes"};
  EXPECT_EQ(in_words("a", around), "PET_STANDALONE=yes: it takes 0 or 1");
  around.environment = {"PET_START_METHOD=spawn"};
  EXPECT_NE(in_words("a", around).find("leave it out"), std::string::npos);
}

TEST(Torchrun, ThreadsAreOneWhereNobodyChose) {
  Surroundings around = quiet_host();
  around.environment = {};
  const auto several = torchrun("--nproc-per-node 2 a", around);
  ASSERT_TRUE(several.ok()) << several.error().message;
  EXPECT_NE(in_words("--nproc-per-node 2 a", around).find("-x OMP_NUM_THREADS=1"),
            std::string::npos);
  ASSERT_EQ(several->remarks.size(), 1U);
  EXPECT_EQ(several->remarks.front().find("OMP_NUM_THREADS is 1"), 0U);
  EXPECT_EQ(in_words("a", around), "-np 1 -- python3 -u a") << "one rank has the host to itself";
}

TEST(Torchrun, WhereRanksMeet) {
  EXPECT_EQ(in_words("--master_port 29501 --master_addr n1 a"),
            "-np 1 -x MASTER_ADDR=n1 -x MASTER_PORT=29501 -- python3 -u a");
  EXPECT_EQ(in_words("--rdzv-endpoint localhost:29501 a"),
            "-np 1 -x MASTER_ADDR=localhost -x MASTER_PORT=29501 -- python3 -u a");
  EXPECT_EQ(in_words("--rdzv-endpoint [::1]:29501 a"),
            "-np 1 -x MASTER_ADDR=::1 -x MASTER_PORT=29501 -- python3 -u a");
  const std::string c10d = "--rdzv-backend c10d --rdzv-conf timeout=900,is_host=1 a ";
  EXPECT_EQ(in_words("--rdzv-endpoint 10.0.0.1:0 " + c10d), "-np 1 -- python3 -u a");
  EXPECT_NE(in_words("--rdzv-id 42 a").find("-x TORCHELASTIC_RUN_ID=42"), std::string::npos);
  EXPECT_NE(in_words("--standalone a").find("-x TORCHELASTIC_RUN_ID=r7"), std::string::npos);
  const auto alone = torchrun("--standalone --rdzv-endpoint n9:1 a");
  ASSERT_TRUE(alone.ok()) << alone.error().message;
  EXPECT_EQ(alone->remarks.front(),
            "--rdzv-endpoint n9:1: --standalone decides that itself, as with torchrun");
}

TEST(Torchrun, TheLogFolderIsTheRunsOwn) {
  const auto made = torchrun("--nproc-per-node 2 --role w --log_dir logs --rdzv-id 7 -t 0:3 a");
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_NE(fmt::format("{}", fmt::join(made->words, " ")).find("--output-dir logs/7_r7 --"),
            std::string::npos);
  EXPECT_EQ(made->rules.tag, "[w${local_rank}]:");
  ASSERT_EQ(made->rules.streams.size(), 2U);
  EXPECT_EQ(made->rules.streams[0].error, StreamWay::tee);
  EXPECT_EQ(made->rules.streams[1].error, StreamWay::pass);
  EXPECT_EQ(in_words("-r 3 a"),
            "-np 1 --output-dir /scratch/torchelastic_r7/none_r7 -- python3 -u a");
  Surroundings around = quiet_host();
  around.environment.emplace_back("TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE=${role_name}/${rank}> ");
  EXPECT_EQ(torchrun("a", around)->rules.tag, "default/${rank}> ");
}

TEST(Torchrun, WhatCannotBeIsSaidInItsWords) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "which program?"},
      {"--nproc-per-node 0 a", "--nproc-per-node 0: it takes gpu, cpu, auto or a number"},
      {"--nproc-per-node 99999999999 a", "--nproc-per-node 99999999999: it takes"},
      {"--nproc-per-node gpu a", "no GPU is seen here"},
      {"--nnodes 2 a", "--nnodes 2: ranks are started on this host only"},
      {"--nnodes 1:4 a", "--nnodes 1:4: ranks"},
      {"--node-rank 1 a", "--node-rank 1: out of bounds"},
      {"--master_addr n2 a", "n2 is not this host"},
      {"--master_port 70000 a", "--master_port 70000: out of bounds"},
      {"--rdzv_backend etcd a", "it takes static, c10d"},
      {"--rdzv_backend c10d --rdzv_endpoint n2:29400 a", "n2 is not this host"},
      {"--rdzv_endpoint localhost:port a", "it takes HOST:PORT"},
      {"--rdzv_conf tmeout=3 a", "\"tmeout=3\" has no meaning for one host"},
      {"--rdzv_conf timeout=soon a", "\"timeout=soon\" has no meaning"},
      {"--rdzv_id a/b --log_dir d a", "takes no /"},
      {"--max_restarts -1 a", "--max_restarts -1: out of bounds"},
      {"-m --no_python a", "exclude each other"},
      {"--monitor_interval 5 a", "--monitor-interval: not here"},
      {"--start_method=fork a", "--start-method: not here"},
      {"-r 4 a", "--redirects 4: it takes 0 (none)"},
      {"-t 1:3 a", "--tee 1:3: there is no local rank 1"},
      {"--local_ranks_filter 1 a", "--local-ranks-filter 1: it takes local ranks from 0 to 0"},
      {"--nproc_per_nod 2 a", "did you mean --nproc_per_node?"},
  };
  for (const auto& [line, words] : cases) {
    EXPECT_NE(in_words(line).find(words), std::string::npos) << line << ": " << in_words(line);
  }
}

TEST(Torchrun, TheHelpPageHasEachOption) {
  const auto made = torchrun("--help");
  ASSERT_TRUE(made.ok());
  TorchrunSettings settings;
  for (const Flag& flag : settings.flags()) {
    EXPECT_NE(made->help.find(last_name(flag.names)), std::string::npos) << flag.names;
  }
  EXPECT_NE(made->help.find("--monitor-interval"), std::string::npos);
}

}  // namespace
}  // namespace ringmaster::launcher
