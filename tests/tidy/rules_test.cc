// SPDX-License-Identifier: Apache-2.0
//
// Every rule fires on a small bad file, and stays silent on its good twin.
#include "tests/tidy/rules.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace ringmaster::tidy {
namespace {

const std::string kLicence = "// SPDX-License-Identifier: Apache-2.0\n";
const std::string kHead = kLicence + "//\n// What it is for.\n#pragma once\n";

std::string lines(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += "\n";
  return text;
}

struct Case {
  std::string rule;
  std::string path;
  std::string bad;
  std::string good;
};

std::vector<Case> cases() {
  const std::string own_enum = "enum class State { up, down };\nint f(State s) {\n";
  const std::string leftover = std::string("// FIX") + "ME later\n";
  const std::string home = std::string("\"/wo") + "rk/x\"";
  return {
      {"layers", "base/x.cc", "#include \"net/loop.h\"\n", "#include \"base/check.h\"\n"},
      {"layers", "jobs/core/x.cc", "#include \"jobs/simulator/x.h\"\n",
       "#include \"topology/topology.h\"\n"},
      {"layers", "jobs/simulator/x.cc", "#include \"launcher/x.h\"\n",
       "#include \"jobs/core/core.h\"\n"},
      {"layers", "worker/x.cc", "#include \"storage/s3/x.h\"\n",
       "#include \"storage/layout/x.h\"\n"},
      {"layers", "launcher/x.cc", "#include \"tests/x.h\"\n", "#include \"worker/session.h\"\n"},
      {"layers", "collectives/x.cc", "#include \"topology/detect/x.h\"\n",
       "#include \"topology/x.h\"\n"},
      {"include-path", "base/x.cc", "#include \"check.h\"\n", "#include \"base/check.h\"\n"},
      {"include-path", "base/x.cc", "#include <base/check.h>\n", "// #include <base/check.h>\n"},
      {"asio-homes", "launcher/x.h", "#include <boost/asio.hpp>\n", "#include <vector>\n"},
      {"asio-homes", "worker/x.cc", "asio::io_context loop;\n", "// asio::io_context\n"},
      {"pure-includes", "jobs/core/x.cc", "#include <sys/socket.h>\n", "#include <map>\n"},
      {"pure-includes", "jobs/core/x.cc", "#include \"base/random.h\"\n", "#include <set>\n"},
      {"pure-words", "jobs/core/x.cc", "Time t = read_clock();\n", "Time t = now;\n"},
      {"pure-words", "jobs/simulator/x.cc", "std::thread t;\n", "std::string thread_name;\n"},
      {"coroutines", "net/x.cc", "co_await read();\n", "// no co_await\n"},
      {"detached", "net/x.cc", "thread.detach();\n", "int detach = 0;\n"},
      {"threads", "launcher/x.cc", "std::mutex mutex_;\n", "int mutex = 0;\n"},
      {"environment", "launcher/x.cc", "std::getenv(name);\n", "puts(\"getenv()\");\n"},
      {"leftovers", "docs/x.md", leftover, "Later.\n"},
      {"replaced-words", "launcher/x.cc", "int node_rank = 0;\n", "puts(\"node_rank\");\n"},
      {"machine-paths", "scripts/x.sh", "cd " + home + "\n",
       "cd /tmp/wo"
       "rk/x\n"},
      {"default-label", "base/x.cc",
       own_enum + "switch (s) {\ncase State::up: return 1;\ndefault: return 0;\n}\n}\n",
       own_enum + "switch (s) {\ncase State::up: return 1;\ncase State::down: return 0;\n}\n}\n"},
      {"default-label", "base/x.cc",
       own_enum + "switch (s) { case n::State::up: return 1; default: return 0; }\n}\n",
       "int f(int s) { switch (s) { case SIGINT: return 1; default: return 0; } }\n"},
      {"default-label", "base/x.cc",
       own_enum + "using enum State;\nswitch (s) {\ncase up: return 1;\ndefault: return 0;\n}\n}\n",
       own_enum + "switch (1) {\ncase 1: switch (s) { case State::up: {} }\ndefault: ;\n}\n}\n"},
      {"file-length", "base/x.h", kHead + lines(147), kHead + lines(146)},
      {"file-length", "base/x.cc", lines(401), lines(400)},
      {"file-length", "docs/x.md", lines(601), lines(600)},
      {"function-length", "base/x.cc", "int f(int a) {" + lines(70) + "}\n",
       "namespace x {\nint f(int a) {" + lines(69) + "}\nclass C {" + lines(99) + "};\n}\n"},
      {"width", "base/x.cc", std::string(101, 'x') + "\n", std::string(100, 'x') + "\n"},
      {"licence", "base/x.cc", "int a;\n", kLicence},
      {"licence", "scripts/x.sh", "#!/bin/sh\nset -e\n",
       "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n"},
      {"head-comment", "base/x.h", kLicence + "#pragma once\n", kHead},
      {"pragma-once", "base/x.h", kLicence + "// Why.\n", kHead},
      {"file-name", "base/MyFile.cc", "", ""},
      {"test-place", "base/lonely_test.cc", "", ""},
  };
}

std::set<std::string> fired(const std::string& path, const std::string& text) {
  std::set<std::string> names;
  for (const Violation& violation : check_tree(make_tree({make_source_file(path, text)}))) {
    names.insert(violation.rule);
  }
  return names;
}

TEST(Rules, FireOnBadFilesOnly) {
  for (const Case& example : cases()) {
    EXPECT_TRUE(fired(example.path, example.bad).contains(example.rule))
        << example.rule << " is silent on:\n"
        << example.bad;
    if (example.bad == example.good) continue;  // the path is what is wrong
    EXPECT_FALSE(fired(example.path, example.good).contains(example.rule))
        << example.rule << " cries wolf on:\n"
        << example.good;
  }
}

/// Rules that look at several files at once have tests of their own.
const std::set<std::string> kOfSeveralFiles = {"helper-names"};

TEST(Rules, HelpersOfALibraryHaveNamesOfTheirOwn) {
  const auto file = [](const std::string& path, const std::string& helper) {
    return make_source_file(
        path, "namespace x {\nnamespace {\n\n" + helper + "\n}  // namespace\n}  // namespace x\n");
  };
  const auto clashes = [&](const std::string& one, const std::string& other,
                           const std::string& other_path) {
    int found = 0;
    for (const Violation& violation :
         check_tree(make_tree({file("net/a.cc", one), file(other_path, other)}))) {
      found += violation.rule == "helper-names" ? 1 : 0;
    }
    return found;
  };
  EXPECT_EQ(clashes("constexpr int kA = 1;", "constexpr long kA = 2;", "net/b.cc"), 1);
  EXPECT_EQ(clashes("struct A {\n};", "class A {\n};", "net/b.cc"), 1);
  EXPECT_EQ(clashes("int f(int a) {\n}", "int f(int a) {\n}", "net/b.cc"), 1);
  EXPECT_EQ(clashes("int f(int a) {\n}", "int f(long a) {\n}", "net/b.cc"), 0);
  EXPECT_EQ(clashes("using A = int;", "using A = long;", "net/b.cc"), 1);
  EXPECT_EQ(clashes("using A = int;", "using A = int;", "net/b.cc"), 0);
  EXPECT_EQ(clashes("constexpr int kA = 1;", "constexpr int kA = 1;", "net/b_test.cc"), 0);
  EXPECT_EQ(clashes("constexpr int kA = 1;", "constexpr int kA = 1;", "base/b.cc"), 0);
}

TEST(Rules, EachHasACase) {
  std::set<std::string> tried = kOfSeveralFiles;
  for (const Case& example : cases()) tried.insert(example.rule);
  for (const Rule& rule : rules()) {
    EXPECT_TRUE(tried.contains(std::string(rule.name))) << rule.name << " has no bad example";
  }
  EXPECT_EQ(tried.size(), rules().size());
}

TEST(Rules, GoodPathsAreSilent) {
  const auto pair = make_tree(
      {make_source_file("base/x.cc", kLicence), make_source_file("base/x_test.cc", kLicence)});
  EXPECT_TRUE(check_tree(pair).empty());
}

TEST(Rules, AViolationNamesPlaceRuleAndReason) {
  const auto tree = make_tree({make_source_file("base/x.cc", kLicence + "co_yield 1;\n")});
  const auto all = check_tree(tree);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_TRUE(all[0].describe().starts_with("base/x.cc:2: coroutines: co_yield"));
}

TEST(Blanking, LeavesCodeAndLineBreaks) {
  EXPECT_EQ(blank_comments_and_literals("a // b\nc /* d\ne */ f"), "a     \nc     \n     f");
  EXPECT_EQ(blank_comments_and_literals("x(\"a{\\\"\", '{', 1'000);"), "x(\"    \", ' ', 1'000);");
  EXPECT_EQ(blank_comments_and_literals("R\"-({\n)\" )-\";"), "     \n      ;");
  EXPECT_EQ(blank_comments_and_literals("#include \"a/b.h\"\n"), "#include \"a/b.h\"\n");
}

}  // namespace
}  // namespace ringmaster::tidy
