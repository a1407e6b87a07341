// SPDX-License-Identifier: Apache-2.0
#include "storage/memory/memory_store.h"

#include <fmt/format.h>

namespace ringmaster::storage {

namespace {

Error lost(const char* verb, const std::string& key) {
  return {Errc::io, fmt::format("{} {}: an injected fault", verb, key)};
}

}  // namespace

std::optional<FaultKind> MemoryStore::next_call(bool changes) {
  const std::int64_t call = calls_++;
  if (changes) changes_.insert(call);
  if (!fault_ || call < fault_->call) return std::nullopt;
  if (call == fault_->call) return fault_->kind;
  return fault_->crash ? std::optional(FaultKind::before) : std::nullopt;
}

Result<void> MemoryStore::write(const std::string& key, const Pieces& pieces,
                                std::optional<FaultKind> fault) {
  std::string bytes;
  for (const std::string_view piece : pieces) bytes += piece;
  if (fault == FaultKind::torn) bytes.resize(bytes.size() / 2);
  (*objects_)[key] = std::move(bytes);
  if (fault) return lost("write", key);
  return {};
}

Result<void> MemoryStore::put(const std::string& key, const Pieces& pieces) {
  if (auto good = check_write(key, pieces); !good) return good;
  const auto fault = next_call(true);
  if (fault == FaultKind::before) return lost("write", key);
  return write(key, pieces, fault);
}

Result<void> MemoryStore::create(const std::string& key, const Pieces& pieces) {
  if (auto good = check_write(key, pieces); !good) return good;
  const auto fault = next_call(true);
  if (fault == FaultKind::before) return lost("create", key);
  if (objects_->contains(key)) {
    if (fault) return lost("create", key);
    return Error{Errc::exists, fmt::format("create {}: it is there already", key)};
  }
  return write(key, pieces, fault);
}

Result<std::string> MemoryStore::read(const std::string& key, std::uint64_t offset,
                                      std::uint64_t bytes) {
  if (next_call(false)) return lost("read", key);
  const auto at = objects_->find(key);
  if (at == objects_->end()) {
    return Error{Errc::not_found, fmt::format("read {}: there is no such object", key)};
  }
  if (offset >= at->second.size()) return std::string();
  return at->second.substr(offset, bytes);
}

Result<std::vector<ObjectInfo>> MemoryStore::list(const std::string& prefix) {
  if (next_call(false)) return lost("list", prefix);
  std::vector<ObjectInfo> found;
  for (auto at = objects_->lower_bound(prefix); at != objects_->end(); ++at) {
    if (!at->first.starts_with(prefix)) break;
    found.push_back({at->first, at->second.size()});
  }
  return found;
}

Result<void> MemoryStore::remove(const std::string& key) {
  const auto fault = next_call(true);
  if (fault == FaultKind::before) return lost("remove", key);
  objects_->erase(key);
  if (fault) return lost("remove", key);
  return {};
}

}  // namespace ringmaster::storage
