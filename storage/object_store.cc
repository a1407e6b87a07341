// SPDX-License-Identifier: Apache-2.0
#include "storage/object_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "storage/file/file_store.h"

namespace ringmaster::storage {

namespace {

bool is_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

bool is_key_part(std::string_view part) {
  return !part.empty() && part.size() <= kKeyPartBytesMax && part.front() != '.' &&
         std::all_of(part.begin(), part.end(), is_key_character);
}

}  // namespace

bool is_key(std::string_view key) {
  if (key.size() > kKeyBytesMax) return false;
  for (;;) {
    const std::size_t slash = key.find('/');
    if (!is_key_part(key.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    key.remove_prefix(slash + 1);
  }
}

std::uint64_t total_bytes(const Pieces& pieces) {
  std::uint64_t sum = 0;
  for (const std::string_view piece : pieces) sum += piece.size();
  return sum;
}

Result<void> check_write(const std::string& key, const Pieces& pieces) {
  if (!is_key(key)) {
    return Error{Errc::invalid, fmt::format("write the object \"{}\": a key is made of "
                                            "[A-Za-z0-9._-] and '/', no part begins with a dot",
                                            key)};
  }
  if (const std::uint64_t bytes = total_bytes(pieces); bytes > kObjectBytesMax) {
    return Error{Errc::invalid, fmt::format("write the object {}: {} bytes, at most {}", key, bytes,
                                            kObjectBytesMax)};
  }
  return {};
}

Result<std::string> ObjectStore::get(const std::string& key, std::uint64_t most) {
  CHECK_LT(most, kObjectBytesMax + 1);
  auto bytes = read(key, 0, most + 1);
  if (bytes && bytes->size() > most) {
    return Error{Errc::corrupt, fmt::format("read {}: it has more than {} bytes", key, most)};
  }
  return bytes;
}

Result<std::unique_ptr<ObjectStore>> open_store(const std::string& url) {
  constexpr std::string_view kFile = "file://";
  if (!url.starts_with(kFile) || url.size() == kFile.size() || url[kFile.size()] != '/') {
    return Error{Errc::invalid,
                 fmt::format("open the store \"{}\": a store is file:///ABSOLUTE/FOLDER", url)};
  }
  auto store = FileStore::open(url.substr(kFile.size()));
  if (!store) return store.error();
  return std::unique_ptr<ObjectStore>(std::make_unique<FileStore>(std::move(*store)));
}

Result<void> probe_store(ObjectStore& store, const std::string& nonce) {
  const std::string key = "probe/" + nonce;
  const std::string first = "first " + nonce, second = "second " + nonce;
  if (auto created = store.create(key, {first}); !created) return created.error();
  const auto again = store.create(key, {second});
  const auto read = store.get(key, first.size() + second.size());
  const auto listed = store.list(key);
  const auto removed = store.remove(key);
  const auto unsafe = [&](const char* why) {
    return Error{Errc::invalid, fmt::format("this store cannot hold checkpoints: {}", why)};
  };
  if (again) return unsafe("it does not refuse to create an object that is there");
  if (again.error().code != Errc::exists) return again.error();
  if (!read) return read.error();
  if (*read != first) return unsafe("it does not give back what was written");
  if (!listed) return listed.error();
  if (*listed != std::vector<ObjectInfo>{{key, first.size()}}) {
    return unsafe("it does not list what was written");
  }
  return removed;
}

}  // namespace ringmaster::storage
