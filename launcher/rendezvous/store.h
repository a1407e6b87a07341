// SPDX-License-Identifier: Apache-2.0
//
// What ranks of Horovod's Gloo controller tell each other before they are connected: values under
// /SCOPE/KEY. A rank puts its addresses and asks for those of the others until they are there.
//
// Scopes are "global", "local_HOST" and "cross_LOCALRANK". A rank that is done with a scope deletes
// its key in it; when as many as the scope has members have, all of it is forgotten, so that ranks
// that shut down and begin anew do not find old addresses.
//
// Pure. Not here: HTTP (http_server.h).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ringmaster::launcher::rendezvous {

/// Addresses of one rank take some hundred bytes; 4,096 ranks with three scopes fit many times.
inline constexpr std::size_t kValueBytesMax = 1024 * 1024;
inline constexpr std::size_t kStoreBytesMax = 64 * 1024 * 1024;
inline constexpr std::size_t kNameMax = 1024;

class Store {
 public:
  /// `members` of a scope; one that is not named has as many as there are ranks.
  explicit Store(int ranks, std::map<std::string, int> members = {});

  std::optional<std::string> get(const std::string& scope, const std::string& key) const;
  /// Errc::exhausted when it does not fit.
  Result<void> put(const std::string& scope, const std::string& key, std::string value);
  /// The rank whose key it is needs the scope no more.
  void finish(const std::string& scope, const std::string& key);

 private:
  struct Scope {
    std::map<std::string, std::string> values;
    std::set<std::string> finished;
  };
  int ranks_;
  std::map<std::string, int> members_;
  std::map<std::string, Scope> scopes_;
  std::size_t bytes_ = 0;
};

struct Place {
  std::string scope, key;
};

/// "/global/3" is {"global", "3"}; a key may hold slashes. Nothing for any other text.
std::optional<Place> parse_place(std::string_view target);

}  // namespace ringmaster::launcher::rendezvous
