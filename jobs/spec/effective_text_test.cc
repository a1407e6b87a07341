// SPDX-License-Identifier: Apache-2.0
//
// The effective spec says the same as the spec that it came from.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "jobs/spec/job_file.h"
#include "jobs/spec/random_job_file.h"
#include "jobs/spec/yaml_events.h"

namespace ringmaster::jobs {
namespace {

namespace fs = std::filesystem;

void expect_same(const JobFile& a, const JobFile& b) {
  EXPECT_EQ(a.spec.name, b.spec.name);
  EXPECT_EQ(a.spec.ranks_min, b.spec.ranks_min);
  EXPECT_EQ(a.spec.ranks_max, b.spec.ranks_max);
  EXPECT_EQ(a.spec.restarts, b.spec.restarts);
  EXPECT_EQ(a.command, b.command);
  EXPECT_EQ(a.environment, b.environment);
  EXPECT_EQ(a.provider, b.provider);
  EXPECT_EQ(a.on_reclaim, b.on_reclaim);
  EXPECT_EQ(a.hosts, b.hosts);
  EXPECT_EQ(a.slots, b.slots);
  EXPECT_EQ(a.checkpoint, b.checkpoint);
}

TEST(EffectiveText, ParsesBackToTheSameValue) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    const JobFile file = random_job_file(random);
    const std::string text = effective_text(file);
    const auto again = parse_job_file(text, "again");
    ASSERT_TRUE(again.ok()) << "seed " << seed << ": " << again.error().message() << "\n" << text;
    expect_same(file, *again);
    ASSERT_EQ(effective_text(*again), text) << "seed " << seed;
    ASSERT_FALSE(HasFailure()) << "seed " << seed << "\n" << text;
  }
}

TEST(EffectiveText, ASpecWhoseEffectiveTextIsTooLongIsRefused) {
  const std::string head = "name: j\nranks: 1\ncommand: [a, '";
  const std::string tail = "']\n";
  const std::string most(kSpecBytesMax - head.size() - tail.size(), 'x');
  const auto file = parse_job_file(head + most + tail, "x");
  ASSERT_FALSE(file.ok());
  EXPECT_NE(file.error().message().find("with its defaults it is"), std::string::npos);
}

TEST(EffectiveText, EveryExampleIsAValidSpec) {
  int examples = 0;
  for (const auto& entry : fs::directory_iterator(RINGMASTER_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const auto file = parse_job_file(text.str(), entry.path().filename().string());
    ASSERT_TRUE(file.ok()) << file.error().message();
    const auto again = parse_job_file(effective_text(*file), "again");
    ASSERT_TRUE(again.ok()) << again.error().message();
    expect_same(*file, *again);
    ++examples;
  }
  EXPECT_LT(0, examples);
}

}  // namespace
}  // namespace ringmaster::jobs
