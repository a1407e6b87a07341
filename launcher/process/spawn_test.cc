// SPDX-License-Identifier: Apache-2.0
#include "launcher/process/spawn.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "launcher/process/descendants.h"
#include "launcher/process/test_processes.h"

namespace ringmaster::launcher {
namespace {

class Spawn : public ::testing::Test {
 protected:
  Spawn() {
    char name[] = "/tmp/spawn_test_XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~Spawn() override { std::filesystem::remove_all(folder_); }

  std::string write_file(const std::string& name, const std::string& text, mode_t mode) const {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << text;
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }

  static SpawnSpec command(std::vector<std::string> words) {
    SpawnSpec spec;
    spec.command = std::move(words);
    spec.environment = {"PATH=/usr/local/bin:/usr/bin:/bin"};
    return spec;
  }

  /// What the program writes to its standard output, until it has ended well.
  static std::string output_of(SpawnSpec spec) {
    TestPipe pipe;
    spec.fds.output = pipe.write.get();
    const auto child = spawn(spec);
    EXPECT_TRUE(child.ok()) << child.error().message;
    if (!child.ok()) return "";
    pipe.write.reset();
    const std::string output = pipe.take_all();
    EXPECT_EQ(wait_for(child->pid), 0);
    return output;
  }

  static Error error_of(const SpawnSpec& spec) {
    const auto child = spawn(spec);
    EXPECT_FALSE(child.ok());
    const bool reaped = ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
    EXPECT_TRUE(reaped) << "a failed spawn leaves no child";
    return child.ok() ? Error{Errc::io, ""} : child.error();
  }

  std::string folder_;
};

TEST_F(Spawn, runs_a_program_found_on_the_path_of_its_environment) {
  write_file("greet", "#!/bin/sh\necho \"hello $1 from $0\"\n", 0755);
  auto spec = command({"greet", "you"});
  EXPECT_EQ(error_of(spec).message, "greet: not found on PATH");
  spec.environment = {"PATH=/nonexistent:" + folder_ + ":/bin"};
  EXPECT_EQ(output_of(spec), "hello you from " + folder_ + "/greet\n");
}

TEST_F(Spawn, the_environment_arrives_byte_by_byte) {
  auto spec = command({"env", "-0"});
  spec.environment.push_back("NEWLINES=a\nb\n\nc");
  spec.environment.push_back("BYTES=\x01\xff=\t'\"$HOME");
  spec.environment.push_back("LARGE=" + std::string(100'000, 'x'));
  spec.environment.push_back("EMPTY=");
  std::string expected;
  for (const auto& entry : spec.environment) expected += entry + '\0';
  EXPECT_EQ(output_of(spec), expected);
}

TEST_F(Spawn, a_missing_program_is_127) {
  const auto error = error_of(command({"/no/such/program"}));
  EXPECT_EQ(error.message, "/no/such/program: No such file or directory");
  EXPECT_EQ(exit_code_of(error), 127);
  EXPECT_EQ(exit_code_of(error_of(command({"no-such-program"}))), 127);
  EXPECT_EQ(exit_code_of(error_of(command({""}))), 127);
}

TEST_F(Spawn, a_program_in_the_folder_is_pointed_at) {
  write_file("mine", "#!/bin/sh\n", 0755);
  auto spec = command({"mine"});
  spec.working_directory = folder_;
  EXPECT_EQ(error_of(spec).message, "mine: not found on PATH (there is one here: ./mine)");
}

TEST_F(Spawn, what_is_there_and_cannot_run_is_126_and_says_why) {
  const auto expect = [](const std::string& program, const std::string& why) {
    const auto error = error_of(command({program}));
    EXPECT_EQ(error.message, program + ": " + why);
    EXPECT_EQ(exit_code_of(error), 126);
  };
  const auto plain = write_file("plain", "echo hello\n", 0644);
  expect(plain, "Permission denied: it is not executable (try: chmod +x " + plain + ")");
  expect(write_file("text", "echo hello\n", 0755),
         "Exec format error: it is no program, and has no \"#!\" line that names one");
  expect(write_file("elf", std::string("\177ELF") + std::string(200, 'x'), 0755),
         "Exec format error: it was built for another machine");
  expect(write_file("bad", "#! /no/python -u\n", 0755),
         "bad interpreter: /no/python: No such file or directory");
  expect(write_file("dos", "#!/bin/sh\r\necho\r\n", 0755),
         "bad interpreter: /bin/sh: the \"#!\" line ends in a carriage return");
  expect(folder_, "Is a directory");
}

TEST_F(Spawn, a_later_match_on_the_path_wins_over_one_that_may_not_be_run) {
  write_file("tool", "#!/bin/sh\n", 0644);
  std::filesystem::create_directory(folder_ + "/second");
  auto spec = command({"tool"});
  spec.environment = {"PATH=" + folder_ + ":" + folder_ + "/second"};
  EXPECT_EQ(exit_code_of(error_of(spec)), 126);
  write_file("second/tool", "#!/bin/sh\necho second\n", 0755);
  EXPECT_EQ(output_of(spec), "second\n");
}

TEST_F(Spawn, a_missing_working_directory_is_not_a_missing_program) {
  auto spec = command({"pwd"});
  spec.working_directory = "/no/such/folder";
  const auto error = error_of(spec);
  EXPECT_EQ(error.message, "pwd: working directory /no/such/folder: No such file or directory");
  EXPECT_EQ(exit_code_of(error), 126);
  spec.working_directory = folder_;
  EXPECT_EQ(output_of(spec), folder_ + "\n");
}

TEST_F(Spawn, leads_a_session_of_its_own) {
  const auto child = spawn(command({"sleep", "1000"}));
  ASSERT_TRUE(child.ok());
  const auto process = read_process(child->pid);
  ASSERT_TRUE(process.has_value());
  EXPECT_EQ(process->session, child->pid);
  EXPECT_EQ(process->name, "sleep") << "spawn returns after the exec";
  ::kill(child->pid, SIGKILL);
  pollfd ended = {.fd = child->pidfd.get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&ended, 1, -1), 1);
  EXPECT_EQ(WTERMSIG(wait_for(child->pid)), SIGKILL);
}

TEST_F(Spawn, only_the_given_descriptors_are_open) {
  const FileDescriptor leaked(::fcntl(STDERR_FILENO, F_DUPFD, 50));  // not close-on-exec
  const FileDescriptor given(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 60));
  // Not a listing: reading the folder would itself open one more.
  auto spec =
      command({"sh", "-c", "for n in $(seq 0 99); do [ -e /proc/$$/fd/$n ] && echo $n; done; :"});
  spec.inherited_fds = {given.get()};
  EXPECT_EQ(output_of(spec), "0\n1\n2\n" + std::to_string(given.get()) + "\n");
  EXPECT_EQ(::fcntl(given.get(), F_GETFD), FD_CLOEXEC) << "ours is as it was";
}

TEST_F(Spawn, a_descriptor_that_is_not_open_cannot_be_inherited) {
  auto spec = command({"true"});
  spec.inherited_fds = {987};
  EXPECT_NE(error_of(spec).message.find("987"), std::string::npos);
}

TEST_F(Spawn, works_when_we_were_started_without_standard_descriptors) {
  TestPipe result;
  const pid_t bare = fork_and_run([&] {
    for (const int fd : {0, 1, 2}) ::close(fd);
    const TestPipe input, output;  // the lowest numbers: input is 0 and 1
    if (input.read.get() != 0 || input.write.get() != 1) return 1;
    auto spec = command({"sh", "-c", "read word; echo $word >&2"});
    spec.fds = {.input = input.read.get(), .output = -1, .error = output.write.get()};
    const auto child = spawn(spec);
    if (!child.ok()) return 2;
    if (::write(input.write.get(), "swap\n", 5) != 5) return 3;
    char word[5] = {};
    if (::read(output.read.get(), word, 5) != 5) return 4;
    return std::string(word, 5) == "swap\n" ? 7 : 5;
  });
  EXPECT_EQ(WEXITSTATUS(wait_for(bare)), 7);
}

TEST_F(Spawn, standard_descriptors_may_be_swapped) {
  const pid_t swapped = fork_and_run([&] {
    const TestPipe input, output;
    ::dup2(output.write.get(), 0);  // our 0 is the child's output, our 1 its input
    ::dup2(input.read.get(), 1);
    auto spec = command({"cat"});
    spec.fds = {.input = 1, .output = 0, .error = -1};
    if (!spawn(spec).ok()) return 2;
    input.put('s');
    return output.take() == 's' ? 7 : 3;
  });
  EXPECT_EQ(WEXITSTATUS(wait_for(swapped)), 7);
}

TEST_F(Spawn, signals_are_as_in_a_fresh_login) {
  const pid_t parent = fork_and_run([&] {
    for (const int number : {SIGINT, SIGPIPE, SIGHUP, SIGCHLD}) std::signal(number, SIG_IGN);
    std::signal(SIGCHLD, SIG_DFL);
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    const std::string status =
        output_of(command({"grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"}));
    return status == "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n" ? 7 : 8;
  });
  EXPECT_EQ(WEXITSTATUS(wait_for(parent)), 7);
}

TEST_F(Spawn, sets_affinity_and_the_limit_of_open_files) {
  cpu_set_t allowed;
  ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(static_cast<std::size_t>(last), &allowed)) --last;
  auto spec = command({"grep", "Cpus_allowed_list", "/proc/self/status"});
  spec.cpus = std::vector<int>{last};
  EXPECT_EQ(output_of(spec), "Cpus_allowed_list:\t" + std::to_string(last) + "\n");
  spec = command({"sh", "-c", "ulimit -Sn"});
  spec.open_files = 123;
  EXPECT_EQ(output_of(spec), "123\n");
  rlimit limit = {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  spec.open_files = RLIM_INFINITY;
  EXPECT_EQ(output_of(spec), std::to_string(limit.rlim_max) + "\n") << "capped at the hard one";
}

TEST_F(Spawn, an_affinity_that_the_host_lacks_is_an_error) {
  auto spec = command({"true"});
  spec.cpus = std::vector<int>{8191};
  EXPECT_EQ(error_of(spec).message, "true: binding to cpus 8191: Invalid argument");
  spec.cpus = std::vector<int>{-1};
  EXPECT_EQ(error_of(spec).code, Errc::invalid);
}

TEST_F(Spawn, dies_with_its_parent) {
  TestPipe pipe;
  const pid_t parent = fork_and_run([&] {
    // exec: a child of the shell would not be ours, and the guard's business.
    auto spec = command({"sh", "-c", "trap '' TERM HUP INT; echo r; exec sleep 1000"});
    spec.fds.output = pipe.write.get();
    if (!spawn(spec).ok()) return 1;
    return idle();
  });
  pipe.write.reset();
  EXPECT_EQ(pipe.take(), 'r');
  ::kill(parent, SIGKILL);
  wait_for(parent);
  EXPECT_EQ(pipe.take_all(), "\n") << "and EOF: the program is gone";
}

}  // namespace
}  // namespace ringmaster::launcher
