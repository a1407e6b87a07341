// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster agent`: makes this machine a host of a coordinator. A coordinator starts it itself
// for hosts on its own machine; on another one a person does.
#include <fmt/format.h>
#include <unistd.h>

#include "launcher/commands/command.h"
#include "launcher/host/host_agent.h"
#include "launcher/host/own_address.h"
#include "launcher/host_facts.h"
#include "launcher/process/guard.h"
#include "launcher/process/sweep.h"

namespace ringmaster::launcher {

int run_agent(const Arguments& arguments) {
  std::string join, key, name, lock, address, logs;
  std::int64_t id = 0, slots = 0;
  double abandon_after = 900;
  const Flags flags = {
      {"--join", &join, "ADDRESS", "where the coordinator listens, as in tcp://10.0.0.1:7070"},
      {"--key", &key, "FILE", "made by ringmaster keygen on the coordinator's machine"},
      {"--slots", &slots, "N", "how many ranks may run here, 0: one for each GPU or processor",
       between(0, 4096)},
      {"--name", &name, "NAME", "what people call this host; its own name by default"},
      {"--address", &address, "IP",
       "where other hosts reach the ranks of this one; by default as the coordinator sees it"},
      {"--logs", &logs, "FOLDER",
       "where output waits until the coordinator has it, and stays when none comes"},
      {"--abandon-after", &abandon_after, "S", "without a coordinator for so long it ends",
       between(1, 1e6)},
      {"--id", &id, "N", "for a coordinator: the host that it made", between(0, 1e15)},
      {"--lock", &lock, "FILE", "for a coordinator: held while this host lives"},
  };
  const Usage usage = {"ringmaster agent --join ADDRESS --key FILE [options]",
                       "Makes this machine a host: starts and watches ranks for a coordinator.",
                       "ringmaster agent --join tcp://10.0.0.1:7070 --key agent.key --slots 8"};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  if (join.empty() || key.empty()) {
    return fail(false, {Errc::invalid, "--join and --key are needed"}, "ringmaster agent --help",
                kExitUsage);
  }
  const auto credentials = read_credentials(key);
  if (!credentials) return fail(false, credentials.error());
  if (address.empty()) {
    const auto own = address_towards(join);
    if (!own) return fail(false, own.error(), "--address says where other hosts reach this one");
    address = *own;
  }
  const HostFacts facts = read_host_facts();
  const int own_slots = facts.gpus > 0 ? facts.gpus : facts.cpus;
  const HostAgentSettings settings = {.endpoint = join,
                                      .credentials = *credentials,
                                      .host = id,
                                      .name = name.empty() ? facts.name : name,
                                      .slots = slots > 0 ? static_cast<int>(slots) : own_slots,
                                      .address = address,
                                      .waiting_folder = logs,
                                      .abandon_after = std::chrono::duration_cast<Duration>(
                                          std::chrono::duration<double>(abandon_after))};
  sweep();
  // Opened before the guard forks: both hold it, and it is free when both are dead.
  FileDescriptor held;
  if (!lock.empty()) {
    auto taken = take_lock(lock, "");
    if (!taken) return fail(false, taken.error());
    held = std::move(*taken);
  }
  return run_guarded([&] {
    if (held.valid()) {
      const std::string pids = fmt::format("{} {}\n", guard_pid(), getpid());
      if (::pwrite(held.get(), pids.data(), pids.size(), 0) < 0) return 1;
    }
    return run_host_agent(settings);
  });
}

}  // namespace ringmaster::launcher
