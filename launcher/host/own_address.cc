// SPDX-License-Identifier: Apache-2.0
#include "launcher/host/own_address.h"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>

#include <memory>

#include "base/file_descriptor.h"
#include "collectives/tcp/address.h"

namespace ringmaster::launcher {

Result<std::string> address_towards(const std::string& endpoint) {
  const auto failed = [&](const std::string& why) {
    return Error{Errc::invalid,
                 fmt::format("find this machine's address towards {}: {}", endpoint, why)};
  };
  const std::size_t begin = endpoint.find("://");
  const std::size_t colon = endpoint.rfind(':');
  if (begin == std::string::npos || colon <= begin) return failed("it takes tcp://HOST:PORT");
  std::string host = endpoint.substr(begin + 3, colon - begin - 3);
  if (host.starts_with("[") && host.ends_with("]")) host = host.substr(1, host.size() - 2);
  addrinfo wanted = {};
  wanted.ai_socktype = SOCK_DGRAM;  // connecting one only chooses a route
  addrinfo* first = nullptr;
  const int code = getaddrinfo(host.c_str(), endpoint.c_str() + colon + 1, &wanted, &first);
  if (code != 0) return failed(gai_strerror(code));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> found(first, freeaddrinfo);
  const FileDescriptor fd(::socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd.valid() || ::connect(fd.get(), found->ai_addr, found->ai_addrlen) != 0) {
    return errno_error(errno, fmt::format("find this machine's address towards {}", endpoint));
  }
  const auto own = collectives::endpoint_of(fd.get());
  if (!own) return own.error();
  return own->substr(0, own->rfind(':'));
}

}  // namespace ringmaster::launcher
