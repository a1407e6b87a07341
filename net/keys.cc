// SPDX-License-Identifier: Apache-2.0
#include "net/keys.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include <array>
#include <cerrno>
#include <fstream>

#include "base/check.h"
#include "base/file_descriptor.h"

namespace ringmaster::net {

namespace {

constexpr std::size_t kKeySize = 40;
constexpr mode_t kOwnerOnly = 0600;

}  // namespace

bool is_key(const std::string& text) {
  // The decoder looks at no character twice: a foreign one is seen when encoding differs.
  if (text.size() != kKeySize) return false;
  std::array<std::uint8_t, 32> bytes;
  std::array<char, kKeySize + 1> again;
  if (zmq_z85_decode(bytes.data(), text.c_str()) == nullptr) return false;
  return zmq_z85_encode(again.data(), bytes.data(), bytes.size()) != nullptr &&
         text == again.data();
}

KeyPair make_key_pair() {
  std::array<char, kKeySize + 1> public_key, secret_key;
  CHECK_EQ(zmq_curve_keypair(public_key.data(), secret_key.data()), 0);
  return {public_key.data(), secret_key.data()};
}

Result<void> write_key_pair(const std::string& path, const KeyPair& keys) {
  const std::string text = fmt::format("{}\n{}\n", keys.public_key, keys.secret_key);
  const FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOwnerOnly));
  if (!file.valid()) return errno_error(errno, path);
  const ssize_t size = static_cast<ssize_t>(text.size());
  if (::write(file.get(), text.data(), text.size()) == size && ::fsync(file.get()) == 0) return {};
  const Error error = errno_error(errno, fmt::format("write {}", path));
  ::unlink(path.c_str());  // a part of a key would be in the way for ever
  return error;
}

Result<KeyPair> read_key_pair(const std::string& path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) return errno_error(errno, path);
  if ((info.st_mode & 077) != 0) {
    return Error{Errc::denied, fmt::format("{}: others may read this key: chmod 600 it", path)};
  }
  std::ifstream file(path);
  KeyPair keys;
  file >> keys.public_key >> keys.secret_key;
  if (!file || !is_key(keys.public_key) || !is_key(keys.secret_key)) {
    return Error{Errc::corrupt, fmt::format("{}: no key pair", path)};
  }
  return keys;
}

}  // namespace ringmaster::net
