// SPDX-License-Identifier: Apache-2.0
#include "launcher/this_host.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

namespace ringmaster::launcher {

namespace {

constexpr std::array<std::string_view, 4> kLocalNames = {"localhost", "localhost.localdomain",
                                                         "ip6-localhost", "ip6-loopback"};

bool same_word(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

bool same_name(std::string_view a, std::string_view b) {
  const std::size_t a_dot = a.find('.'), b_dot = b.find('.');
  const bool both = a_dot != std::string_view::npos && b_dot != std::string_view::npos;
  return both ? same_word(a, b) : same_word(a.substr(0, a_dot), b.substr(0, b_dot));
}

/// An address in the one form that all its spellings have ("::1" and "0:0::1").
std::optional<std::string> address_in(std::string_view text) {
  const std::string word(text);
  std::array<char, INET6_ADDRSTRLEN> form{};
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  for (const int family : {AF_INET, AF_INET6}) {
    if (inet_pton(family, word.c_str(), bytes.data()) != 1) continue;
    if (inet_ntop(family, bytes.data(), form.data(), form.size()) != nullptr) return form.data();
  }
  return std::nullopt;
}

std::optional<std::string> address_of(const sockaddr* address) {
  if (address == nullptr) return std::nullopt;
  const void* bytes = nullptr;
  if (address->sa_family == AF_INET) {
    bytes = &reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
  } else if (address->sa_family == AF_INET6) {
    bytes = &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  } else {
    return std::nullopt;
  }
  std::array<char, INET6_ADDRSTRLEN> form{};
  if (inet_ntop(address->sa_family, bytes, form.data(), form.size()) == nullptr) {
    return std::nullopt;
  }
  return form.data();
}

}  // namespace

bool is_this_host(std::string_view name, const OwnNames& own) {
  if (const auto address = address_in(name)) {
    return address->starts_with("127.") || *address == "::1" ||
           std::ranges::count(own.addresses, *address) > 0;
  }
  const auto same = [&](std::string_view local) { return same_word(name, local); };
  return std::ranges::any_of(kLocalNames, same) || (!own.host.empty() && same_name(name, own.host));
}

OwnNames read_own_names() {
  OwnNames own;
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) == 0) own.host = name.data();
  if (const passwd* entry = getpwuid(geteuid())) own.user = entry->pw_name;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return own;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> found(first, freeifaddrs);
  for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next) {
    if (auto address = address_of(each->ifa_addr)) own.addresses.push_back(std::move(*address));
  }
  return own;
}

}  // namespace ringmaster::launcher
