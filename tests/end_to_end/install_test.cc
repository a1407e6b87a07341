// SPDX-License-Identifier: Apache-2.0
//
// What is installed is enough: the examples are compiled against the installed tree alone and run
// under the installed ringrun.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/end_to_end/program.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {
namespace {

// A library that was built with a sanitizer needs its runtime in the program.
#if defined(__SANITIZE_ADDRESS__)
constexpr const char* kSanitize = " -fsanitize=address,undefined ";
#elif defined(__SANITIZE_THREAD__)
constexpr const char* kSanitize = " -fsanitize=thread ";
#else
constexpr const char* kSanitize = " ";
#endif

/// One installation for all tests of this process.
const std::string& installed() {
  static const TemporaryFolder folder;
  static const bool done = [] {
    const std::string build = std::filesystem::path(RINGMASTER_BINARY_DIR).parent_path();
    const Ended ended = run_program({"cmake", "--install", build, "--prefix", folder.path()});
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.error;
    return ended.exit_code == 0;
  }();
  EXPECT_TRUE(done);
  return folder.path();
}

/// Where the pkg-config file lies: lib, lib64 or lib/x86_64-linux-gnu, as the system likes it.
std::string pkgconfig_folder() {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(installed())) {
    if (entry.path().filename() == "ringmaster.pc") return entry.path().parent_path();
  }
  return "";
}

/// Under the installed ringrun, through a loss.
void run_installed(const std::string& program) {
  const Ended ended =
      run_shell("cd / && $RINGRUN -np 3 --elastic 1:3 --drill kill:1@300 $PROGRAM 2000",
                {"RINGRUN=" + installed() + "/bin/ringrun", "PROGRAM=" + program,
                 "PATH=" + installed() + "/bin:/usr/local/bin:/usr/bin:/bin"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_EQ(ended.output, "y = 3.0000 x + 1.0000 after 2000 steps\n");
  EXPECT_TRUE(contains(ended.error, "rank 1 lost")) << ended.error;
}

void check_example(const std::string& compiler, const std::string& source) {
  ASSERT_NE(pkgconfig_folder(), "");
  if (run_shell("pkg-config --version").exit_code != 0) GTEST_SKIP() << "pkg-config is absent";
  TemporaryFolder folder;
  const std::vector<std::string> variables = {
      "PKG_CONFIG_PATH=" + pkgconfig_folder(), "OUT=" + folder.file("example"),
      "SOURCE=" + installed() + "/share/ringmaster/examples/" + source,
      "LIBRARIES=" + std::filesystem::path(pkgconfig_folder()).parent_path().string()};
  const Ended compiled = run_shell("cd / && " + compiler + kSanitize +
                                       "-o $OUT $SOURCE $(pkg-config --cflags --libs ringmaster) "
                                       "-Wl,-rpath,$LIBRARIES",
                                   variables);
  ASSERT_EQ(compiled.exit_code, 0) << compiled.output << compiled.error;
  EXPECT_EQ(compiled.error, "");
  run_installed(folder.file("example"));
}

TEST(Install, TheExamplesInC) {
  check_example("cc -std=c99 -Wall -Wextra -pedantic", "elastic.c");
  check_example("cc -std=c11 -Wall -Wextra -Wpedantic", "tensors.c");
}

TEST(Install, TheExampleInCpp) {
  check_example("c++ -std=c++20 -Wall -Wextra", "elastic.cc");
}

/// Compiles the text alone, with the installed headers.
void check_compiles(const std::string& compiler, const std::string& text) {
  const std::string folder = installed() + "/include/ringmaster";
  const Ended compiled =
      run_shell("printf '%s' \"$TEXT\" | " + compiler +
                    " -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I$FOLDER -",
                {"TEXT=" + text, "FOLDER=" + folder});
  EXPECT_EQ(compiled.exit_code, 0) << text << compiled.error;
}

TEST(Install, CompilersTakeItsHeaders) {
  ASSERT_NE(pkgconfig_folder(), "");
  std::string all;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(installed() + "/include/ringmaster")) {
    if (!entry.is_regular_file()) continue;
    const std::string line = "#include \"" + entry.path().string() + "\"\n";
    // Those of the C ABI are for C compilers, each alone.
    const bool c = entry.path().filename().string().starts_with("ringmaster_");
    if (c) check_compiles("cc -std=c11 -x c", line);
    all += line;
  }
  EXPECT_TRUE(contains(all, "ringmaster_tensors.h") && contains(all, "session.h")) << all;
  check_compiles("c++ -std=c++20 -x c++", all);
}

TEST(Install, TheExamplesFindItsPackage) {
  ASSERT_NE(pkgconfig_folder(), "");
  TemporaryFolder folder;
  const std::string flags = kSanitize;
  const Ended built = run_shell(
      "cd / && cmake -S $SOURCE -B $BUILD -DCMAKE_PREFIX_PATH=$PREFIX \"-DCMAKE_C_FLAGS=$FLAGS\" "
      "\"-DCMAKE_CXX_FLAGS=$FLAGS\" && cmake --build $BUILD --target started-cpp tensors-c",
      {"SOURCE=" + installed() + "/share/ringmaster/examples", "BUILD=" + folder.file("build"),
       "PREFIX=" + installed(), "FLAGS=" + flags});
  ASSERT_EQ(built.exit_code, 0) << built.output << built.error;
  run_installed(folder.file("build/started-cpp"));
  run_installed(folder.file("build/tensors-c"));
}

TEST(Install, TheProgramsRunFromThere) {
  for (const std::string program : {"ringrun", "ringmaster", "ringmaster-train"}) {
    const Ended ended = run_shell("cd / && exec " + installed() + "/bin/" + program + " --help");
    EXPECT_EQ(ended.exit_code, 0) << ended.error;
    EXPECT_TRUE(contains(ended.output, program)) << ended.output;
  }
}

TEST(Install, TheLibraryShowsOnlyTheCInterface) {
  if (run_shell("nm --version").exit_code != 0) GTEST_SKIP() << "nm is absent";
  const std::string library =
      std::filesystem::path(pkgconfig_folder()).parent_path().string() + "/libringmaster.so";
  // Weak symbols are the standard library's, which says itself that they are visible everywhere.
  const Ended ended =
      run_shell("nm -D --defined-only " + library + " | awk '$2 !~ /[VWu]/ { print $3 }'");
  ASSERT_FALSE(lines_of(ended.output).empty());
  for (const std::string& name : lines_of(ended.output)) {
    EXPECT_EQ(name.find("ringmaster_"), 0u) << name;
  }
}

}  // namespace
}  // namespace ringmaster::tests
