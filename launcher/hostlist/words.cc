// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/words.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>

#include "launcher/hostlist/host_list.h"

namespace ringmaster::launcher::hostlist {

namespace {

constexpr std::size_t kHostBytesMax = 253;  // of a name in the DNS
constexpr std::size_t kUserBytesMax = 64;
constexpr std::size_t kDigitsMax = 18;  // leading zeros included; fits 64 bits

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
         c == '.';
}

/// An IPv6 address, perhaps with the interface that it is reached through ("fe80::1%eth0").
bool is_ipv6(std::string_view text) {
  const std::size_t percent = std::min(text.find('%'), text.size());
  const std::string_view zone = text.substr(percent);
  if (zone.size() == 1 || zone.size() > kUserBytesMax) return false;
  if (!std::ranges::all_of(zone.substr(std::min<std::size_t>(1, zone.size())), is_name_character)) {
    return false;
  }
  const std::string address(text.substr(0, percent));
  if (address.find('\0') != std::string::npos) return false;  // where inet_pton would stop reading
  in6_addr parsed{};
  return inet_pton(AF_INET6, address.c_str(), &parsed) == 1;
}

/// Digits and dots only: an address of the old kind, or nothing.
bool is_bad_ipv4(std::string_view text) {
  if (!std::ranges::all_of(text, [](char c) { return is_digit(c) || c == '.'; })) return false;
  in_addr address{};
  return inet_pton(AF_INET, std::string(text).c_str(), &address) != 1;
}

Refusal check_name(std::string_view text) {
  if (text.empty()) return refusal("no host is named");
  if (text.size() > kHostBytesMax) {
    return refusal(fmt::format("a host name of {} bytes, at most {}", text.size(), kHostBytesMax));
  }
  const auto bad = std::ranges::find_if_not(text, is_name_character);
  if (bad != text.end()) {
    return refusal(fmt::format("{} is no character of a host name", in_quotes({&*bad, 1})),
                   "names have letters, digits, '-', '_' and '.'");
  }
  if (text.front() == '-') {
    return refusal("a host name does not begin with '-'", "ssh would take it for an option");
  }
  if (text.front() == '.' || text.find("..") != std::string_view::npos) {
    return refusal("a host name has no empty part");
  }
  if (is_bad_ipv4(text)) {
    return refusal("digits and no IPv4 address", "a host is a name or a whole address");
  }
  return {};
}

}  // namespace

ListResult<int> parse_number(std::string_view text, std::string_view what, int low, int high) {
  const std::string range = fmt::format("{} is a whole number from {} to {}", what, low, high);
  if (text.empty()) return refusal(range + ", and none is given");
  if (!std::ranges::all_of(text, is_digit))
    return refusal(fmt::format("{}, not {}", range, in_quotes(text)));
  long long value = 0;
  for (const char c : text.substr(0, kDigitsMax)) value = value * 10 + (c - '0');
  if (text.size() > kDigitsMax || value < low || value > high) {
    return refusal(fmt::format("{}, and {} is not", range, in_quotes(text)));
  }
  return static_cast<int>(value);
}

ListResult<int> parse_slots(std::string_view text) {
  return parse_number(text, "a number of slots", 0, kSlotsMax);
}

ListResult<std::string> parse_host(std::string_view text) {
  const bool bracketed = text.starts_with('[') && text.ends_with(']');
  const std::string_view bare = bracketed ? text.substr(1, text.size() - 2) : text;
  if (is_ipv6(bare)) return std::string(bare);
  if (bracketed || std::ranges::count(bare, ':') > 1) {
    return refusal(fmt::format("{} is no IPv6 address", in_quotes(bare)),
                   "brackets are for IPv6 addresses: [fe80::1]");
  }
  if (auto bad = check_name(bare)) return *bad;
  return std::string(bare);
}

ListResult<Account> parse_account(std::string_view text) {
  Account account;
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) {
    const std::string_view user = text.substr(0, at);
    text.remove_prefix(at + 1);
    if (text.find('@') != std::string_view::npos) {
      return refusal("more than one '@'", "write user@host");
    }
    const auto fits = [](char c) { return is_name_character(c) || c == '+'; };
    if (user.empty() || user.size() > kUserBytesMax || user.front() == '-' ||
        !std::ranges::all_of(user, fits)) {
      return refusal(fmt::format("{} is no user name", in_quotes(user)),
                     "user names have letters, digits, '.', '_', '+' and '-', and do not begin "
                     "with '-'");
    }
    account.user = user;
  }
  auto host = parse_host(text);
  if (!host) return host.error();
  account.host = std::move(*host);
  return account;
}

ListResult<Suffixed> parse_suffixed(std::string_view text) {
  Suffixed result;
  const std::size_t host = text.find('@') == std::string_view::npos ? 0 : text.find('@') + 1;
  const std::size_t bracket = text.substr(host).starts_with('[') ? text.find(']', host) : host;
  if (bracket == std::string_view::npos) {
    return refusal("a bracket opens and does not close", "write [address] or [address]:number");
  }
  const std::size_t colon = text.find(':', bracket);
  const bool bare_address = bracket == host && std::ranges::count(text.substr(host), ':') > 1;
  if (colon != std::string_view::npos && !bare_address) {
    result.has_suffix = true;
    result.suffix = text.substr(colon + 1);
    text = text.substr(0, colon);
  }
  auto account = parse_account(text);
  if (!account && bare_address) {
    return refusal(account.error().why,
                   "an IPv6 address before a number needs brackets: [fe80::1]:4");
  }
  if (!account) return account.error();
  result.account = std::move(*account);
  return result;
}

}  // namespace ringmaster::launcher::hostlist
