// SPDX-License-Identifier: Apache-2.0
#include "launcher/control/ask.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>

#include "net/client.h"

namespace ringmaster::launcher {

bool coordinator_runs(const StateHome& home) {
  return is_locked(home.file("lock"));
}

Result<wire::ToClient> ask(const StateHome& home, const wire::FromClient& question,
                           Duration patience) {
  if (!coordinator_runs(home)) {
    return Error{Errc::not_found, fmt::format("no coordinator runs for {}", home.path())};
  }
  const auto endpoint = home.endpoint();
  if (!endpoint) return endpoint.error();
  const auto credentials = read_credentials(home.file("client.key"));
  if (!credentials) return credentials.error();
  boost::asio::io_context loop;
  std::optional<wire::ToClient> answer;
  auto client = net::Client::connect(loop, *endpoint, credentials->server_key, credentials->keys,
                                     [&](std::string_view bytes) {
                                       wire::ToClient message;
                                       const auto size = static_cast<int>(bytes.size());
                                       if (message.ParseFromArray(bytes.data(), size)) {
                                         answer = std::move(message);
                                       }
                                     });
  if (!client) return client.error();
  wire::Hail hail;
  *hail.mutable_client() = question;
  (*client)->send(hail.SerializeAsString());
  const Time end = read_clock() + patience;
  while (!answer && read_clock() < end) loop.run_one_for(std::chrono::milliseconds(50));
  if (answer) return std::move(*answer);
  return Error{Errc::timed_out, fmt::format("the coordinator at {} does not answer", *endpoint)};
}

}  // namespace ringmaster::launcher
