// SPDX-License-Identifier: Apache-2.0
#include "collectives/mpi/mpi_wait.h"

#include <fmt/format.h>
#include <sched.h>

#include <array>

namespace ringmaster::collectives {

namespace {

/// A clock is read and the processor yielded once in so many questions.
constexpr int kQuestions = 64;

bool unsound = false;

}  // namespace

Result<void> check_mpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return {};
  std::array<char, MPI_MAX_ERROR_STRING + 1> text = {};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return Error{Errc::io, fmt::format("{}: {}", what, text.data())};
}

Result<void> wait_mpi(std::vector<MPI_Request>& requests, Duration timeout) {
  const Time begin = read_clock();
  for (int asked = 1;; ++asked) {
    int done = 0;
    auto answered = check_mpi(
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
        "MPI");
    if (!answered) unsound = true;
    if (!answered || done != 0) return answered;
    if (asked % kQuestions != 0) continue;
    if (read_clock() - begin >= timeout) {
      unsound = true;
      return Error{Errc::timed_out, fmt::format("a rank has not called it, or hangs, for {:.0f} s",
                                                to_seconds(timeout))};
    }
    ::sched_yield();
  }
}

bool mpi_is_unsound() {
  return unsound;
}

}  // namespace ringmaster::collectives
