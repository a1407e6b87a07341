// SPDX-License-Identifier: Apache-2.0
//
// Files that may be gzip: never more than was asked for, the beginning of a file reads the same
// whatever the limit, and what is not gzip comes through as it is.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>

#include "base/check.h"
#include "base/file_descriptor.h"
#include "tests/fuzz/target.h"
#include "worker/training/packed_file.h"

namespace ringmaster::fuzz {

namespace {

constexpr std::size_t kLimit = 1 << 20;  // above what the seeds unfold to, but for the bomb

void run(std::string_view input) {
  const FileDescriptor file(::memfd_create("packed", MFD_CLOEXEC));
  CHECK(file.valid());
  CHECK_EQ(::write(file.get(), input.data(), input.size()), static_cast<ssize_t>(input.size()));
  const std::string path = fmt::format("/proc/self/fd/{}", file.get());
  const auto whole = training::read_packed_file(path, kLimit);
  const auto part = training::read_packed_file(path, 100);
  if (!input.starts_with("\x1f\x8b")) {
    CHECK(whole.ok());
    CHECK(std::equal(whole->begin(), whole->end(), input.begin(), input.end(),
                     [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); }));
  }
  if (!whole) {
    CHECK(whole.error().code == Errc::corrupt);
    return;
  }
  CHECK_LE(whole->size(), kLimit);
  CHECK(part.ok());
  const std::size_t wanted = std::min<std::size_t>(whole->size(), 100);
  CHECK_EQ(part->size(), wanted);
  CHECK(std::equal(part->begin(), part->end(), whole->begin()));
}

std::string gzip(const std::string& text) {
  z_stream stream = {};
  constexpr int kGzip = 15 + 16;  // the largest window, with gzip's header
  CHECK_EQ(deflateInit2(&stream, 9, Z_DEFLATED, kGzip, 9, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  std::string source = text;  // zlib's input is not const
  stream.next_in = reinterpret_cast<Bytef*>(source.data());
  stream.avail_in = static_cast<uInt>(source.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  CHECK_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace

Target packed_target() {
  const std::string text = "0123456789 the quick brown fox, again and again and again\n";
  const std::string bomb(3 << 20, 'x');  // 3 KB when packed
  return {"packed",
          {gzip(text), gzip(""), gzip(text) + gzip(text), gzip(bomb), text, gzip(text) + "tail",
           "\x1f\x8b", ""},
          &run,
          1500};
}

}  // namespace ringmaster::fuzz
