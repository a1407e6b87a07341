// SPDX-License-Identifier: Apache-2.0
#include "worker/training/packed_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>
#include <type_traits>

#include "base/file_descriptor.h"

namespace ringmaster::training {

namespace {

struct CloseFile {
  void operator()(gzFile file) const { gzclose(file); }
};
using PackedFile = std::unique_ptr<std::remove_pointer_t<gzFile>, CloseFile>;

constexpr std::size_t kPiece = 1 << 20;  // grows with what is really there, not with a promise

Error read_error(gzFile file, const std::string& path, int read_errno) {
  int code = Z_OK;
  const char* text = gzerror(file, &code);
  if (code == Z_ERRNO) return errno_error(read_errno, fmt::format("read {}", path));
  // zlib puts "<fd:3>: " before its text.
  const std::string_view words = text;
  const auto reason = words.substr(words.starts_with('<') ? words.find(": ") + 2 : 0);
  const std::string_view why = code == Z_BUF_ERROR ? "it ends in the middle" : reason;
  return {Errc::corrupt, fmt::format("{}: damaged gzip data: {}", path, why)};
}

}  // namespace

Result<std::vector<std::uint8_t>> read_packed_file(const std::string& path, std::size_t most) {
  FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return errno_error(errno, fmt::format("open {}", path));
  const PackedFile file(gzdopen(fd.get(), "rb"));
  if (!file) return Error{Errc::exhausted, fmt::format("open {}: out of memory", path)};
  fd.release();  // the gzFile closes it
  gzbuffer(file.get(), 1 << 17);
  std::vector<std::uint8_t> bytes;
  while (bytes.size() < most) {
    const std::size_t old = bytes.size();
    const std::size_t wanted = std::min(kPiece, most - old);
    bytes.resize(old + wanted);
    errno = 0;
    const int got = gzread(file.get(), bytes.data() + old, static_cast<unsigned>(wanted));
    int code = Z_OK;
    gzerror(file.get(), &code);
    if (got < 0 || code != Z_OK) return read_error(file.get(), path, errno);
    bytes.resize(old + static_cast<std::size_t>(got));
    if (got == 0) break;
  }
  return bytes;
}

}  // namespace ringmaster::training
