// SPDX-License-Identifier: Apache-2.0
//
// The state directory (RINGMASTER_HOME, by default ~/.ringmaster): where a coordinator keeps what
// outlives it, and where commands find it.
//
//     journal.db       what was decided          lock       held by the running coordinator
//     server.key       the coordinator's pair    endpoint   where it listens, the same after a
//     restart client.key       this user's pair          allowed    a public key a line that may
//     speak to it jobs/N/          output of job N           hosts/N/   a local host: its lock and
//     its own log
//
// Thread rules: blocking file calls.
#pragma once

#include <set>
#include <string>

#include "base/file_descriptor.h"
#include "base/result.h"
#include "net/keys.h"

namespace ringmaster::launcher {

/// What a client or an agent needs to speak to a coordinator.
struct Credentials {
  net::KeyPair keys;
  std::string server_key;
};

class StateHome {
 public:
  /// The directory that the environment names; nothing is made.
  static StateHome from_environment();
  explicit StateHome(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

  /// Makes the directory (mode 0700) and the keys, as far as they are missing. For a coordinator.
  Result<void> prepare() const;
  Result<net::KeyPair> server_keys() const;
  Result<std::set<std::string>> allowed() const;
  /// A new pair in the file at `path`, which may speak to this coordinator from now on.
  Result<void> make_credentials(const std::string& path) const;

  Result<std::string> endpoint() const;
  Result<void> write_endpoint(const std::string& endpoint) const;

 private:
  std::string path_;
};

Result<Credentials> read_credentials(const std::string& path);

/// Holds the lock file as long as it lives; Errc::denied, naming the holder, when another does.
/// The file holds `text` then.
Result<FileDescriptor> take_lock(const std::string& path, const std::string& text);
/// Whether somebody holds it. False when there is no such file.
bool is_locked(const std::string& path);
/// A small file's text, or "".
std::string read_small_file(const std::string& path);

}  // namespace ringmaster::launcher
