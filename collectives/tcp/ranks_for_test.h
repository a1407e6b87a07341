// SPDX-License-Identifier: Apache-2.0
//
// Ranks for the tests of this engine: one listener and one abort event each, on loopback, and
// threads that stand for their processes. Only tests include it.
#pragma once

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "collectives/tcp/address.h"
#include "collectives/tcp/tcp_communicator.h"

namespace ringmaster::collectives {

class TcpRanks {
 public:
  explicit TcpRanks(int ranks, bool with_events = true) {
    auto made = Segment::create(ranks);
    CHECK(made.ok());
    segment_.emplace(std::move(*made));
    for (int rank = 0; rank < ranks; ++rank) {
      auto fd = listen_on("127.0.0.1:0");
      CHECK(fd.ok());
      endpoints_.push_back(*endpoint_of(fd->get()));
      auto listener = TcpListener::adopt(fd->release());
      CHECK(listener.ok());
      listeners_.push_back(std::move(*listener));
      events_.emplace_back(with_events ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1);
    }
    kept_.resize(static_cast<std::size_t>(ranks));
  }

  int size() const { return static_cast<int>(endpoints_.size()); }
  const std::string& endpoint(int rank) const { return endpoints_[index(rank)]; }
  TcpListener& listener(int rank) { return listeners_[index(rank)]; }
  KeptLinks& kept(int rank) { return kept_[index(rank)]; }
  Abort abort_of(int rank) const { return {*segment_, events_[index(rank)].get()}; }

  TcpMembership membership(std::int64_t generation, int position) const {
    return {generation, position, endpoints_, "secret of the job"};
  }

  /// What the agent does when a generation ends.
  void abort(std::int64_t generation) const {
    segment_->abort(generation);
    const std::uint64_t one = 1;
    for (const FileDescriptor& event : events_) {
      if (event.valid()) {
        ASSERT_EQ(::write(event.get(), &one, sizeof(one)), 8);
      }
    }
  }

  std::unique_ptr<TcpCommunicator> make(std::int64_t generation, int position) {
    auto made = std::make_unique<TcpCommunicator>(
        listener(position), membership(generation, position), abort_of(position));
    made->set_timeout(std::chrono::seconds(60));
    return made;
  }

  /// Runs `body(communicator)` on a thread for each rank.
  void run(std::int64_t generation, const std::function<void(TcpCommunicator&)>& body) {
    std::vector<std::thread> threads;
    for (int position = 0; position < size(); ++position) {
      threads.emplace_back([&, position] { body(*make(generation, position)); });
    }
    for (auto& thread : threads) thread.join();
  }

 private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

  std::optional<Segment> segment_;
  std::vector<std::string> endpoints_;
  std::vector<TcpListener> listeners_;
  std::vector<FileDescriptor> events_;
  std::vector<KeptLinks> kept_;
};

}  // namespace ringmaster::collectives
