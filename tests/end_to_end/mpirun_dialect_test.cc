// SPDX-License-Identifier: Apache-2.0
//
// Who types mpirun's words at ringrun gets what mpirun gives. Where Open MPI's own is installed,
// both run the same lines.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/end_to_end/program.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {
namespace {

using Words = std::vector<std::string>;

/// Open MPI's mpirun; "" where it is not.
std::string real_mpirun() {
  static const std::string found = [] {
    const Ended asked = run_shell("mpirun --version 2>/dev/null");
    return contains(asked.output, "Open MPI") ? "mpirun" : "";
  }();
  return found;
}

Ended as_mpirun(Words words) {
  words.insert(words.begin(), {"ringrun", "--as", "mpirun"});
  return run_program(words);
}

/// It waits where nobody reads its input, and refuses to run as root in words of its own.
Ended with_real(Words words) {
  words.insert(words.begin(), {real_mpirun(), "--allow-run-as-root", "--oversubscribe"});
  return run_program(words);
}

std::string in_order(const std::string& text) {
  Words lines = lines_of(text);
  std::sort(lines.begin(), lines.end());
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return all;
}

TEST(MpirunDialect, EndsWithTheCodeThatMpirunEndsWith) {
  const std::pair<const char*, int> endings[] = {
      {"exit 3", 3},
      {"[ $OMPI_COMM_WORLD_RANK = 1 ] && exit 7; exec sleep 1000", 7},
      {"[ $OMPI_COMM_WORLD_RANK = 1 ] && kill -6 $$; exec sleep 1000", 134}};
  for (const auto& [script, code] : endings) {
    const Words words = {"-np", "2", "sh", "-c", script};
    Words more = words;
    more.insert(more.begin(), "--oversubscribe");
    EXPECT_EQ(as_mpirun(more).exit_code, code) << script;
    if (real_mpirun().empty()) continue;
    EXPECT_EQ(with_real(words).exit_code, code) << script;
  }
}

TEST(MpirunDialect, TheTimeLimitGives110) {
  EXPECT_EQ(as_mpirun({"-np", "1", "--timeout", "1", "sleep", "1000"}).exit_code, 110);
}

TEST(MpirunDialect, RanksFindWhatTheLineSaysAndWriteWhatMpirunShows) {
  TemporaryFolder folder;
  const Words lines[] = {
      {"--mca", "made_up", "a b", "-x", "MINE=1", "-np", "2", "sh", "-c",
       "echo $OMPI_COMM_WORLD_RANK $OMPI_MCA_made_up $MINE"},
      {"--wdir", folder.path(), "-np", "1", "pwd"},
      {"--tag-output", "-np", "2", "echo", "hi"},
      {"--tag-output", "--merge-stderr-to-stdout", "-np", "1", "sh", "-c", "echo e; echo f"},
      {"-np", "1", "-x", "A=1", "sh", "-c", "echo first $A", ":", "-np", "1", "-x", "A=2", "sh",
       "-c", "echo second $A"}};
  for (Words words : lines) {
    words.insert(words.begin(), "--oversubscribe");
    const Ended ours = as_mpirun(words);
    EXPECT_EQ(ours.exit_code, 0) << ours.error;
    EXPECT_NE(ours.output, "");
    if (real_mpirun().empty()) continue;
    words.erase(words.begin());
    EXPECT_EQ(in_order(ours.output), in_order(with_real(words).output)) << words.front();
  }
  const Ended merged =
      as_mpirun({"--merge-stderr-to-stdout", "-np", "1", "sh", "-c", "echo said >&2"});
  EXPECT_EQ(merged.output, "said\n");
}

/// Paths and contents of the files below the folder.
std::string files_in(const std::string& folder) {
  Words found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string path = entry.path().string();
    found.push_back(path.substr(folder.size()) + ": " + read_text(path));
  }
  std::sort(found.begin(), found.end());
  std::string all;
  for (const std::string& file : found) all += file;
  return all;
}

TEST(MpirunDialect, FilesLieWhereMpirunPutsThem) {
  TemporaryFolder ours, theirs;
  const Words command = {"-np", "2", "sh", "-c",
                         "echo out $OMPI_COMM_WORLD_RANK; echo err $OMPI_COMM_WORLD_RANK >&2"};
  Words words = {"--oversubscribe", "--output-filename", ours.path()};
  words.insert(words.end(), command.begin(), command.end());
  EXPECT_EQ(as_mpirun(words).exit_code, 0);
  EXPECT_EQ(files_in(ours.path()),
            "/1/rank.0/stderr: err 0\n/1/rank.0/stdout: out 0\n"
            "/1/rank.1/stderr: err 1\n/1/rank.1/stdout: out 1\n");
  if (real_mpirun().empty()) return;
  words = {"--output-filename", theirs.path()};
  words.insert(words.end(), command.begin(), command.end());
  EXPECT_EQ(with_real(words).exit_code, 0);
  EXPECT_EQ(files_in(ours.path()), files_in(theirs.path()));
}

TEST(MpirunDialect, RanksAreAsManyAsCoresAndNoMore) {
  const Ended all = as_mpirun({"sh", "-c", "echo $OMPI_COMM_WORLD_SIZE"});
  EXPECT_EQ(all.exit_code, 0) << all.error;
  const auto cores = lines_of(all.output).size();
  ASSERT_GE(cores, 1U);
  EXPECT_EQ(lines_of(all.output).front(), std::to_string(cores));
  const std::string more = std::to_string(cores + 1);
  const Ended refused = as_mpirun({"-np", more, "true"});
  EXPECT_EQ(refused.exit_code, 94);
  EXPECT_TRUE(contains(refused.error, "--oversubscribe")) << refused.error;
  EXPECT_EQ(as_mpirun({"--oversubscribe", "-np", more, "true"}).exit_code, 0);
  EXPECT_EQ(as_mpirun({"-np", "2", "-H", "localhost:1", "true"}).exit_code, 94);
}

TEST(MpirunDialect, ALinkOfThatNameIsEnough) {
  TemporaryFolder folder;
  for (const char* name : {"mpirun", "mpiexec"}) {
    std::filesystem::create_symlink(built("ringrun"), folder.file(name));
    const Ended ended = run_program({folder.file(name), "-n", "1", "--mca", "made_up", "x", "sh",
                                     "-c", "echo $OMPI_MCA_made_up"});
    EXPECT_EQ(ended.output, "x\n") << ended.error;
  }
}

TEST(MpirunDialect, TheMapIsShownBeforeOrInsteadOfTheStart) {
  const Ended shown = as_mpirun({"--display-map", "-np", "1", "echo", "ran"});
  EXPECT_TRUE(contains(shown.output, "rank 0 on ") && contains(shown.output, "ran\n"))
      << shown.output;
  const Ended dry = as_mpirun({"--display-map", "--do-not-launch", "-np", "1", "echo", "ran"});
  EXPECT_TRUE(contains(dry.output, "rank 0 on ") && !contains(dry.output, "\nran\n")) << dry.output;
}

TEST(MpirunDialect, WhatItDoesNotTakeIsSaidInOneLine) {
  const std::pair<Words, const char*> cases[] = {
      {{"--map-by", "socket", "true"}, "--map-by socket"},
      {{"--bynode", "true"}, "use --map-by node"},
      {{"--oversubscribee", "true"}, "did you mean --oversubscribe?"},
      {{"-np", "2"}, "which program?"},
      {{"-np", "abc", "true"}, "-np abc"}};
  for (const auto& [words, part] : cases) {
    const Ended ended = as_mpirun(words);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(lines_of(ended.error).size(), 1U) << ended.error;
    EXPECT_TRUE(contains(ended.error, part)) << ended.error;
  }
}

}  // namespace
}  // namespace ringmaster::tests
