// SPDX-License-Identifier: Apache-2.0
//
// Measures all-reduces of float32 sums between ranks that are started by hand, each with its
// position and the endpoints of all: for namespaces and hosts without a launcher on them
// (scripts/bench-network). The loop is the one of all libraries (measure.h).
//
//     network-rank POSITION ENDPOINT,ENDPOINT,.. LEAST_BYTES MOST_BYTES MILLISECONDS [CHOICE...]
//
// Position 0 prints, for each power of two and each CHOICE (as in RINGMASTER_ALGORITHM; none: what
// is chosen without), the line of measure.h, and one with the algorithm, the median of the
// all-reduces alone, without the writing and reading of arrays, and what the model of the network
// predicts for it. CHOICE "calibrated" measures the model's constants first, prints them, and uses
// them for itself and what follows.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <sstream>

#include "collectives/tcp/address.h"
#include "collectives/tcp/calibrate.h"
#include "collectives/tcp/tcp_communicator.h"

namespace {

using namespace ringmaster;
using namespace ringmaster::collectives;

constexpr Duration kCalibration = std::chrono::milliseconds(500);

template <class T>
T need(Result<T> result) {
  if (result) return std::move(*result);
  fmt::print(stderr, "network-rank: {}\n", result.error().message);
  std::exit(1);
}

void need(const Result<void>& result) {
  if (result) return;
  fmt::print(stderr, "network-rank: {}\n", result.error().message);
  std::exit(1);
}

std::unique_ptr<TcpCommunicator> ring;
std::vector<double> alone;  // us, of the size under way
std::size_t alone_count = 0;

int rank_of() {
  return ring->position();
}

int size_of_world() {
  return ring->size();
}

void sum(const float* in, float* out, std::size_t count) {
  const Time begin = read_clock();
  need(ring->all_reduce(in, out, count, RINGMASTER_FLOAT32, RINGMASTER_SUM));
  if (count == alone_count) alone.push_back(to_seconds(read_clock() - begin) * 1e6);
}

}  // namespace

// It is C, and has more than is used here.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wdeprecated-enum-float-conversion"
#include "benchmarks/measure.h"
#pragma GCC diagnostic pop

namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) all.push_back(word);
  return all;
}

void measure_choice(float* in, float* out, std::size_t bytes, double milliseconds,
                    const std::string& name, const schedules::Choice& choice) {
  ring->set_choice(choice);
  alone.clear();
  alone_count = bytes / sizeof(float);
  measure(&all_reduce, in, out, bytes, milliseconds * 1e3);
  if (ring->position() != 0) return;
  std::sort(alone.begin(), alone.end());
  const auto plan =
      schedules::choose(schedules::Operation::all_reduce, ring->size(), 0, bytes, choice);
  fmt::print(
      "{{\"bytes\":{},\"choice\":\"{}\",\"algorithm\":\"{}\",\"alone_us\":{:.3f},"
      "\"predicted_us\":{:.3f}}}\n",
      bytes, name, schedules::name_of(plan.algorithm), alone[alone.size() / 2],
      schedules::predict(plan, bytes, choice.cost) * 1e6);
  std::fflush(stdout);
}

schedules::Cost calibrated() {
  const schedules::Cost cost = need(calibrate(*ring, kCalibration));
  if (ring->position() == 0) {
    fmt::print("{{\"round_us\":{:.3f},\"byte_ns\":{:.4f},\"reduce_ns\":{:.4f}}}\n", cost.round_us,
               cost.byte_ns, cost.reduce_ns);
  }
  return cost;
}

/// The choices that were asked for, by name.
std::vector<std::pair<std::string, schedules::Choice>> choices_of(int count, char** values) {
  std::vector<std::pair<std::string, schedules::Choice>> choices;
  schedules::Choice model;
  for (int i = 0; i < count; ++i) {
    const std::string name = values[i];
    if (name == "calibrated") {
      model.cost = calibrated();
      choices.emplace_back(name, model);
      continue;
    }
    schedules::Choice choice = need(schedules::parse_choice(name));
    // A name alone is about the algorithm: the prediction is by the constants in force.
    if (name.find('=') == std::string::npos) choice.cost = model.cost;
    choices.emplace_back(name, choice);
  }
  if (choices.empty()) choices.emplace_back("", model);
  return choices;
}

}  // namespace

int main(int count, char** values) {
  float *in = nullptr, *out = nullptr;
  std::size_t least = 0, most = 0;
  if (count < 6) {
    fmt::print(stderr,
               "usage: network-rank POSITION ENDPOINTS LEAST MOST MILLISECONDS [CHOICE...]\n");
    return 2;
  }
  if (take_sizes(values + 2, &least, &most, &in, &out) == 0) return 2;
  TcpMembership membership;
  membership.position = std::atoi(values[1]);
  membership.endpoints = split(values[2]);
  membership.secret = "of a benchmark";
  const auto endpoint = membership.endpoints[static_cast<std::size_t>(membership.position)];
  FileDescriptor fd = need(listen_on(endpoint));
  TcpListener listener = need(TcpListener::adopt(fd.release()));
  const Segment segment = need(Segment::create(1));
  ring = std::make_unique<TcpCommunicator>(listener, membership, Abort{segment, -1});
  need(ring->connect());
  const auto choices = choices_of(count - 6, values + 6);
  for (std::size_t bytes = least; bytes <= most; bytes *= 2) {
    for (const auto& [name, choice] : choices) {
      measure_choice(in, out, bytes, std::atof(values[5]), name, choice);
    }
  }
  ring.reset();
  std::free(in);
  std::free(out);
  return 0;
}
