// SPDX-License-Identifier: Apache-2.0
#include "tests/storm/host_life.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "collectives/handle.h"
#include "collectives/hierarchical/hierarchical_communicator.h"
#include "collectives/tcp/tcp_communicator.h"
#include "tests/storm/trial.h"

namespace ringmaster::storm {

namespace {

using namespace collectives;

constexpr std::size_t kFaultBytesMax = 300'000;

class Life {
 public:
  explicit Life(const Inheritance& from)
      : from_(from),
        segment_(from.segments[static_cast<std::size_t>(own_host())]),
        post_(from.board.posts[from.number]),
        own_(from.seed * 31 + static_cast<std::uint64_t>(from.number)) {
    // As a session does: the handle, the arena and what lies in it outlive generations.
    handle_.arena = std::make_unique<Arena>(&segment_, from.number);
    memory_.emplace(from.ways == Ways::tcp ? nullptr : handle_.arena.get(), own_.next());
    if (from.ways == Ways::shm) return;
    auto listener = TcpListener::adopt(from.listener);
    CHECK(listener.ok());
    listener_.emplace(std::move(*listener));
  }

  int run() {
    std::int64_t generation = post_.left;
    while (!from_.board.end) {
      if (from_.board.generation.load() == generation) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        continue;
      }
      const Form form = from_.board.form;
      generation = form.generation;
      handle_.engine = make(form);
      handle_.engine->set_timeout(std::chrono::milliseconds(form.timeout_ms));
      handle_.begin_generation(generation, {form.numbers, form.numbers + form.size});
      const Error end = work(form);
      handle_.end_generation();
      handle_.engine.reset();
      leave(generation, end);
      if (post_.wrong) return 1;
    }
    return 0;
  }

 private:
  int own_host() const { return host_of(from_.number); }
  int host_of(int number) const { return from_.ways == Ways::shm ? 0 : number % from_.hosts; }

  std::unique_ptr<Communicator> make(const Form& form) {
    const std::vector<int> numbers(form.numbers, form.numbers + form.size);
    const auto position =
        static_cast<int>(std::ranges::find(numbers, from_.number) - numbers.begin());
    CHECK_LT(position, form.size);
    ShmMembership local{form.generation, {}, 0, 2};
    TcpMembership far{form.generation, position, {}, "secret of the job", numbers};
    std::vector<int> hosts;
    for (const int number : numbers) {
      hosts.push_back(host_of(number));
      far.endpoints.push_back(from_.endpoints[static_cast<std::size_t>(number)]);
      if (hosts.back() != own_host()) continue;
      if (number == from_.number) local.position = static_cast<int>(local.numbers.size());
      local.numbers.push_back(number);
    }
    // On one host they have its shared memory, as worker/engines.cc has it.
    if (from_.ways == Ways::shm ||
        (from_.ways == Ways::hosts && local.numbers.size() == numbers.size())) {
      return std::make_unique<ShmCommunicator>(segment_, local, handle_.arena.get());
    }
    const Abort abort{segment_, -1};
    if (from_.ways == Ways::tcp) return std::make_unique<TcpCommunicator>(*listener_, far, abort);
    return std::make_unique<HierarchicalCommunicator>(
        std::make_unique<ShmCommunicator>(segment_, local),
        std::make_shared<Mesh>(*listener_, far, abort), hosts);
  }

  /// Calls until one fails.
  Error work(const Form& form) {
    Random random(form.seed);  // the same on all ranks
    const int position = handle_.engine->position();
    for (std::uint64_t turn = 0;; ++turn) {
      Call call = draw_call(random, form.size, kFaultBytesMax);
      if (form.odd_number >= 0 && turn == form.odd_turn) call = agreed(form, call);
      Trial trial(call, position, form.size, *memory_);
      if (form.slow && own_.chance(0.1)) {
        std::this_thread::sleep_for(std::chrono::microseconds(own_.below(3000)));
      }
      const bool odd = form.odd_number == from_.number && turn == form.odd_turn;
      const auto end = odd ? call_otherwise(call) : handle_.run(trial.operation());
      if (!end) return end.error();
      const std::string wrong = odd ? "a call like no other's ended well" : trial.verdict(true);
      ++post_.calls;
      if (wrong.empty()) continue;
      post_.wrong = true;
      return {Errc::corrupt, text_of(call) + ": " + wrong};
    }
  }

  /// In the place of the call that one rank makes otherwise: one in which all have a part.
  static Call agreed(const Form& form, Call call) {
    call.kind = Kind::all_reduce;
    call.type = RINGMASTER_INT32;
    call.reduction = RINGMASTER_SUM;
    call.matrix.clear();
    call.reduces.clear();
    call.counts.assign(static_cast<std::size_t>(form.size), form.seed % 2 == 0 ? 500 : 50'000);
    return call;
  }

  /// Another size, type, reduction or operation.
  Result<void> call_otherwise(const Call& call) {
    const std::size_t count = call.counts[0] + (own_.chance(0.3) ? 1 : 0);
    const auto kind = count != call.counts[0] ? 0 : 1 + own_.below(3);
    std::vector<std::int32_t> data(count);
    if (kind == 3) return handle_.run({.kind = Operation::Kind::barrier});
    return handle_.run({.kind = Operation::Kind::all_reduce,
                        .input = data.data(),
                        .output = data.data(),
                        .count = count,
                        .type = kind == 1 ? RINGMASTER_FLOAT32 : RINGMASTER_INT32,
                        .reduction = kind == 2 ? RINGMASTER_MAX : RINGMASTER_SUM});
  }

  void leave(std::int64_t generation, const Error& end) {
    const std::size_t size = std::min(end.message.size(), Post::kTextMax - 1);
    std::memcpy(post_.text, end.message.data(), size);
    post_.text[size] = '\0';
    post_.code = static_cast<int>(end.code);
    post_.left = generation;
  }

  const Inheritance& from_;
  const Segment& segment_;
  Post& post_;
  Random own_;
  ringmaster_communicator handle_;
  std::optional<Memory> memory_;
  std::optional<TcpListener> listener_;
};

}  // namespace

int live(const Inheritance& inheritance) {
  return Life(inheritance).run();
}

}  // namespace ringmaster::storm
