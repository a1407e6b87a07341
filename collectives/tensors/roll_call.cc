// SPDX-License-Identifier: Apache-2.0
#include "collectives/tensors/roll_call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "collectives/call_text.h"

namespace ringmaster::collectives {

namespace {

constexpr std::size_t kNamedInMessages = 3;  // tensors; the rest is a number

/// Fixed-size words in the host's byte order: ranks of one job run one build.
template <class T>
void put_word(std::vector<std::byte>& to, T value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  to.insert(to.end(), bytes, bytes + sizeof value);
}

/// Takes words from the front, and remembers when there were too few bytes.
class WordReader {
 public:
  explicit WordReader(std::span<const std::byte> bytes) : left_(bytes) {}

  template <class T>
  T word() {
    T value{};
    if (const auto bytes = take(sizeof value); !bytes.empty()) {
      std::memcpy(&value, bytes.data(), sizeof value);
    }
    return value;
  }
  std::string text(std::size_t size) {
    const auto bytes = take(size);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  bool at_end() const { return left_.empty(); }
  bool torn() const { return torn_; }

 private:
  std::span<const std::byte> take(std::size_t size) {
    torn_ = torn_ || size > left_.size();
    if (torn_) return {};
    const auto taken = left_.first(size);
    left_ = left_.subspan(size);
    return taken;
  }

  std::span<const std::byte> left_;
  bool torn_ = false;
};

bool is_enum(std::uint8_t type, std::uint8_t reduction) {
  return type <= RINGMASTER_BFLOAT16 && reduction <= RINGMASTER_PRODUCT;
}

/// A tensor as its holders have it.
struct Held {
  std::vector<std::size_t> positions;
  const Announced* first = nullptr;
  Duration age{};
};

std::string handed_in_text(const Tensor& tensor, int rank) {
  return fmt::format("rank {} handed in {}", rank,
                     call_text({.kind = kAllReduce,
                                .type = static_cast<std::uint32_t>(tensor.type),
                                .reduction = static_cast<std::uint32_t>(tensor.reduction),
                                .count = tensor.count}));
}

std::string missing_text(const std::string& name, const Held& held,
                         const std::vector<int>& numbers) {
  std::vector<int> has, lacks;
  for (std::size_t position = 0; position < numbers.size(); ++position) {
    const bool holds = std::count(held.positions.begin(), held.positions.end(), position) > 0;
    (holds ? has : lacks).push_back(numbers[position]);
  }
  return fmt::format("tensor {}: handed in by rank{} {}, not by rank{} {}, for {:.1f} s", name,
                     has.size() == 1 ? "" : "s", fmt::join(has, " "), lacks.size() == 1 ? "" : "s",
                     fmt::join(lacks, " "), to_seconds(held.age));
}

using HeldByName = std::map<std::string, Held>;

/// The tensors that not all ranks have and that have waited for `least`, in words; "" for none.
std::string list_missing(const HeldByName& all, const std::vector<int>& numbers, Duration least) {
  std::string text;
  std::size_t listed = 0, more = 0;
  for (const auto& [name, held] : all) {
    if (held.positions.size() == numbers.size() || held.age < least) continue;
    if (listed == kNamedInMessages) {
      ++more;
      continue;
    }
    text += (listed++ == 0 ? "" : "; ") + missing_text(name, held, numbers);
  }
  return more == 0 ? text : fmt::format("{}; and {} more", text, more);
}

}  // namespace

std::vector<std::byte> encode(const Announcement& announcement) {
  std::vector<std::byte> bytes;
  put_word<std::uint8_t>(bytes, announcement.closing ? 1 : 0);
  put_word(bytes, announcement.bucket_bytes);
  put_word<std::int64_t>(bytes, announcement.timeout.count());
  for (const Announced& one : announcement.tensors) {
    put_word(bytes, static_cast<std::uint8_t>(one.tensor.type));
    put_word(bytes, static_cast<std::uint8_t>(one.tensor.reduction));
    put_word(bytes, one.tensor.count);
    put_word(bytes, one.address);
    put_word<std::int64_t>(bytes, one.age.count());
    put_word(bytes, static_cast<std::uint32_t>(one.tensor.name.size()));
    const auto* name = reinterpret_cast<const std::byte*>(one.tensor.name.data());
    bytes.insert(bytes.end(), name, name + one.tensor.name.size());
  }
  return bytes;
}

Result<Announcement> decode(std::span<const std::byte> bytes) {
  WordReader reader(bytes);
  Announcement read;
  read.closing = reader.word<std::uint8_t>() != 0;
  read.bucket_bytes = reader.word<std::uint64_t>();
  read.timeout = Duration(reader.word<std::int64_t>());
  while (!reader.at_end() && !reader.torn()) {
    const auto type = reader.word<std::uint8_t>();
    const auto reduction = reader.word<std::uint8_t>();
    Announced one;
    one.tensor.count = reader.word<std::uint64_t>();
    one.address = reader.word<std::uint64_t>();
    one.age = Duration(reader.word<std::int64_t>());
    one.tensor.name = reader.text(reader.word<std::uint32_t>());
    if (!is_enum(type, reduction)) {
      return Error{Errc::corrupt, "tensors: a rank announced a type that there is not"};
    }
    one.tensor.type = static_cast<Type>(type);
    one.tensor.reduction = static_cast<Reduction>(reduction);
    read.tensors.push_back(std::move(one));
  }
  if (reader.torn()) return Error{Errc::corrupt, "tensors: a rank's announcement is cut short"};
  return read;
}

Verdict judge(const std::vector<Announcement>& announcements, const std::vector<int>& numbers,
              Duration warn_after) {
  CHECK_EQ(announcements.size(), numbers.size());
  HeldByName all;
  bool closing = true;
  Duration timeout = announcements.front().timeout;
  for (std::size_t position = 0; position < announcements.size(); ++position) {
    const Announcement& one = announcements[position];
    if (one.bucket_bytes != announcements.front().bucket_bytes) {
      return {Error{Errc::mismatch,
                    fmt::format("tensors: rank {} has buckets of {} bytes, rank {} of {}",
                                numbers.front(), announcements.front().bucket_bytes,
                                numbers[position], one.bucket_bytes)},
              ""};
    }
    closing = closing && one.closing;
    timeout = std::min(timeout, one.timeout);
    for (const Announced& announced : one.tensors) {
      Held& held = all[announced.tensor.name];
      if (held.first == nullptr) held.first = &announced;
      const Tensor& first = held.first->tensor;
      if (!(first == announced.tensor)) {
        return {Error{Errc::mismatch,
                      fmt::format("tensor {}: {}, {}", first.name,
                                  handed_in_text(first, numbers[held.positions.front()]),
                                  handed_in_text(announced.tensor, numbers[position]))},
                ""};
      }
      held.positions.push_back(position);
      held.age = std::max(held.age, announced.age);
    }
  }
  if (const std::string late = list_missing(all, numbers, timeout); !late.empty()) {
    return {Error{Errc::timed_out, late}, ""};
  }
  if (closing) {
    const std::string never = list_missing(all, numbers, Duration::zero());
    if (!never.empty()) {
      return {Error{Errc::mismatch, never + ", and all ranks wait for the end"}, ""};
    }
  }
  return {std::nullopt, list_missing(all, numbers, warn_after)};
}

}  // namespace ringmaster::collectives
