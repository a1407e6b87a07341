// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster calibrate`: one rank on each host of a job measures the constants of the model by
// which algorithms between hosts are chosen, and the first one prints how to set them.
//
// What it prints is put into a job's environment and stays there: so every generation, and every
// repeat of the job, chooses alike.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "collectives/tcp/calibrate.h"
#include "collectives/tcp/tcp_communicator.h"
#include "launcher/commands/command.h"
#include "worker/contract.h"
#include "worker/elastic_session.h"

namespace ringmaster::launcher {

namespace {

using collectives::schedules::Cost;

void print_cost(const Cost& cost, int ranks, bool json) {
  if (json) {
    fmt::print("{}\n", nlohmann::json{{"ranks", ranks},
                                      {"round_us", cost.round_us},
                                      {"byte_ns", cost.byte_ns},
                                      {"reduce_ns", cost.reduce_ns}}
                           .dump());
  } else {
    // Two digits: more of them would not be the same the next time.
    fmt::print("{}=round_us={:.2g},byte_ns={:.2g},reduce_ns={:.2g}\n", worker::kAlgorithmVariable,
               cost.round_us, cost.byte_ns, cost.reduce_ns);
  }
  std::fflush(stdout);
}

/// What the engine of this generation finds; only one that is nothing but TCP can tell hops between
/// hosts from those within one.
Result<Cost> find_cost(collectives::Communicator* engine, Duration effort) {
  auto* network = dynamic_cast<collectives::TcpCommunicator*>(engine);
  if (network == nullptr) {
    return Error{Errc::invalid,
                 "calibrate: needs one rank on each of several hosts: the network between them is "
                 "what it measures"};
  }
  return collectives::calibrate(*network, effort);
}

/// In one generation, whichever lasts long enough.
Result<void> run_rank(worker::ElasticSession& session, Duration effort, bool json) {
  for (;;) {
    auto end = session.join();
    std::optional<Cost> cost;
    if (end) {
      auto measured = find_cost(session.communicator()->engine.get(), effort);
      if (measured) cost = *measured;
      if (!measured) end = measured.error();
    }
    if (end) end = session.finish();
    if (!end && end.error().code == Errc::generation_changed) continue;
    if (end && session.generation().position == 0) {
      print_cost(*cost, session.generation().size, json);
    }
    return end;
  }
}

}  // namespace

int run_calibrate(const Arguments& arguments) {
  std::int64_t effort_ms = 500;
  bool json = false;
  const Flags flags = {
      {"--effort-ms", &effort_ms, "N", "time for each of the three constants", between(1, 60000)},
      {"--json", &json, "", "print a JSON line"}};
  const Usage usage = {
      "ringmaster calibrate [options]",
      "As the program of a job with one rank on each of several hosts: measures what a hop, a byte "
      "and a reduced\nbyte cost there, and prints how to set them for other jobs on these hosts.",
      "ringmaster calibrate --effort-ms 2000"};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  auto session = worker::ElasticSession::open();
  if (!session) return fail(json, session.error());
  const auto end = run_rank(**session, std::chrono::milliseconds(effort_ms), json);
  if (end) return 0;
  return (*session)->fail(end.error().message) ? kExitFailed : fail(json, end.error());
}

}  // namespace ringmaster::launcher
