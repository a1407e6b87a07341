// SPDX-License-Identifier: Apache-2.0
//
// Too few descriptors, no shared memory folder, damaged data, a full disk: said once, whatever the
// number of ranks, and the job ends with the exit code of the failure.
#include <gtest/gtest.h>

#include <filesystem>

#include "launcher/exit_codes.h"
#include "tests/end_to_end/program.h"
#include "tests/end_to_end/text.h"
#include "tests/end_to_end/training_data.h"

namespace ringmaster::tests {
namespace {

TEST(BadSurroundings, FewOpenFilesAreEnoughOrSaid) {
  EXPECT_EQ(run_shell("ulimit -n 64; ringrun -np 4 true").exit_code, 0);
  const Ended ended =
      run_shell("ulimit -n 64; ringrun -np 32 touch $HERE/started", {"HERE=" + data_folder()});
  EXPECT_EQ(ended.exit_code, launcher::kExitTooFew);
  EXPECT_EQ(lines_of(ended.error).size(), 1u) << ended.error;
  EXPECT_TRUE(contains(ended.error, "ulimit -n")) << ended.error;
  EXPECT_FALSE(std::filesystem::exists(data_folder() + "/started"));
}

TEST(BadSurroundings, TheLimitOfTheRanksIsTheUsers) {
  const Ended ended = run_shell("ulimit -Sn 64; ringrun -np 16 sh -c 'ulimit -n' | sort -u");
  EXPECT_EQ(ended.output, "64\n") << ended.error;
}

TEST(BadSurroundings, TheFolderForSharedMemoryIsNotNeeded) {
  const std::string in_a_world_with = "unshare -rm sh -c '";
  if (run_shell(in_a_world_with + "mount -t tmpfs -o size=4k none /dev/shm'").exit_code != 0) {
    GTEST_SKIP() << "this user may not mount in a namespace of its own";
  }
  const std::string job = "ringrun -np 4 --elastic 2:4 elastic-c 200'";
  for (const std::string& mount :
       {std::string("mount -t tmpfs -o size=4k none /dev/shm; "),
        std::string("mount -t tmpfs none /dev && mknod /dev/null c 1 3; : > /dev/null; ")}) {
    const Ended ended = run_shell(in_a_world_with + mount + job);
    EXPECT_EQ(ended.exit_code, 0) << ended.error;
    EXPECT_TRUE(contains(ended.output, "y = 3.0000 x + 1.0000") ||
                contains(ended.output, "after 200 steps"))
        << ended.output << ended.error;
  }
}

TEST(BadSurroundings, AFolderForTemporaryFilesIsNotNeeded) {
  for (const char* folder : {"/no/such/folder", "/proc", ""}) {
    const Ended ended =
        run_shell("ringrun -np 2 sh -c 'echo $TMPDIR.'", {std::string("TMPDIR=") + folder});
    EXPECT_EQ(ended.exit_code, 0) << ended.error;
    EXPECT_EQ(ended.output, std::string(folder) + ".\n" + folder + ".\n");
  }
}

/// The trainer alone, under ringrun, and elastic: what is wrong is said in one line each time.
void expect_said_once(const std::string& arguments, int exit_code, const std::string& said) {
  const std::string train = "ringmaster-train --model tiny " + arguments;
  for (const std::string& script :
       {train, "ringrun -np 4 " + train, "ringrun -np 4 --elastic 2:4 " + train}) {
    SCOPED_TRACE(script);
    const Ended ended = run_shell(script, {"DATA=" + data_folder()});
    EXPECT_EQ(ended.exit_code, exit_code) << ended.error;
    int times = 0;
    for (const std::string& line : lines_of(ended.error)) times += contains(line, said) ? 1 : 0;
    EXPECT_EQ(times, 1) << ended.error;
    EXPECT_EQ(ended.output, "");
  }
}

TEST(BadSurroundings, AnUnknownFlagOfTheTrainer) {
  expect_said_once("--epoch 3", 2, "did you mean --epochs?");
  expect_said_once("--batch x", 2, "--batch x");
}

TEST(BadSurroundings, MetricsThatCannotBeWritten) {
  expect_said_once("--data $DATA --metrics /no/such/folder/m.jsonl", 1, "/no/such/folder/m.jsonl");
  expect_said_once("--data $DATA --metrics $DATA", 1, "Is a directory");
}

TEST(BadSurroundings, ADiskThatIsFull) {
  const std::string train = "ringmaster-train --model tiny --data $DATA --metrics /dev/full";
  // An elastic job does not start the ranks anew for an error that each of them would repeat.
  for (const std::string& script :
       {train, "ringrun -np 4 " + train, "ringrun -np 4 --elastic 2:4 " + train}) {
    const Ended ended = run_shell(script, {"DATA=" + data_folder()});
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_TRUE(contains(ended.error, "/dev/full: No space left on device")) << ended.error;
    EXPECT_EQ(lines_with(ended.error, "ringrun: failed").size(), script == train ? 0u : 1u);
  }
}

TEST(BadSurroundings, DataThatIsAbsentShortOrDamaged) {
  expect_said_once("--data /no/such/folder", 1, "/no/such/folder/train-");
  const std::string names[] = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                               "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};
  for (const std::string& damaged : names) {
    TemporaryFolder folder;
    for (const std::string& name : names) {
      write_text(folder.file(name), read_text(data_folder() + "/" + name));
    }
    const std::string whole = read_text(folder.file(damaged));
    write_text(folder.file(damaged), whole.substr(0, whole.size() - 1));
    expect_said_once("--data " + folder.path(), 1, damaged);
    for (const char* text : {"this is no data set", ""}) {
      write_text(folder.file(damaged), text);
      const Ended ended =
          run_program({"ringmaster-train", "--model", "tiny", "--data", folder.path()});
      EXPECT_EQ(ended.exit_code, 1) << ended.error;
      EXPECT_TRUE(contains(ended.error, damaged)) << ended.error;
    }
  }
}

}  // namespace
}  // namespace ringmaster::tests
