// SPDX-License-Identifier: Apache-2.0
//
// Where objects live: five calls, the least that checkpoints need, so that a backend is small and
// all of them can pass the same tests (object_store_test.cc).
//
// An object is there whole or not at all, and what a call wrote is seen by every call after it.
// `create` is the one call with a condition: of any number of writers of a key one succeeds. The
// commit of a checkpoint and the claim of a term stand on it (docs/checkpoint-format.md).
//
// It is no file system: no folders, no renaming, no appending; object stores have none of them.
// Calls block: they are made from a pool. A store may be used by one call at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ringmaster::storage {

inline constexpr std::size_t kKeyBytesMax = 512;
inline constexpr std::size_t kKeyPartBytesMax = 200;          // a file name may have 255
inline constexpr std::uint64_t kObjectBytesMax = 5ULL << 30;  // S3's limit for one PUT
inline constexpr std::size_t kListMax = 1'000'000;            // a listing is held in memory

/// Parts of [A-Za-z0-9._-] with '/' between them, none of which begins with a dot: such keys have
/// one spelling in every store's URLs and signatures.
bool is_key(std::string_view key);

struct ObjectInfo {
  std::string key = {};
  std::uint64_t bytes = 0;
  friend bool operator==(const ObjectInfo&, const ObjectInfo&) = default;
};

/// The bytes of an object, in pieces: a shard's header and tensors lie in different memory.
using Pieces = std::vector<std::string_view>;

class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  /// Writes the object, in place of the one that is there.
  virtual Result<void> put(const std::string& key, const Pieces& pieces) = 0;
  /// Writes the object when there is none with this key, else fails with Errc::exists.
  virtual Result<void> create(const std::string& key, const Pieces& pieces) = 0;
  /// The bytes from `offset`, at most `bytes` of them; fewer, or none, where the object ends.
  virtual Result<std::string> read(const std::string& key, std::uint64_t offset,
                                   std::uint64_t bytes) = 0;
  /// All objects whose keys begin with `prefix`, sorted by key.
  virtual Result<std::vector<ObjectInfo>> list(const std::string& prefix) = 0;
  /// Removes the object; one that is not there is no error.
  virtual Result<void> remove(const std::string& key) = 0;

  /// The whole object; Errc::corrupt when it is larger than anything of its kind can be.
  Result<std::string> get(const std::string& key, std::uint64_t most);
};

/// The sum of the pieces' sizes.
std::uint64_t total_bytes(const Pieces& pieces);

/// The error for a write that no store takes (a wrong key, too many bytes), or nothing.
Result<void> check_write(const std::string& key, const Pieces& pieces);

/// The store that the URL names: file:///ABSOLUTE/FOLDER.
Result<std::unique_ptr<ObjectStore>> open_store(const std::string& url);

/// Tries what the commit stands on with a key that nobody has used: the second `create` must be
/// refused, and what was written must be read and listed. A store that ignores the condition would
/// lose checkpoints without a word. `nonce` makes the key.
Result<void> probe_store(ObjectStore& store, const std::string& nonce);

}  // namespace ringmaster::storage
