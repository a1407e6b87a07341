// SPDX-License-Identifier: Apache-2.0
//
// A program of your own that goes on when ranks die: fits y = 3x + 1 by gradient descent, each rank
// on its share of the points. Try:
//   ringrun -np 3 --elastic 1:3 --drill kill:1@500 elastic-cpp 2000
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

  auto end = session->run(steps, [&](Communicator& ring, std::int64_t) -> Result<void> {
    std::vector<double> gradient = {0, 0};
    for (int point = ring.position(); point < kPoints; point += ring.size()) {
      const double x = point * 1e-3, y = 3 * x + 1;
      const double error = weights[0] * x + weights[1] - y;
      gradient[0] += error * x / kPoints;
      gradient[1] += error / kPoints;
    }
    if (auto summed = ring.all_reduce(gradient); !summed) return summed;
    // Only now, when every rank has the sum, the state changes.
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
