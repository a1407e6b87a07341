// SPDX-License-Identifier: Apache-2.0
#include "storage/file/file_store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "base/temporary_folder.h"

namespace ringmaster::storage {
namespace {

namespace fs = std::filesystem;

std::size_t files_in(const fs::path& folder) {
  if (!fs::exists(folder)) return 0;
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(FileStore, OfManyWritersOneCreates) {
  TemporaryFolder folder;
  constexpr int kWriters = 8;
  constexpr int kRounds = 20;
  std::atomic<int> winners = 0;
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      auto store = FileStore::open(folder.path());
      for (int round = 0; round < kRounds; ++round) {
        const std::string text = std::to_string(w);
        const auto created = store->create("k/" + std::to_string(round), {text});
        if (created) {
          ++winners;
        } else {
          EXPECT_EQ(created.error().code, Errc::exists) << created.error().message;
        }
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(winners, kRounds);
  EXPECT_EQ(files_in(folder.file(kWritingFolder)), 0U);
}

TEST(FileStore, WritersAndTidyingUpDoNotDisturbEachOther) {
  TemporaryFolder folder;
  std::vector<std::thread> writers;
  for (int w = 0; w < 4; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 0; i < 100; ++i) {
        auto store = FileStore::open(folder.path());  // which sweeps
        const std::string key = "a/b/" + std::to_string(w);
        const auto put = store->put(key, {"text"});
        EXPECT_TRUE(put.ok()) << put.error().message;
        const auto removed = store->remove(key);
        EXPECT_TRUE(removed.ok()) << removed.error().message;
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_FALSE(fs::exists(folder.file("a")));
}

TEST(FileStore, SweepsWhatDeadWritersLeftAndSparesTheLiving) {
  TemporaryFolder folder;
  fs::create_directory(folder.file(kWritingFolder));
  const std::string dead = folder.file(kWritingFolder) + "/dead";
  const std::string living = folder.file(kWritingFolder) + "/living";
  std::ofstream(dead) << "half";
  const FileDescriptor fd(::open(living.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::flock(fd.get(), LOCK_EX), 0);
  const auto store = FileStore::open(folder.path());
  ASSERT_TRUE(store.ok());
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(living));
}

TEST(FileStore, AKilledWriterLeavesNoObjectThatIsHalf) {
  TemporaryFolder folder;
  const std::string large(4 << 20, 'x');
  for (int round = 0; round < 10; ++round) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      auto store = FileStore::open(folder.path());
      if (::write(ready[1], "x", 1) != 1) ::_exit(1);
      for (;;) {
        if (!store->put("large", {large})) ::_exit(1);
      }
    }
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    for (int spin = 0; spin < round * 100000; ++spin) byte = static_cast<char>(byte + spin);
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    ::close(ready[0]);
    ::close(ready[1]);
    auto store = FileStore::open(folder.path());
    const auto there = store->get("large", large.size());
    if (there) {
      EXPECT_EQ(there->size(), large.size());
    } else {
      EXPECT_EQ(there.error().code, Errc::not_found);
    }
    EXPECT_EQ(files_in(folder.file(kWritingFolder)), 0U);
  }
}

TEST(FileStore, AFullDiskIsSaidAndLeavesNothing) {
  TemporaryFolder folder;
  auto store = FileStore::open(folder.path());
  // A limit on the size of files stands for the disk: both end a write half-way.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{1000, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto put = store->put("k", {std::string(5000, 'x')});
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(put.ok());
  EXPECT_EQ(put.error().code, Errc::exhausted) << put.error().message;
  EXPECT_EQ(files_in(folder.file(kWritingFolder)), 0U);
  EXPECT_TRUE(store->list("")->empty());
}

TEST(FileStore, AFolderThatIsGoneOrCannotBeWrittenIsSaid) {
  TemporaryFolder folder;
  EXPECT_EQ(FileStore::open(folder.file("missing")).error().code, Errc::not_found);
  std::ofstream(folder.file("a-file")) << "x";
  EXPECT_EQ(FileStore::open(folder.file("a-file")).error().code, Errc::invalid);
  fs::create_directory(folder.file("root"));
  auto store = FileStore::open(folder.file("root"));
  ASSERT_TRUE(store->put("k", {"x"}).ok());
  fs::remove_all(folder.file("root"));
  // An empty store would be a job without checkpoints.
  EXPECT_FALSE(store->list("").ok());
  EXPECT_EQ(store->put("k", {"x"}).error().code, Errc::not_found);
  EXPECT_FALSE(fs::exists(folder.file("root")));
  if (::geteuid() == 0) return;  // root may write everywhere
  fs::create_directory(folder.file("fixed"));
  fs::permissions(folder.file("fixed"), fs::perms::owner_read | fs::perms::owner_exec);
  auto fixed = FileStore::open(folder.file("fixed"));
  EXPECT_EQ(fixed->put("k", {"x"}).error().code, Errc::denied);
  fs::permissions(folder.file("fixed"), fs::perms::owner_all);
}

TEST(FileStore, ListsNothingThatIsNoObject) {
  TemporaryFolder folder;
  auto store = FileStore::open(folder.path());
  ASSERT_TRUE(store->put("a/b", {"x"}).ok());
  std::ofstream(folder.file("a/.hidden")) << "x";
  std::ofstream(folder.file("a/with space")) << "x";
  fs::create_directory(folder.file("empty"));
  EXPECT_EQ(store->list("")->size(), 1U);
}

}  // namespace
}  // namespace ringmaster::storage
