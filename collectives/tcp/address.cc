// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>
#include <cerrno>

#include "base/whole_number.h"

namespace ringmaster::collectives {

namespace {

// The kernel holds the connections of peers that have a generation's table before this rank looks;
// it cuts the number to net.core.somaxconn.
constexpr int kBacklog = 4096;

Error not_an_endpoint(std::string_view text) {
  return {Errc::invalid,
          fmt::format("\"{}\" is no endpoint such as 10.0.0.7:7001 or [::1]:7001", text)};
}

bool read_port(std::string_view text, in_port_t* port) {
  std::uint16_t value = 0;
  if (!read_whole(text, &value)) return false;
  *port = htons(value);
  return true;
}

}  // namespace

Result<Address> parse_endpoint(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return not_an_endpoint(text);
  std::string host(text.substr(0, colon));
  const bool six = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (six) host = host.substr(1, host.size() - 2);
  Address address;
  auto* four_at = reinterpret_cast<sockaddr_in*>(&address.storage);
  auto* six_at = reinterpret_cast<sockaddr_in6*>(&address.storage);
  in_port_t port = 0;
  const int family = six ? AF_INET6 : AF_INET;
  void* number = six ? static_cast<void*>(&six_at->sin6_addr) : &four_at->sin_addr;
  if (!read_port(text.substr(colon + 1), &port) || host.find('\0') != std::string::npos ||
      inet_pton(family, host.c_str(), number) != 1) {
    return not_an_endpoint(text);
  }
  address.storage.ss_family = static_cast<sa_family_t>(family);
  (six ? six_at->sin6_port : four_at->sin_port) = port;
  address.length = six ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  return address;
}

std::string endpoint_text(const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> host{};
  if (address.family() == AF_INET6) {
    const auto* six = reinterpret_cast<const sockaddr_in6*>(&address.storage);
    inet_ntop(AF_INET6, &six->sin6_addr, host.data(), host.size());
    return fmt::format("[{}]:{}", host.data(), ntohs(six->sin6_port));
  }
  const auto* four = reinterpret_cast<const sockaddr_in*>(&address.storage);
  inet_ntop(AF_INET, &four->sin_addr, host.data(), host.size());
  return fmt::format("{}:{}", host.data(), ntohs(four->sin_port));
}

Result<FileDescriptor> listen_on(std::string_view endpoint) {
  auto address = parse_endpoint(endpoint);
  if (!address) return address.error();
  FileDescriptor fd(socket(address->family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return errno_error(errno, fmt::format("make a socket for {}", endpoint));
  if (bind(fd.get(), address->get(), address->length) != 0 || listen(fd.get(), kBacklog) != 0) {
    return errno_error(errno, fmt::format("listen on {}", endpoint));
  }
  return fd;
}

Result<std::string> endpoint_of(int fd) {
  Address address;
  address.length = sizeof(address.storage);
  auto* to = reinterpret_cast<sockaddr*>(&address.storage);
  if (getsockname(fd, to, &address.length) != 0) {
    return errno_error(errno, fmt::format("ask where descriptor {} is bound", fd));
  }
  if (address.family() != AF_INET && address.family() != AF_INET6) {
    return Error{Errc::invalid, fmt::format("descriptor {} is no TCP socket", fd)};
  }
  return endpoint_text(address);
}

}  // namespace ringmaster::collectives
