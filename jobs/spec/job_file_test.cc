// SPDX-License-Identifier: Apache-2.0
//
// Right specs, and wrong ones with the place and the words of their errors.
#include "jobs/spec/job_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

namespace ringmaster::jobs {
namespace {

using namespace std::chrono_literals;

const std::string kHead = "name: j\ncommand: [a]\nranks: 2\n";  // more keys begin on line 4

struct Wrong {
  std::string text;
  int line, column;
  std::string piece;  // of the message
};

void expect_errors(const std::vector<Wrong>& all) {
  for (const Wrong& wrong : all) {
    const auto file = parse_job_file(wrong.text, "job.yaml");
    ASSERT_FALSE(file.ok()) << wrong.text;
    const SpecError& error = file.error();
    const std::string message = error.message();
    EXPECT_EQ(error.place.line, wrong.line) << wrong.text << message;
    EXPECT_EQ(error.place.column, wrong.column) << wrong.text << message;
    EXPECT_NE(message.find(wrong.piece), std::string::npos) << wrong.text << message;
    const std::string place = fmt::format("job.yaml:{}:{}: ", wrong.line, wrong.column);
    EXPECT_TRUE(message.starts_with(place)) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_FALSE(error.why.empty()) << message;
  }
}

TEST(JobFile, YamlThatIsNoSpecIsRefused) {
  expect_errors({
      {"", 1, 1, "the text is empty"},
      {"# nothing but this\n", 1, 1, "the text is empty"},
      {"---\n", 2, 1, "it is no map of keys"},
      {"- name: j\n", 1, 1, "it is no map of keys"},
      {"just words\n", 1, 1, "write lines such as name:"},
      {"name: j\n\tranks: 2\n", 2, 1, "a tab"},
      {"name: j # a\ttab\n", 1, 12, "a tab"},
      {std::string("name: j\0k\n", 10), 1, 8, "a control character (0x00)"},
      {"name: j\rranks: 2\n", 1, 8, "a control character (0x0d)"},
      {"name: j\x7f\n", 1, 8, "a control character (0x7f)"},
      {"name: j\xc2\x9b\n", 1, 8, "(0x9b) (inside double quotes write \\x9b)"},
      {"name: \xff\n", 1, 7, "not UTF-8"},
      {"%YAML 1.1\n---\nname: j\n", 1, 1, "a directive"},
      {"name: j\n%FOO\n", 2, 1, "a directive"},
      {"name: j\n---\nname: k\n", 2, 1, "a second document"},
      {"name: j\n... rest\n", 2, 5, "a second document"},
      {"name: &x j\n", 1, 7, "anchors (&) and aliases (*)"},
      {"name: *x\n", 1, 7, "anchor"},
      {"name: &x\nranks: *x\n", 1, 7, "anchors (&) and aliases (*)"},
      {"name: !!str j\n", 1, 7, "tags (!) have no place"},
      {"name: ! j\n", 1, 7, "tags (!) have no place"},
      {"ranks: !!map {min: 1}\n", 1, 8, "tags (!) have no place"},
      {"name: j\nname: k\n", 2, 1, "name: the key stands on line 1 already"},
      {kHead + "env: {A: 1, \"A\": 2}\n", 4, 13, "A: the key stands on line 4 already"},
      {"? [a]\n: b\n", 1, 3, "a key is one word"},
      {"~: 1\n", 1, 1, "a key is one word"},
      {"name: \"j\nranks: 2\n", 1, 7, "a quote is opened here and never closed"},
      {"name: j\ncommand: [a, 'b]", 2, 14, "a quote is opened here and never closed"},
      {"name: j\n  k\n", 1, 7, "goes over several lines"},
      {"name: j\n ranks: 2\n", 1, 7, "goes over several lines"},
      {"command: [a, b\n", 1, 10, "[ is never closed"},
      {"ranks: {min: 1\n", 1, 8, "{ is never closed"},
      {"name: a: b\n", 1, 8, "illegal map value (check the indentation; a text with a colon"},
      {"name: - b\n", 1, 7, "illegal block entry"},
      {"name: @b\n", 1, 7, "needs quotes"},
      {"name: j\n}\n", 2, 1, "nothing is open"},
      {"name: 'j' k\n", 1, 11, "check the indentation"},
      {"name: \"\\q\"\n", 1, 10, "unknown escape character: q"},
      {kHead + "env: {A: \"\\N\"}\n", 4, 10, "stands for no character"},
      {"a: [[[[[[[[x]]]]]]]]\n", 1, 11, "nested too deep (at most 8 deep)"},
  });
}

TEST(JobFile, KeysThatDoNotExistAreRefusedWithASuggestion) {
  expect_errors({
      {kHead + "rank: 3\n", 4, 1, "rank: there is no such key (did you mean ranks?)"},
      {kHead + "Env: {}\n", 4, 1, "did you mean env?"},
      {kHead + "limits: {restart: 3}\n", 4, 10,
       "limits.restart: there is no such key (did you "
       "mean restarts?)"},
      {kHead + "limits: {bugdet: 3 USD}\n", 4, 10, "did you mean budget?"},
      {kHead + "slots: 3\n", 4, 1, "slots: there is no such key (it belongs into local)"},
      {kHead + "local.hosts: 3\n", 4, 1, "there is no such key"},
      {kHead + "zebra: 3\n", 4, 1, "the keys are name, command, ranks"},
      {kHead + "\"a\\nb\": 3\n", 4, 1, "\"a\\nb\": there is no such key"},
      {kHead + "<<: {env: {}}\n", 4, 1, "there is no such key"},
      {"command: [a]\nranks: 1\n", 1, 1, "name: it is missing"},
      {"\nname: j\nranks: 1\n", 2, 1, "command: it is missing (it takes a list of words)"},
      {"name: j\ncommand: [a]\n", 1, 1, "ranks: it is missing"},
      {"name: j\ncommand: [a]\nranks: {max: 2}\n", 3, 8, "ranks.min: it is missing"},
      {kHead + "checkpoint: {every: 1 steps}\n", 4, 13, "checkpoint.to: it is missing"},
      {kHead + "checkpoint: {to: \"file:///a\"}\n", 4, 13, "checkpoint.every: it is missing"},
  });
}

TEST(JobFile, WhatIsNotBuiltYetIsSaidSo) {
  expect_errors({
      {kHead + "per_rank: {gpus: 0}\n", 4, 1, "per_rank: it is not built yet"},
      {kHead + "gpu: [H100]\n", 4, 1, "gpu: it is not built yet"},
      {kHead + "regions: [us-west-2]\n", 4, 1, "regions: it is not built yet"},
      {kHead + "market: {spot: 80%}\n", 4, 1, "market: it is not built yet"},
      {kHead + "limits: {budget: 200 USD}\n", 4, 10, "limits.budget: it is not built yet"},
      {kHead + "limits:\n  deadline: 12h\n", 5, 3, "limits.deadline: it is not built yet"},
      {kHead + "provider: aws\n", 4, 11, "provider: aws is not built yet (it takes local)"},
      {kHead + "provider: [local, gcp]\n", 4, 19, "provider: gcp is not built yet"},
      {kHead + "provider: [local]\n", 4, 11, "a list of them is not built yet"},
      {kHead + "on_reclaim: shrink\n", 4, 13, "on_reclaim: shrink is not built yet"},
      {kHead + "on_reclaim: wait\n", 4, 13, "wait is not built yet (it takes replace)"},
      {kHead + "checkpoint: {to: \"s3://b/x\", every: 1 steps}\n", 4, 18, "s3 is not built yet"},
      {kHead + "checkpoint: {to: \"file:///x\", every: auto}\n", 4, 38, "auto is not built yet"},
  });
}

TEST(JobFile, WrongValuesAreRefused) {
  const std::string no_head = "command: [a]\nranks: 2\nname: ";
  expect_errors({
      {no_head + "\"\"\n", 3, 7, "name: it is empty"},
      {no_head + "a b\n", 3, 7, "a character that no name has"},
      {no_head + "../x\n", 3, 7, "a character that no name has"},
      {no_head + ".x\n", 3, 7, "does not begin with a letter or digit"},
      {no_head + std::string(61, 'a') + "\n", 3, 7, "it has 61 characters"},
      {no_head + "no\n", 3, 7, "YAML takes no for a truth value (quote it: \"no\")"},
      {no_head + "[a]\n", 3, 7, "a list is wrong here"},
      {"name:\n", 1, 1, "name: there is no value"},
      {"command: python train.py --epochs 3\n", 1, 10,
       "(write command: [python, train.py, --epochs, 3])"},
      {"command: \"a 'b c'\"\n", 1, 10, "(write command: [python, train.py, --epochs, 3])"},
      {"command: []\n", 1, 10, "the list is empty"},
      {"command: [\"\"]\n", 1, 11, "the program's name is empty"},
      {"command: [a, [b]]\n", 1, 14, "a list is wrong here"},
      {"command: [a, , b]\n", 1, 14, "there is no value"},
      {"command: [a, on]\n", 1, 14, "quote it: \"on\""},
      {"command: [a, \"\\0\"]\n", 1, 14, "zero byte"},
      {"command: [a, b: c]\n", 1, 14, "a map is wrong here"},
      {"ranks: 0\n", 1, 8, "ranks: 0 is out of bounds (it takes a whole number from 1 to 4096)"},
      {"ranks: -2\n", 1, 8, "-2 is out of bounds"},
      {"ranks: 4097\n", 1, 8, "4097 is out of bounds"},
      {"ranks: 99999999999999999999\n", 1, 8, "is out of bounds"},
      {"ranks: 2.0\n", 1, 8, "2.0 is no whole number"},
      {"ranks: \"2\"\n", 1, 8, "in quotes is a text (leave the quotes out)"},
      {"ranks: 1_000\n", 1, 8, "1_000 is no whole number"},
      {"ranks: 010\n", 1, 8, "010 is no whole number"},
      {"ranks: 2:4\n", 1, 8, "is no whole number"},
      {"ranks: [2, 4]\n", 1, 8, "ranks: it is no map (it takes a whole number, or a map of"},
      {"ranks:\n", 1, 1, "ranks: there is no value"},
      {"ranks: {min: two, max: 4}\n", 1, 14, "ranks.min: two is no whole number"},
      {kHead + "local: 3\n", 4, 8, "local: it is no map (it takes a map of hosts, slots)"},
      {kHead + "local: {hosts: 65}\n", 4, 16, "local.hosts: 65 is out of bounds"},
      {kHead + "local: {slots: 0}\n", 4, 16, "local.slots: 0 is out of bounds"},
      {kHead + "limits: {restarts: -1}\n", 4, 20, "limits.restarts: -1 is out of bounds"},
      {kHead + "provider: lokal\n", 4, 11, "there is no choice lokal (did you mean local?)"},
      {kHead + "on_reclaim: never\n", 4, 13, "there is no choice never (it takes replace)"},
      {"name: j\ncommand: [a]\nranks: {min: 3, max: 2}\n", 3, 14, "3 is more than ranks.max"},
      {kHead + "local: {hosts: 1, slots: 1}\n", 3, 8,
       "2 ranks do not fit into 1 x 1 slots, not even the least, 2"},
      {"name: j\ncommand: [a]\nranks: {min: 2, max: 9}\nlocal: {hosts: 2, slots: 4}\n", 3, 22,
       "9 ranks do not fit into 2 x 4 slots (raise"},
      {"name: j\ncommand: [a]\nranks: 300\n", 3, 8, "300 ranks do not fit into 1 x 256 slots"},
  });
}

TEST(JobFile, WrongCheckpointsAreRefused) {
  const auto every = [](const std::string& text) {
    return kHead + "checkpoint:\n  to: file:///x\n  every: " + text + "\n";
  };
  const auto to = [](const std::string& text) {
    return kHead + "checkpoint: {to: " + text + "}\n";
  };
  expect_errors({
      {every("30"), 6, 10, "checkpoint.every: 30 has no unit; the units are ns, us, ms, s, m"},
      {every("30 s"), 6, 10, "no space stands before the unit: 30s"},
      {every("30 seconds"), 6, 10, "seconds is no unit"},
      {every("-1s"), 6, 10, "not negative"},
      {every("0s"), 6, 10, "0s is out of bounds"},
      {every("0 steps"), 6, 10, "0 steps are out of bounds (it takes"},
      {every("500steps"), 6, 10, "one space stands between number and unit: 500 steps"},
      {every("soon"), 6, 10, "soon is no duration"},
      {every("[1s]"), 6, 10, "a list is wrong here"},
      {every("1 steps\n  keep: 0"), 7, 9, "checkpoint.keep: 0 is out of bounds"},
      {to("/tmp/x"), 4, 18, "names no store (write file:///tmp/x)"},
      {to("x"), 4, 18, "it takes file:///absolute/path"},
      {to("\"file://x/y\""), 4, 18, "x/y is no absolute path"},
      {to("\"file:///\""), 4, 18, "the root folder"},
      {to("\"fil:///x\""), 4, 18, "there is no store fil (did you mean file?)"},
      {to("\"ftp://x\""), 4, 18, "there is no store ftp"},
      {kHead + "checkpoint: \"file:///x\"\n", 4, 13, "it is no map (it takes a map of to, every"},
  });
}

TEST(JobFile, VariablesAreNamesAndTexts) {
  for (const char* surprise : {"no", "yes", "on", "off", "0777", "1e3", "1_000", "12:30:00", ".inf",
                               "true", "0x10", "2026-11-30"}) {
    expect_errors({{kHead + "env:\n  A: 1\n  B: " + surprise + "\n", 6, 6,
                    fmt::format("(quote it: \"{}\")", surprise)}});
  }
  expect_errors({
      {kHead + "env: {A: null}\n", 4, 10, "env.A: there is no value"},
      {kHead + "env: {A: ~}\n", 4, 10, "an empty text is written \"\""},
      {kHead + "env: {A: [1]}\n", 4, 10, "a list is wrong here"},
      {kHead + "env: [A]\n", 4, 6, "it takes a map: {NAME: value}"},
      {kHead + "env: {A:1}\n", 4, 7, "\"A:1\" is no variable's name (a space follows the colon)"},
      {kHead + "env: {1A: x}\n", 4, 7, "1A is no variable's name"},
      {kHead + "env: {A-B: x}\n", 4, 7, "A-B is no variable's name"},
      {kHead + "env: {NO: x}\n", 4, 7, "YAML takes \"NO\" for a truth value (quote it"},
      {kHead + "env: {RANK: 3}\n", 4, 7, "RANK is set for each rank by Ringmaster"},
      {kHead + "env: {RINGMASTER_X: 3}\n", 4, 7, "is set for each rank by Ringmaster"},
  });
}

TEST(JobFile, AnErrorCarriesWhatScriptsNeed) {
  const auto file = parse_job_file("name: j\nranks: 0\n", "dir/job.yaml");
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().file, "dir/job.yaml");
  EXPECT_EQ(file.error().place.line, 2);
  EXPECT_EQ(file.error().place.column, 8);
  EXPECT_EQ(file.error().what, "ranks");
  EXPECT_EQ(file.error().why, "0 is out of bounds");
  EXPECT_EQ(file.error().hint, "it takes a whole number from 1 to 4096");
  EXPECT_EQ(file.error().as_error().code, Errc::invalid);
  EXPECT_EQ(file.error().as_error().message,
            "dir/job.yaml:2:8: ranks: 0 is out of bounds (it takes a whole number from 1 to 4096)");
}

TEST(JobFile, WhatIsLeftOutGetsItsDefault) {
  const auto file = parse_job_file("name: j\ncommand: [a]\nranks: {min: 2, max: 4}\n", "x");
  ASSERT_TRUE(file.ok()) << file.error().message();
  EXPECT_EQ(file->spec.name, "j");
  EXPECT_EQ(file->spec.ranks_min, 2);
  EXPECT_EQ(file->spec.ranks_max, 4);
  EXPECT_EQ(file->spec.restarts, 10);
  EXPECT_EQ(file->hosts, 1);
  EXPECT_EQ(file->slots, 4);
  EXPECT_EQ(file->provider, "local");
  EXPECT_EQ(file->on_reclaim, "replace");
  EXPECT_FALSE(file->checkpoint);
  EXPECT_TRUE(file->environment.empty());
  EXPECT_EQ(effective_text(*file),
            "name: j\ncommand: [a]\nranks: {min: 2, max: 4}\nprovider: local\n"
            "local: {hosts: 1, slots: 4}\nlimits: {restarts: 10}\non_reclaim: replace\nenv: {}\n");
}

TEST(JobFile, ASpecMaySayEverything) {
  const auto file = parse_job_file(
      "env: {THREADS: 1, RATE: 0.5, EMPTY: \"\", \"NO\": 'no'}\n"
      "on_reclaim: replace\nprovider: local\nranks: 3\nlimits: {restarts: 0}\n"
      "local:\n  slots: 2\n  hosts: 2\n"
      "checkpoint: {keep: 1, every: 90 steps, to: file:///var/x y}\n"
      "command:\n- python\n- -c\n- |\n  print(1)\n  print(2)\nname: \"a.b-c_1\"\n",
      "x");
  ASSERT_TRUE(file.ok()) << file.error().message();
  EXPECT_EQ(file->command, (std::vector<std::string>{"python", "-c", "print(1)\nprint(2)\n"}));
  using Variable = std::pair<std::string, std::string>;
  EXPECT_EQ(
      file->environment,
      (std::vector<Variable>{{"THREADS", "1"}, {"RATE", "0.5"}, {"EMPTY", ""}, {"NO", "no"}}));
  EXPECT_EQ(file->spec.ranks_min, 3);
  EXPECT_EQ(file->spec.ranks_max, 3);
  EXPECT_EQ(file->spec.restarts, 0);
  EXPECT_EQ(file->hosts, 2);
  EXPECT_EQ(file->slots, 2);
  const CheckpointPolicy policy = {.to = "file:///var/x y", .every = Steps{90}, .keep = 1};
  EXPECT_EQ(file->checkpoint, policy);
}

TEST(JobFile, AStepPeriodIsRead) {
  const auto file = parse_job_file(
      kHead + "checkpoint: {to: \"file:///c\", every: 500 steps}\nlocal: {}\nlimits: {}\n", "x");
  ASSERT_TRUE(file.ok()) << file.error().message();
  EXPECT_EQ(file->checkpoint->every, Period(Steps{500}));
  EXPECT_EQ(file->checkpoint->keep, 3);
}

}  // namespace
}  // namespace ringmaster::jobs
