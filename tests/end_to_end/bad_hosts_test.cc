// SPDX-License-Identifier: Apache-2.0
//
// Host lists that cannot be used: one line with file, line and entry, an exit code of their own,
// and never a start on this host instead.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "launcher/exit_codes.h"
#include "tests/end_to_end/program.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {
namespace {

class BadHosts : public testing::Test {
 protected:
  BadHosts() {
    write_text(folder_.file("empty"), "");
    write_text(folder_.file("comments"), "# n1\n   # slots\n\n");
    write_text(folder_.file("typo"), "n1 slots=2\nn2 slot=2\n");
    write_text(folder_.file("dash"), "-n1\n");
    write_text(folder_.file("two"), "localhost slots=2\n");
    write_text(folder_.file("gap"), "rank 0=localhost\nrank 2=localhost\n");
    write_text(folder_.file("core"), "rank 0=localhost slot=9999\n");
    write_text(folder_.file("secret"), "localhost\n");
    std::filesystem::permissions(folder_.file("secret"), std::filesystem::perms::none);
  }

  /// Runs it in the folder of the files. Nothing may have been started.
  void expect_refused(const std::string& arguments, int exit_code,
                      const std::vector<std::string>& said) {
    SCOPED_TRACE(arguments);
    const std::string script = "cd " + folder_.path() + "; exec ringrun ";
    const Ended ended = run_shell(script + arguments + " touch started");
    EXPECT_EQ(ended.exit_code, exit_code) << ended.error;
    EXPECT_EQ(ended.output, "");
    ASSERT_EQ(lines_of(ended.error).size(), 1U) << ended.error;
    EXPECT_EQ(ended.error.find("ringrun: "), 0U) << ended.error;
    for (const auto& part : said) EXPECT_TRUE(contains(ended.error, part)) << ended.error;
    EXPECT_FALSE(std::filesystem::exists(folder_.file("started")));
  }

  TemporaryFolder folder_;
};

TEST_F(BadHosts, FilesThatCannotBeUsed) {
  const int code = launcher::kExitHostList;
  expect_refused("--hostfile missing", code, {"missing: No such file or directory"});
  expect_refused("--hostfile ''", code, {"No such file or directory", "--hostfile"});
  expect_refused("--hostfile .", code, {".: Is a directory"});
  expect_refused("--hostfile empty", code, {"empty: ", "names no host"});
  expect_refused("-hostfile comments", code, {"names no host", "never means this machine"});
  expect_refused("-f typo", code, {"typo:2: \"n2 slot=2\"", "slots="});
  expect_refused("--machinefile dash", code, {"dash:1: \"-n1\""});
  expect_refused("--hostfile two --hostfile typo", code, {"two", "give one"});
  expect_refused("--hostfile-format pbs", code, {"there is no hostfile"});
  expect_refused("--hostfile two --hostfile-format sge", code, {"two:1"});
  expect_refused("--rankfile gap", code, {"gap:2", "rank 1 has no line"});
  expect_refused("--rankfile missing", code, {"missing: No such file or directory"});
}

TEST_F(BadHosts, AFileThatMayNotBeRead) {
  // Root reads everything.
  const std::string as_nobody = geteuid() == 0 ? "setpriv --reuid 65534 --clear-groups " : "";
  const std::string file = folder_.file("secret");
  const Ended ended = run_shell("exec " + as_nobody + "ringrun --hostfile " + file + " true");
  EXPECT_EQ(ended.exit_code, launcher::kExitHostList);
  EXPECT_EQ(ended.error, "ringrun: " + file +
                             ": Permission denied (--hostfile takes a file that can be read)\n");
}

TEST_F(BadHosts, ListsOnTheCommandLine) {
  const int code = launcher::kExitHostList;
  expect_refused("-H ''", code, {"-H", "names no host"});
  expect_refused("-H -n1", code, {"-H: \"-n1\""});
  expect_refused("-H localhost:2 -H localhost:4", code, {"localhost:4", "another -H"});
  expect_refused("-H localhost:99999999999", code, {"localhost:99999999999"});
  expect_refused("-H kim@localhost:22", code, {"port or a number of slots", "port=2222"});
  expect_refused("-H n9 --hostfile two", code, {"-H: \"n9\"", "two"});
}

TEST_F(BadHosts, MoreRanksThanSlots) {
  const int code = launcher::kExitTooFew;
  expect_refused("-np 20 --hostfile two", code, {"20 ranks", "2 slots", "--oversubscribe"});
  expect_refused("-np 2 -H localhost", code, {"2 ranks", "1 slot", "--oversubscribe"});
  expect_refused("-np 1 -c 1024", code, {"1024 cores", "--oversubscribe"});
  expect_refused("--rankfile core", 2, {"9999", "a core is a whole number"});
  EXPECT_EQ(
      run_shell("cd " + folder_.path() + "; ringrun -np 20 --hostfile two --oversubscribe true")
          .exit_code,
      0);
}

TEST_F(BadHosts, AsJsonWithTheirPlace) {
  const Ended ended =
      run_shell("cd " + folder_.path() + "; ringrun --json --hostfile typo touch started");
  EXPECT_EQ(ended.exit_code, launcher::kExitHostList);
  const auto json = nlohmann::json::parse(ended.error, nullptr, false);
  ASSERT_TRUE(json.contains("error")) << ended.error;
  EXPECT_EQ(json["error"]["file"], "typo");
  EXPECT_EQ(json["error"]["line"], 2);
  EXPECT_EQ(json["error"]["entry"], "n2 slot=2");
}

TEST_F(BadHosts, CodesAreInTheHelp) {
  const Ended help = run_shell("ringrun --help");
  for (const int code : {launcher::kExitTooFew, launcher::kExitHostList, launcher::kExitOtherHosts,
                         launcher::kExitTimeout}) {
    EXPECT_TRUE(contains(help.output, std::to_string(code) + " ")) << code;
  }
}

}  // namespace
}  // namespace ringmaster::tests
