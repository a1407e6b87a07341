// SPDX-License-Identifier: Apache-2.0
#include "storage/checkpoint/collect.h"

#include <fmt/format.h>

#include "storage/checkpoint/newest.h"

namespace ringmaster::storage {

namespace {

/// The newest whole ones of the line, at most `keep`.
Result<std::vector<CheckpointName>> find_whole(ObjectStore& store, const std::string& job,
                                               const Line& line, const CollectOptions& options) {
  std::vector<CheckpointName> whole;
  for (const CheckpointName& name : line.candidates) {
    if (whole.size() == static_cast<std::size_t>(options.keep)) break;
    const bool trusted = options.trusted.contains(name);
    const auto inspection = inspect(store, job, name, trusted ? Depth::sizes : options.depth);
    if (!inspection) return inspection.error();
    if (!inspection->problem) whole.push_back(name);
  }
  return whole;
}

/// Adds the shards that the manifests which stay refer to. A damaged manifest refers to nothing
/// that could be told; its own folder is kept as long as it is there.
Result<void> find_referred(ObjectStore& store, const std::string& job, CollectionInput& input) {
  const auto doomed = doomed_manifests(input.line, input.manifests, input.whole, input.keep);
  const std::set<CheckpointName> going(doomed.begin(), doomed.end());
  for (const CheckpointName& name : input.manifests) {
    if (going.contains(name)) continue;
    const auto text = store.get(manifest_key(job, name), kManifestBytesMax);
    if (!text && text.error().code != Errc::not_found && text.error().code != Errc::corrupt) {
      return text.error();
    }
    if (!text) continue;
    const auto manifest = decode_manifest(*text);
    if (!manifest) continue;
    for (const Shard& shard : manifest->shards) input.referred.insert(shard.key);
  }
  return {};
}

Result<void> list_shards(ObjectStore& store, const std::string& job, CollectionInput& input) {
  const std::string prefix = shards_prefix(job);
  const auto listed = store.list(prefix);
  if (!listed) return listed.error();
  for (const ObjectInfo& object : *listed) {
    const std::string_view rest = std::string_view(object.key).substr(prefix.size());
    const auto folder = parse_checkpoint_name(rest.substr(0, rest.find('/')));
    if (folder) input.shards[*folder].push_back(object.key);
  }
  return {};
}

/// A mark that cannot be read is left out, and so written anew.
Result<void> list_marks(ObjectStore& store, const std::string& job, CollectionInput& input) {
  const std::string prefix = marks_prefix(job);
  const auto listed = store.list(prefix);
  if (!listed) return listed.error();
  for (const ObjectInfo& object : *listed) {
    const auto name = parse_checkpoint_name(std::string_view(object.key).substr(prefix.size()));
    if (!name) continue;
    const auto text = store.get(object.key, kRecordBytesMax);
    if (!text && text.error().code != Errc::not_found && text.error().code != Errc::corrupt) {
      return text.error();
    }
    if (!text) continue;
    if (const auto seconds = decode_mark(*text)) input.marks[*name] = *seconds;
  }
  return {};
}

Result<void> carry_out(ObjectStore& store, const std::string& job, const Collection& plan,
                       std::int64_t now) {
  const std::string text = encode_mark(now);
  std::vector<std::string> keys;
  for (const CheckpointName& name : plan.mark) {
    if (auto put = store.put(mark_key(job, name), {text}); !put) return put;
  }
  for (const CheckpointName& name : plan.manifests) keys.push_back(manifest_key(job, name));
  keys.insert(keys.end(), plan.shards.begin(), plan.shards.end());
  for (const CheckpointName& name : plan.unmark) keys.push_back(mark_key(job, name));
  // The opening last: a claim alone, or nothing, is what readers know how to take.
  for (const std::int64_t term : plan.terms) keys.push_back(claim_key(job, term));
  for (const std::int64_t term : plan.terms) keys.push_back(opening_key(job, term));
  for (const std::string& key : keys) {
    if (auto removed = store.remove(key); !removed) return removed;
  }
  return {};
}

}  // namespace

Result<Collected> collect(ObjectStore& store, const std::string& job, const CollectOptions& options,
                          std::int64_t now) {
  if (options.keep < 1 || options.grace_seconds < 0 || now < 0) {
    return Error{Errc::invalid, fmt::format("collect {}: at least one checkpoint is kept", job)};
  }
  CollectionInput input;
  input.keep = options.keep;
  input.grace_seconds = options.grace_seconds;
  input.now = now;
  // Shards before manifests: a folder whose manifest comes between the two is not taken for one
  // without.
  if (auto listed = list_shards(store, job, input); !listed) return listed.error();
  if (auto listed = list_marks(store, job, input); !listed) return listed.error();
  auto listing = list_job(store, job);
  if (!listing) return listing.error();
  input.line = make_line(listing->openings, listing->manifests);
  input.manifests = listing->manifests;
  input.terms = listing->claims;
  for (const auto& opening : listing->openings) input.terms.push_back(opening.first);
  auto whole = find_whole(store, job, input.line, options);
  if (!whole) return whole.error();
  input.whole = std::move(*whole);
  if (auto found = find_referred(store, job, input); !found) return found.error();
  const Collection plan = plan_collection(input);
  if (auto done = carry_out(store, job, plan, now); !done) return done.error();
  return Collected{plan.manifests.size(), plan.shards.size()};
}

Result<std::size_t> remove_job(ObjectStore& store, const std::string& job) {
  if (!is_job_name(job)) {
    return Error{Errc::invalid, fmt::format("\"{}\" is no name of a job", job)};
  }
  std::size_t count = 0;
  for (const std::string& prefix :
       {manifests_prefix(job), shards_prefix(job), marks_prefix(job), terms_prefix(job)}) {
    const auto listed = store.list(prefix);
    if (!listed) return listed.error();
    for (const ObjectInfo& object : *listed) {
      if (auto removed = store.remove(object.key); !removed) return removed.error();
      ++count;
    }
  }
  return count;
}

}  // namespace ringmaster::storage
