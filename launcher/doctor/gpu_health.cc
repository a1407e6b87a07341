// SPDX-License-Identifier: Apache-2.0
//
// GPUs that are gone, or on their way: lost ones, errors, memory that must be repaired, heat.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "launcher/doctor/checks.h"
#include "launcher/ending/memory_kills.h"
#include "topology/detect/driver_view.h"

namespace ringmaster::launcher::doctor {

namespace {

/// Calls `told` for each GPU that the driver told of and that it reaches.
template <class Told>
void for_each_healthy(const Facts& facts, const Told& told) {
  for (const topology::Gpu& gpu : facts.machine.gpus) {
    if (gpu.health.lost.empty()) told(gpu);
  }
}

Verdict unseen_gpus(const Facts& facts, const std::vector<std::string>& names) {
  const std::string what =
      fmt::format("on the PCI bus and not known to the driver: {}", fmt::join(names, ", "));
  if (facts.in_container) {
    return note(what, "they may belong to other containers; on the host nvidia-smi lists all");
  }
  return warning(what, "read dmesg for what the driver says of them, and reboot the host");
}

/// The last event of each number on each GPU, with how often it came, in the order of the log.
struct CountedXid {
  XidEvent event;
  int times = 0;
};

std::vector<CountedXid> count_xids(const std::vector<XidEvent>& events) {
  std::vector<CountedXid> counted;
  for (const XidEvent& event : events) {
    const auto same = std::find_if(counted.begin(), counted.end(), [&](const CountedXid& other) {
      return other.event.number == event.number && other.event.bus_id == event.bus_id;
    });
    if (same == counted.end()) {
      counted.push_back({event, 1});
    } else {
      same->event = event;
      ++same->times;
    }
  }
  return counted;
}

}  // namespace

Verdicts judge_lost_gpus(const Facts& facts) {
  if (facts.machine.gpus.empty() && facts.driver.refused.empty()) return {fine("no GPU here")};
  Verdicts verdicts;
  std::vector<std::string> unseen;
  for (const topology::Gpu& gpu : facts.machine.gpus) {
    if (gpu.health.lost == topology::kUnknownToDriver) {
      unseen.push_back(gpu_name(gpu));
    } else if (!gpu.health.lost.empty()) {
      verdicts.push_back(problem(fmt::format("{}: {}", gpu_name(gpu), gpu.health.lost),
                                 "reboot the host; if it comes back, have the GPU, its slot, power "
                                 "and cooling looked at"));
    }
  }
  for (const std::string& why : facts.driver.refused) {
    verdicts.push_back(problem(fmt::format("a GPU that the driver counts cannot be asked: {}", why),
                               "let this user open /dev/nvidia*, or reboot the host"));
  }
  if (!unseen.empty()) verdicts.push_back(unseen_gpus(facts, unseen));
  if (verdicts.empty()) {
    const bool asked = facts.driver.checks && facts.driver.checks->error.empty();
    verdicts.push_back(asked || nvidia_gpus(facts).empty()
                           ? fine(fmt::format("{} GPUs", facts.machine.gpus.size()))
                           : not_known("the driver was not asked"));
  }
  return verdicts;
}

Verdicts judge_xids(const Facts& facts) {
  const bool none = !facts.xids || facts.xids->empty();
  if (none && nvidia_gpus(facts).empty() && facts.driver.module_version.empty()) {
    return {fine("no NVIDIA GPU here")};
  }
  if (!facts.xids) return {not_known("this user may not read the kernel's log (/dev/kmsg)")};
  Verdicts verdicts;
  for (const CountedXid& counted : count_xids(*facts.xids)) {
    const XidMeaning meaning = xid_meaning(counted.event);
    std::string what = fmt::format("{}: Xid {}, {}", gpu_name(facts, counted.event.bus_id),
                                   counted.event.number, meaning.what);
    if (counted.times > 1) what += fmt::format(" ({} times)", counted.times);
    if (!counted.event.detail.empty()) what += fmt::format(" [{}]", counted.event.detail);
    verdicts.push_back({meaning.level, std::move(what), std::string(meaning.advice)});
  }
  if (verdicts.empty()) verdicts.push_back(fine("no Xid in the kernel's log"));
  return verdicts;
}

Verdicts judge_ecc(const Facts& facts) {
  if (Verdicts nothing = nothing_to_ask(facts); !nothing.empty()) return nothing;
  Verdicts verdicts;
  bool told = false;
  for_each_healthy(facts, [&](const topology::Gpu& gpu) {
    const auto& errors = gpu.health.ecc_uncorrected;
    if (!errors) return;
    told = true;
    if (*errors == 0) return;
    verdicts.push_back(
        warning(fmt::format("{}: {} uncorrected ECC errors since the driver was loaded",
                            gpu_name(gpu), *errors),
                "reset the GPU (nvidia-smi -r -i N) before the next run, and watch whether they "
                "come back"));
  });
  if (verdicts.empty()) {
    verdicts.push_back(told ? fine("no uncorrected ECC error") : not_known("no GPU tells of ECC"));
  }
  return verdicts;
}

Verdicts judge_memory_repair(const Facts& facts) {
  if (Verdicts nothing = nothing_to_ask(facts); !nothing.empty()) return nothing;
  Verdicts verdicts;
  bool told = false;
  for (const topology::GpuChecks& gpu : facts.driver.checks->gpus) {
    told = told || gpu.remap_failed || gpu.repair_pending;
    const std::string name = gpu_name(facts, gpu.bus_id);
    if (gpu.remap_failed.value_or(false)) {
      verdicts.push_back(problem(name + ": bad memory that could not be replaced by spare rows",
                                 "take the GPU out of use and have it replaced"));
    } else if (gpu.repair_pending.value_or(false)) {
      verdicts.push_back(warning(name + ": bad memory is replaced at the next reset",
                                 "reset the GPU (nvidia-smi -r -i N) when nothing runs there"));
    }
  }
  if (verdicts.empty()) {
    verdicts.push_back(told ? fine("no memory waits for repair") : not_known("not told"));
  }
  return verdicts;
}

Verdicts judge_throttling(const Facts& facts) {
  if (Verdicts nothing = nothing_to_ask(facts); !nothing.empty()) return nothing;
  Verdicts verdicts;
  bool told = false;
  for (const topology::GpuChecks& gpu : facts.driver.checks->gpus) {
    if (!gpu.throttle) continue;
    told = true;
    using namespace topology;
    const bool hot = (*gpu.throttle & (kThrottleHardwareHeat | kThrottleSoftwareHeat)) != 0;
    const bool power = (*gpu.throttle & kThrottlePowerBrake) != 0;
    if (!hot && !power && (*gpu.throttle & kThrottleHardware) == 0) continue;
    const char* why = hot ? "heat" : power ? "the power supply" : "its hardware";
    verdicts.push_back(warning(
        fmt::format("{}: its clocks are held down by {}", gpu_name(facts, gpu.bus_id), why),
        "look at cooling, power cables and limits; one slow GPU slows every step of a job"));
  }
  if (verdicts.empty()) {
    verdicts.push_back(told ? fine("no clock is held down by a fault") : not_known("not told"));
  }
  return verdicts;
}

Verdicts judge_gpu_memory(const Facts& facts) {
  // An idle GPU uses some hundred MiB for its driver and ECC.
  constexpr std::uint64_t kIdleBytes = 2ULL << 30;
  if (Verdicts nothing = nothing_to_ask(facts); !nothing.empty()) return nothing;
  Verdicts verdicts;
  bool told = false;
  for_each_healthy(facts, [&](const topology::Gpu& gpu) {
    const auto& used = gpu.health.memory_used_bytes;
    const auto& total = gpu.health.memory_bytes;
    if (!used || !total) return;
    told = true;
    if (*used < kIdleBytes) return;
    verdicts.push_back(warning(fmt::format("{}: {} of {} are in use", gpu_name(gpu),
                                           bytes_text(static_cast<std::int64_t>(*used)),
                                           bytes_text(static_cast<std::int64_t>(*total))),
                               "nvidia-smi names the processes: wait for them, or end them"));
  });
  if (verdicts.empty()) {
    verdicts.push_back(told ? fine("no other program holds memory") : not_known("not told"));
  }
  return verdicts;
}

}  // namespace ringmaster::launcher::doctor
