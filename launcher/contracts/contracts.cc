// SPDX-License-Identifier: Apache-2.0
#include "launcher/contracts/contracts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/check.h"
#include "launcher/contracts/foreign.h"
#include "launcher/plan.h"
#include "launcher/pmi/server.h"

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
      prepared_(static_cast<std::size_t>(plan.spec.ranks_max), false),
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
  auto begun = contracts->begin_attempt();
  if (!begun) return begun.error();
  if (contracts->serves_) {
    // Nothing that a plain program needs is in it: without one there are no error files.
    auto folder = JobFolder::create();
    if (folder) contracts->folder_.emplace(std::move(*folder));
    if (folder) launch.error_folder = contracts->folder_->path();
  }
  return contracts;
}

Result<void> Contracts::begin_attempt() {
  std::fill(prepared_.begin(), prepared_.end(), false);
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
  return {};
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

Result<RankKit> Contracts::prepare(int rank) {
  const auto index = static_cast<std::size_t>(rank);
  CHECK_LT(index, prepared_.size());
  if (prepared_[index] && !plan_.spec.elastic()) {
    ++launch_.restarts;
    auto begun = begin_attempt();
    if (!begun) return begun.error();
  }
  prepared_[index] = true;
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
  const auto known = ends_.find(rank);
  if (known != ends_.end()) return known->second;
  if (!status.success() || !pmi_) return {status, ""};
  if (pmi_->inside(rank)) return {{kFailureCode, 0}, "ended between MPI_Init and MPI_Finalize"};
  pmi_->ended(rank);
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
