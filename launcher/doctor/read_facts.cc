// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/read_facts.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>

#include "base/file_descriptor.h"
#include "topology/detect/child_answer.h"

namespace ringmaster::launcher::doctor {

namespace {

/// Resolvers ask each of their servers for 5 s; a healthy one answers within 0.1 s.
constexpr Duration kResolverPatience = std::chrono::seconds(3);
constexpr std::size_t kSmallFileMax = 65536;

/// The addresses behind a name, one a line, in the resolver's order.
Result<std::string> ask_resolver(const std::string& name) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int code = ::getaddrinfo(name.c_str(), nullptr, &wanted, &found);
  if (code != 0) return Error{Errc::not_found, ::gai_strerror(code)};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  std::string text;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    std::array<char, NI_MAXHOST> address{};
    if (::getnameinfo(at->ai_addr, at->ai_addrlen, address.data(),
                      static_cast<socklen_t>(address.size()), nullptr, 0, NI_NUMERICHOST) == 0) {
      text += std::string(address.data()) + "\n";
    }
  }
  return text;
}

}  // namespace

std::optional<std::string> read_small_file(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) return std::nullopt;
  std::string text;
  while (text.size() < kSmallFileMax) {
    std::array<char, 4096> piece;
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return text;
}

void read_name_facts(Facts& facts) {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return;
  NameFacts told{.name = name.data()};
  const auto text = topology::read_child_answer("the resolver", kResolverPatience,
                                                [&told] { return ask_resolver(told.name); });
  if (text) {
    std::string_view rest = *text;
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      told.addresses.emplace_back(rest.substr(0, end));
      rest.remove_prefix(end + 1);
    }
  } else {
    told.error = text.error().message;
  }
  facts.name = std::move(told);
}

Facts read_facts(const std::string& root) {
  Facts facts;
  read_driver_facts(root, facts);
  read_library_facts(facts);
  read_limit_facts(root, facts);
  read_kernel_facts(root, facts);
  read_name_facts(facts);
  return facts;
}

}  // namespace ringmaster::launcher::doctor
