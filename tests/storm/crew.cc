// SPDX-License-Identifier: Apache-2.0
#include "tests/storm/crew.h"

#include <numeric>

#include "base/random.h"
#include "collectives/hierarchical/ranks_for_test.h"
#include "collectives/mpi_ranks_for_test.h"
#include "collectives/nccl/on_device_for_test.h"
#include "collectives/solo_communicator.h"
#include "collectives/tcp/ranks_for_test.h"

namespace ringmaster::storm {

namespace {

using namespace collectives;

constexpr Duration kPatience = std::chrono::seconds(60);

int ranks_of(std::uint64_t seed) {
  return 2 + static_cast<int>(seed % 4);
}

/// One algorithm for all sizes, or each at its own.
schedules::Choice choice_of(std::uint64_t seed) {
  const auto& all = schedules::algorithms_of(schedules::Operation::all_reduce);
  schedules::Choice choice;
  const std::size_t drawn = Random(seed).below(all.size() * 2);
  if (drawn < all.size()) choice.algorithm = all[drawn];
  return choice;
}

class SoloCrew : public Crew {
 public:
  int size() const override { return 1; }
  void run(const Body& body) override {
    SoloCommunicator solo;
    Arena arena(nullptr, 0);
    body(solo, &arena);
  }
  void abort() override {}
};

class ShmCrew : public Crew {
 public:
  explicit ShmCrew(std::uint64_t seed) : numbers_(static_cast<std::size_t>(ranks_of(seed))) {
    auto made = Segment::create(size());
    CHECK(made.ok());
    segment_.emplace(std::move(*made));
    segment_->reset();
    std::iota(numbers_.begin(), numbers_.end(), 0);
    // As if each had a processor of its own, or all shared one: they wait and cut arrays otherwise.
    cpus_ = Random(seed).chance(0.5) ? 1 : 8;
  }
  int size() const override { return static_cast<int>(numbers_.size()); }
  void run(const Body& body) override {
    std::vector<std::thread> threads;
    for (const int position : numbers_) {
      threads.emplace_back([&, position] {
        Arena arena(&*segment_, position);
        ShmCommunicator ring(*segment_, {1, numbers_, position, cpus_}, &arena);
        ring.set_timeout(kPatience);
        body(ring, &arena);
      });
    }
    for (auto& thread : threads) thread.join();
  }
  void abort() override { segment_->abort(1); }

 private:
  std::vector<int> numbers_;
  int cpus_ = 1;
  std::optional<Segment> segment_;
};

class TcpCrew : public Crew {
 public:
  explicit TcpCrew(std::uint64_t seed)
      : choice_(choice_of(seed)), ranks_(ranks_of(seed), seed % 3 != 0) {}
  int size() const override { return ranks_.size(); }
  void run(const Body& body) override {
    ranks_.run(1, [&](TcpCommunicator& ring) {
      ring.set_choice(choice_);
      body(ring, nullptr);
    });
  }
  void abort() override { ranks_.abort(1); }

 private:
  schedules::Choice choice_;
  TcpRanks ranks_;
};

/// Of each position; at least two hosts, and as many ranks on each or not.
std::vector<int> hosts_of(std::uint64_t seed) {
  const std::vector<std::vector<int>> all = {{0, 0, 1},       {0, 0, 1, 1},    {0, 1, 0, 1, 0},
                                             {0, 1, 0, 1},    {0, 1, 2, 0, 1}, {0, 0, 0, 1, 1, 1},
                                             {0, 0, 1, 1, 2}, {0, 0, 0, 1}};
  return all[seed % all.size()];
}

class HostsCrew : public Crew {
 public:
  explicit HostsCrew(std::uint64_t seed) : choice_(choice_of(seed)), ranks_(hosts_of(seed)) {}
  int size() const override { return ranks_.size(); }
  void run(const Body& body) override {
    ranks_.run(1, [&](HierarchicalCommunicator& ring) {
      ring.set_choice(choice_);
      body(ring, nullptr);
    });
  }
  void abort() override { ranks_.abort(1); }

 private:
  schedules::Choice choice_;
  HierarchicalRanks ranks_;
};

/// On the stand-ins for CUDA and NCCL, or staged through the host's engine.
class GpuCrew : public Crew {
 public:
  explicit GpuCrew(std::uint64_t seed)
      : ranks_(2 + static_cast<int>(seed % 3),
               seed % 2 == 0 ? GpuRanks::Gpus::own : GpuRanks::Gpus::shared) {}
  int size() const override { return ranks_.size(); }
  void run(const Body& body) override {
    ranks_.run([&](GpuCommunicator& ring, Gpu& gpu) {
      OnDevice on_device(ring, gpu);
      body(on_device, nullptr);
    });
  }
  void abort() override { ranks_.abort(1); }

 private:
  GpuRanks ranks_;
};

class MpiCrew : public Crew {
 public:
  int size() const override { return mpi_ranks_for_test(); }
  bool apart() const override { return true; }
  void run(const Body& body) override {
    run_mpi_rank([&](Communicator& ring) { body(ring, nullptr); });
  }
  void abort() override {}  // the others run into their time-out
};

template <class Kind>
[[maybe_unused]] std::unique_ptr<Crew> make(std::uint64_t seed) {
  return std::make_unique<Kind>(seed);
}

}  // namespace

const std::vector<Engine>& engines() {
  static const std::vector<Engine> all = {
#ifdef RINGMASTER_TEST_MPI
      {"mpi", 20,
       [](std::uint64_t) -> std::unique_ptr<Crew> { return std::make_unique<MpiCrew>(); }},
#else
      {"solo", 200,
       [](std::uint64_t) -> std::unique_ptr<Crew> { return std::make_unique<SoloCrew>(); }},
      {"shm", 200, make<ShmCrew>},
      {"tcp", 200, make<TcpCrew>},
      {"hosts", 200, make<HostsCrew>},
      {"gpu", 40, make<GpuCrew>},
#endif
  };
  return all;
}

}  // namespace ringmaster::storm
