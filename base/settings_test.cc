// SPDX-License-Identifier: Apache-2.0
#include "base/settings.h"

#include <gtest/gtest.h>

namespace ringmaster {
namespace {

struct Example {
  std::int64_t ranks = 2;
  double rate = 0.5;
  std::string model = "cnn";
  bool quiet = false;
  std::vector<std::string> drills;
  Flags flags() {
    return {{"-n,-np,--np", &ranks, "N", "ranks to start", between(1, 4096)},
            {"--rate", &rate, "R", "learning rate", between(0, 10)},
            {"--model", &model, "NAME", "network", one_of({"mlp", "cnn"})},
            {"--quiet", &quiet, "", "say less"},
            {"--drill", &drills, "D", "a fault to inject"}};
  }
};

std::string error_of(const std::vector<std::string>& arguments, Rest rest = Rest::command) {
  Example example;
  auto parsed = parse_flags(example.flags(), arguments, rest);
  return parsed ? "no error" : parsed.error().message;
}

TEST(Settings, ReadsEverySpelling) {
  Example example;
  auto parsed = parse_flags(example.flags(),
                            {"-np", "4", "--rate=0.25", "--model", "mlp", "--quiet", "--drill", "a",
                             "--drill", "b", "program", "--rate", "9"},
                            Rest::command);
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(example.ranks, 4);
  EXPECT_EQ(example.rate, 0.25);
  EXPECT_EQ(example.model, "mlp");
  EXPECT_TRUE(example.quiet);
  EXPECT_EQ(example.drills, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(parsed->rest, (std::vector<std::string>{"program", "--rate", "9"}));
}

TEST(Settings, DoubleDashStartsTheCommand) {
  Example example;
  auto parsed = parse_flags(example.flags(), {"--", "-weird", "--help"}, Rest::command);
  ASSERT_TRUE(parsed.ok());
  EXPECT_FALSE(parsed->help);
  EXPECT_EQ(parsed->rest, (std::vector<std::string>{"-weird", "--help"}));
}

TEST(Settings, SaysWhatIsWrong) {
  EXPECT_EQ(error_of({"--modle", "x"}), "unknown option --modle: did you mean --model?");
  EXPECT_EQ(error_of({"--zebra"}), "unknown option --zebra: see --help");
  EXPECT_EQ(error_of({"-np", "0"}), "-np 0: out of bounds, it takes 1 to 4096");
  EXPECT_EQ(error_of({"-np", "-1"}), "-np -1: out of bounds, it takes 1 to 4096");
  EXPECT_EQ(error_of({"-np", "99999999999999999999"}),
            "-np 99999999999999999999: out of bounds, it takes 1 to 4096");
  EXPECT_EQ(error_of({"-np", "4x"}), "-np 4x: not a whole number");
  EXPECT_EQ(error_of({"-np", ""}), "-np : not a whole number");
  EXPECT_EQ(error_of({"--rate", "nan"}), "--rate nan: out of bounds, it takes 0 to 10");
  EXPECT_EQ(error_of({"-np", "2", "--np", "3"}), "--np: given twice");
  EXPECT_EQ(error_of({"-np"}), "-np: needs a value N");
  EXPECT_EQ(error_of({"--quiet=1"}), "--quiet: takes no value");
  EXPECT_EQ(error_of({"--model", "cmn"}), "--model cmn: it takes mlp, cnn; did you mean cnn?");
  EXPECT_EQ(error_of({"word"}, Rest::none), "unexpected word \"word\": see --help");
}

TEST(Settings, HelpAndConfigComeFromTheSameList) {
  Example example;
  const std::string help = help_text("x [options]", "Does x.", example.flags(), "x --quiet");
  EXPECT_NE(help.find("-n, -np, --np N            ranks to start (default 2; 1 to 4096)"),
            std::string::npos)
      << help;
  EXPECT_NE(config_text(example.flags()).find("--model cnn\n"), std::string::npos);
}

}  // namespace
}  // namespace ringmaster
