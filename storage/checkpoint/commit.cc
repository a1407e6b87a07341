// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "storage/checkpoint/writer.h"

namespace ringmaster::storage {

namespace {

/// Whether the term is still the newest: on the way out of a commit, nobody may have claimed a
/// newer one before the manifest was there.
Result<void> check_turn(ObjectStore& store, const Term& term) {
  const auto listed = store.list(terms_prefix(term.job));
  if (!listed) return listed.error();
  bool own = false;
  for (const ObjectInfo& object : *listed) {
    const auto file =
        parse_term_file(std::string_view(object.key).substr(terms_prefix(term.job).size()));
    if (!file) continue;
    own = own || (file->term == term.number && file->opening);
    if (file->term > term.number) {
      return Error{Errc::fenced, fmt::format("commit to {}: term {} has taken over from term {}",
                                             term.job, file->term, term.number)};
    }
  }
  if (own) return {};
  return Error{Errc::fenced,
               fmt::format("commit to {}: term {} was removed", term.job, term.number)};
}

Error taken(const std::string& key) {
  return {Errc::corrupt,
          fmt::format("commit {}: something else is there; commit it under a newer term", key)};
}

}  // namespace

Result<Manifest> assemble(const std::string& job, const CheckpointName& name, std::int64_t world,
                          const std::vector<Tensor>& tensors,
                          const std::vector<WrittenShard>& shards) {
  Manifest manifest{job, name, world, {}, {}};
  std::map<std::string_view, std::size_t> places;
  for (const Tensor& tensor : tensors) {
    places[tensor.name] = manifest.tensors.size();
    manifest.tensors.push_back({tensor, {}});
  }
  for (const WrittenShard& written : shards) {
    for (const WrittenChunk& chunk : written.chunks) {
      const auto at = places.find(chunk.tensor.name);
      if (at == places.end() || tensors[at->second] != chunk.tensor) {
        return Error{Errc::invalid, fmt::format("the shard {} has \"{}\", which is no tensor of "
                                                "this type and shape of the checkpoint",
                                                written.shard.key, chunk.tensor.name)};
      }
      manifest.tensors[at->second].chunks.push_back(
          {chunk.box, manifest.shards.size(), chunk.begin});
    }
    manifest.shards.push_back(written.shard);
  }
  if (auto good = check_manifest(manifest); !good) return good.error();
  return manifest;
}

Result<void> commit(ObjectStore& store, const Term& term, const Manifest& manifest) {
  CHECK_EQ(manifest.name.term, term.number);
  CHECK_EQ(manifest.job, term.job);
  const auto text = encode_manifest(manifest);
  if (!text) return text.error();
  const std::string key = manifest_key(term.job, manifest.name);
  if (term.resumes && manifest.name.step <= term.resumes->name.step) {
    return Error{Errc::invalid, fmt::format("commit {}: the term resumed from step {}", key,
                                            term.resumes->name.step)};
  }
  const auto missing = find_missing(store, manifest.shards);
  if (!missing) return missing.error();
  if (*missing) {
    return Error{Errc::corrupt,
                 fmt::format("commit {}: {}: {}", key, (*missing)->key, (*missing)->why)};
  }
  const auto created = store.create(key, {*text});
  if (!created && created.error().code != Errc::exists) return created.error();
  if (!created) {
    const auto there = store.get(key, kManifestBytesMax);
    if (!there && there.error().code != Errc::corrupt) return there.error();
    if (!there || *there != *text) return taken(key);
  }
  return check_turn(store, term);
}

}  // namespace ringmaster::storage
