// SPDX-License-Identifier: Apache-2.0
//
// A rank of this job that sends anything after its greeting: an operation with it ends at once,
// well or with an error that says why, and writes nothing beside its arrays.
#include <sys/socket.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "base/check.h"
#include "collectives/call_text.h"
#include "collectives/tcp/nonce.h"
#include "collectives/tcp/tcp_communicator.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

namespace {

using namespace collectives;

constexpr std::string_view kSecret = "secret";
constexpr std::size_t kCount = 100;  // float32, of each rank
constexpr std::size_t kOperations = 6;
constexpr float kGuard = 42;

/// The peer at position 0, which knocks, speaks, and says no more.
void speak(const std::string& endpoint, std::string_view words) {
  const auto address = parse_endpoint(endpoint);
  FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const linger now{1, 0};  // no port stays behind
  const timeval patience{10, 0};
  CHECK(setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &now, sizeof(now)) == 0);
  CHECK(setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0);
  CHECK(::connect(fd.get(), address->get(), address->length) == 0);
  const auto send = [&](const void* data, std::size_t bytes) {
    // The other side may have heard enough.
    [[maybe_unused]] const auto sent = ::send(fd.get(), data, bytes, MSG_NOSIGNAL);
  };
  const HelloBytes hello = encode_hello({1, 0, 1, make_nonce()}, kSecret);
  send(hello.data(), hello.size());
  AnswerBytes answer{};
  CHECK_EQ(::recv(fd.get(), answer.data(), answer.size(), MSG_WAITALL),
           static_cast<ssize_t>(answer.size()));
  const ConfirmBytes confirm = make_confirm(hello, answer, kSecret);
  send(confirm.data(), confirm.size());
  send(words.data(), words.size());
  ::shutdown(fd.get(), SHUT_WR);
  std::array<std::byte, 4096> nowhere;
  while (::recv(fd.get(), nowhere.data(), nowhere.size(), 0) > 0) {
  }
}

Result<void> operate(TcpCommunicator& ring, std::size_t operation, std::vector<float>& in,
                     std::vector<float>& out) {
  const Counts even(2, kCount);
  const Transfer sent{in.data(), kCount, RINGMASTER_FLOAT32, 0};
  const Transfer received{out.data(), kCount, RINGMASTER_FLOAT32, 0};
  switch (operation) {
    case 0:
      return ring.all_reduce(in.data(), out.data(), kCount, RINGMASTER_FLOAT32, RINGMASTER_SUM);
    case 1:
      return ring.all_gather(in.data(), out.data(), even, RINGMASTER_FLOAT32);
    case 2:
      return ring.broadcast(out.data(), kCount, RINGMASTER_FLOAT32, 0);
    case 3:
      return ring.all_to_all(in.data(), even, out.data(), even, RINGMASTER_FLOAT32);
    case 4:
      return ring.exchange({sent}, {received});
    case 5:
      return ring.barrier();
    default:
      CHECK(false);
  }
}

void run(std::string_view bytes) {
  Input input(bytes);
  const std::size_t operation = input.below(kOperations);
  auto fd = listen_on("127.0.0.1:0");
  CHECK(fd.ok());
  const std::string endpoint = *endpoint_of(fd->get());
  auto listener = TcpListener::adopt(fd->release());
  static const auto segment = Segment::create(1);
  CHECK(listener.ok() && segment.ok());
  std::vector<float> in(2 * kCount, 1), out(2 * kCount + 16, kGuard);
  std::thread peer(speak, endpoint, input.rest());
  {
    // The peer's endpoint is not used: the lower position knocks.
    TcpCommunicator ring(*listener, {1, 1, {"127.0.0.1:9", endpoint}, std::string(kSecret)},
                         {*segment, -1});
    ring.set_timeout(std::chrono::seconds(20));
    ring.set_grace({});
    const Time begin = read_clock();
    const auto end = operate(ring, operation, in, out);
    CHECK_LT(to_seconds(read_clock() - begin), 15);
    if (!end) {
      const Errc code = end.error().code;
      CHECK(code == Errc::closed || code == Errc::corrupt || code == Errc::mismatch);
      CHECK(!end.error().message.empty());
    }
  }
  peer.join();
  CHECK_EQ(std::count(out.end() - 16, out.end(), kGuard), 16);
  CHECK_EQ(std::count(in.begin(), in.end(), 1.0F), static_cast<std::ptrdiff_t>(in.size()));
}

std::string frame_text(FrameKind kind, const Call& call, std::size_t payload) {
  Frame frame;
  frame.kind = kind;
  frame.generation = 1;
  frame.operation = kind == FrameKind::message ? 0 : 1;
  frame.call = call;
  frame.bytes = static_cast<std::uint32_t>(payload);
  std::string text;
  for (const std::byte b : encode_frame(frame)) text.push_back(static_cast<char>(b));
  return text + std::string(payload, '\1');
}

}  // namespace

Target peer_target() {
  constexpr std::size_t kBytes = kCount * sizeof(float);
  const auto call = [](std::uint32_t kind, std::uint64_t count) {
    return Call{.kind = kind, .count = count};
  };
  const auto note = frame_text(FrameKind::present, call(kBarrier, 0), 1);
  const auto token = frame_text(FrameKind::token, call(kBarrier, 0), 0);
  return {
      "peer",
      {'\0' + frame_text(FrameKind::chunk, call(kAllReduce, kCount), kBytes),
       '\1' + frame_text(FrameKind::chunk, call(kAllGather, kCount), kBytes),
       '\2' + frame_text(FrameKind::token, call(kBroadcast, kCount), 0) +
           frame_text(FrameKind::chunk, call(kBroadcast, kCount), kBytes),
       '\3' + frame_text(FrameKind::chunk, call(kAllToAll, 0), sizeof(std::uint64_t)),
       '\4' + frame_text(FrameKind::message, call(kExchange, kCount), kBytes), '\5' + token,
       '\5' + note + note + token, '\5' + frame_text(FrameKind::mismatch, call(kBarrier, 0), 40)},
      &run,
      600};
}

}  // namespace ringmaster::fuzz
