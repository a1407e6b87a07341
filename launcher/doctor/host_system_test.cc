// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "launcher/doctor/sick_hosts_for_test.h"

namespace ringmaster::launcher::doctor {
namespace {

TEST(SystemChecks, EachFault) {
  expect_all({
      {"clock", Level::warning, "not synchronised", [](Facts& f) { f.clock_synchronised = false; }},
      {"clock", Level::unknown, "", [](Facts& f) { f.clock_synchronised.reset(); }},
      {"host-name", Level::warning, "node1 is 127.0.1.1, which only this host reaches",
       [](Facts& f) { f.name->addresses = {"127.0.1.1"}; }},
      {"host-name", Level::warning, "::1",
       [](Facts& f) {
         f.name->addresses = {"::1", "10.0.0.7"};
       }},
      {"host-name", Level::warning, "leads to no address: Name or service not known",
       [](Facts& f) {
         f.name = NameFacts{"node1", {}, "Name or service not known"};
       }},
      {"cpu-clocks", Level::warning, "acpi-cpufreq, powersave",
       [](Facts& f) {
         f.governor = GovernorFacts{"acpi-cpufreq", "powersave", ""};
       }},
      {"cpu-clocks", Level::note, "save power", [](Facts& f) { f.governor->preference = "power"; }},
      {"cpu-clocks", Level::ok, "", [](Facts& f) { f.governor.reset(); }},
      {"ptrace", Level::note, "ptrace_scope is 2", [](Facts& f) { f.ptrace_scope = 2; }},
      {"numa-balancing", Level::note, "moves memory", [](Facts& f) { f.numa_balancing = 1; }},
      {"numa-balancing", Level::ok, "one NUMA node",
       [](Facts& f) {
         f.numa_balancing = 1;
         f.machine.nodes.pop_back();
       }},
  });
}

}  // namespace
}  // namespace ringmaster::launcher::doctor
