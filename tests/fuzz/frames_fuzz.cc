// SPDX-License-Identifier: Apache-2.0
//
// What strangers and neighbours send to a rank over TCP: headers and the messages of the
// handshake; and endpoints as text. What is accepted is written again as the same bytes.
#include <algorithm>

#include "base/check.h"
#include "collectives/tcp/address.h"
#include "collectives/tcp/frame.h"
#include "collectives/tcp/handshake.h"
#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

namespace {

using namespace collectives;

constexpr std::string_view kSecret = "secret";

/// The first bytes of the input, with zeros behind where it is too short.
template <class Bytes>
Bytes head_of(std::string_view input) {
  Bytes bytes{};
  std::transform(input.begin(), input.begin() + std::min(input.size(), bytes.size()), bytes.begin(),
                 [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

template <class Bytes>
std::string text_of(const Bytes& bytes) {
  std::string text;
  for (const std::byte b : bytes) text.push_back(static_cast<char>(b));
  return text;
}

void run(std::string_view input) {
  const auto header = head_of<FrameBytes>(input);
  if (const auto frame = decode_frame(header)) {
    CHECK_LE(frame->bytes, kChunkBytes);
    CHECK(encode_frame(*frame) == header);
  }
  const auto hello = head_of<HelloBytes>(input);
  if (const auto known = decode_hello(hello, kSecret)) {
    CHECK(encode_hello(*known, kSecret) == hello);
    CHECK(!decode_hello(hello, "another"));
  }
  if (const auto address = parse_endpoint(input)) {
    const std::string text = endpoint_text(*address);
    const auto again = parse_endpoint(text);
    CHECK(again.ok());
    CHECK_EQ(endpoint_text(*again), text);
  }
}

}  // namespace

Target frames_target() {
  Frame chunk;
  chunk.kind = FrameKind::chunk;
  chunk.generation = 3;
  chunk.operation = 7;
  chunk.call = {.kind = 4, .type = 1, .reduction = 2, .root = 0, .count = 1000};
  chunk.bytes = 8000;
  Frame words = chunk;
  words.kind = FrameKind::mismatch;
  words.bytes = 40;
  return {"frames",
          {text_of(encode_frame(chunk)), text_of(encode_frame({})), text_of(encode_frame(words)),
           text_of(encode_hello({5, 0, 1, {}}, kSecret)), "127.0.0.1:4711", "[::1]:80",
           "[::ffff:1.2.3.4]:1", ""},
          &run,
          20000};
}

}  // namespace ringmaster::fuzz
