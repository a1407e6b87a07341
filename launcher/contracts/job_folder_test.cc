// SPDX-License-Identifier: Apache-2.0
#include "launcher/contracts/job_folder.h"

#include <fmt/format.h>
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

/// A process that makes a folder, writes into it, and lives until it is killed.
class FolderOwner {
 public:
  FolderOwner() {
    int ends[2];
    CHECK_EQ(::pipe(ends), 0);
    child_ = ::fork();
    if (child_ == 0) own(ends[1]);
    ::close(ends[1]);
    path_.resize(4096);
    const ssize_t size = ::read(ends[0], path_.data(), path_.size());
    CHECK_LT(0, size);
    path_.resize(static_cast<std::size_t>(size));
    ::close(ends[0]);
  }
  ~FolderOwner() { kill(); }
  FolderOwner(const FolderOwner&) = delete;
  FolderOwner& operator=(const FolderOwner&) = delete;

  const std::string& folder() const { return path_; }
  void kill() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    CHECK_EQ(::waitpid(child_, nullptr, 0), child_);
    child_ = -1;
  }

 private:
  [[noreturn]] static void own(int end) {
    auto folder = JobFolder::create();
    CHECK(folder.ok());
    std::ofstream(folder->path() + "/file") << "left";
    const auto size = static_cast<ssize_t>(folder->path().size());
    CHECK_EQ(::write(end, folder->path().data(), folder->path().size()), size);
    for (;;) ::pause();
  }

  pid_t child_ = -1;
  std::string path_;
};

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
  FolderOwner other;
  sweep_job_folders();
  EXPECT_TRUE(fs::exists(other.folder() + "/file")) << "its owner lives";
  other.kill();
  sweep_job_folders();
  EXPECT_FALSE(fs::exists(other.folder()));
  EXPECT_TRUE(fs::exists(own->path())) << "its owner lives";
}

// The other's owner lives: any launch of this user that begins meanwhile removes abandoned ones.
TEST(JobFolder, OnlyThoseOfOneJobAreRemovedAtItsEnd) {
  const FolderOwner other;
  auto own = JobFolder::create();
  ASSERT_TRUE(own.ok());
  remove_job_folders();
  EXPECT_FALSE(fs::exists(own->path()));
  EXPECT_TRUE(fs::exists(other.folder()));
}

TEST(JobFolder, StrangeNamesAreLeftAlone) {
  auto own = JobFolder::create();
  ASSERT_TRUE(own.ok());
  const fs::path home = fs::path(own->path()).parent_path();
  const fs::path strange = home / fmt::format("1.2.3.{}-x", ::getpid());
  fs::create_directory(strange);
  sweep_job_folders();
  EXPECT_TRUE(fs::exists(strange));
  fs::remove(strange);
}

}  // namespace
}  // namespace ringmaster::launcher
