// SPDX-License-Identifier: Apache-2.0
#include "tests/storm/host.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <new>
#include <thread>

#include "collectives/tcp/address.h"
#include "tests/storm/host_life.h"

namespace ringmaster::storm {

Host::Host(Ways ways, std::uint64_t seed)
    : ways_(ways), hosts_(ways == Ways::hosts ? 2 : Form::kRanksMax), seed_(seed), board_(nullptr) {
  for (int host = 0; host < (ways == Ways::hosts ? 2 : 1); ++host) {
    auto segment = collectives::Segment::create(Form::kRanksMax);
    CHECK(segment.ok());
    segments_.push_back(std::move(*segment));
  }
  // Ranks of TCP have only the abort word in common.
  if (ways == Ways::tcp) hosts_ = 1;
  for (int number = 0; number < Form::kRanksMax; ++number) {
    auto fd = collectives::listen_on("127.0.0.1:0");
    CHECK(fd.ok());
    endpoints_.push_back(*collectives::endpoint_of(fd->get()));
    listeners_.push_back(std::move(*fd));
  }
  void* page =
      mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  board_ = new (page) Board{};
}

Host::~Host() {
  while (!pids_.empty()) fence(pids_.begin()->first);
  munmap(board_, sizeof(Board));
}

std::vector<int> Host::numbers() const {
  std::vector<int> all;
  for (const auto& [number, pid] : pids_) all.push_back(number);
  return all;
}

void Host::start(int number) {
  Post& post = board_->posts[number];
  post.left = board_->generation.load();  // it has no part in what is formed already
  const pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid != 0) {
    pids_[number] = pid;
    return;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const Inheritance inheritance{ways_,      hosts_,
                                number,     seed_ + static_cast<std::uint64_t>(getpid()),
                                segments_,  listeners_[static_cast<std::size_t>(number)].get(),
                                endpoints_, *board_};
  _exit(live(inheritance));
}

void Host::signal(int number, int what) const {
  CHECK_EQ(kill(pids_.at(number), what), 0);
}

void Host::fence(int number) {
  signal(number, SIGKILL);
  CHECK_EQ(waitpid(pids_.at(number), nullptr, 0), pids_.at(number));
  pids_.erase(number);
}

void Host::form(Form form) {
  for (const collectives::Segment& segment : segments_) segment.reset();
  form.generation = board_->generation + 1;
  form.size = 0;
  for (const auto& [number, pid] : pids_) {
    form.numbers[form.size++] = number;
    board_->posts[number].calls = 0;
  }
  board_->form = form;
  board_->generation = form.generation;
}

void Host::abort() const {
  for (const collectives::Segment& segment : segments_) segment.abort(board_->generation);
}

bool Host::wait_left(Duration at_most) {
  const Time until = read_clock() + at_most;
  for (;;) {
    bool all = true;
    for (const auto& [number, pid] : pids_) {
      all = all && board_->posts[number].left == board_->generation;
    }
    if (!reap_ended()) return false;
    if (all) return true;
    if (read_clock() > until) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

bool Host::reap_ended() {
  for (const auto& [number, pid] : pids_) {
    int status = 0;
    if (waitpid(pid, &status, WNOHANG) != pid) continue;
    found_ = fmt::format("rank {} has ended with {:#x}: {}", number, status, end_of(number));
    pids_.erase(number);
    return false;
  }
  return true;
}

bool Host::finish() {
  board_->end = true;
  bool well = found_.empty();
  for (const auto& [number, pid] : pids_) {
    int status = 0;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    well = well && status == 0;
  }
  pids_.clear();
  return well;
}

std::int64_t Host::calls() const {
  std::int64_t calls = 0;
  for (const Post& post : board_->posts) calls += post.calls;
  return calls;
}

std::string Host::end_of(int number) const {
  return board_->posts[number].text;
}

Errc Host::code_of(int number) const {
  return static_cast<Errc>(board_->posts[number].code.load());
}

std::string Host::found() const {
  return found_;
}

}  // namespace ringmaster::storm
