// SPDX-License-Identifier: Apache-2.0
#include "jobs/coordinator/journal.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/random.h"
#include "jobs/core/core.h"
#include "jobs/core/dump.h"
#include "jobs/wire/convert.h"

namespace ringmaster::jobs {
namespace {

class JournalTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / "ringmaster-journal-XXXXXX";
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
    path_ = folder_ + "/journal.db";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<Journal> open() {
    auto journal = Journal::open(path_, Journal::Mode::write);
    EXPECT_TRUE(journal) << journal.error().message;
    return journal ? std::move(*journal) : nullptr;
  }
  static void append(Journal& journal, int at, std::optional<Source> source = {}) {
    const auto written = journal.append(HostReleased{HostId{at}}, Time(std::chrono::seconds(at)),
                                        at, source, Journal::Durability::process);
    ASSERT_TRUE(written) << written.error().message;
  }
  static std::vector<std::int64_t> hosts_in(const Journal& journal, std::int64_t after = 0) {
    std::vector<std::int64_t> hosts;
    const auto read = journal.read_events(after, [&](const JournalEvent& event) {
      hosts.push_back(std::get<HostReleased>(event.event).host.value);
    });
    EXPECT_TRUE(read);
    return hosts;
  }

  std::string folder_, path_;
};

TEST_F(JournalTest, KeepsEventsInOrderAcrossOpenings) {
  for (int round = 0; round < 3; ++round) {
    const auto journal = open();
    for (int i = 0; i < 5; ++i) append(*journal, round * 5 + i + 1, Source{HostId{7}, i + round});
  }
  const auto journal = open();
  EXPECT_EQ(hosts_in(*journal).size(), 15u);
  EXPECT_EQ(hosts_in(*journal, 12), (std::vector<std::int64_t>{13, 14, 15}));
  const auto sources = journal->read_sources();
  ASSERT_TRUE(sources);
  ASSERT_EQ(sources->size(), 1u);
  EXPECT_EQ(sources->front().number, 6);
}

TEST_F(JournalTest, AKilledWriterLosesNothingThatItHadCommitted) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const pid_t writer = ::fork();
  if (writer == 0) {
    auto journal = Journal::open(path_, Journal::Mode::write);
    for (int i = 1;; ++i) {
      const auto written = (*journal)->append(HostReleased{HostId{i}}, Time(), 0, std::nullopt,
                                              Journal::Durability::process);
      if (!written || ::write(pipe_ends[1], &i, sizeof i) != sizeof i) ::_exit(1);
    }
  }
  int committed = 0;
  for (int i = 0; i < 200; ++i) ASSERT_EQ(::read(pipe_ends[0], &committed, sizeof committed), 4);
  ::kill(writer, SIGKILL);
  ASSERT_EQ(::waitpid(writer, nullptr, 0), writer);
  ::close(pipe_ends[1]);
  while (::read(pipe_ends[0], &committed, sizeof committed) > 0) {
  }
  ::close(pipe_ends[0]);
  const auto journal = open();
  const auto hosts = hosts_in(*journal);
  EXPECT_GE(static_cast<int>(hosts.size()), committed);
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    EXPECT_EQ(hosts[i], static_cast<std::int64_t>(i) + 1);
  }
}

TEST_F(JournalTest, ANewerOneIsLeftAlone) {
  { const auto journal = open(); }
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "PRAGMA user_version=99", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  const auto journal = Journal::open(path_, Journal::Mode::write);
  ASSERT_FALSE(journal);
  EXPECT_NE(journal.error().message.find("newer ringmaster"), std::string::npos);
}

TEST_F(JournalTest, DamageIsToldAndNeverTakenForEvents) {
  {
    const auto journal = open();
    for (int i = 1; i <= 500; ++i) append(*journal, i);
  }
  std::filesystem::remove(path_ + "-wal");
  std::ifstream in(path_, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  Random random(5);
  for (int round = 0; round < 60; ++round) {
    std::string damaged = whole;
    if (round % 2 == 0) damaged.resize(random.below(whole.size()));
    for (int i = 0; i < 20 && !damaged.empty(); ++i) {
      damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    }
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << damaged;
    const auto journal = Journal::open(path_, Journal::Mode::write);
    if (!journal) continue;
    std::int64_t last = 0;
    const auto read = (*journal)->read_events(0, [&](const JournalEvent& event) {
      EXPECT_LT(last, event.number);
      last = event.number;
    });
    EXPECT_TRUE(read || !read.error().message.empty());
  }
}

TEST_F(JournalTest, AFullDiskIsAnErrorAndTheOldEventsStay) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    auto journal = Journal::open(path_, Journal::Mode::write);
    const rlimit limit = {256 * 1024, 256 * 1024};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    for (int i = 1; i < 100'000; ++i) {
      const auto written = (*journal)->append(HostReleased{HostId{i}}, Time(), 0, std::nullopt,
                                              Journal::Durability::process);
      if (!written) ::_exit(0);
    }
    ::_exit(1);
  }
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(hosts_in(*open()).empty());
}

TEST_F(JournalTest, JobsAndTheirEnds) {
  const auto journal = open();
  JobEntry entry;
  entry.job = JobId{3};
  entry.name = "fashion";
  entry.spec = "name: fashion";
  entry.launch.add_command("train");
  entry.submitted = 12.5;
  ASSERT_TRUE(journal->append_job(entry, JobSpec{.name = "fashion"}, Time()));
  EXPECT_FALSE(journal->append_job(entry, JobSpec{}, Time()));  // the id is taken
  ASSERT_TRUE(journal->end_job(JobId{3}, "done", 0, "well", 20));
  ASSERT_TRUE(journal->end_job(JobId{3}, "failed", 1, "a second end changes nothing", 30));
  const auto jobs = journal->read_jobs();
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->size(), 1u);
  EXPECT_EQ(jobs->front().state, "done");
  EXPECT_EQ(jobs->front().launch.command(0), "train");
  wire::Progress progress;
  progress.set_job(3);
  progress.set_steps(17);
  ASSERT_TRUE(journal->write_progress({progress}, 1));
  EXPECT_EQ(*journal->read_progress(JobId{3}), 17);
  EXPECT_EQ(*journal->read_progress(JobId{4}), std::nullopt);
}

}  // namespace
}  // namespace ringmaster::jobs
