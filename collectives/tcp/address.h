// SPDX-License-Identifier: Apache-2.0
//
// Numeric endpoints ("127.0.0.1:4711", "[::1]:80") and the sockets that belong to them.
//
// Numbers only: names are looked up where the table of a generation is made, once, and not in the
// user's process, where a resolver would load who knows what and block as long as it likes.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace ringmaster::collectives {

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
};

Result<Address> parse_endpoint(std::string_view text);
std::string endpoint_text(const Address& address);

/// A listening socket there, non-blocking and close-on-exec; port 0: the system picks one. For the
/// agent, which binds before it starts the rank.
Result<FileDescriptor> listen_on(std::string_view endpoint);
/// Where the socket is bound, as text.
Result<std::string> endpoint_of(int fd);

}  // namespace ringmaster::collectives
