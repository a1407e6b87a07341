// SPDX-License-Identifier: Apache-2.0
#include "launcher/contracts/mpi_need.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/temporary_folder.h"

namespace ringmaster::launcher {
namespace {

constexpr const char* kPath = "/usr/bin:/bin";

TEST(MpiNeed, PlainBinariesNeedNothing) {
  EXPECT_EQ(read_mpi_need("true", kPath), MpiNeed::no);
  EXPECT_EQ(read_mpi_need("/bin/ls", kPath), MpiNeed::no);
  EXPECT_EQ(read_mpi_need("no-such-program", kPath), MpiNeed::no);
  EXPECT_EQ(read_mpi_need("/", kPath), MpiNeed::no);
}

TEST(MpiNeed, WhatRunsOthersMayNeedIt) {
  TemporaryFolder folder;
  std::ofstream(folder.file("script")) << "#!/bin/sh\n";
  EXPECT_EQ(read_mpi_need(folder.file("script"), kPath), MpiNeed::maybe);
  for (const char* name : {"sh", "bash", "env", "python3", "python3.11", "perl", "taskset"}) {
    EXPECT_TRUE(runs_others(name)) << name;
  }
  for (const char* name : {"true", "pythonista", "shell", "python3-config", ""}) {
    EXPECT_FALSE(runs_others(name)) << name;
  }
}

TEST(MpiNeed, OpenMpisOwnProgramsAreLinkedWithIt) {
  const char* program = "/usr/bin/ompi_info";
  if (!std::filesystem::exists(program)) GTEST_SKIP() << "Open MPI is absent";
  EXPECT_EQ(read_mpi_need(program, kPath), MpiNeed::yes);
}

TEST(MpiNeed, NamesOfLibraries) {
  EXPECT_TRUE(is_pmix_library("libmpi.so.40"));
  EXPECT_TRUE(is_pmix_library("libpmix.so.2"));
  EXPECT_FALSE(is_pmix_library("libmpi.so.12")) << "Intel's";
  EXPECT_FALSE(is_pmix_library("libmpich.so.12"));
  EXPECT_FALSE(is_pmix_library("libmpg123.so.0"));
}

TEST(MpiNeed, TheLibrariesOfThisVeryProgramAreFound) {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto wanted = parse_wanted(bytes);
  ASSERT_TRUE(wanted.ok()) << wanted.error().message;
  const auto& libraries = wanted->libraries;
  EXPECT_EQ(std::count(libraries.begin(), libraries.end(), "libc.so.6"), 1);
}

TEST(MpiNeed, FilesThatAreCutOrWrongAreErrorsOrShort) {
  std::ifstream file("/bin/true", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  EXPECT_FALSE(parse_wanted("").ok());
  EXPECT_FALSE(parse_wanted("#!/bin/sh\n").ok());
  for (std::size_t size = 0; size < bytes.size(); size += 97) {
    static_cast<void>(parse_wanted(std::string_view(bytes).substr(0, size)));
  }
  for (std::size_t at = 0; at < 4096; ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    const auto wanted = parse_wanted(damaged);
    EXPECT_LE(wanted ? wanted->libraries.size() : 0, bytes.size());
  }
}

}  // namespace
}  // namespace ringmaster::launcher
