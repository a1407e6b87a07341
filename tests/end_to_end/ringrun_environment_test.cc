// SPDX-License-Identifier: Apache-2.0
//
// What a rank finds: its variables, the launcher's own unchanged, standard input, a free port.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "launcher/mapping/bind_ranks.h"
#include "tests/end_to_end/program.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {
namespace {

/// What `env -0` wrote.
std::map<std::string, std::string> variables_in(const std::string& path) {
  std::map<std::string, std::string> variables;
  std::istringstream text(read_text(path));
  for (std::string line; std::getline(text, line, '\0');) {
    const auto sign = line.find('=');
    variables[line.substr(0, sign)] = line.substr(sign + 1);
  }
  return variables;
}

std::vector<std::string> sorted_lines(const std::string& text) {
  auto lines = lines_of(text);
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST(RingrunEnvironment, EachRankHasItsVariables) {
  TemporaryFolder folder;
  const Ended ended =
      run_shell("ringrun -np 3 sh -c 'exec env -0 > $HERE/$RANK'", {"HERE=" + folder.path()});
  ASSERT_EQ(ended.exit_code, 0) << ended.error;
  std::string port;
  for (const std::string rank : {"0", "1", "2"}) {
    auto found = variables_in(folder.file(rank));
    EXPECT_EQ(found["RANK"], rank);
    EXPECT_EQ(found["LOCAL_RANK"], rank);
    EXPECT_EQ(found["WORLD_SIZE"], "3");
    EXPECT_EQ(found["LOCAL_WORLD_SIZE"], "3");
    EXPECT_EQ(found["MASTER_ADDR"], "127.0.0.1");
    if (port.empty()) port = found["MASTER_PORT"];
    EXPECT_EQ(found["MASTER_PORT"], port);
    EXPECT_GT(std::atoi(port.c_str()), 1023);
  }
}

TEST(RingrunEnvironment, BoundRanksRunWhereTheDryRunSays) {
  const Ended dry = run_shell("ringrun -np 3 --bind core --dry-run --json true");
  ASSERT_EQ(dry.exit_code, 0) << dry.error;
  const auto plan = nlohmann::json::parse(dry.output);
  const Ended ended = run_shell(
      "ringrun -np 3 --bind core "
      "sh -c 'echo $RANK $(sed -n \"s/^Cpus_allowed_list:.//p\" /proc/self/status)'");
  ASSERT_EQ(ended.exit_code, 0) << ended.error;
  const auto lines = sorted_lines(ended.output);
  ASSERT_EQ(lines.size(), 3U);
  for (std::size_t rank = 0; rank < lines.size(); ++rank) {
    const auto cores = plan["ranks"][rank]["cores"].get<std::vector<int>>();
    EXPECT_EQ(lines[rank].substr(2), launcher::mapping::numbers_text(cores));
    EXPECT_FALSE(cores.empty());
  }
}

TEST(RingrunEnvironment, AJobInAJobSeesItsOwnVariables) {
  const Ended ended = run_shell(
      "ringrun -np 2 ringrun -np 3 sh -c 'echo $RANK $LOCAL_RANK $WORLD_SIZE $LOCAL_WORLD_SIZE'",
      {"RANK=77", "WORLD_SIZE=78"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  const std::vector<std::string> expected = {"0 0 3 3", "0 0 3 3", "1 1 3 3",
                                             "1 1 3 3", "2 2 3 3", "2 2 3 3"};
  EXPECT_EQ(sorted_lines(ended.output), expected);
}

TEST(RingrunEnvironment, ValuesAndArgumentsPassByteForByte) {
  TemporaryFolder folder;
  const std::string odd = "one\ntwo\r\n\t\"'\\ $HOME `id` \u00fc\u20ac \xff=\x01 ";
  const std::string large(100000, 'x');
  Program program({"ringrun", "-np", "2", "sh", "-c", "exec env -0 > \"$HERE/$RANK\"; exit 9"},
                  {"HERE=" + folder.path(), "ODD=" + odd, "LARGE=" + large, "EMPTY="});
  const Ended ended = program.wait();
  ASSERT_EQ(ended.exit_code, 0) << ended.error;
  for (const std::string rank : {"0", "1"}) {
    auto found = variables_in(folder.file(rank));
    EXPECT_EQ(found["ODD"], odd);
    EXPECT_EQ(found["LARGE"], large);
    EXPECT_EQ(found.count("EMPTY"), 1u);
  }
  EXPECT_TRUE(program.leaves_nothing());
  const Ended printed = run_program({"ringrun", "-np", "1", "printf", "%s|", odd, "", "-np", "--"});
  EXPECT_EQ(printed.output, odd + "||-np|--|");
}

TEST(RingrunEnvironment, StandardInputReachesRankZeroOnly) {
  TemporaryFolder folder;
  std::string input;
  for (int line = 0; line < 30000; ++line) input += "line " + std::to_string(line) + "\n";
  write_text(folder.file("input"), input);
  const std::string ranks = "ringrun -np 3 sh -c 'exec cat > $HERE/$RANK'";
  for (const std::string& script : {ranks + " < $HERE/input", "cat $HERE/input | " + ranks}) {
    SCOPED_TRACE(script);
    const Ended ended = run_shell(script, {"HERE=" + folder.path()});
    EXPECT_EQ(ended.exit_code, 0) << ended.error;
    EXPECT_TRUE(read_text(folder.file("0")) == input);
    EXPECT_EQ(read_text(folder.file("1")) + read_text(folder.file("2")), "");
  }
}

TEST(RingrunEnvironment, ClosedStandardStreamsAreNoTrap) {
  TemporaryFolder folder;
  const Ended ended = run_shell("ringrun -np 2 sh -c 'exec cat > $HERE/$RANK' <&- >&- 2>&-",
                                {"HERE=" + folder.path()});
  EXPECT_TRUE(ended.exit_code == 0 || ended.exit_code == 1) << ended.exit_code;
  EXPECT_EQ(read_text(folder.file("0")) + read_text(folder.file("1")), "");
}

constexpr const char* kMeet = R"(
import os, socket, time
rank, address = os.environ["RANK"], ("127.0.0.1", int(os.environ["MASTER_PORT"]))
if rank == "0":
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(address)
    server.listen()
    for turn in range(int(os.environ["WORLD_SIZE"]) - 1):
        print("met", server.accept()[0].recv(10).decode())
else:
    for turn in range(2000):
        try:
            client = socket.create_connection(address)
            break
        except ConnectionRefusedError:
            time.sleep(0.01)
    client.sendall(rank.encode())
)";

TEST(RingrunEnvironment, RankZeroCanListenOnTheMasterPort) {
  if (run_shell("python3 -c 'import socket'").exit_code != 0) GTEST_SKIP() << "python3 is absent";
  const Ended ended = run_program({"ringrun", "-np", "3", "python3", "-c", kMeet});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  const std::vector<std::string> expected = {"met 1", "met 2"};
  EXPECT_EQ(sorted_lines(ended.output), expected);
}

}  // namespace
}  // namespace ringmaster::tests
