// SPDX-License-Identifier: Apache-2.0
#include "launcher/job_runner.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>

#include "jobs/core/core.h"
#include "launcher/agent.h"
#include "launcher/contracts/job_folder.h"
#include "launcher/dialects/torch_ending.h"
#include "launcher/exit_codes.h"
#include "launcher/narrator.h"
#include "launcher/process/descendants.h"
#include "launcher/process/guard.h"
#include "launcher/process/signal_filter.h"

namespace ringmaster::launcher {

namespace {

using boost::system::error_code;

constexpr jobs::JobId kJob{1};
constexpr jobs::HostId kHost{1};
constexpr int kGuardLostExitCode = 137;

int terminal_columns() {
  winsize size{};
  if (isatty(STDERR_FILENO) == 0 || ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col > 0 ? size.ws_col : 80;
}

class JobRunner {
 public:
  explicit JobRunner(const Plan& plan)
      : plan_(plan),
        signals_(loop_, SIGINT, SIGTERM),
        core_timer_(loop_),
        timeout_timer_(loop_),
        guard_(loop_),
        narrator_(plan.spec.elastic()) {}

  int run(const std::vector<std::string>& environment);

 private:
  Result<void> open(const std::vector<std::string>& environment);
  void handle(const jobs::Event& event);
  void perform(const jobs::Action& action);
  void note_for_torch(const jobs::Event& event);
  void set_core_timer();
  void watch_signals();
  void on_signal(int number);
  void stop_until_continued();
  void watch_guard();
  void watch_timeout();
  void say(const std::string& line) { error()->write("ringrun: " + line + "\n"); }
  Sink* error() { return error_ ? &*error_ : &*output_; }
  void on_sink_error(const Error& error);

  const Plan& plan_;
  boost::asio::io_context loop_;
  boost::asio::signal_set signals_;
  boost::asio::steady_timer core_timer_;
  boost::asio::steady_timer timeout_timer_;
  boost::asio::posix::stream_descriptor guard_;
  std::optional<Sink> output_;
  std::optional<Sink> error_;  // nothing when both streams lead to the same place
  jobs::Core core_;
  std::unique_ptr<Agent> agent_;
  Narrator narrator_;
  TorchEnding torch_ending_;  // heard where the plan wants it
  SignalFilter filter_;
  bool stop_asked_ = false;
  std::optional<jobs::EndJob> end_;
};

Result<void> JobRunner::open(const std::vector<std::string>& environment) {
  const auto on_error = [this](const Error& error) { on_sink_error(error); };
  auto output = Sink::open(loop_, STDOUT_FILENO, "standard output", on_error);
  if (!output) return output.error();
  output_.emplace(std::move(*output));
  if (!same_target(STDOUT_FILENO, STDERR_FILENO)) {
    auto opened = Sink::open(loop_, STDERR_FILENO, "standard error", on_error);
    if (!opened) return opened.error();
    error_.emplace(std::move(*opened));
  }
  if (!plan_.output.folder.empty()) {
    auto made = make_output_folder(plan_.output.folder);
    if (!made) return made.error();
  }
  auto agent =
      Agent::create(loop_, plan_, environment, {&*output_, error(), on_error, terminal_columns()},
                    [this](const jobs::Event& event) { handle(event); });
  if (!agent) return agent.error();
  agent_ = std::move(*agent);
  return {};
}

int JobRunner::run(const std::vector<std::string>& environment) {
  auto opened = open(environment);
  if (!opened) {
    fmt::print(stderr, "ringrun: {}\n", opened.error().message);
    return 1;
  }
  for (const std::string& remark : plan_.remarks) say(remark);
  watch_signals();
  watch_guard();
  watch_timeout();
  handle(jobs::HostJoined{kHost, plan_.host, plan_.spec.ranks_max});
  handle(jobs::JobSubmitted{kJob, plan_.spec});
  while (!end_ || !agent_->idle()) loop_.run_one();
  for (const std::string& line : narrator_.last_words(*end_, read_clock())) say(line);
  if (!plan_.torch_program.empty()) {
    error()->write(torch_ending_.text(plan_.torch_program, plan_.host));
  }
  while (!output_->drained() || !error()->drained()) loop_.run_one();
  return end_->exit_code;
}

void JobRunner::handle(const jobs::Event& event) {
  if (!plan_.torch_program.empty()) note_for_torch(event);
  for (const jobs::Action& action : core_.step(read_clock(), event)) perform(action);
  set_core_timer();
}

void JobRunner::note_for_torch(const jobs::Event& event) {
  if (const auto* failed = std::get_if<jobs::RankFailed>(&event)) torch_ending_.hear(*failed);
  if (!torch_ending_.wants_traces(event)) return;
  const auto& exited = std::get<jobs::RankExited>(event);
  const auto [pid, file] = agent_->traces_of(exited.id);
  torch_ending_.hear(exited, {pid, file, read_error_file(file), read_wall_seconds()});
}

void JobRunner::perform(const jobs::Action& action) {
  torch_ending_.tell(action);
  agent_->perform(action);
  if (const auto* end = std::get_if<jobs::EndJob>(&action)) end_ = *end;
  for (const std::string& line : narrator_.tell(action, read_clock())) say(line);
}

void JobRunner::set_core_timer() {
  const auto next = core_.next_timer();
  core_timer_.cancel();
  if (!next) return;
  core_timer_.expires_after(std::max(Duration::zero(), *next - read_clock()));
  core_timer_.async_wait([this](const error_code& code) {
    if (!code) handle(jobs::TimerExpired{});
  });
}

void JobRunner::watch_timeout() {
  if (!plan_.timeout) return;
  timeout_timer_.expires_after(*plan_.timeout);
  timeout_timer_.async_wait([this](const error_code& code) {
    if (code) return;
    const std::string why =
        fmt::format("the time limit of {} s is over (--timeout)", to_seconds(*plan_.timeout));
    handle(jobs::StopRequested{kJob, why, SIGTERM, kExitTimeout, false});
  });
}

void JobRunner::watch_signals() {
  if (!hangup_is_ignored()) signals_.add(SIGHUP);
  for (const int number : {SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT}) signals_.add(number);
  signals_.async_wait([this](const error_code& code, int number) {
    if (code) return;
    if (filter_.accept(number, read_clock())) on_signal(number);
    watch_signals();
  });
}

void JobRunner::on_signal(int number) {
  if (number == SIGUSR1 || number == SIGUSR2 || number == SIGCONT) {
    agent_->signal_all(number);
    return;
  }
  if (number == SIGTSTP) {
    stop_until_continued();
    return;
  }
  // The job is over and only its last output is left, which nobody reads: the guard clears up.
  if (end_) _exit(128 + number);
  const std::string why = fmt::format("stopped by {}", jobs::signal_name(number));
  agent_->signal_all(SIGCONT);  // a stopped rank would only see the signal at the end of the grace
  handle(jobs::StopRequested{kJob, why, number, 128 + number, stop_asked_});
  stop_asked_ = true;
}

void JobRunner::stop_until_continued() {
  // Ranks lead their own sessions, where the kernel drops SIGTSTP: stop them for it.
  agent_->signal_all(SIGSTOP);
  // By its default action, which the guard mirrors for the shell. Blocked meanwhile, so that the
  // guard's forward of the same signal is one with ours and does not stop us a second time.
  sigset_t stop, before;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  sigprocmask(SIG_BLOCK, &stop, &before);
  signals_.remove(SIGTSTP);
  raise(SIGTSTP);
  sigprocmask(SIG_UNBLOCK, &stop, nullptr);
  // Continued; or never stopped, which is what the kernel does where no shell could continue us.
  // Blocked until it is heard again: a stop in between would take its default action and leave the
  // ranks running.
  sigprocmask(SIG_BLOCK, &stop, nullptr);
  agent_->signal_all(SIGCONT);
  signals_.add(SIGTSTP);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  static_cast<void>(filter_.accept(SIGTSTP, read_clock()));  // an echo may have slept with us
}

void JobRunner::watch_guard() {
  if (guard_fd() < 0) return;
  guard_.assign(guard_fd());
  guard_.async_wait(boost::asio::posix::stream_descriptor::wait_read, [](const error_code& code) {
    if (code) return;
    // The guard was killed, and with it whoever waited for us: nothing may go on.
    const auto cleared = kill_all_children();
    remove_job_folders();
    _exit(cleared ? kGuardLostExitCode : 1);
  });
}

void JobRunner::on_sink_error(const Error& error) {
  // A reader that is gone (ringrun ... | head) ends the job as SIGPIPE would; a full disk is an
  // error of its own.
  const bool gone = error.code == Errc::closed;
  handle(jobs::StopRequested{kJob, error.message, SIGTERM, gone ? 128 + SIGPIPE : 1, false});
}

}  // namespace

int run_job(const Plan& plan, const std::vector<std::string>& environment) {
  JobRunner runner(plan);
  return runner.run(environment);
}

}  // namespace ringmaster::launcher
