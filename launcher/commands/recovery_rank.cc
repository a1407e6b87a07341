// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster bench recovery-rank`: one rank of the recovery benchmark. It all-reduces without a
// pause, checks every sum, and writes down the first one that it finished in each generation.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/file_descriptor.h"
#include "launcher/commands/command.h"
#include "launcher/commands/recovery_log.h"
#include "worker/session.h"

namespace ringmaster::launcher {

namespace {

constexpr std::size_t kFloats = 1024;

class RecoveryRank {
 public:
  RecoveryRank(worker::Session& session, FileDescriptor log, std::string stop_file)
      : session_(session), log_(std::move(log)), stop_file_(std::move(stop_file)) {}

  Result<void> run() {
    if (auto added = session_.add_state(&rounds_, sizeof rounds_); !added) return added;
    for (;;) {
      auto result = run_generation();
      if (result || result.error().code != Errc::generation_changed) return result;
    }
  }

 private:
  Result<void> run_generation() {
    if (auto joined = session_.join(); !joined) return joined;
    auto ring = session_.communicator();
    bool stop = false, first = true;
    while (!stop) {
      if (auto reduced = reduce(ring, stop); !reduced) return reduced;
      if (first) {
        if (auto written = write_first(); !written) return written;
      }
      first = false;
      rounds_ += 1;
      if (auto finished = session_.step_finished(); !finished) return finished;
    }
    return session_.finish();
  }

  /// One all-reduce. The last float counts the ranks that saw the stop file: all ranks get the
  /// same sum, so all stop after the same one.
  Result<void> reduce(worker::Communicator& ring, bool& stop) {
    const int size = ring.size();
    std::fill(data_.begin(), data_.end(), static_cast<float>(ring.position() + 1));
    data_.back() = ::access(stop_file_.c_str(), F_OK) == 0 ? 1.0F : 0.0F;
    if (auto reduced = ring.all_reduce(data_); !reduced) return reduced;
    const auto expected = static_cast<float>(size * (size + 1) / 2);
    for (std::size_t i = 0; i + 1 < kFloats; ++i) {
      if (data_[i] != expected) {
        return Error{Errc::corrupt, fmt::format("round {}: element {} of the sum is {}, not {}",
                                                rounds_, i, data_[i], expected)};
      }
    }
    stop = data_.back() > 0;
    return {};
  }

  Result<void> write_first() {
    const Time now = read_clock();
    const auto generation = session_.generation();
    const std::string line = format_line({generation.rank, static_cast<int>(::getpid()),
                                          generation.generation, generation.size, now});
    if (::write(log_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
      return errno_error(errno, "write the log of the recovery benchmark");
    }
    return {};
  }

  worker::Session& session_;
  FileDescriptor log_;
  std::string stop_file_;
  std::vector<float> data_ = std::vector<float>(kFloats);
  std::int64_t rounds_ = 0;
};

}  // namespace

int run_recovery_rank(const Arguments& arguments) {
  std::string path;
  const Flags flags = {{"--log", &path, "FILE", "where all ranks append; FILE.stop ends them"}};
  const Usage usage = {"ringmaster bench recovery-rank --log FILE",
                       "One rank of `ringmaster bench recovery`, which starts it.",
                       "ringrun -np 4 --elastic 1:4 ringmaster bench recovery-rank --log FILE"};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  FileDescriptor log(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.valid()) return fail(false, errno_error(errno, fmt::format("open {}", path)));
  auto session = worker::Session::open();
  if (!session) return fail(false, session.error());
  const auto ended = RecoveryRank(*session, std::move(log), path + ".stop").run();
  if (ended) return 0;
  return session->fail(ended.error().message) ? kExitFailed : fail(false, ended.error());
}

}  // namespace ringmaster::launcher
