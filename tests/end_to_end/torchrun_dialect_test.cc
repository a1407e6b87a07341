// SPDX-License-Identifier: Apache-2.0
//
// Who types torchrun's words at ringrun gets what torchrun gives. Where torchrun is installed, both
// run the same lines. Debian's 1.13 fails on most values of --redirects and --tee; "-r 2 -t 1" it
// takes.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "tests/end_to_end/program.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kNoThreads = "OMP_NUM_THREADS=1";  // or a line says that it was chosen

Ended as_torchrun(Words words, Words variables = {kNoThreads}) {
  words.insert(words.begin(), {"ringrun", "--as", "torchrun"});
  return run_program(words, variables);
}

/// A shell script for each rank.
Words script(const std::string& ranks, const std::string& text) {
  return {"--nproc-per-node", ranks, "--no-python", "sh", "-c", text};
}

TEST(TorchrunDialect, AnyFailureEndsWith1AndABlockThatNamesIt) {
  const std::pair<const char*, const char*> endings[] = {
      {"[ $RANK = 1 ] && exit 3; exec sleep 1000", "exitcode  : 3 (pid: "},
      {"[ $RANK = 1 ] && kill -9 $$; exec sleep 1000", "exitcode  : -9 (pid: "}};
  for (const auto& [text, code] : endings) {
    const Ended ended = as_torchrun(script("2", text));
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_EQ(lines_with(ended.error, "  rank      : ").size(), 1U) << ended.error;
    for (const std::string part : {"sh FAILED\n", "Failures:\n  <NO_OTHER_FAILURES>\n",
                                   "Root Cause (first observed failure):\n[0]:\n  time      : ",
                                   "  rank      : 1 (local_rank: 1)\n", code}) {
      EXPECT_TRUE(contains(ended.error, part)) << part << ended.error;
    }
  }
  EXPECT_EQ(as_torchrun(script("2", "exit 0")).error, "");
  EXPECT_EQ(as_torchrun({"--no-python", "no-such-program"}).exit_code, 1);
}

TEST(TorchrunDialect, WhatARankRecordedIsInTheBlockAndItsFileInTheLogFolder) {
  TemporaryFolder folder;
  Words words = {
      "--log_dir", folder.file("logs"), "--rdzv-id", "job7", "--role", "trainer", "-r", "2", "-t",
      "1"};
  const Words command = script(
      "2",
      "echo out $ROLE_NAME $TORCHELASTIC_RUN_ID; echo err >&2; [ $RANK = 0 ] && exec sleep 1000;"
      "sleep 0.2; echo '{\"message\": {\"message\": \"ValueError: bad\", \"extraInfo\": "
      "{\"py_callstack\": \"Traceback: here\", \"timestamp\": \"1700000000\"}}}' "
      "> $TORCHELASTIC_ERROR_FILE; exit 1");
  words.insert(words.end(), command.begin(), command.end());
  const Ended ended = as_torchrun(words);
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(lines_with(ended.output, "[trainer").size(), 2U) << ended.output;
  EXPECT_TRUE(contains(ended.output, "[trainer1]:out trainer job7\n")) << ended.output;
  EXPECT_EQ(lines_with(ended.error, "err").size(), 0U) << ended.error;
  Words runs;
  for (const auto& entry : std::filesystem::directory_iterator(folder.file("logs"))) {
    runs.push_back(entry.path().string());
  }
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_TRUE(contains(runs.front(), "/job7_")) << runs.front();
  const std::string rank = runs.front() + "/attempt_0/1";
  EXPECT_EQ(read_text(rank + "/stdout.log"), "out trainer job7\n");
  EXPECT_EQ(read_text(rank + "/stderr.log"), "err\n");
  EXPECT_TRUE(contains(ended.error, "  error_file: " + rank + "/error.json\n")) << ended.error;
  EXPECT_TRUE(contains(ended.error, "  traceback : Traceback: here\n")) << ended.error;
}

TEST(TorchrunDialect, EachAttemptHasAFolder) {
  TemporaryFolder folder;
  Words words = {"--max-restarts", "1", "--log-dir", folder.path(), "-r", "3"};
  const Words command = script("1", "echo $TORCHELASTIC_RESTART_COUNT; exit 1");
  words.insert(words.end(), command.begin(), command.end());
  EXPECT_EQ(as_torchrun(words).exit_code, 1);
  const std::string run = std::filesystem::directory_iterator(folder.path())->path().string();
  EXPECT_EQ(read_text(run + "/attempt_0/0/stdout.log"), "0\n");
  EXPECT_EQ(read_text(run + "/attempt_1/0/stdout.log"), "1\n");
}

TEST(TorchrunDialect, OptionsComeFromTheEnvironmentToo) {
  const Ended ended = as_torchrun(
      {"sh", "-c", "echo $RANK/$WORLD_SIZE $MASTER_PORT $OMP_NUM_THREADS $RINGMASTER_RESTART"},
      {"PET_NPROC_PER_NODE=2", "PET_NO_PYTHON=1", "PET_MASTER_PORT=29517"});
  Words lines = lines_of(ended.output);
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(lines, (Words{"0/2 29517 1 0", "1/2 29517 1 0"}));
  EXPECT_EQ(lines_with(ended.error, "ringrun: OMP_NUM_THREADS is 1").size(), 1U) << ended.error;
}

TEST(TorchrunDialect, ALinkOfThatNameIsEnoughAndPythonRunsTheScript) {
  TemporaryFolder folder;
  std::filesystem::create_symlink(built("ringrun"), folder.file("torchrun"));
  write_text(folder.file("python"), "#!/bin/sh\necho python $*\n");
  std::filesystem::permissions(folder.file("python"), std::filesystem::perms::owner_all);
  const Ended ended = run_program({folder.file("torchrun"), "-m", "pkg.train", "--lr", "1"},
                                  {"PYTHON_EXEC=" + folder.file("python")});
  EXPECT_EQ(ended.output, "python -u -m pkg.train --lr 1\n") << ended.error;
}

TEST(TorchrunDialect, ATermEndsWith1AndLeavesNothing) {
  Words words = script("2", "trap 'exit 0' TERM; echo up; while :; do sleep 0.05; done");
  words.insert(words.begin(), {"ringrun", "--as", "torchrun"});
  Program program(words);
  ASSERT_TRUE(program.wait_for_output("up\n", 2));
  program.signal(SIGTERM);
  EXPECT_EQ(program.wait().exit_code, 1);
  EXPECT_TRUE(program.leaves_nothing());
}

/// What a launcher leaves in the log folder of two ranks, of which one fails: the files' names.
Words files_of_run(const Words& launcher, const std::string& folder, Ended* ended) {
  Words words = launcher;
  const Words options = {"--log_dir",
                         folder,
                         "-r",
                         "2",
                         "-t",
                         "1",
                         "--no_python",
                         "--nproc_per_node",
                         "2",
                         "sh",
                         "-c",
                         "[ $RANK = 0 ] && exec sleep 1000; echo out; echo err >&2;"
                         "echo '{\"message\": \"bad\", \"timestamp\": 1700000000}' "
                         "> $TORCHELASTIC_ERROR_FILE; exit 4"};
  words.insert(words.end(), options.begin(), options.end());
  *ended = run_program(words, {kNoThreads});
  Words files;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (entry.is_regular_file()) files.push_back(path.substr(path.find("/attempt_")));
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(TorchrunDialect, LeavesTheFilesThatTorchrunLeaves) {
  TemporaryFolder folder;
  Ended ours, theirs;
  const Words own = files_of_run({"ringrun", "--as", "torchrun"}, folder.file("ours"), &ours);
  EXPECT_EQ(own,
            (Words{"/attempt_0/0/stderr.log", "/attempt_0/0/stdout.log", "/attempt_0/1/error.json",
                   "/attempt_0/1/stderr.log", "/attempt_0/1/stdout.log"}));
  EXPECT_EQ(ours.exit_code, 1);
  const Words real = files_of_run({"sh", "-c", "exec torchrun --monitor_interval 0.1 \"$@\"", "-"},
                                  folder.file("theirs"), &theirs);
  const bool ran = contains(theirs.error, "Root Cause");
  if (!ran) GTEST_SKIP() << "no torchrun that runs";
  EXPECT_EQ(theirs.exit_code, 1);
  EXPECT_EQ(own, real);
  EXPECT_EQ(ours.output, theirs.output);
  EXPECT_EQ(lines_with(ours.error, "  exitcode  : 4 (pid: ").size(),
            lines_with(theirs.error, "  exitcode  : 4 (pid: ").size());
  EXPECT_EQ(lines_with(ours.error, "  time "), lines_with(theirs.error, "  time "))
      << "the moment that the rank has recorded";
}

TEST(TorchrunDialect, WhatItDoesNotTakeIsSaidInOneLine) {
  const std::pair<Words, const char*> cases[] = {
      {{"--nnodes", "2", "a.py"}, "--nnodes 2"},
      {{"--nproc_per_node", "many", "a.py"}, "--nproc-per-node many"},
      {{"--monitor-interval", "1", "a.py"}, "leave it out"},
      {{"--rdzv-endpoint", "no-such-host.example:1", "a.py"}, "is not this host"},
      {{"--nproc", "2", "a.py"}, "unknown option --nproc"},
      {{}, "which program?"}};
  for (const auto& [words, part] : cases) {
    const Ended ended = as_torchrun(words);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(lines_of(ended.error).size(), 1U) << ended.error;
    EXPECT_TRUE(contains(ended.error, part)) << ended.error;
  }
}

}  // namespace
}  // namespace ringmaster::tests
