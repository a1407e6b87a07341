// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>

#include "base/file_descriptor.h"
#include "base/random.h"
#include "net/client.h"
#include "net/server.h"

namespace ringmaster::net {
namespace {

constexpr auto kPatience = std::chrono::seconds(20);

/// A server that answers each message with the same, and one loop for all.
class Echo : public testing::Test {
 protected:
  void start(std::set<std::string> allowed) {
    auto bound = Server::bind(
        loop_, "tcp://127.0.0.1:0", server_keys_, std::move(allowed),
        {.on_message =
             [this](const std::string& peer, const std::string& key, std::string_view message) {
               keys_seen_.insert(key);
               server_->send(peer, message);
             },
         .look_again = [this](const std::string& key) { return key == late_key_; },
         .on_refused = [this](const std::string&, const std::string&) { ++refused_; }});
    ASSERT_TRUE(bound) << bound.error().message;
    server_ = std::move(*bound);
  }
  std::unique_ptr<Client> connect(const KeyPair& keys) {
    auto client = Client::connect(loop_, server_->endpoint(), server_keys_.public_key, keys,
                                  [this](std::string_view text) { answers_.emplace_back(text); });
    EXPECT_TRUE(client);
    return client ? std::move(*client) : nullptr;
  }
  bool run_until(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!done() && std::chrono::steady_clock::now() < end) {
      loop_.run_one_for(std::chrono::milliseconds(50));
    }
    return done();
  }

  boost::asio::io_context loop_;
  KeyPair server_keys_ = make_key_pair();
  std::unique_ptr<Server> server_;
  std::set<std::string> keys_seen_;
  std::vector<std::string> answers_;
  std::string late_key_;  // is put on the list after the start
  int refused_ = 0;
};

TEST_F(Echo, MessagesOfAllSizesComeBackInOrder) {
  const KeyPair keys = make_key_pair();
  start({keys.public_key});
  const auto client = connect(keys);
  Random random(1);
  std::vector<std::string> sent;
  for (int i = 0; i < 300; ++i) {
    sent.emplace_back(random.below(i % 50 == 0 ? 500'000 : 200), static_cast<char>(i));
    ASSERT_TRUE(client->send(sent.back()));
  }
  EXPECT_TRUE(run_until([&] { return answers_.size() == sent.size(); }));
  EXPECT_EQ(answers_, sent);
  EXPECT_EQ(keys_seen_, std::set<std::string>{keys.public_key});
}

TEST_F(Echo, AnUnknownKeyIsRefusedAndReported) {
  const KeyPair known = make_key_pair();
  start({known.public_key});
  const auto stranger = connect(make_key_pair());
  stranger->send("let me in");
  EXPECT_TRUE(run_until([&] { return refused_ > 0; }));
  const auto friendly = connect(known);
  friendly->send("hello");
  EXPECT_TRUE(run_until([&] { return !answers_.empty(); }));
  EXPECT_EQ(answers_, std::vector<std::string>{"hello"});
}

TEST_F(Echo, AKeyThatWasAllowedSinceTheStartIsLetIn) {
  start({});
  const KeyPair keys = make_key_pair();
  late_key_ = keys.public_key;
  const auto client = connect(keys);
  client->send("now?");
  EXPECT_TRUE(run_until([&] { return !answers_.empty(); }));
  EXPECT_EQ(refused_, 0);
}

TEST_F(Echo, RandomBytesOnThePortDisturbNobody) {
  const KeyPair keys = make_key_pair();
  start({keys.public_key});
  const int port = std::stoi(server_->endpoint().substr(server_->endpoint().rfind(':') + 1));
  Random random(7);
  for (int i = 0; i < 50; ++i) {
    const FileDescriptor foreign(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::connect(foreign.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    std::string bytes(random.below(3000), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.below(256));
    static_cast<void>(::send(foreign.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL));
  }
  const auto client = connect(keys);
  client->send("still there?");
  EXPECT_TRUE(run_until([&] { return !answers_.empty(); }));
}

TEST_F(Echo, AClientFindsAServerThatCameBack) {
  const KeyPair keys = make_key_pair();
  start({keys.public_key});
  const std::string endpoint = server_->endpoint();
  const auto client = connect(keys);
  client->send("one");
  ASSERT_TRUE(run_until([&] { return answers_.size() == 1; }));
  server_.reset();
  auto again = Server::bind(
      loop_, endpoint, server_keys_, {keys.public_key},
      {.on_message = [this](const std::string& peer, const std::string&,
                            std::string_view message) { server_->send(peer, message); },
       .look_again = {},
       .on_refused = {}});
  ASSERT_TRUE(again) << again.error().message;
  server_ = std::move(*again);
  EXPECT_TRUE(run_until([&] {
    client->send("two");
    return answers_.size() > 1;
  }));
}

TEST_F(Echo, APortInUseIsAnError) {
  start({});
  const auto second = Server::bind(loop_, server_->endpoint(), server_keys_, {}, {});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("Address already in use"), std::string::npos);
}

TEST(Keys, AreWrittenForTheirOwnerAlone) {
  std::string folder = std::filesystem::temp_directory_path() / "ringmaster-keys-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/key";
  const KeyPair keys = make_key_pair();
  ASSERT_TRUE(write_key_pair(path, keys));
  EXPECT_FALSE(write_key_pair(path, keys));  // never over another one
  const auto read = read_key_pair(path);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->secret_key, keys.secret_key);
  ::chmod(path.c_str(), 0644);
  EXPECT_EQ(read_key_pair(path).error().code, Errc::denied);
  EXPECT_FALSE(is_key("short"));
  EXPECT_FALSE(is_key(std::string(40, '~')));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ringmaster::net
