// SPDX-License-Identifier: Apache-2.0
//
// Hosts with a real network between them: network namespaces that a test makes and removes. A
// coordinator in the first, agents in each, a wire that can be cut.
#pragma once

#include <functional>
#include <memory>

#include "tests/end_to_end/program.h"

namespace ringmaster::tests {

/// Two namespaces with a wire: 10.77.N.1 and 10.77.N.2.
class Network {
 public:
  Network();
  ~Network();
  bool ok() const { return ok_; }
  std::string a() const { return "ringmaster-" + number_ + "a"; }
  std::string b() const { return "ringmaster-" + number_ + "b"; }
  std::string address_a() const { return "10.77." + number_ + ".1"; }
  std::string address_b() const { return "10.77." + number_ + ".2"; }
  void set_wire(bool up) const;
  std::vector<std::string> inside(const std::string& name, std::vector<std::string> words) const;

 private:
  std::string number_;
  bool owned_ = false;
  bool ok_ = false;
};

/// A coordinator at one end of a network, with hosts of its own and agents wherever a test puts
/// them.
class Networked {
 public:
  /// `host_lease`: seconds after which a silent host is lost.
  explicit Networked(std::string host_lease = "2");
  ~Networked();
  Network network;
  TemporaryFolder folder;

  /// Starts it and makes the agents' key. False, with its words in `why()`, when it does not run.
  bool start();
  void kill();
  /// An agent in the namespace of that name, which is what it is called.
  std::unique_ptr<Program> agent(const std::string& place, int slots,
                                 std::vector<std::string> more = {}) const;
  std::unique_ptr<Program> begin(std::vector<std::string> words) const;
  Ended ask(const std::vector<std::string>& words) const;
  /// Waits until so many hosts are there.
  bool has_hosts(std::size_t count) const;
  /// Waits until `ringmaster explain JOB` has the text.
  bool explained(const std::string& job, const std::string& text) const;
  /// A job of that command on hosts that are there: its spec's path.
  std::string write_spec(const std::string& name, const std::string& ranks,
                         const std::vector<std::string>& command,
                         const std::string& hosts = "{hosts: 1, slots: 4}") const;
  std::string home() const { return folder.file("home"); }
  std::string why() const { return serve_ == nullptr ? "" : serve_->error(); }
  const Program& serve() const { return *serve_; }

 private:
  std::string host_lease_;
  std::vector<std::string> variables() const { return {"RINGMASTER_HOME=" + home()}; }
  std::unique_ptr<Program> serve_;
};

bool wait_for(const std::function<bool()>& holds);

}  // namespace ringmaster::tests
