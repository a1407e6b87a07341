// SPDX-License-Identifier: Apache-2.0
#include "launcher/contracts/variables.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace ringmaster::launcher {
namespace {

std::map<std::string, std::string> values_of(const LaunchFacts& launch, const RankFacts& rank) {
  std::map<std::string, std::string> values;
  for (const auto& [name, value] : contract_values(launch, rank)) values[name] = value;
  return values;
}

LaunchFacts one_host() {
  LaunchFacts launch;
  launch.hosts = {"n1"};
  launch.run = "job-1";
  launch.master_address = "127.0.0.1";
  launch.master_port = 4242;
  return launch;
}

TEST(ContractVariables, EachNameOnceAndWithAMeaning) {
  std::set<std::string_view> names;
  for (const ContractVariable& variable : contract_variables()) {
    EXPECT_TRUE(names.insert(variable.name).second) << variable.name;
    EXPECT_FALSE(variable.meaning.empty() || variable.contract.empty()) << variable.name;
  }
}

TEST(ContractVariables, AllContractsSayTheSame) {
  LaunchFacts launch = one_host();
  launch.hosts = {"n1", "n2", "n3"};
  const auto seats = seats_of({0, 0, 0, 1, 1, 1, 1, 1, 2});
  auto values = values_of(launch, {seats[7], 9, 0, 5});
  for (const char* name : {"RANK", "ROLE_RANK", "HOROVOD_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"})
    EXPECT_EQ(values[name], "7") << name;
  for (const char* name : {"WORLD_SIZE", "ROLE_WORLD_SIZE", "HOROVOD_SIZE", "OMPI_COMM_WORLD_SIZE",
                           "PMI_SIZE", "OMPI_APP_CTX_NUM_PROCS"})
    EXPECT_EQ(values[name], "9") << name;
  for (const char* name :
       {"LOCAL_RANK", "HOROVOD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"})
    EXPECT_EQ(values[name], "4") << name;
  for (const char* name : {"LOCAL_WORLD_SIZE", "LOCAL_SIZE", "HOROVOD_LOCAL_SIZE",
                           "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"})
    EXPECT_EQ(values[name], "5") << name;
  EXPECT_EQ(values["HOROVOD_CROSS_SIZE"], "1");
  EXPECT_EQ(values["CROSS_RANK"], "0");
  EXPECT_EQ(values["HOROVOD_HOSTNAME"], "n2");
  EXPECT_EQ(values["NODE_RANK"], "1");
  EXPECT_EQ(values["GROUP_WORLD_SIZE"], "3");
  EXPECT_EQ(values["PMI_FD"], "5");
  EXPECT_EQ(values.count("HOROVOD_GLOO_IFACE"), 0U) << "the loopback reaches no other host";
}

TEST(ContractVariables, WhatIsNotServedIsNotSet) {
  auto values = values_of(one_host(), {seats_of({0})[0], 1, 0, -1});
  for (const char* name : {"PMI_FD", "PMI_RANK", "PMI_SIZE", "HOROVOD_GLOO_RENDEZVOUS_PORT",
                           "HOROVOD_GLOO_RENDEZVOUS_ADDR", "TORCHELASTIC_ERROR_FILE",
                           "OMP_NUM_THREADS", "OMPI_UNIVERSE_SIZE"})
    EXPECT_EQ(values.count(name), 0U) << name;
  LaunchFacts unknown = one_host();
  unknown.hosts.clear();
  values = values_of(unknown, {seats_of({0})[0], 1, 0, -1});
  for (const char* name : {"GROUP_RANK", "NODE_RANK", "CROSS_RANK", "HOROVOD_HOSTNAME"})
    EXPECT_EQ(values.count(name), 0U) << name;
}

TEST(ContractVariables, BoundRanksFindTheirCoresAsThreads) {
  auto values = values_of(one_host(), {seats_of({0})[0], 1, 4, -1});
  EXPECT_EQ(values["OMP_NUM_THREADS"], "4");
  EXPECT_EQ(values["OMPI_MCA_orte_hnp_uri"], "4242.0;tcp://127.0.0.1:4242");
}

TEST(ContractVariables, ThePageHasTheTable) {
  std::ifstream file(std::string(RINGMASTER_SOURCE_DIR) + "/docs/contracts.md");
  std::stringstream page;
  page << file.rdbuf();
  for (const ContractVariable& variable : contract_variables()) {
    const std::string line = "| " + std::string(variable.name) + " | " +
                             std::string(variable.contract) + " | " +
                             std::string(variable.meaning) + " |\n";
    EXPECT_NE(page.str().find(line), std::string::npos) << "docs/contracts.md lacks:\n" << line;
  }
}

}  // namespace
}  // namespace ringmaster::launcher
