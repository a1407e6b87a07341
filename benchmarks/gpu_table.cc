// SPDX-License-Identifier: Apache-2.0
//
// gpu-table: how fast collectives on this machine's GPUs are, as a table of the columns that users
// of nccl-tests know, with the same definitions: size is the whole array's, algbw = size / time,
// busbw = algbw times what the operation must move at least. A rank is a thread with a GPU.
//
// The time is of whole calls, as a program sees them: with the agreement of all ranks on the call,
// and until the result is there.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>

#include "base/settings.h"
#include "collectives/nccl/gpu_communicator.h"
#include "collectives/shm/shm_communicator.h"

namespace {

using namespace ringmaster;
using namespace ringmaster::collectives;

constexpr int kBadArguments = 2;

struct TableSettings {
  std::string operation = "all_reduce";
  std::int64_t gpus = 1;
  std::int64_t from = 8;
  std::int64_t to = 128 << 20;
  std::int64_t warmup = 5;
  std::int64_t iterations = 20;

  Flags flags() {
    return {
        {"--operation", &operation, "NAME", "what is measured",
         one_of({"all_reduce", "reduce_scatter", "all_gather", "broadcast", "all_to_all"})},
        {"--gpus", &gpus, "N", "GPUs 0 to N-1, one a rank", between(1, 64)},
        {"--from", &from, "BYTES", "the smallest array", between(4, 1e12)},
        {"--to", &to, "BYTES", "the largest array; each is twice the one before", between(4, 1e12)},
        {"--warmup", &warmup, "N", "calls before those that are timed", between(0, 1e6)},
        {"--iterations", &iterations, "N", "calls that are timed", between(1, 1e6)}};
  }
};

/// What a rank measures at one size.
struct Row {
  double seconds = 0;  // a call
  std::int64_t wrong = 0;
};

/// Small whole numbers: their sums are exact.
float value_of(int rank, std::size_t index) {
  return static_cast<float>((index + static_cast<std::size_t>(rank)) % 7);
}

/// One rank at one size: its arrays on the GPU, and what they must hold.
class Bench {
 public:
  static Result<Row> measure(const TableSettings& settings, GpuCommunicator& ring, Gpu& gpu,
                             std::size_t count) {
    Bench bench(settings.operation, ring, gpu, count);
    auto ready = bench.prepare();
    for (std::int64_t i = 0; ready && i < settings.warmup; ++i) ready = bench.call();
    if (ready) ready = ring.barrier();
    const Time begin = read_clock();
    for (std::int64_t i = 0; ready && i < settings.iterations; ++i) ready = bench.call();
    const Duration spent = read_clock() - begin;
    if (!ready) return ready.error();
    auto wrong = bench.count_wrong();
    if (!wrong) return wrong.error();
    return Row{to_seconds(spent) / static_cast<double>(settings.iterations), *wrong};
  }

 private:
  Bench(const std::string& operation, GpuCommunicator& ring, Gpu& gpu, std::size_t count)
      : operation_(operation),
        ring_(ring),
        gpu_(gpu),
        part_(count / static_cast<std::size_t>(ring.size())),
        count_(count) {}

  Result<void> prepare() {
    std::vector<float> data(count_);
    for (std::size_t i = 0; i < count_; ++i) data[i] = value_of(ring_.position(), i);
    for (int i = 0; i < 2; ++i) {
      auto begun = gpu_.stream().begin();
      if (!begun) return begun;
      auto memory = CudaMemory::allocate(gpu_.stream().cuda(), CudaMemory::Kind::device,
                                         count_ * sizeof(float));
      if (!memory) return memory.error();
      arrays_.push_back(std::move(*memory));
    }
    return copy(arrays_[0].data(), data.data());
  }

  Result<void> call() {
    const void* in = arrays_[0].data();
    void* out = arrays_[1].data();
    const Counts parts(static_cast<std::size_t>(ring_.size()), part_);
    constexpr Type kType = RINGMASTER_FLOAT32;
    if (operation_ == "all_reduce") return ring_.all_reduce(in, out, count_, kType, RINGMASTER_SUM);
    if (operation_ == "reduce_scatter") {
      return ring_.reduce_scatter(in, out, parts, kType, RINGMASTER_SUM);
    }
    if (operation_ == "all_gather") return ring_.all_gather(in, out, parts, kType);
    if (operation_ == "all_to_all") return ring_.all_to_all(in, parts, out, parts, kType);
    return ring_.broadcast(arrays_[0].data(), count_, kType, 0);
  }

  Result<std::int64_t> count_wrong() {
    std::vector<float> out(count_);
    auto copied = copy(out.data(), arrays_[operation_ == "broadcast" ? 0 : 1].data());
    if (!copied) return copied.error();
    std::int64_t wrong = 0;
    const std::size_t checked = operation_ == "reduce_scatter" ? part_ : count_;
    for (std::size_t i = 0; i < checked; ++i) wrong += out[i] != expected(i) ? 1 : 0;
    return wrong;
  }

  float expected(std::size_t i) const {
    const auto own = static_cast<std::size_t>(ring_.position());
    const auto peer = static_cast<int>(i / part_);
    if (operation_ == "broadcast") return value_of(0, i);
    if (operation_ == "all_gather") return value_of(peer, i % part_);
    if (operation_ == "all_to_all") return value_of(peer, own * part_ + i % part_);
    const std::size_t at = operation_ == "reduce_scatter" ? own * part_ + i : i;
    float sum = 0;
    for (int rank = 0; rank < ring_.size(); ++rank) sum += value_of(rank, at);
    return sum;
  }

  Result<void> copy(void* to, const void* from) {
    const std::function<bool()> never = [] { return false; };
    auto copied = gpu_.stream().copy(to, from, count_ * sizeof(float));
    return copied ? gpu_.stream().wait(never, std::chrono::minutes(1)) : copied;
  }

  const std::string& operation_;
  GpuCommunicator& ring_;
  Gpu& gpu_;
  std::size_t part_;
  std::size_t count_;
  std::vector<CudaMemory> arrays_;  // in, out
};

/// What the operation must move at least, of the array's bytes, over each GPU's links.
double bus_factor(const std::string& operation, double ranks) {
  if (operation == "all_reduce") return 2 * (ranks - 1) / ranks;
  return operation == "broadcast" ? 1 : (ranks - 1) / ranks;
}

void print_row(const TableSettings& settings, std::size_t count, const std::vector<Row>& rows) {
  const std::size_t bytes = count * sizeof(float);
  Row all;
  for (const Row& row : rows) {
    all.seconds = std::max(all.seconds, row.seconds);
    all.wrong += row.wrong;
  }
  const double algbw = static_cast<double>(bytes) / all.seconds / 1e9;
  const double factor = bus_factor(settings.operation, static_cast<double>(settings.gpus));
  fmt::print("{:>12} {:>12} {:>8} {:>10.2f} {:>8.2f} {:>8.2f} {:>8}\n", bytes, count, "float",
             all.seconds * 1e6, algbw, algbw * factor, all.wrong);
}

/// The ranks of this process, and what they have come to.
struct Table {
  TableSettings settings;
  Segment segment;
  std::vector<Row> rows;
  std::atomic<bool> failed = false;
  std::atomic<std::int64_t> wrong = 0;
};

Result<void> run_rank(Table& table, int position) {
  std::vector<int> numbers;
  for (int i = 0; i < table.settings.gpus; ++i) numbers.push_back(i);
  auto gpu = Gpu::open(position, nullptr);
  if (!gpu) return gpu.error();
  auto host = std::make_unique<ShmCommunicator>(
      table.segment, ShmMembership{1, numbers, position, static_cast<int>(numbers.size())});
  auto ring = GpuCommunicator::open(
      std::move(host), *gpu, numbers, [&table] { return table.segment.aborted(1); },
      std::chrono::minutes(5));
  if (!ring) return ring.error();
  if (position == 0) {
    fmt::print("# {} over {} GPUs, {}\n", table.settings.operation, numbers.size(),
               (*ring)->path());
    fmt::print("# {:>10} {:>12} {:>8} {:>10} {:>8} {:>8} {:>8}\n", "size", "count", "type",
               "time(us)", "algbw", "busbw", "#wrong");
  }
  for (std::int64_t bytes = table.settings.from; bytes <= table.settings.to; bytes *= 2) {
    // A whole number of elements for each rank, as in nccl-tests.
    const auto ranks = static_cast<std::size_t>(table.settings.gpus);
    const std::size_t elements = static_cast<std::size_t>(bytes) / sizeof(float);
    const std::size_t count = std::max<std::size_t>(1, elements / ranks) * ranks;
    auto row = Bench::measure(table.settings, **ring, *gpu, count);
    if (!row) return row.error();
    table.rows[static_cast<std::size_t>(position)] = *row;
    table.wrong += row->wrong;
    if (auto all = (*ring)->barrier(); !all) return all;
    if (position == 0) print_row(table.settings, count, table.rows);
    if (auto all = (*ring)->barrier(); !all) return all;
  }
  return {};
}

int run_table(const TableSettings& settings) {
  auto segment = Segment::create(static_cast<int>(settings.gpus));
  if (!segment) {
    fmt::print(stderr, "gpu-table: {}\n", segment.error().message);
    return 1;
  }
  segment->reset();
  Table table{settings, std::move(*segment),
              std::vector<Row>(static_cast<std::size_t>(settings.gpus))};
  std::vector<std::thread> threads;
  for (int position = 0; position < settings.gpus; ++position) {
    threads.emplace_back([&table, position] {
      const auto end = run_rank(table, position);
      if (end) return;
      // One line, whoever was first; the others end with it.
      if (!table.failed.exchange(true)) fmt::print(stderr, "gpu-table: {}\n", end.error().message);
      table.segment.abort(1);
    });
  }
  for (auto& thread : threads) thread.join();
  return table.failed || table.wrong != 0 ? 1 : 0;
}

}  // namespace

int main(int count, char** arguments) {
  TableSettings settings;
  const Flags flags = settings.flags();
  auto parsed = parse_flags(flags, {arguments + 1, arguments + count}, Rest::none);
  if (!parsed) {
    fmt::print(stderr, "gpu-table: {}\n", parsed.error().message);
    return kBadArguments;
  }
  if (parsed->help || parsed->print_config) {
    fmt::print("{}", parsed->help ? help_text("gpu-table [--operation NAME] [--gpus N]",
                                              "measures a collective on this machine's GPUs", flags,
                                              "gpu-table --operation all_gather --gpus 8")
                                  : config_text(flags));
    return 0;
  }
  // No flag is read below this line.
  return run_table(settings);
}
