// SPDX-License-Identifier: Apache-2.0
#include "jobs/coordinator/journal.h"

#include <fmt/format.h>
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
#include "jobs/wire/snapshot.h"
#include "jobs/wire/snapshot.pb.h"

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
  static Result<void> append(Journal& journal, Core& core, int at,
                             std::optional<Source> source = {}) {
    Decided decided =
        decide(core, Time(std::chrono::seconds(at)), at, HostJoined{HostId{at}, "a", 1});
    decided.source = source;
    return journal.append(decided);
  }
  /// What a new core knows that reads the journal.
  static State read(const Journal& journal) {
    Core core;
    std::int64_t last = 0;
    const auto read = journal.catch_up(core, last);
    EXPECT_TRUE(read) << read.error().message;
    return core.state();
  }
  void set_in_file(const std::string& sql) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
  }
  /// The error of opening the file and reading it, or "".
  std::string complaint() const {
    const auto journal = Journal::open(path_, Journal::Mode::write);
    if (!journal) return journal.error().message;
    Core core;
    std::int64_t last = 0;
    const auto read = (*journal)->catch_up(core, last);
    return read ? "" : read.error().message;
  }
  /// A job that is submitted and cancelled before it starts.
  static void live(Journal& journal, Core& core, int number) {
    JobEntry entry;
    entry.job = JobId{number};
    entry.name = "short";
    entry.launch.add_command("train");
    const Time now = core.last_step() + std::chrono::seconds(1);
    JobSpec spec;
    spec.name = "short";
    ASSERT_TRUE(journal.append_job(entry, decide(core, now, 1, JobSubmitted{entry.job, spec})));
    ASSERT_TRUE(journal.append(decide(core, now, 2, StopRequested{entry.job, "enough"})));
  }

  std::string folder_, path_;
};

TEST_F(JournalTest, KeepsEventsAcrossOpenings) {
  Core core;
  for (int round = 0; round < 3; ++round) {
    const auto journal = open();
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(append(*journal, core, round * 5 + i + 1, Source{HostId{7}, i + round}));
    }
  }
  const auto journal = open();
  EXPECT_EQ(dump(read(*journal)), dump(core.state()));
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
    Core core;
    for (int i = 1;; ++i) {
      const auto written = append(**journal, core, i);
      const bool compacted = i % 7 != 0 || (*journal)->compact(core);
      if (!written || !compacted || ::write(pipe_ends[1], &i, sizeof i) != sizeof i) ::_exit(1);
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
  EXPECT_GE(static_cast<int>(read(*open()).hosts.size()), committed);
}

TEST_F(JournalTest, OneOfAnotherVersionIsLeftAlone) {
  { const auto journal = open(); }
  set_in_file("PRAGMA user_version=99");
  EXPECT_NE(complaint().find("written by a newer ringmaster"), std::string::npos) << complaint();
  set_in_file("PRAGMA user_version=1");
  EXPECT_NE(complaint().find("written by an older ringmaster"), std::string::npos) << complaint();
}

TEST_F(JournalTest, ANewerSnapshotIsRefused) {
  Core core;
  wire::Snapshot newer;
  newer.set_format(kSnapshotFormat + 1);
  const std::string bytes = newer.SerializeAsString();
  {
    const auto journal = open();
    ASSERT_TRUE(append(*journal, core, 1));
    ASSERT_TRUE(journal->compact(core));
  }
  std::string hex;
  for (const char byte : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  set_in_file(
      fmt::format("UPDATE snapshot SET state=x'{}', checksum={}", hex, checksum_of(1, 0, bytes)));
  EXPECT_NE(complaint().find("of a newer ringmaster"), std::string::npos) << complaint();
}

TEST_F(JournalTest, AnEventOrASnapshotThatWasChangedIsDamage) {
  Core core;
  {
    const auto journal = open();
    for (int i = 1; i <= 3; ++i) ASSERT_TRUE(append(*journal, core, i));
    ASSERT_TRUE(journal->compact(core));
    for (int i = 4; i <= 6; ++i) ASSERT_TRUE(append(*journal, core, i));
  }
  EXPECT_EQ(complaint(), "");
  set_in_file("UPDATE events SET time_ns=time_ns+1 WHERE number=5");
  EXPECT_NE(complaint().find("event 5 has another checksum; the file is damaged"),
            std::string::npos)
      << complaint();
  set_in_file("DELETE FROM events WHERE number=4");
  EXPECT_NE(complaint().find("event 4 is not there"), std::string::npos) << complaint();
  set_in_file("UPDATE snapshot SET state=x'00'");
  EXPECT_NE(complaint().find("the snapshot at event 3 has another checksum"), std::string::npos)
      << complaint();
}

TEST_F(JournalTest, DamageIsToldAndNeverTakenForEvents) {
  Core core;
  {
    const auto journal = open();
    for (int i = 1; i <= 500; ++i) ASSERT_TRUE(append(*journal, core, i));
    ASSERT_TRUE(journal->compact(core));
    for (int i = 501; i <= 1000; ++i) ASSERT_TRUE(append(*journal, core, i));
  }
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
    static_cast<void>(complaint());
  }
}

TEST_F(JournalTest, AFullDiskIsAnErrorAndTheOldEventsStay) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    auto journal = Journal::open(path_, Journal::Mode::write);
    const rlimit limit = {256 * 1024, 256 * 1024};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    Core core;
    for (int i = 1; i < 100'000; ++i) {
      if (!append(**journal, core, i)) ::_exit(0);
    }
    ::_exit(1);
  }
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(read(*open()).hosts.empty());
}

TEST_F(JournalTest, AnEndIsWrittenWithItsEventAndAJobStaysReadable) {
  const auto journal = open();
  Core core;
  JobEntry entry;
  entry.job = JobId{3};
  entry.name = "fashion";
  entry.launch.add_command("train");
  entry.submitted = 12.5;
  JobSpec spec;
  spec.name = "fashion";
  ASSERT_TRUE(journal->append_job(entry, decide(core, Time(), 1, JobSubmitted{JobId{3}, spec})));
  Core other;
  EXPECT_FALSE(  // the number is taken
      journal->append_job(entry, decide(other, Time(), 1, JobSubmitted{JobId{3}, spec})));
  wire::Progress progress;
  progress.set_job(3);
  progress.set_steps(17);
  ASSERT_TRUE(journal->write_progress({progress}, 1));
  EXPECT_EQ(*journal->read_progress(JobId{3}), 17);
  EXPECT_EQ(*journal->read_progress(JobId{4}), std::nullopt);
  EXPECT_FALSE((*journal->read_job(JobId{3}))->record);
  ASSERT_TRUE(journal->append(decide(core, Time(), 20, StopRequested{JobId{3}, "enough"})));
  ASSERT_TRUE(journal->note_durable(JobId{3}, 15));
  const auto jobs = journal->read_jobs();
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->size(), 1u);
  const JobEntry& ended = jobs->front();
  ASSERT_TRUE(ended.record);
  EXPECT_EQ(ended.record->state, JobState::cancelled);
  EXPECT_EQ(ended.record->reason, "enough");
  EXPECT_EQ(ended.launch.command(0), "train");
  EXPECT_EQ(ended.steps, 17);
  EXPECT_EQ(ended.durable, 15);
  EXPECT_EQ(ended.ended, 20);
}

TEST_F(JournalTest, AStoryIsToldFromAnyLineAndLosesItsOldestOnes) {
  const auto journal = open();
  Core core;
  JobEntry entry;
  entry.job = JobId{1};
  const auto submitted = decide(core, Time(), 1, JobSubmitted{JobId{1}, {}});
  ASSERT_TRUE(journal->append_job(entry, submitted));
  Decided many{.event = TimerExpired{}, .time = {}, .wall = 2};
  for (std::int64_t i = 0; i < Journal::kStoryMax + 5; ++i) {
    many.story.push_back({JobId{1}, 2, true, "report", fmt::format("line {}", i)});
    many.story.push_back({JobId{9}, 2, true, "report", "of a job that is not there"});
  }
  ASSERT_TRUE(journal->append(many));
  ASSERT_TRUE(journal->compact(core));
  std::vector<std::int64_t> numbers;
  std::string last;
  const auto newest =
      journal->read_story(JobId{1}, 0, [&](std::int64_t number, const StoryLine& line) {
        numbers.push_back(number);
        last = line.text;
      });
  ASSERT_TRUE(newest);
  EXPECT_EQ(static_cast<std::int64_t>(numbers.size()), Journal::kStoryMax);
  EXPECT_EQ(numbers.back(), *newest);
  EXPECT_EQ(numbers.front(), *newest - Journal::kStoryMax + 1);
  EXPECT_EQ(last, fmt::format("line {}", Journal::kStoryMax + 4));
  EXPECT_EQ(*journal->read_story(JobId{1}, *newest, [](auto, const auto&) { FAIL(); }), *newest);
  EXPECT_EQ(*journal->read_story(JobId{9}, 0, [](auto, const auto&) { FAIL(); }), 0);
}

TEST_F(JournalTest, TheOldestEndedJobsCanBeForgotten) {
  const auto journal = open();
  Core core;
  for (int number = 1; number <= 5; ++number) live(*journal, core, number);
  EXPECT_TRUE(journal->surplus_jobs(5, 10)->empty());
  EXPECT_EQ(*journal->surplus_jobs(3, 10), (std::vector<JobId>{JobId{2}, JobId{1}}));
  EXPECT_EQ(journal->surplus_jobs(3, 1)->size(), 1u);
  ASSERT_TRUE(journal->forget_job(JobId{1}));
  EXPECT_FALSE(*journal->read_job(JobId{1}));
  EXPECT_TRUE(*journal->read_job(JobId{2}));
  EXPECT_EQ(*journal->read_story(JobId{1}, 0, [](auto, const auto&) { FAIL(); }), 0);
  EXPECT_EQ(read(*journal).last_job, JobId{5});  // numbers are not used again
}

}  // namespace
}  // namespace ringmaster::jobs
