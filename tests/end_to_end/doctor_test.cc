// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster doctor` on this very host, after something of it was really made worse for a child.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/program.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {
namespace {

/// The worst level of the check, with what was seen: "problem: 512 open files ..".
std::string worst_said(const Ended& ended, const std::string& check) {
  const std::vector<std::string> levels = {"ok", "unknown", "note", "warning", "problem"};
  const auto json = nlohmann::json::parse(ended.output, nullptr, false);
  if (json.is_discarded()) return "no JSON: " + ended.output + ended.error;
  EXPECT_EQ(ended.exit_code, json["worst"] == "problem" ? 1 : 0);
  std::ptrdiff_t worst = -1;
  std::string text = "no such check";
  for (const auto& finding : json["findings"]) {
    if (finding["check"] != check) continue;
    const std::string level = finding["level"];
    const auto rank = std::find(levels.begin(), levels.end(), level) - levels.begin();
    if (rank <= worst) continue;
    worst = rank;
    text = level + ": " + finding["seen"].get<std::string>();
  }
  return text;
}

/// In a mount namespace of its own, of a user who is root there and nowhere else.
std::string in_own_mounts(const std::string& script) {
  return "exec unshare -rm sh -c '" + script + "; exec ringmaster doctor --json'";
}

bool may_mount() {
  return run_shell("unshare -rm mount -t tmpfs none /dev/shm").exit_code == 0;
}

TEST(Doctor, SeesTheLimitOfOpenFiles) {
  const auto with = [](const std::string& limit) {
    return worst_said(run_shell("ulimit " + limit + "; exec ringmaster doctor --json"),
                      "open-files");
  };
  EXPECT_EQ(with("-n 512"),
            "problem: 512 open files a rank, 512 at most: enough to start 48 ranks");
  EXPECT_EQ(with("-n 2048"),
            "note: 2048 open files a rank, 2048 at most: enough to start 240 ranks");
  EXPECT_EQ(with("-Sn 600; ulimit -Hn 4096"),
            "problem: 600 open files a rank, 4096 at most: enough to start 496 ranks");
}

TEST(Doctor, SeesTooLittleLockedMemoryWhereThereIsRdma) {
  if (!may_mount()) GTEST_SKIP() << "this user may not mount in a namespace of its own";
  const std::string device =
      "mount -t tmpfs none /sys/class && mkdir -p /sys/class/infiniband/mlx5_0/ports/1 && "
      "echo 4: ACTIVE > /sys/class/infiniband/mlx5_0/ports/1/state";
  const Ended small = run_shell("ulimit -l 64; " + in_own_mounts(device));
  EXPECT_EQ(worst_said(small, "memlock"),
            "problem: 64 KiB of memory may be locked, and mlx5_0 wants to lock buffers");
  EXPECT_EQ(worst_said(small, "rdma"), "ok: 1 RDMA ports are active");
  const Ended without = run_shell("ulimit -l 64; exec ringmaster doctor --json");
  EXPECT_TRUE(contains(worst_said(without, "memlock"), "ok: ")) << without.output;
}

TEST(Doctor, SeesSharedMemoryThatIsTooSmallOrMissing) {
  if (!may_mount()) GTEST_SKIP() << "this user may not mount in a namespace of its own";
  const auto with = [](const std::string& options) {
    const Ended ended = run_shell(in_own_mounts("mount -t tmpfs " + options + " none /dev/shm"));
    return worst_said(ended, "shm");
  };
  EXPECT_EQ(with("-o size=64m"), "warning: /dev/shm: 64 MiB of 64 MiB are free");
  EXPECT_EQ(with("-o size=1m"), "problem: /dev/shm: 1 MiB of 1 MiB are free");
  EXPECT_EQ(with("-o size=4g"), "ok: /dev/shm: 4 GiB of 4 GiB are free");
  EXPECT_EQ(with("-o ro"), "problem: /dev/shm cannot be written");
}

TEST(Doctor, SeesAFolderForTemporaryFilesThatIsNone) {
  const auto with = [](const std::string& folder) {
    return worst_said(run_program({"ringmaster", "doctor", "--json"}, {"TMPDIR=" + folder}), "tmp");
  };
  EXPECT_EQ(with("/no/such/folder"), "problem: /no/such/folder is not there");
  EXPECT_EQ(with("/dev/null"), "problem: /dev/null is not there");
}

TEST(Doctor, SeesAHostNameThatOnlyThisHostReaches) {
  if (!may_mount()) GTEST_SKIP() << "this user may not mount in a namespace of its own";
  const TemporaryFolder folder;
  const auto with = [&](const std::string& address) {
    const Ended ended = run_shell("echo " + address + " $(hostname) > $HERE/hosts; " +
                                      in_own_mounts("mount --bind $HERE/hosts /etc/hosts"),
                                  {"HERE=" + folder.path()});
    return worst_said(ended, "host-name");
  };
  EXPECT_TRUE(contains(with("127.0.1.1"), "is 127.0.1.1, which only this host reaches"));
  EXPECT_TRUE(contains(with("10.1.2.3"), "ok: ")) << with("10.1.2.3");
}

TEST(Doctor, ReadsALogThatComesThroughAPipe) {
  const Ended ended = run_shell(
      "(sleep 0.2; echo 'NVRM: Xid (PCI:0000:3b:00): 64, x') | ringmaster doctor --json "
      "--kernel-log -");
  EXPECT_TRUE(contains(worst_said(ended, "xid"), "problem: 0000:3b:00.0: Xid 64")) << ended.output;
}

TEST(Doctor, SeesDriverAndLibraryOfTwoVersions) {
  const TemporaryFolder folder;
  const std::string machine = folder.file("machine");
  const Ended ended = run_shell(
      "printf 'init 18\\nversion 550.54.15 - 0\\n' > $RINGMASTER_NVML_STAND_IN; "
      "exec ringmaster doctor",
      {"RINGMASTER_NVML_STAND_IN=" + machine,
       "RINGMASTER_NVML_LIBRARY=" RINGMASTER_BINARY_DIR "/../lib/libnvml-stand-in.so"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_TRUE(contains(ended.output, "problem  driver-version: ")) << ended.output;
  EXPECT_TRUE(contains(ended.output, " -> ")) << "what to do: " << ended.output;
  EXPECT_FALSE(contains(ended.output, "\x1b")) << "colours are for terminals";
}

}  // namespace
}  // namespace ringmaster::tests
