// SPDX-License-Identifier: Apache-2.0
#include "launcher/host/state_home.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>

namespace ringmaster::launcher {

namespace {

Result<void> make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return errno_error(errno, fmt::format("make the state directory {}", path));
}

Result<void> append_line(const std::string& path, const std::string& line) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const std::string text = line + "\n";
  const off_t before = file.valid() ? ::lseek(file.get(), 0, SEEK_END) : -1;
  const bool written = before >= 0 && ::write(file.get(), text.data(), text.size()) ==
                                          static_cast<ssize_t>(text.size());
  if (written) return {};
  const Error error = errno_error(errno, fmt::format("write {}", path));
  // A part of a line would spoil the file: a full disk may take some of its bytes.
  if (before >= 0 && ::ftruncate(file.get(), before) != 0) {
    return errno_error(errno, fmt::format("mend {}", path));
  }
  return error;
}

bool exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

}  // namespace

Result<void> StateHome::prepare() const {
  for (const std::string& folder : {path_, file("jobs"), file("hosts")}) {
    if (auto made = make_folder(folder); !made) return made;
  }
  if (!exists(file("server.key"))) {
    auto written = net::write_key_pair(file("server.key"), net::make_key_pair());
    if (!written) return written;
  }
  if (!exists(file("client.key"))) return make_credentials(file("client.key"));
  return {};
}

Result<net::KeyPair> StateHome::server_keys() const {
  return net::read_key_pair(file("server.key"));
}

Result<std::set<std::string>> StateHome::allowed() const {
  std::ifstream lines(file("allowed"));
  std::set<std::string> keys;
  for (std::string key; lines >> key;) {
    if (!net::is_key(key)) {
      return Error{Errc::corrupt, fmt::format("{}: \"{}\" is no key", file("allowed"), key)};
    }
    keys.insert(key);
  }
  return keys;
}

Result<void> StateHome::make_credentials(const std::string& path) const {
  const auto server = server_keys();
  if (!server) return server.error();
  const net::KeyPair keys = net::make_key_pair();
  // Allowed first: a file that nobody may use is better found out than one that is not there.
  if (auto added = append_line(file("allowed"), keys.public_key); !added) return added;
  if (auto written = net::write_key_pair(path, keys); !written) return written;
  auto completed = append_line(path, server->public_key);
  if (!completed) ::unlink(path.c_str());
  return completed;
}

Result<std::string> StateHome::endpoint() const {
  std::string text = read_small_file(file("endpoint"));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (!text.empty()) return text;
  return Error{Errc::not_found, fmt::format("no coordinator has run in {}", path_)};
}

Result<void> StateHome::write_endpoint(const std::string& endpoint) const {
  const std::string temporary = file("endpoint.new");
  std::ofstream out(temporary, std::ios::trunc);
  out << endpoint << "\n";
  out.close();
  if (!out || ::rename(temporary.c_str(), file("endpoint").c_str()) != 0) {
    return errno_error(errno, fmt::format("write {}", file("endpoint")));
  }
  return {};
}

Result<Credentials> read_credentials(const std::string& path) {
  auto keys = net::read_key_pair(path);
  if (!keys) return keys.error();
  std::ifstream file(path);
  std::string line, server_key;
  file >> line >> line >> server_key;
  if (!net::is_key(server_key)) {
    return Error{Errc::corrupt, fmt::format("{}: the coordinator's key is missing", path)};
  }
  return Credentials{std::move(*keys), server_key};
}

Result<FileDescriptor> take_lock(const std::string& path, const std::string& text) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.valid()) return errno_error(errno, path);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error{Errc::denied, fmt::format("{}: held by {}", path, read_small_file(path))};
  }
  const bool written =
      ::ftruncate(file.get(), 0) == 0 &&
      ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (!written) return errno_error(errno, fmt::format("write {}", path));
  return file;
}

bool is_locked(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.valid()) return false;
  // Released with the descriptor when it was free.
  return ::flock(file.get(), LOCK_EX | LOCK_NB) != 0;
}

std::string read_small_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace ringmaster::launcher
