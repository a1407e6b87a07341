// SPDX-License-Identifier: Apache-2.0
//
// Guests before a rank's door, over real connections: greetings that are right, damaged, of another
// generation, in pieces, cut short, or followed by anything; and doors that open meanwhile. Nobody
// is inside who has not confirmed at this door, and the listener keeps to its bounds.
#include <sys/socket.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/check.h"
#include "collectives/tcp/address.h"
#include "collectives/tcp/nonce.h"
#include "collectives/tcp/tcp_listener.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

namespace {

using namespace collectives;

constexpr std::string_view kSecret = "secret";
constexpr std::uint32_t kOwn = 3;  // our position
constexpr std::size_t kGuestsMax = 8;
constexpr std::size_t kActionsMax = 64;

FileDescriptor knock(const std::string& endpoint) {
  const auto address = parse_endpoint(endpoint);
  FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  CHECK(::connect(fd.get(), address->get(), address->length) == 0);
  const linger now{1, 0};  // no port stays behind
  CHECK(setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &now, sizeof(now)) == 0);
  return fd;
}

struct Guest {
  FileDescriptor fd;
  bool spoke = false;
  HelloBytes hello{};  // what it said first, when that was a greeting
  std::int64_t generation = 0;
  std::uint32_t from = 0;
};

template <class Bytes>
void say(Guest& guest, const Bytes& bytes) {
  guest.spoke = true;
  // Who was shown out finds the door shut.
  [[maybe_unused]] const auto sent =
      ::send(guest.fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

class Door {
 public:
  explicit Door(Input& input) : input_(input) {
    auto fd = listen_on("127.0.0.1:0");
    CHECK(fd.ok());
    endpoint_ = *endpoint_of(fd->get());
    auto adopted = TcpListener::adopt(fd->release());
    CHECK(adopted.ok());
    listener_.emplace(std::move(*adopted));
    open();
  }

  void act() {
    const std::size_t action = input_.below(9);
    if (action == 0 || guests_.empty()) return enter();
    if (action == 1) return open();
    if (action == 2) return step();
    Guest& guest = guests_[input_.below(guests_.size())];
    if (action == 3) greet(guest);
    if (action == 4) damage_greeting(guest);
    if (action == 5) babble(guest);
    if (action == 6) confirm(guest);
    if (action == 7) guest.fd.reset();
    if (action == 8) take(guest);
  }
  void step() {
    listener_->step(read_clock());
    CHECK_LE(listener_->half_open(), TcpListener::kHalfOpenMax);
    CHECK_LE(listener_->early(), TcpListener::kEarlyMax);
    for (const std::uint32_t from : listener_->guests()) {
      CHECK_LT(from, kOwn);
      CHECK(confirmed_.contains({generation_, from}));
    }
  }

 private:
  void enter() {
    if (guests_.size() == kGuestsMax) guests_.erase(guests_.begin());
    guests_.push_back({knock(endpoint_)});
  }
  void open() {
    listener_->open({++generation_, kOwn, std::string(kSecret)});
    step();
  }
  void greet(Guest& guest) {
    const std::int64_t generation = generation_ - 1 + static_cast<std::int64_t>(input_.below(3));
    const auto from = static_cast<std::uint32_t>(input_.below(5));
    const HelloBytes hello = encode_hello({generation, from, kOwn, make_nonce()}, kSecret);
    if (!guest.spoke) {
      guest.hello = hello;
      guest.generation = generation;
      guest.from = from;
    }
    say(guest, hello);
  }
  void damage_greeting(Guest& guest) {
    HelloBytes bytes = encode_hello({generation_, 0, kOwn, make_nonce()}, kSecret);
    bytes[input_.below(bytes.size())] ^= static_cast<std::byte>(1U << input_.below(8));
    say(guest, bytes);
  }
  void babble(Guest& guest) {
    const std::string_view words = input_.rest().substr(0, 1 + input_.below(80));
    say(guest, words);
  }
  void confirm(Guest& guest) {
    step();
    AnswerBytes answer{};
    if (::recv(guest.fd.get(), answer.data(), answer.size(), MSG_DONTWAIT) !=
        static_cast<ssize_t>(answer.size())) {
      return;
    }
    // Only a greeting that was right is answered.
    CHECK(is_answer(answer, guest.hello, kSecret));
    ConfirmBytes bytes = make_confirm(guest.hello, answer, kSecret);
    if (input_.flag()) {
      bytes[input_.below(bytes.size())] ^= std::byte{1};
    } else {
      confirmed_.insert({guest.generation, guest.from});
    }
    say(guest, bytes);
  }
  void take(const Guest& guest) {
    const auto before = listener_->guests();
    const bool inside = std::ranges::count(before, guest.from) > 0;
    CHECK(listener_->take(guest.from).valid() == inside);
  }

  Input& input_;
  std::string endpoint_;
  std::optional<TcpListener> listener_;
  std::int64_t generation_ = 0;
  std::vector<Guest> guests_;
  std::set<std::pair<std::int64_t, std::uint32_t>> confirmed_;
};

void run(std::string_view bytes) {
  Input input(bytes);
  Door door(input);
  for (std::size_t action = 0; action < kActionsMax && !input.empty(); ++action) door.act();
  door.step();
}

}  // namespace

Target door_target() {
  // Bytes are actions and their arguments: 0 a guest comes, 3 he greets (guest, generation,
  // position), 6 confirms (guest, damaged), 8 is taken.
  const auto text = [](std::initializer_list<int> actions) {
    std::string bytes;
    for (const int action : actions) bytes.push_back(static_cast<char>(action));
    return bytes;
  };
  return {"door",
          {text({0, 3, 0, 1, 2, 2, 6, 0, 0, 2, 8, 0}),  // as it should be
           text({0, 3, 0, 2, 1, 2, 1, 6, 0, 0, 2}),     // early
           text({0, 3, 0, 1, 0, 6, 0, 1, 5, 2}),        // a damaged confirmation
           text({0, 4, 0, 30, 3, 2, 0, 5, 1, 72, 1, 2, 3, 7, 0}),
           text({0, 0, 3, 0, 1, 0, 3, 1, 1, 0, 6, 1, 0, 6, 0, 0, 2, 8, 0, 8, 0, 1, 2})},
          &run,
          1500};
}

}  // namespace ringmaster::fuzz
