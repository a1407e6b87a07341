// SPDX-License-Identifier: Apache-2.0
#include "launcher/contracts/contracts.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <filesystem>

#include "base/check.h"
#include "launcher/contracts/error_file.h"
#include "launcher/contracts/foreign.h"
#include "launcher/contracts/pmix_helper.h"
#include "launcher/plan.h"
#include "launcher/pmi/server.h"
#include "launcher/pmi/space.h"
#include "launcher/rendezvous/http_server.h"

namespace ringmaster::launcher {

namespace {

constexpr const char* kLoopback = "127.0.0.1";
/// What a rank that says it aborts may take for its last words. MPICH's then wait to be killed.
constexpr std::chrono::milliseconds kAbortGrace(100);
/// MPI's failures that have no exit code of their own.
constexpr int kFailureCode = 1;

std::vector<Seat> seats_in(const Plan& plan) {
  std::vector<int> hosts(static_cast<std::size_t>(plan.spec.ranks_max), 0);
  for (const auto& place : plan.places) {
    hosts[static_cast<std::size_t>(place.rank)] = place.host_index;
  }
  return seats_of(hosts);
}

/// What the program needs that needs most.
MpiNeed need_of(const Plan& plan, const std::vector<std::string>& environment) {
  MpiNeed most = MpiNeed::no;
  for (const RankProgram& ranks : plan.programs) {
    std::vector<std::string> all = environment;
    all.insert(all.end(), plan.environment.begin(), plan.environment.end());
    set_variables(all, ranks.variables);
    std::string path;
    for (const std::string& variable : all) {
      if (variable_name(variable) == "PATH") path = variable.substr(variable.find('=') + 1);
    }
    std::string program = ranks.command.front();
    const bool relative = program.find('/') != std::string::npos && program.front() != '/';
    if (relative && !ranks.working_directory.empty()) {
      program = ranks.working_directory + "/" + program;
    }
    most = std::max(most, read_mpi_need(program, path));
  }
  return most;
}

/// Whether UCX, which Open MPI prefers, could find anything but shared memory here. Its search
/// takes a good part of the run of a short program.
bool is_plain_host() {
  for (const char* path : {"/dev/infiniband", "/dev/nvidiactl", "/dev/kfd", "/dev/hfi1_0"}) {
    if (::access(path, F_OK) == 0) return false;
  }
  return true;
}

std::string waits_for(int rank) {
  return fmt::format("waits in MPI for rank {}, which has ended", rank);
}

}  // namespace

/// Ranks that have said that they abort, and are to be gone soon.
struct Contracts::Deadline {
  explicit Deadline(boost::asio::io_context& loop) : timer(loop) {}
  boost::asio::steady_timer timer;
};

Contracts::Contracts(boost::asio::io_context& loop, const Plan& plan,
                     std::vector<std::string> environment, Handlers handlers)
    : loop_(loop),
      plan_(plan),
      environment_(std::move(environment)),
      handlers_(std::move(handlers)),
      serves_(!plan.spec.elastic() && plan.address.empty()),
      seats_(seats_in(plan)),
      deadline_(std::make_unique<Deadline>(loop)) {}

Contracts::~Contracts() = default;

Result<std::unique_ptr<Contracts>> Contracts::create(boost::asio::io_context& loop,
                                                     const Plan& plan,
                                                     std::vector<std::string> environment,
                                                     Handlers handlers) {
  std::unique_ptr<Contracts> contracts(
      new Contracts(loop, plan, std::move(environment), std::move(handlers)));
  LaunchFacts& launch = contracts->launch_;
  if (plan.address.empty()) launch.hosts = {plan.host};
  launch.run = fmt::format("ringmaster-{}", ::getpid());
  launch.restarts_max = plan.spec.restarts;
  launch.master_address = plan.master_address.empty() ? kLoopback : plan.master_address;
  // Whole: a rank may work in another folder.
  if (!plan.torch_program.empty() && !plan.output.folder.empty()) {
    launch.log_folder = std::filesystem::absolute(plan.output.folder).lexically_normal().string();
  }
  launch.crowded = plan.spec.ranks_max > plan.cpus;
  launch.plain_host = contracts->serves_ && is_plain_host();
  if (contracts->serves_) {
    // Nothing that a plain program needs is in it: without one there are no error files.
    auto folder = JobFolder::create();
    if (folder) contracts->folder_.emplace(std::move(*folder));
    if (folder) launch.error_folder = contracts->folder_->path();
    contracts->need_ = need_of(plan, contracts->environment_);
  }
  auto begun = contracts->begin_attempt();
  if (!begun) return begun.error();
  return contracts;
}

Result<void> Contracts::begin_attempt() {
  ends_.clear();
  port_.reset();
  launch_.master_port = plan_.master_port;
  if (plan_.master_port == 0) {
    auto port = MasterPort::bind();
    if (!port) return port.error();
    launch_.master_port = port->number();
    port_.emplace(std::move(*port));
  }
  if (!serves_) return {};
  const std::string name = fmt::format("kvs_{}_{}", ::getpid(), launch_.restarts);
  pmi_ = std::make_unique<pmi::Server>(
      loop_, name, std::vector<int>(seats_.size(), 0),
      pmi::ServerHandlers{[this](int rank, int code) { on_abort(rank, code); },
                          [this](int rank, const std::string& words) { on_failure(rank, words); },
                          [this](const std::string& words) { handlers_.say(words); }});
  auto started = start_rendezvous();
  if (!started) return started.error();
  return start_pmix();
}

Result<void> Contracts::start_rendezvous() {
  const int ranks = static_cast<int>(seats_.size());
  std::map<std::string, int> members = {{"local_" + plan_.host, ranks}};
  for (int rank = 0; rank < ranks; ++rank) members[fmt::format("cross_{}", rank)] = 1;
  rendezvous_.reset();
  auto server = rendezvous::HttpServer::start(loop_, rendezvous::Store(ranks, std::move(members)));
  if (!server) return server.error();
  rendezvous_ = std::move(*server);
  launch_.rendezvous_address = kLoopback;
  launch_.rendezvous_port = rendezvous_->port();
  return {};
}

Result<void> Contracts::start_pmix() {
  pmix_.reset();
  inside_.assign(seats_.size(), false);
  was_inside_ = inside_;
  ended_without_mpi_.reset();
  launch_.mpi_folder.clear();
  if (need_ == MpiNeed::no) return {};
  auto started = Result<std::unique_ptr<PmixHelper>>(
      Error{Errc::denied, "there is no folder for its files (TMPDIR)"});
  const std::string folder = fmt::format("{}/mpi-{}", launch_.error_folder, launch_.restarts);
  if (folder_ && ::mkdir(folder.c_str(), 0700) == 0) {
    started = PmixHelper::start(loop_,
                                {fmt::format("{}-{}", launch_.run, launch_.restarts), plan_.host,
                                 folder, static_cast<int>(seats_.size()), environment_},
                                [this](const pmix::Told& told) { on_told(told); });
  }
  if (started) {
    pmix_ = std::move(*started);
    launch_.mpi_folder = folder;
    return {};
  }
  const std::string why = "Open MPI programs need a PMIx server: " + started.error().message;
  if (need_ == MpiNeed::yes) return Error{started.error().code, why};
  handlers_.say(why + "; without one each of their ranks is alone");
  need_ = MpiNeed::no;  // said once
  return {};
}

void Contracts::on_told(const pmix::Told& told) {
  const auto rank = static_cast<std::size_t>(std::max(told.rank, 0));
  switch (told.report) {
    case pmix::Report::connected:
      inside_[rank] = was_inside_[rank] = true;
      if (ended_without_mpi_) on_failure(told.rank, waits_for(*ended_without_mpi_));
      break;
    case pmix::Report::finalized:
      inside_[rank] = false;
      break;
    case pmix::Report::aborted:
      on_abort(told.rank, told.status);
      break;
    case pmix::Report::spawn_refused:
      // An error for the caller alone would leave the others of its communicator waiting in Open
      // MPI for processes that never come.
      on_failure(told.rank, pmi::spawn_refusal());
      break;
    case pmix::Report::variable:
    case pmix::Report::ready:
    case pmix::Report::failed:
      break;  // of its start
  }
}

std::vector<pid_t> Contracts::helper_pids() const {
  if (!pmix_) return {};
  return {pmix_->pid()};
}

void Contracts::set_local_rank(int rank, int local_rank, int local_size) {
  Seat& seat = seats_[static_cast<std::size_t>(rank)];
  seat.local_rank = local_rank;
  seat.local_size = local_size;
}

RankFacts Contracts::facts_of(int rank) const {
  const auto processors = processors_of(plan_, rank);
  return {seats_[static_cast<std::size_t>(rank)], static_cast<int>(seats_.size()),
          processors ? static_cast<int>(processors->size()) : 0, -1};
}

Result<RankKit> Contracts::prepare(int rank, int attempt) {
  if (attempt > launch_.restarts && !plan_.spec.elastic()) {
    launch_.restarts = attempt;
    auto begun = begin_attempt();
    if (!begun) return begun.error();
  }
  RankKit kit;
  RankFacts facts = facts_of(rank);
  if (pmi_) {
    auto end = pmi_->connect(rank);
    if (!end) return end.error();
    facts.pmi_fd = end->get();
    kit.inherited = std::move(*end);
  }
  std::vector<std::string> own;
  for (const auto& [name, value] : contract_values(launch_, facts)) {
    own.push_back(name + "=" + value);
  }
  if (pmix_) {
    own.insert(own.end(), pmix_->variables().begin(), pmix_->variables().end());
    own.push_back(fmt::format("PMIX_RANK={}", rank));
  }
  kit.environment = merge_environments(environment_, own, plan_.environment);
  return kit;
}

void Contracts::on_abort(int rank, int code) {
  // As a process's exit code has it: eight bits, and not those that mean success.
  const int exit_code = (code & 0xff) != 0 ? code & 0xff : kFailureCode;
  const bool is_new =
      ends_.try_emplace(rank, RankEnd{{exit_code, 0}, fmt::format("called MPI_Abort({})", code)})
          .second;
  if (!is_new) return;
  deadline_->timer.expires_after(kAbortGrace);
  deadline_->timer.async_wait([this](const boost::system::error_code& cancelled) {
    if (cancelled) return;
    for (const auto& [aborting, end] : ends_) handlers_.on_failure(aborting);
  });
}

void Contracts::on_failure(int rank, const std::string& words) {
  ends_.try_emplace(rank, RankEnd{{kFailureCode, 0}, words});
  handlers_.on_failure(rank);
}

RankEnd Contracts::end_of(int rank, jobs::ExitStatus status) {
  if (pmi_) pmi_->drain(rank);
  if (pmix_) pmix_->drain();
  const auto known = ends_.find(rank);
  if (known != ends_.end()) return known->second;
  if (!status.success()) {
    // What torch's record decorator has written of an exception tells more than an exit code.
    const auto said = read_error_file(error_file_of(rank));
    return {status, said ? said->message : ""};
  }
  if (!pmi_) return {status, ""};
  if (pmi_->inside(rank) || inside_[static_cast<std::size_t>(rank)]) {
    return {{kFailureCode, 0}, "ended between MPI_Init and MPI_Finalize"};
  }
  pmi_->ended(rank);
  if (pmix_ && !was_inside_[static_cast<std::size_t>(rank)]) {
    ended_without_mpi_ = rank;
    const auto waits = std::find(inside_.begin(), inside_.end(), true);
    if (waits != inside_.end()) {
      on_failure(static_cast<int>(waits - inside_.begin()), waits_for(rank));
    }
  }
  return {status, ""};
}

std::string Contracts::error_file_of(int rank) const {
  for (const auto& [name, value] : contract_values(launch_, facts_of(rank))) {
    if (name == "TORCHELASTIC_ERROR_FILE") return value;
  }
  return "";
}

Variables planned_variables(const Plan& plan, int rank) {
  LaunchFacts launch;
  launch.hosts = hosts_of(plan);
  launch.master_address = plan.master_address.empty() ? kLoopback : plan.master_address;
  const Seat seat = seats_in(plan)[static_cast<std::size_t>(rank)];
  const auto processors = processors_of(plan, rank);
  return contract_values(launch, {seat, plan.spec.ranks_max,
                                  processors ? static_cast<int>(processors->size()) : 0, -1});
}

}  // namespace ringmaster::launcher
