// SPDX-License-Identifier: Apache-2.0
//
// How the agent starts a rank's process: what it is given, and what is heard of it.
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <csignal>

#include "collectives/tcp/address.h"
#include "launcher/agent_running.h"
#include "worker/contract.h"

namespace ringmaster::launcher {

/// What a rank is started with beside its command.
struct Agent::Prepared {
  SpawnSpec spec;
  FileDescriptor abort_fd;
  FileDescriptor listener;  // where ranks of other hosts find it, for its life
  std::string endpoint;
  RankKit kit;
};

Result<RankOutput> Agent::open_output(int rank, int attempt) const {
  const auto stream = [&](Sink* sink, int fd) {
    const bool terminal = isatty(fd) == 1;
    return OutputStream{sink, terminal, terminal && plan_.output.colours};
  };
  const bool joined = streams_.output == streams_.error;
  return open_rank_output(loop_, plan_.output, stream(streams_.output, STDOUT_FILENO),
                          stream(streams_.error, joined ? STDOUT_FILENO : STDERR_FILENO), rank,
                          attempt, streams_.on_file_error);
}

SpawnSpec Agent::spec_of(int rank) const {
  const RankProgram& program = program_of(plan_, rank);
  SpawnSpec spec{.command = program.command, .working_directory = program.working_directory};
  spec.environment.push_back(fmt::format("{}={}", worker::kRankVariable, rank));
  spec.environment.push_back(fmt::format("{}={}", worker::kSegmentVariable, segment_.fd()));
  if (streams_.terminal_columns > 0) {
    spec.environment.push_back(fmt::format("RINGMASTER_TERMINAL={}", streams_.terminal_columns));
  }
  spec.inherited_fds.push_back(segment_.fd());
  spec.open_files = open_files_;
  spec.cpus = processors_of(plan_, rank);
  return spec;
}

Result<Agent::Prepared> Agent::prepare(int rank, int attempt) {
  auto kit = contracts_->prepare(rank, attempt);
  if (!kit) return kit.error();
  Prepared prepared;
  SpawnSpec& spec = prepared.spec;
  spec = spec_of(rank);
  prepared.kit = std::move(*kit);
  if (streams_.input != nullptr) {
    auto input = streams_.input->give(rank);
    if (!input) return input.error();
    spec.fds.input = *input;
  }
  spec.environment.insert(spec.environment.end(), prepared.kit.environment.begin(),
                          prepared.kit.environment.end());
  set_variables(spec.environment, program_of(plan_, rank).variables);  // the user's last word
  if (prepared.kit.inherited.valid()) spec.inherited_fds.push_back(prepared.kit.inherited.get());
  prepared.abort_fd.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!prepared.abort_fd.valid()) return errno_error(errno, "make an eventfd");
  const int abort_fd = prepared.abort_fd.get();
  spec.environment.push_back(fmt::format("{}={}", worker::kAbortVariable, abort_fd));
  spec.inherited_fds.push_back(abort_fd);
  if (plan_.address.empty()) return prepared;
  auto bound = collectives::listen_on(plan_.address);
  if (!bound) return bound.error();
  auto endpoint = collectives::endpoint_of(bound->get());
  if (!endpoint) return endpoint.error();
  prepared.listener = std::move(*bound);
  prepared.endpoint = *endpoint;
  const int listener = prepared.listener.get();
  spec.environment.push_back(fmt::format("{}={}", worker::kListenerVariable, listener));
  spec.inherited_fds.push_back(listener);
  return prepared;
}

void Agent::start_now(const jobs::StartRank& action) {
  const int rank = static_cast<int>(action.id.rank.value);
  segment_.slot(rank).steps.store(jobs::kNoState);
  set_watch(rank);
  const auto failed = [&](const Error& error) {
    post(jobs::RankStartFailed{action.id, exit_code_of(error), error.message});
  };
  auto output = open_output(rank, action.attempt);
  if (!output) return failed(output.error());
  auto prepared = prepare(rank, action.attempt);
  if (!prepared) return failed(prepared.error());
  auto process = RankProcess::start(loop_, std::move(prepared->spec), std::move(output->output),
                                    std::move(output->error), handlers_of(action.id));
  if (!process) return failed(process.error());
  running_.push_back(
      {action.id, std::move(output->files), std::move(*process), std::move(prepared->abort_fd)});
  post(jobs::RankStarted{action.id, prepared->endpoint});
}

RankHandlers Agent::handlers_of(const jobs::RankId& id) {
  return {.on_message = [this, id](const worker::Message& message) { on_message(id, message); },
          .on_staged = [this, id](const worker::StagedMessage& message,
                                  FileDescriptor fd) { on_staged(id, message, std::move(fd)); },
          .on_bad_message =
              [this, id](const Error& error) {
                on_event_(jobs::RankFailed{id, "said what cannot be understood: " + error.message});
                signal({id, SIGKILL, error.message});
              },
          .on_exit = [this, id](jobs::ExitStatus status,
                                bool core_dumped) { on_exit(id, status, core_dumped); },
          .on_output_end = [this] { forget_the_over(); },
          .on_output = streams_.voices == nullptr ? nullptr : streams_.voices->listen(id)};
}

std::vector<RankSign> Agent::signs() const {
  std::vector<RankSign> all;
  for (const Running& running : running_) {
    if (running.process->exited()) continue;
    const int rank = static_cast<int>(running.id.rank.value);
    const auto voice = streams_.voices != nullptr ? streams_.voices->of(running.id) : nullptr;
    all.push_back({rank, running.process->pid(), voice ? voice->heard() : Time{},
                   segment_.slot(rank).steps.load()});
  }
  return all;
}

std::string Agent::reason_of(const jobs::RankId& id, jobs::ExitStatus status, bool core_dumped) {
  const Running* running = find(id);
  CHECK(running != nullptr);  // it is forgotten after its end was heard
  const RankProcess& process = *running->process;
  return reasons_.of(
      {.pid = process.pid(),
       .status = status,
       .dumped = core_dumped,
       .killed = process.last_signal() == SIGKILL,
       .folder = program_of(plan_, static_cast<int>(id.rank.value)).working_directory});
}

}  // namespace ringmaster::launcher
