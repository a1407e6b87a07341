// SPDX-License-Identifier: Apache-2.0
#include "worker/messages.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace ringmaster::worker {

namespace {

static_assert(std::endian::native == std::endian::little, "the codec copies little-endian words");

// A packet begins with the version and the message's index in the variant.
constexpr std::uint32_t kVersion = 5;

class Writer {
 public:
  template <class T>
  void number(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view text) {
    text = text.substr(0, kTextMax);
    number(static_cast<std::uint32_t>(text.size()));
    bytes_.append(text);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads in the order of writing; after the first shortage everything is zero and ok() is false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  template <class T>
  T number() {
    T value{};
    if (rest_.size() < sizeof value) {
      ok_ = false;
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::string text() {
    const auto length = number<std::uint32_t>();
    if (length > kTextMax || length > rest_.size()) {
      ok_ = false;
      return {};
    }
    std::string text(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return text;
  }
  void fail() { ok_ = false; }
  bool ok() const { return ok_; }
  bool finished() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

struct Encode {
  Writer& out;
  void operator()(const JoinMessage& message) { out.number(message.steps); }
  void operator()(const FormMessage& message) {
    out.number(message.generation);
    out.number(message.since_ns);
    out.number(message.position);
    out.number(message.joined);
    out.number(message.lost);
    out.number(message.cpus);
    out.number(static_cast<std::uint32_t>(message.numbers.size()));
    for (const std::uint32_t number : message.numbers) out.number(number);
    out.text(message.reason);
    out.number(static_cast<std::uint32_t>(message.endpoints.size()));
    for (const std::string& endpoint : message.endpoints) out.text(endpoint);
    CHECK_EQ(message.hosts.size(), message.endpoints.size());
    for (const std::uint32_t host : message.hosts) out.number(host);
    out.text(message.secret);
    out.number(message.save_every);
    out.number(message.save_period_ns);
  }
  void operator()(const SyncedMessage& message) {
    out.number(message.generation);
    out.number(message.steps);
    out.number(message.source);
  }
  void operator()(const ReachedMessage& message) { out.number(message.steps); }
  void operator()(const FinishedMessage& message) { out.number(message.generation); }
  void operator()(const FailedMessage& message) { out.text(message.text); }
  void operator()(const StagedMessage& message) {
    out.number(message.generation);
    out.number(message.steps);
    out.number(message.position);
    out.number(message.members);
    blocks(message.blocks);
    out.text(message.why);
  }
  void operator()(const RestoreMessage& message) {
    out.number(message.steps);
    blocks(message.blocks);
  }
  void blocks(const std::vector<std::uint64_t>& sizes) {
    CHECK_LE(sizes.size(), kBlocksMax);
    out.number(static_cast<std::uint32_t>(sizes.size()));
    for (const std::uint64_t bytes : sizes) out.number(bytes);
  }
};

/// The fields of a braced list are read from left to right, which is the order of writing.
FormMessage decode_form(Reader& in) {
  FormMessage message{in.number<std::int64_t>(),
                      in.number<std::int64_t>(),
                      in.number<std::uint32_t>(),
                      in.number<std::uint32_t>(),
                      in.number<std::uint32_t>(),
                      in.number<std::uint32_t>(),
                      {},
                      {},
                      {},
                      {},
                      {},
                      0};
  const auto count = in.number<std::uint32_t>();
  if (count > kRanksMax) in.fail();
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    message.numbers.push_back(in.number<std::uint32_t>());
  }
  message.reason = in.text();
  const auto endpoints = in.number<std::uint32_t>();
  if (endpoints > kEndpointsMax) in.fail();
  for (std::uint32_t i = 0; i < endpoints && in.ok(); ++i) message.endpoints.push_back(in.text());
  for (std::uint32_t i = 0; i < endpoints && in.ok(); ++i) {
    message.hosts.push_back(in.number<std::uint32_t>());
  }
  message.secret = in.text();
  message.save_every = in.number<std::int64_t>();
  message.save_period_ns = in.number<std::int64_t>();
  return message;
}

std::vector<std::uint64_t> decode_blocks(Reader& in) {
  const auto count = in.number<std::uint32_t>();
  if (count > kBlocksMax) in.fail();
  std::vector<std::uint64_t> blocks;
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    blocks.push_back(in.number<std::uint64_t>());
    if (blocks.back() > kBlockBytesMax) in.fail();
  }
  return blocks;
}

StagedMessage decode_staged(Reader& in) {
  StagedMessage message{in.number<std::int64_t>(),
                        in.number<std::int64_t>(),
                        in.number<std::uint32_t>(),
                        in.number<std::uint32_t>(),
                        {},
                        {}};
  message.blocks = decode_blocks(in);
  message.why = in.text();
  return message;
}

Message decode_body(std::uint32_t kind, Reader& in) {
  if (kind == 0) return JoinMessage{in.number<std::int64_t>()};
  if (kind == 1) return decode_form(in);
  if (kind == 2) {
    return SyncedMessage{in.number<std::int64_t>(), in.number<std::int64_t>(),
                         in.number<std::uint32_t>()};
  }
  if (kind == 3) return ReachedMessage{in.number<std::int64_t>()};
  if (kind == 4) return FinishedMessage{in.number<std::int64_t>()};
  if (kind == 5) return FailedMessage{in.text()};
  if (kind == 6) return decode_staged(in);
  const auto steps = in.number<std::int64_t>();
  return RestoreMessage{steps, decode_blocks(in)};
}

Result<void> check(const Message& message) {
  const auto* form = std::get_if<FormMessage>(&message);
  if (form != nullptr && form->position >= form->numbers.size()) {
    return Error{Errc::corrupt, fmt::format("a generation of {} ranks without position {}",
                                            form->numbers.size(), form->position)};
  }
  if (form != nullptr && !form->endpoints.empty() &&
      form->endpoints.size() != form->numbers.size()) {
    return Error{Errc::corrupt, fmt::format("a generation of {} ranks with {} endpoints",
                                            form->numbers.size(), form->endpoints.size())};
  }
  const auto* staged = std::get_if<StagedMessage>(&message);
  if (staged != nullptr && (staged->position >= staged->members || staged->members > kRanksMax)) {
    return Error{Errc::corrupt,
                 fmt::format("a save of position {} of {}", staged->position, staged->members)};
  }
  const auto* restore = std::get_if<RestoreMessage>(&message);
  if (restore != nullptr && restore->steps < 0) return Error{Errc::corrupt, "a state of no steps"};
  return {};
}

}  // namespace

std::string encode(const Message& message) {
  Writer out;
  out.number(kVersion);
  out.number(static_cast<std::uint32_t>(message.index()));
  std::visit(Encode{out}, message);
  return out.take();
}

Result<Message> decode(std::string_view packet) {
  Reader in(packet);
  const auto version = in.number<std::uint32_t>();
  const auto kind = in.number<std::uint32_t>();
  if (!in.ok() || version != kVersion || kind >= std::variant_size_v<Message>) {
    return Error{Errc::corrupt, fmt::format("a packet of {} bytes, version {}, kind {}",
                                            packet.size(), version, kind)};
  }
  Message message = decode_body(kind, in);
  if (!in.finished()) {
    return Error{Errc::corrupt,
                 fmt::format("a packet of {} bytes does not fit kind {}", packet.size(), kind)};
  }
  auto valid = check(message);
  if (!valid) return valid.error();
  return message;
}

}  // namespace ringmaster::worker
