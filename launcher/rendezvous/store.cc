// SPDX-License-Identifier: Apache-2.0
#include "launcher/rendezvous/store.h"

#include <algorithm>

namespace ringmaster::launcher::rendezvous {

namespace {

/// What an entry costs beside its bytes, so that empty ones are bounded, too.
constexpr std::size_t kStoredEntryBytes = 128;

std::size_t cost_of(const std::string& key, const std::string& value) {
  return kStoredEntryBytes + key.size() + value.size();
}

}  // namespace

Store::Store(int ranks, std::map<std::string, int> members)
    : ranks_(ranks), members_(std::move(members)) {}

std::optional<std::string> Store::get(const std::string& scope, const std::string& key) const {
  const auto at = scopes_.find(scope);
  if (at == scopes_.end()) return std::nullopt;
  const auto value = at->second.values.find(key);
  if (value == at->second.values.end()) return std::nullopt;
  return value->second;
}

Result<void> Store::put(const std::string& scope, const std::string& key, std::string value) {
  const auto at = scopes_.find(scope);
  std::size_t before = 0;
  if (at != scopes_.end()) {
    const auto old = at->second.values.find(key);
    if (old != at->second.values.end()) before = cost_of(key, old->second);
  }
  const std::size_t after = bytes_ - before + cost_of(key, value);
  if (value.size() > kValueBytesMax || after > kStoreBytesMax) {
    return Error{Errc::exhausted, "the rendezvous store is full, or the value too large"};
  }
  bytes_ = after;
  scopes_[scope].values[key] = std::move(value);
  return {};
}

void Store::finish(const std::string& scope, const std::string& key) {
  const auto at = scopes_.find(scope);
  if (at == scopes_.end()) return;
  Scope& one = at->second;
  // Who has put nothing is no member; it would only make the list of the finished grow.
  if (!one.values.contains(key)) return;
  one.finished.insert(key);
  const auto known = members_.find(scope);
  const int members = known == members_.end() ? ranks_ : known->second;
  if (static_cast<int>(one.finished.size()) < members) return;
  for (const auto& [name, value] : one.values) bytes_ -= cost_of(name, value);
  scopes_.erase(at);
}

std::optional<Place> parse_place(std::string_view target) {
  if (!target.starts_with('/') || target.size() > kNameMax) return std::nullopt;
  const std::size_t end = target.find('/', 1);
  if (end == std::string_view::npos || end == 1 || end + 1 == target.size()) return std::nullopt;
  const bool is_text = std::all_of(target.begin(), target.end(), [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && c != 0x7f;
  });
  if (!is_text) return std::nullopt;
  return Place{std::string(target.substr(1, end - 1)), std::string(target.substr(end + 1))};
}

}  // namespace ringmaster::launcher::rendezvous
