// SPDX-License-Identifier: Apache-2.0
#include "launcher/contracts/job_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <filesystem>
#include <fstream>
#include <optional>

#include "base/check.h"

namespace ringmaster::launcher {
namespace {

namespace fs = std::filesystem;

/// A process that makes a folder, writes into it and is killed: its folder's path.
std::string folder_of_a_killed_process() {
  int ends[2];
  CHECK_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto folder = JobFolder::create();
    CHECK(folder.ok());
    std::ofstream(folder->path() + "/file") << "left";
    const auto size = static_cast<ssize_t>(folder->path().size());
    CHECK_EQ(::write(ends[1], folder->path().data(), folder->path().size()), size);
    ::kill(::getpid(), SIGKILL);
  }
  ::close(ends[1]);
  std::string path(4096, '\0');
  const ssize_t size = ::read(ends[0], path.data(), path.size());
  CHECK_LT(0, size);
  path.resize(static_cast<std::size_t>(size));
  CHECK_EQ(::waitpid(child, nullptr, 0), child);
  ::close(ends[0]);
  return path;
}

TEST(JobFolder, GoesWithItsOwner) {
  std::string path;
  {
    auto folder = JobFolder::create();
    ASSERT_TRUE(folder.ok()) << folder.error().message;
    path = folder->path();
    std::ofstream(path + "/file") << "text";
    fs::create_directory(path + "/sub");
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(JobFolder, TheNextLaunchRemovesWhatKilledOnesLeft) {
  auto own = JobFolder::create();
  ASSERT_TRUE(own.ok());
  const std::string abandoned = folder_of_a_killed_process();
  ASSERT_TRUE(fs::exists(abandoned + "/file"));
  sweep_job_folders();
  EXPECT_FALSE(fs::exists(abandoned));
  EXPECT_TRUE(fs::exists(own->path())) << "its owner lives";
}

TEST(JobFolder, OnlyThoseOfOneJobAreRemovedAtItsEnd) {
  const std::string other = folder_of_a_killed_process();
  auto own = JobFolder::create();
  ASSERT_TRUE(own.ok());
  remove_job_folders();
  EXPECT_FALSE(fs::exists(own->path()));
  EXPECT_TRUE(fs::exists(other));
  sweep_job_folders();
  EXPECT_FALSE(fs::exists(other));
}

TEST(JobFolder, StrangeNamesAreLeftAlone) {
  auto own = JobFolder::create();
  ASSERT_TRUE(own.ok());
  const fs::path home = fs::path(own->path()).parent_path();
  const fs::path strange = home / "1.2.3.4-x";
  fs::create_directory(strange);
  sweep_job_folders();
  EXPECT_TRUE(fs::exists(strange));
  fs::remove(strange);
}

}  // namespace
}  // namespace ringmaster::launcher
