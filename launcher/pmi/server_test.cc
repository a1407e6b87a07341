// SPDX-License-Identifier: Apache-2.0
#include "launcher/pmi/server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <map>

namespace ringmaster::launcher::pmi {
namespace {

using namespace std::chrono_literals;
constexpr const char* kHello = "cmd=init pmi_version=1 pmi_subversion=1\n";

/// A server, the ends that its ranks would have, and what it has told.
struct Served {
  explicit Served(int ranks)
      : server(loop, "kvs", std::vector<int>(static_cast<std::size_t>(ranks), 0),
               {[this](int rank, int code) { aborts[rank] = code; },
                [this](int rank, const std::string& words) { failures[rank] = words; },
                [this](const std::string& words) { said += words; }}) {
    for (int rank = 0; rank < ranks; ++rank) {
      auto end = server.connect(rank);
      CHECK(end.ok());
      ends.push_back(std::move(*end));
    }
  }
  void write(int rank, const std::string& text) {
    const int fd = ends[static_cast<std::size_t>(rank)].get();
    CHECK_EQ(::send(fd, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  /// All that the rank is told until the loop has nothing to do.
  std::string read(int rank) {
    while (loop.run_for(20ms) > 0) loop.restart();
    loop.restart();
    std::string text(1 << 20, '\0');
    const ssize_t size =
        ::recv(ends[static_cast<std::size_t>(rank)].get(), text.data(), text.size(), MSG_DONTWAIT);
    return text.substr(0, size > 0 ? static_cast<std::size_t>(size) : 0);
  }

  boost::asio::io_context loop;
  Server server;
  std::vector<FileDescriptor> ends;
  std::map<int, int> aborts;
  std::map<int, std::string> failures;
  std::string said;
};

TEST(PmiServer, LinesInPiecesAreLines) {
  Served served(1);
  served.write(0, "cmd=init pmi_ver");
  EXPECT_EQ(served.read(0), "");
  served.write(0, "sion=1 pmi_subversion=1\ncmd=get_appnum\ncmd=fina");
  EXPECT_EQ(served.read(0),
            "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n"
            "cmd=appnum rc=0 appnum=0\n");
  EXPECT_TRUE(served.server.inside(0));
  served.write(0, "lize\n");
  EXPECT_EQ(served.read(0), "cmd=finalize_ack rc=0\n");
}

TEST(PmiServer, WhatADeadRankSaidIsHeard) {
  Served served(2);
  served.write(1, std::string(kHello) + "cmd=abort exitcode=9\n");
  served.ends[1].reset();
  served.server.drain(1);
  EXPECT_EQ(served.aborts[1], 9);
}

TEST(PmiServer, WhoDoesNotReadIsNotReadFrom) {
  Served served(2);
  served.write(0, kHello);
  served.read(0);
  std::string many;
  const std::string value(1000, 'v');
  many = fmt::format("cmd=put kvsname=kvs key=k value={}\n", value);
  for (int i = 0; i < 3000; ++i) many += "cmd=get kvsname=kvs key=k\n";
  served.write(0, many);
  std::size_t answered = 0;
  for (int turn = 0; turn < 100; ++turn) {
    const std::string text = served.read(0);
    if (text.empty()) break;
    answered += text.size();
  }
  EXPECT_EQ(answered, std::string("cmd=put_result rc=0 msg=success\n").size() +
                          3000 * (value.size() + std::string("cmd=get_result rc=0 msg=success "
                                                             "value=\n")
                                                     .size()));
  served.write(1, kHello);
  EXPECT_NE(served.read(1), "") << "others are served";
}

TEST(PmiServer, ALineWithoutAnEndFailsItsRank) {
  Served served(1);
  served.write(0, std::string(20000, 'x'));
  served.read(0);
  EXPECT_EQ(served.failures[0], "said more than 4096 bytes to PMI in one line");
}

TEST(PmiServer, AnEndedRankFailsThoseThatWait) {
  Served served(2);
  served.write(1, std::string(kHello) + "cmd=barrier_in\n");
  served.read(1);
  served.ends[0].reset();
  served.server.drain(0);
  served.server.ended(0);
  EXPECT_EQ(served.failures[1], "waits in MPI for rank 0, which has ended");
}

}  // namespace
}  // namespace ringmaster::launcher::pmi
