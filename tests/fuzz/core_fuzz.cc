// SPDX-License-Identifier: Apache-2.0
//
// Bytes as a story for the job core: each says what happens next.
//
// Honest stories hold only what a right rank says when. In the others a rank says anything at any
// time, dead ones of old too, as a broken program or a late packet may: there the core must stay
// safe, while only in the honest ones it must also get every job to its end.
#include <csignal>
#include <numeric>

#include "base/check.h"
#include "tests/fuzz/core_shell.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

namespace {

using Life = Process::Life;

constexpr std::size_t kHostsMax = 5;
constexpr std::size_t kJobsMax = 3;
constexpr int kEventsMax = 400;

class Story {
 public:
  explicit Story(std::string_view bytes) : in_(bytes), honest_(in_.flag()) {}

  void play() {
    shell_.join_host(static_cast<int>(in_.below(6)) + 1);
    submit();
    for (int i = 0; i < kEventsMax && !in_.empty(); ++i) {
      next_event();
      if (honest_) shell_.check_nobody_waits_for_the_gone();
    }
    if (honest_) end_honestly();
    end_by_force();
  }

 private:
  void next_event();
  void submit();
  void lose_host();
  void provider_says();
  void stop();
  void say();
  void say_honestly(Process& process);
  void exit_one();
  void everybody_goes_on();
  bool somebody_ends();
  void end_honestly();
  void end_by_force();

  Process* pick(const std::vector<Process*>& some) {
    return some.empty() ? nullptr : some[in_.below(some.size())];
  }
  std::int64_t steps() { return static_cast<std::int64_t>(in_.below(5)) - 1; }

  Input in_;
  bool honest_;
  CoreShell shell_;
};

void Story::next_event() {
  switch (in_.below(12)) {
    case 0:
      if (shell_.hosts().size() < kHostsMax) shell_.join_host(static_cast<int>(in_.below(6)) + 1);
      return;
    case 1:
      return lose_host();
    case 2:
      if (shell_.jobs().size() < kJobsMax) submit();
      return;
    case 3:
      return stop();
    case 4:
      if (Process* process = pick(shell_.of(Life::ordered))) shell_.started(*process);
      return;
    case 5:
      if (Process* process = pick(shell_.of(Life::ordered))) shell_.start_failed(*process);
      return;
    case 6:
    case 7:
      return say();
    case 8:
      return exit_one();
    case 9:
      if (in_.flag())
        shell_.wait_for_timer();
      else
        shell_.wait(std::chrono::milliseconds(10 * in_.byte()));
      return;
    case 10:
      return everybody_goes_on();
    case 11:
      return provider_says();
  }
}

void Story::provider_says() {
  switch (in_.below(4)) {
    case 0:
      shell_.answer_create(true);
      return;
    case 1:
      shell_.answer_create(false);
      return;
    case 2:
      shell_.answer_release();
      return;
    case 3:
      if (shell_.hosts().empty()) return;
      auto host = shell_.hosts().begin();
      std::advance(host, in_.below(shell_.hosts().size()));
      return shell_.notice(host->first, std::chrono::milliseconds(10 * in_.byte()));
  }
}

void Story::submit() {
  jobs::JobSpec spec;
  spec.name = "fuzzed";
  spec.ranks_min = static_cast<int>(in_.below(3)) + 1;
  spec.ranks_max = spec.ranks_min + static_cast<int>(in_.below(3));
  spec.restarts = static_cast<int>(in_.below(5));
  spec.grace = std::chrono::milliseconds(100 * in_.below(20));
  spec.leave_timeout = std::chrono::milliseconds(100 * in_.below(20) + 1);
  spec.start_timeout = std::chrono::milliseconds(100 * in_.below(20) + 1);
  spec.hosts_max = static_cast<int>(in_.below(4));
  spec.whole = spec.ranks_min == spec.ranks_max && in_.flag();
  spec.host_slots = spec.hosts_max + 1;
  shell_.submit(spec);
}

void Story::lose_host() {
  if (shell_.hosts().empty()) return;
  auto host = shell_.hosts().begin();
  std::advance(host, in_.below(shell_.hosts().size()));
  shell_.lose_host(host->first);
}

void Story::stop() {
  const auto jobs = shell_.jobs();
  if (jobs.empty()) return;  // all have ended, and are forgotten
  const jobs::JobId job = jobs[in_.below(jobs.size())];
  const bool now = in_.flag();
  shell_.stop(job, now ? SIGINT : SIGTERM, now);
}

void Story::say() {
  auto speakers = shell_.of(Life::running);
  if (!honest_) {
    const auto over = shell_.of(Life::over);
    speakers.insert(speakers.end(), over.begin(), over.end());
  }
  Process* process = pick(speakers);
  if (process == nullptr) return;
  if (honest_) return say_honestly(*process);
  const jobs::Generation generation{static_cast<std::int64_t>(in_.below(4))};
  const jobs::Generation some = in_.flag() ? process->inside : generation;
  switch (in_.below(6)) {
    case 0:
      return shell_.ready(*process, steps());
    case 1:
      return shell_.synced(*process, some, steps() + 1);
    case 2:
      return shell_.finished(*process, some);
    case 3:
      return shell_.failed(*process);
    case 4:
      return shell_.started(*process);
    case 5:
      if (process->life == Life::over) shell_.exited(*process, {}, steps());
      return;
  }
}

void Story::say_honestly(Process& process) {
  if (process.ready) return shell_.failed(process);
  if (process.finished) return;
  if (process.inside.value == 0 || process.aborted) return shell_.ready(process, process.steps);
  const bool whole = shell_.in_whole_ring(process);
  switch (in_.below(4)) {
    case 0:
      return shell_.ready(process, process.steps);  // gives up on a collective
    case 1:
      return shell_.failed(process);
    case 2:
      if (whole)
        shell_.synced(process, process.inside, std::max<std::int64_t>(process.steps, 0) + 1);
      return;
    case 3:
      if (whole) shell_.finished(process, process.inside);
      return;
  }
}

void Story::exit_one() {
  Process* process = pick(shell_.of(Life::running));
  if (process == nullptr) return;
  const jobs::ExitStatus all[] = {{0, 0}, {1, 0}, {0, SIGKILL}, {0, SIGSEGV}, {143, 0}};
  const jobs::ExitStatus status = all[in_.below(std::size(all))];
  shell_.exited(*process, status, honest_ ? process->steps : steps());
}

/// Everybody does the next thing that a right rank does, up to being in the ring: what single
/// events would seldom come to.
void Story::everybody_goes_on() {
  for (Process* process : shell_.of(Life::ordered)) {
    // What is said to one may end another.
    if (process->life == Life::ordered) shell_.started(*process);
  }
  for (Process* process : shell_.of(Life::running)) {
    if (process->finished || process->ready) continue;
    const bool outside = process->inside.value == 0 || process->aborted;
    if (outside)
      shell_.ready(*process, process->steps);
    else
      shell_.synced(*process, process->inside, std::max<std::int64_t>(process->steps, 0) + 1);
  }
}

/// One process does its next thing towards its end; false: all of them can only wait.
bool Story::somebody_ends() {
  if (shell_.answer_create(true) || shell_.answer_release()) return true;
  for (Process& process : shell_.processes()) {
    if (!process.alive()) continue;
    const bool outside = process.inside.value == 0 || process.aborted;
    if (process.life == Life::ordered) {
      shell_.started(process);
    } else if (process.signal != 0) {
      shell_.exited(process, {0, process.signal}, process.steps);
    } else if (process.finished) {
      shell_.exited(process, {0, 0}, process.steps);
    } else if (!process.ready && outside) {
      shell_.ready(process, process.steps);
    } else if (!process.ready && shell_.in_whole_ring(process)) {
      shell_.finished(process, process.inside);
    } else {
      continue;
    }
    return true;
  }
  return false;
}

/// With room for all, and ranks that do what they should, every job comes to its end by itself.
void Story::end_honestly() {
  constexpr int kRoundsMax = 2000;
  shell_.join_host(100);
  int rounds = 0;
  while (somebody_ends() || shell_.wait_for_timer()) CHECK_LT(++rounds, kRoundsMax);
  for (const jobs::JobId job : shell_.jobs()) CHECK(shell_.ended(job));
}

/// A stop without grace ends everything, whatever was said before.
void Story::end_by_force() {
  for (const jobs::JobId job : shell_.jobs()) shell_.stop(job, SIGTERM, true);
  for (Process& process : shell_.processes()) {
    if (!process.alive()) continue;
    if (process.life == Life::ordered) shell_.started(process);
    CHECK_EQ(process.signal, SIGKILL);
    shell_.exited(process, {0, SIGKILL}, process.steps);
  }
  for (const jobs::JobId job : shell_.jobs()) CHECK(shell_.ended(job));
  CHECK(!shell_.wait_for_timer());
}

void run(std::string_view input) {
  Story(input).play();
}

}  // namespace

Target core_target() {
  // honest?, slots, the spec (min, more, restarts, grace, leave, start, hosts, whole?), then
  // events.
  const std::string elastic("\x04\x01\x02\x03\x05\x05\x05\x00", 8),
      plain("\x04\x01\x00\x00\x05\x05\x05\x00\x00", 9),
      whole("\x04\x01\x00\x03\x05\x05\x05\x00\x01", 9), made("\x04\x01\x02\x03\x05\x05\x05\x02", 8);
  const std::string ring("\x0a\x0a\x0a", 3);                // start, ready, synced
  const std::string killed("\x08\x01\x02\x0a\x0a\x0a", 6);  // rank 1 by SIGKILL; it heals
  std::vector<std::string> corpus;
  for (const char* honest : {"\x01", "\x02"}) {
    corpus.push_back(honest + plain + ring);
    corpus.push_back(honest + whole + ring + killed + killed);
    corpus.push_back(honest + made + ring + std::string("\x0b\x00\x0b\x00", 4) + ring +
                     std::string("\x0b\x03\x01\x09", 4) + ring);
    corpus.push_back(honest + elastic + ring + killed + killed);
    corpus.push_back(honest + elastic + ring + std::string("\x01\x00\x00\x05", 4) + ring);
    corpus.push_back(honest + elastic + ring + std::string("\x03\x00\x00\x09\x01", 5));
    corpus.push_back(honest + elastic + ring + std::string("\x06\x00\x03\x08\x01\x02", 6));
    corpus.push_back(honest + elastic + std::string("\x04\x00\x05\x00", 4) + ring);
    corpus.push_back(honest + elastic + ring + std::string("\x02", 1) + plain.substr(1) + ring);
  }
  return {"core", corpus, &run, 40000};
}

}  // namespace ringmaster::fuzz
