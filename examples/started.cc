// SPDX-License-Identifier: Apache-2.0
//
// Operations that are started and waited for later, in C++: fits y = 3x + 1 as elastic.cc does, and
// computes the loss while the gradient is on its way. Try:
//   ringrun -np 3 --elastic 1:3 --drill kill:1@500 started-cpp 2000
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "worker/session.h"

using ringmaster::Result;
using ringmaster::worker::Communicator;
using ringmaster::worker::Session;

constexpr int kPoints = 3000;

int main(int argc, char** argv) {
  const long steps = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 2000;
  auto session = Session::open();
  if (!session) return std::fprintf(stderr, "%s\n", session.error().message.c_str()), 1;

  std::vector<double> weights = {0, 0};  // y = weights[0] * x + weights[1]
  auto added = session->add_state(weights.data(), weights.size() * sizeof(double));
  if (!added) return std::fprintf(stderr, "%s\n", added.error().message.c_str()), 1;

  std::vector<double> gradient(2), loss(1);  // outlive every operation on them
  auto end = session->run(steps, [&](Communicator& ring, std::int64_t) -> Result<void> {
    const auto error_at = [&](int point) {
      return weights[0] * point * 1e-3 + weights[1] - (3e-3 * point + 1);
    };
    gradient = {0, 0};
    for (int point = ring.position(); point < kPoints; point += ring.size()) {
      gradient[0] += error_at(point) * point * 1e-3 / kPoints;
      gradient[1] += error_at(point) / kPoints;
    }
    auto summed = ring.later().all_reduce(gradient.data(), gradient.data(), 2);
    if (!summed) return summed.error();
    loss = {0};
    for (int point = ring.position(); point < kPoints; point += ring.size()) {
      loss[0] += error_at(point) * error_at(point) / kPoints;
    }
    if (auto all = ring.all_reduce(loss); !all) return all;  // behind the other in the order
    if (auto over = summed->wait(); !over) return over;
    // Only now, when every rank has the sums, the state changes.
    weights[0] -= 0.3 * gradient[0];
    weights[1] -= 0.3 * gradient[1];
    return {};
  });
  if (!end) return std::fprintf(stderr, "%s\n", end.error().message.c_str()), 1;
  if (session->generation().position == 0) {
    std::printf("y = %.4f x + %.4f after %ld steps\n", weights[0], weights[1], steps);
  }
  return 0;
}
