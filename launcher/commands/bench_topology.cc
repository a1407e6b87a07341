// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster bench topology`: what it costs to read this machine, to find the rings over every
// subset of a machine's GPUs, and to place a job on ten thousand hosts.
//
// Machines are known ones (topology/known_machines.h). Placements begin with nothing worked out:
// the hosts are values, half of whose GPUs are taken at random.
#include <fmt/format.h>

#include "base/random.h"
#include "base/time.h"
#include "launcher/commands/bench_results.h"
#include "launcher/commands/command.h"
#include "topology/detect/this_machine.h"
#include "topology/known_machines.h"
#include "topology/placement/placement.h"
#include "topology/rings/rings.h"

namespace ringmaster::launcher {

namespace {

constexpr double kReadBar = 50, kEightBar = 5, kSixteenBar = 50, kPlacementBar = 10;  // ms
constexpr std::size_t kAllSubsets = 8;  // GPUs up to which every subset is tried
constexpr int kSubsetsOfMany = 200;

struct TopologyBench {
  std::int64_t hosts = 10'000, repeats = 20;
  bool json = false;
};

template <class Work>
double milliseconds_of(Work work) {
  const Time start = read_clock();
  work();
  return to_milliseconds(read_clock() - start);
}

class TopologyTimes {
 public:
  explicit TopologyTimes(const TopologyBench& settings) : settings_(settings) {}

  void time_reading() {
    std::vector<double> times;
    std::size_t gpus = 0;
    for (std::int64_t turn = 0; turn < settings_.repeats; ++turn) {
      times.push_back(milliseconds_of([&] { gpus = topology::read_this_machine().gpus.size(); }));
    }
    const Spread spread = spread_of(times);
    told("read", "this machine", static_cast<std::int64_t>(gpus), spread);
    bars_.push_back({"reading this machine, p50", spread.p50, kReadBar});
  }

  /// Every subset of two GPUs and more; of sixteen some hundred at random, and all of them.
  void time_rings(const std::string& name) {
    const topology::Wires wires = topology::find_wires(*topology::known_machine(name));
    const std::size_t gpus = wires.gpus();
    const auto all = static_cast<topology::GpuSet>((std::uint64_t{1} << gpus) - 1);
    std::vector<topology::GpuSet> sets;
    if (gpus <= kAllSubsets) {
      for (topology::GpuSet set = 1; set <= all; ++set) sets.push_back(set);
    } else {
      Random random(1);
      sets.assign(kSubsetsOfMany, all);
      for (topology::GpuSet& set : sets) set &= static_cast<topology::GpuSet>(random.next());
      sets.push_back(all);
    }
    std::vector<double> times;
    for (const topology::GpuSet set : sets) {
      if (topology::count_gpus(set) < 2) continue;
      const topology::Wires some = topology::select_gpus(wires, topology::places_in(set));
      times.push_back(milliseconds_of([&] { topology::find_rings(some); }));
    }
    const Spread spread = spread_of(times);
    told("rings", name, static_cast<std::int64_t>(gpus), spread);
    bars_.push_back({"rings over any of " + name + ", the slowest", spread.max,
                     gpus <= kAllSubsets ? kEightBar : kSixteenBar});
  }

  void time_placement(const std::string& name, int gpus) {
    const topology::Topology machine = *topology::known_machine(name);
    const topology::MachineKind kind = {topology::find_wires(machine),
                                        topology::network_gb_s(machine)};
    std::vector<double> times;
    Random random(2);
    for (std::int64_t turn = 0; turn < settings_.repeats; ++turn) {
      topology::Cluster cluster{{kind}, {}};
      for (std::int64_t host = 0; host < settings_.hosts; ++host) {
        const auto all = static_cast<topology::GpuSet>((1u << kind.wires.gpus()) - 1);
        cluster.hosts.push_back({"", 0, all & static_cast<topology::GpuSet>(random.next())});
      }
      times.push_back(milliseconds_of([&] { topology::find_placement(cluster, gpus); }));
    }
    const Spread spread = spread_of(times);
    told("placement", name, gpus, spread);
    bars_.push_back(
        {fmt::format("placing {} GPUs on {} hosts of {}, p50", gpus, settings_.hosts, name),
         spread.p50, kPlacementBar});
  }

  const std::vector<Bar>& bars() const { return bars_; }

 private:
  void told(const std::string& metric, const std::string& machine, std::int64_t gpus,
            const Spread& spread) const {
    if (settings_.json) {
      fmt::print(
          "{}\n",
          line_json({"topology", metric, "ms", {{"gpus", gpus}}, {{"machine", machine}}, spread}));
    } else {
      fmt::print("  {:<10} {:<13} {:>3} GPUs  p50 {:>8.3f} ms  p99 {:>8.3f}  max {:>8.3f}  {}\n",
                 metric, machine, gpus, spread.p50, spread.p99, spread.max, spread.samples);
    }
    std::fflush(stdout);
  }

  const TopologyBench& settings_;
  std::vector<Bar> bars_;
};

}  // namespace

int run_bench_topology(const Arguments& arguments) {
  TopologyBench s;
  const Flags flags = {
      {"--hosts", &s.hosts, "N", "hosts to place on", between(1, 1'000'000)},
      {"--repeats", &s.repeats, "N", "placements and looks at this machine", between(1, 10'000)},
      {"--json", &s.json, "", "print JSON lines"},
  };
  const Usage usage = {"ringmaster bench topology [options]",
                       "Times reading this machine, finding rings and placing jobs.",
                       "ringmaster bench topology --hosts 10000"};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  TopologyTimes times(s);
  times.time_reading();
  for (const topology::KnownMachine& machine : topology::known_machines()) {
    times.time_rings(machine.name);
  }
  for (const char* name : {"dgx-1", "dgx-h100", "mi300x", "l40s"}) {
    for (const int gpus : {1, 4, 8, 20}) times.time_placement(name, gpus);
  }
  fmt::print("{}",
             s.json ? bars_json("topology", times.bars()) + "\n" : bars_text(times.bars(), " ms"));
  return all_met(times.bars()) ? 0 : 1;
}

}  // namespace ringmaster::launcher
