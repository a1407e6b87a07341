// SPDX-License-Identifier: Apache-2.0
//
// What a command or a helper starts and must never leave behind: programs and temporary files.
//
// A Program is stopped and waited for by its owner's destructor, whatever the way out; the kernel
// ends it when this process is killed (launcher/process/spawn.h). ctrl-C is a flag that every wait
// looks at (Interrupts), not a handler that ends the process, so that destructors run.
//
// Not here: what the programs print (a file in the temporary folder, shown when one fails).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "base/result.h"
#include "base/time.h"
#include "launcher/process/spawn.h"

namespace ringmaster::launcher {

/// While one lives, SIGINT, SIGTERM and SIGHUP only set a flag and end the sleep that they find.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  static bool came();
  /// How a command ends that was interrupted, as shells do: 128 and the signal's number.
  static int exit_code();
};

/// A folder that is removed with its contents.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  std::string file(std::string_view name) const { return path_ / name; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

class Program {
 public:
  /// Starts it with our environment; what it prints goes to the end of the file `log`.
  static Result<Program> start(std::vector<std::string> command, const std::string& log);
  Program(Program&&) = default;
  Program& operator=(Program&&) = delete;
  ~Program() { stop(); }

  pid_t pid() const { return child_.pid; }
  /// Waits until it ends, at most `patience`: its wait status, none when it still runs. Interrupts
  /// end the wait with Errc::closed.
  Result<std::optional<int>> wait(Duration patience);
  /// Kills it at once.
  void kill();
  /// Asks it to end, gives it time to clear up, then kills it. Does nothing when it has ended.
  void stop();

 private:
  explicit Program(Child child) : child_(std::move(child)) {}
  void reap();
  Child child_;
};

/// Starts a program that outlives us: a session of its own, no descriptors of ours, its output at
/// the end of the file `log`. Gives its pid; where SIGCHLD is ignored, nobody has to wait for it.
Result<pid_t> start_detached(std::vector<std::string> command, const std::string& log);

/// Runs to the end: fails unless the exit code is 0. The error holds the last lines of the log.
Result<void> run_program(std::vector<std::string> command, const std::string& log,
                         Duration patience);

/// The error that tells how a program ended, with the last line of its log.
Error ended_badly(const std::string& name, int wait_status, const std::string& log);

/// The program `name` beside the running one, or an error that says where it was looked for.
Result<std::string> find_beside(std::string_view name);

/// The running program's file.
Result<std::string> this_program();

}  // namespace ringmaster::launcher
