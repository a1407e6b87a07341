// SPDX-License-Identifier: Apache-2.0
//
// A coordinator of a test's own: its state directory, its process that may be killed and started
// again, and commands that speak to it.
//
// Everything that it starts inherits RINGMASTER_HOME, so that "nothing is left" is a look at /proc.
#pragma once

#include <memory>
#include <optional>

#include "tests/end_to_end/program.h"

namespace ringmaster::tests {

/// Everything that carries this state directory in its environment.
std::vector<pid_t> living_with(const std::string& home);
/// Ends all that, and waits until it is gone.
void clear_living(const std::string& home);

class Coordinator {
 public:
  explicit Coordinator(std::vector<std::string> serve_flags = {});
  ~Coordinator();

  /// Starts it and waits until it listens.
  void start();
  /// SIGKILL; agents and ranks stay.
  void kill();
  bool runs() const { return serve_ != nullptr; }
  /// For the next start.
  void set_flags(std::vector<std::string> flags) { serve_flags_ = std::move(flags); }

  /// `ringmaster WORDS` for this coordinator.
  Ended run(const std::vector<std::string>& words) const;
  /// The same; what it has started stays.
  Ended run_and_leave(const std::vector<std::string>& words) const;
  /// The same, not waited for.
  std::unique_ptr<Program> begin(const std::vector<std::string>& words) const;
  /// Writes a spec of this command into the folder: its path.
  std::string write_spec(const std::string& name, const std::string& ranks,
                         const std::string& hosts, const std::vector<std::string>& command,
                         const std::string& more = "") const;

  const std::string& home() const { return home_; }
  std::string file(const std::string& name) const { return folder_.file(name); }
  std::string log() const;

  /// Guard and agent of each living local host.
  std::vector<std::vector<pid_t>> agents() const;
  /// Living processes of ranks.
  std::vector<pid_t> ranks() const;
  /// Everything that carries this home, commands that still run included.
  std::vector<pid_t> living() const;
  /// Waits until no agent and no rank is left. False when some are after some seconds.
  bool no_hosts_left() const;

 private:
  std::vector<std::string> variables() const { return {"RINGMASTER_HOME=" + home_}; }
  TemporaryFolder folder_;
  std::string home_;
  std::vector<std::string> serve_flags_;
  std::unique_ptr<Program> serve_;
};

}  // namespace ringmaster::tests
