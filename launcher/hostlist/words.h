// SPDX-License-Identifier: Apache-2.0
//
// What one word of a host list says: a number, a host, a user and a host.
//
// A host's name goes to ssh, into environments and into logs, so it is checked letter by letter
// whatever the list's format lets through: letters, digits, '-', '_' and '.', or an address. One
// that begins with '-' would be an option to ssh.
//
// Pure. Refusals have no place yet: the caller knows it (ListError::at).
#pragma once

#include <string>
#include <string_view>

#include "launcher/hostlist/list_error.h"

namespace ringmaster::launcher::hostlist {

/// A whole number in decimal digits, from `low` to `high`. `what` begins the sentence of a refusal
/// ("slots").
ListResult<int> parse_number(std::string_view text, std::string_view what, int low, int high);

/// A number of slots, 0 to kSlotsMax.
ListResult<int> parse_slots(std::string_view text);

/// A name or an address as it stands; brackets around an IPv6 address are taken off.
ListResult<std::string> parse_host(std::string_view text);

struct Account {
  std::string user = {};  // "" when none is given
  std::string host = {};
};
/// "host" or "user@host".
ListResult<Account> parse_account(std::string_view text);

/// "[user@]host[:suffix]", where the host may be an IPv6 address: in brackets when a suffix
/// follows. An address is never cut at one of its own colons.
struct Suffixed {
  Account account = {};
  bool has_suffix = false;
  std::string_view suffix = {};  // behind the colon; may be empty
};
ListResult<Suffixed> parse_suffixed(std::string_view text);

}  // namespace ringmaster::launcher::hostlist
