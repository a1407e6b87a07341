// SPDX-License-Identifier: Apache-2.0
//
// What the kernel, NVIDIA's driver and libraries write: the doctor takes it apart, or leaves it.
#include "base/check.h"
#include "launcher/doctor/host_text.h"
#include "launcher/doctor/xid.h"
#include "tests/fuzz/target.h"
#include "topology/detect/driver_checks.h"

namespace ringmaster::fuzz {

namespace {

using namespace launcher::doctor;

void run(std::string_view input) {
  if (const auto event = parse_xid(input)) {
    CHECK(event->number >= 0);
    CHECK(!event->bus_id.empty());
    CHECK_LE(event->detail.size(), input.size() + 64);  // a GPU that is missing has our own words
    for (const char c : event->detail) CHECK(c >= ' ' && c <= '~');
    CHECK(!xid_meaning(*event).advice.empty());
  }
  if (const auto memory = parse_memory(input)) CHECK_LT(std::uint64_t{0}, memory->total);
  const std::string version = parse_module_version(input);
  CHECK(version.empty() || input.find(version) != std::string_view::npos);
  const auto choice = parse_choice(input);
  CHECK(!choice || input.find("[" + *choice + "]") != std::string_view::npos);
  parse_group_limit(input);
  parse_kernel(input);
  parse_port_state(input);
  const auto cuda = parse_nccl_cuda(input);
  CHECK(!cuda || (*cuda >= 0 && *cuda < 1'000'000));
  const auto checks = topology::parse_driver_checks(input);
  if (checks) CHECK(topology::parse_driver_checks(topology::driver_checks_text(*checks)) == checks);
}

}  // namespace

Target doctor_target() {
  return {"doctor",
          {"4,12,98,-;NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n",
           "NVRM: The NVIDIA GPU 0000:b3:00.0\\x0a NVRM: fallen off the bus\n",
           "MemTotal: 10 kB\nMemAvailable: 5 kB\nHugePages_Total: 3\nHugepagesize: 2048 kB\n",
           "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19\n",
           "always [never] deny\n", "9223372036854771712\n", "6.1.0-18-amd64", "4: ACTIVE\n",
           "NCCL version 2.21.5+cuda12.4",
           "library 12.535.1\ndriver 535.1\nerror \ncuda 12020\nmismatch\n"
           "gpu 0000:07:00.0 0 1 72 3 - 3 0\npeer 0000:07:00.0 0000:0f:00.0 4\n"},
          &run,
          1000};
}

}  // namespace ringmaster::fuzz
