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
#include "launcher/ending/closing.h"
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
// Of the root cause: what a person reads before scrolling up.
constexpr std::size_t kLastLines = 10;
// Of ranks that made no progress: a screen holds them.
constexpr std::size_t kSilentMost = 16;

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
        grace_timer_(loop_),
        still_timer_(loop_),
        guard_(loop_),
        input_(loop_, plan.input, STDIN_FILENO),
        narrator_(plan.spec.elastic()),
        grace_(plan.spec.grace) {}

  int run(const std::vector<std::string>& environment);

 private:
  Result<void> open(const std::vector<std::string>& environment);
  void handle(const jobs::Event& event);
  void perform(const jobs::Action& action);
  void note_for_torch(const jobs::Event& event);
  LastWords words_of_cause() const;
  void say_last_words();
  void set_core_timer();
  void watch_signals();
  void on_signal(int number);
  void stop_by_signal(int number);
  void watch_progress();
  void look_for_progress();
  void stop_until_continued();
  void watch_guard();
  void watch_timeout();
  void say(const std::string& line) {
    error()->write(fmt::format("{}ringrun: {}\n", error()->in_line() ? "\n" : "", line));
  }
  Sink* error() { return error_ ? &*error_ : &*output_; }
  void on_sink_error(const Error& error);

  const Plan& plan_;
  boost::asio::io_context loop_;
  boost::asio::signal_set signals_;
  boost::asio::steady_timer core_timer_;
  boost::asio::steady_timer timeout_timer_;
  boost::asio::steady_timer grace_timer_;  // after ctrl-C
  boost::asio::steady_timer still_timer_;
  boost::asio::posix::stream_descriptor guard_;
  InputFeed input_;
  std::optional<Sink> output_;
  std::optional<Sink> error_;  // nothing when both streams lead to the same place
  jobs::Core core_;
  Voices voices_;
  Casualties casualties_;
  std::shared_ptr<const Voice> cause_;  // what the rank wrote that was the root cause
  std::unique_ptr<Agent> agent_;
  Narrator narrator_;
  TorchEnding torch_ending_;  // heard where the plan wants it
  SignalFilter filter_;
  bool stop_asked_ = false;
  Duration grace_;                    // that ranks were given to end
  std::optional<Stillness> still_;    // with --no-progress-timeout
  std::vector<std::string> silence_;  // who had been silent for how long, when it was over
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
  auto agent = Agent::create(loop_, plan_, environment,
                             {&*output_, error(), on_error, terminal_columns(), &voices_, &input_},
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
  watch_progress();
  handle(jobs::HostJoined{kHost, plan_.host, plan_.spec.ranks_max});
  handle(jobs::JobSubmitted{kJob, plan_.spec});
  while (!end_ || !agent_->idle()) loop_.run_one();
  say_last_words();
  if (!plan_.torch_program.empty()) {
    error()->write(torch_ending_.text(plan_.torch_program, plan_.host));
  }
  while (!output_->drained() || !error()->drained()) loop_.run_one();
  return end_->exit_code;
}

void JobRunner::handle(const jobs::Event& event) {
  if (!plan_.torch_program.empty()) note_for_torch(event);
  const jobs::Actions actions = core_.step(read_clock(), event);
  if (const auto job = core_.state().jobs.find(kJob); job != core_.state().jobs.end()) {
    casualties_.hear(event, job->second);
    // While it is there: a process that takes the rank's place will have a voice of its own.
    if (!casualties_.cause()) cause_.reset();
    if (casualties_.cause() && !cause_) cause_ = voices_.of(casualties_.cause()->id);
  }
  for (const jobs::Action& action : actions) perform(action);
  set_core_timer();
}

void JobRunner::note_for_torch(const jobs::Event& event) {
  if (const auto* failed = std::get_if<jobs::RankFailed>(&event)) torch_ending_.hear(*failed);
  if (!torch_ending_.wants_traces(event)) return;
  const auto& exited = std::get<jobs::RankExited>(event);
  const auto [pid, file] = agent_->traces_of(exited.id);
  torch_ending_.hear(exited, {pid, file, read_error_file(file), read_wall_seconds()});
}

LastWords JobRunner::words_of_cause() const {
  LastWords words;
  const auto& cause = casualties_.cause();
  if (!cause) return words;
  const int rank = static_cast<int>(cause->id.rank.value);
  if (cause_) words.lines = last_lines_of(cause_->errors(), kLastLines);
  const bool hidden = !plan_.output.shown.empty() && !plan_.output.shown.contains(rank);
  words.repeat = hidden || plan_.spec.ranks_max > 1;
  words.file = error_file_path(plan_.output, cause->attempt, rank);
  return words;
}

void JobRunner::say_last_words() {
  if (end_->state == jobs::JobState::failed) {
    const LastWords words = words_of_cause();
    say(headline(*end_, casualties_, words));
    for (const std::string& line : details(casualties_, words, grace_)) {
      error()->write(line + "\n");
    }
    return;
  }
  for (const std::string& line : narrator_.last_words(*end_, read_clock())) say(line);
  for (const std::string& line : silence_) error()->write("  " + line + "\n");
  for (const std::string& line : details(casualties_, {}, grace_)) {
    error()->write(line + "\n");
  }
}

void JobRunner::perform(const jobs::Action& action) {
  torch_ending_.tell(action);
  if (const auto* signal = std::get_if<jobs::SignalRank>(&action)) {
    casualties_.tell(*signal, agent_->look_at(signal->id));
  }
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

void JobRunner::watch_progress() {
  if (!plan_.no_progress) return;
  if (!still_) still_.emplace(*plan_.no_progress, read_clock());
  still_timer_.expires_after(still_->period());
  still_timer_.async_wait([this](const error_code& code) {
    if (code || end_) return;
    look_for_progress();
  });
}

void JobRunner::look_for_progress() {
  const Time now = read_clock();
  // Ranks that wait for whoever reads our output are not to blame.
  if (output_->full() || error()->full()) still_->excuse(now);
  const auto signs = agent_->signs();
  if (!still_->look(now, signs)) return watch_progress();
  std::vector<std::string> doing;
  for (const RankSign& sign : signs) doing.push_back(read_doing("", sign.pid));
  silence_ = silence_lines(*still_, now, signs, doing, kSilentMost);
  const std::string why = fmt::format(
      "no progress for {} s (--no-progress-timeout): no rank wrote anything or finished a step",
      to_seconds(*plan_.no_progress));
  handle(jobs::StopRequested{kJob, why, SIGTERM, kExitNoProgress, false});
}

void JobRunner::watch_signals() {
  if (!hangup_is_ignored()) signals_.add(SIGHUP);
  for (const int number : {SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTSTP, SIGCONT}) {
    signals_.add(number);
  }
  signals_.async_wait([this](const error_code& code, int number) {
    if (code) return;
    if (filter_.accept(number, read_clock())) on_signal(number);
    watch_signals();
  });
}

void JobRunner::on_signal(int number) {
  if (number == SIGUSR1 || number == SIGUSR2 || number == SIGALRM || number == SIGCONT) {
    agent_->signal_all(number);
    return;
  }
  if (number == SIGTSTP) {
    stop_until_continued();
    return;
  }
  // The job is over and only its last output is left, which nobody reads: the guard clears up.
  if (end_) _exit(128 + number);
  stop_by_signal(number);
}

void JobRunner::stop_by_signal(int number) {
  const std::string why = fmt::format("stopped by {}", jobs::signal_name(number));
  agent_->signal_all(SIGCONT);  // a stopped rank would only see the signal at the end of the grace
  const auto job = core_.state().jobs.find(kJob);
  const bool ends_already = job != core_.state().jobs.end() && job->second.outcome;
  // Who presses ctrl-C while the job ends does not want to wait for the rest of the grace.
  const bool now = stop_asked_ || (number == SIGINT && ends_already);
  handle(jobs::StopRequested{kJob, why, number, 128 + number, now});
  stop_asked_ = true;
  if (number != SIGINT || now) return;
  grace_ = plan_.interrupt_grace;
  grace_timer_.expires_after(grace_);
  grace_timer_.async_wait([this, why](const error_code& code) {
    if (!code && !end_) handle(jobs::StopRequested{kJob, why, SIGKILL, 128 + SIGINT, true});
  });
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
  if (still_) still_->excuse(read_clock());
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
