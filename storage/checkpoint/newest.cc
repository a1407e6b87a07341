// SPDX-License-Identifier: Apache-2.0
#include "storage/checkpoint/newest.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ringmaster::storage {

namespace {

constexpr int kListingsMax = 8;  // each one more means that a collector was at work that moment

Error bad_job(const std::string& job) {
  return {Errc::invalid, fmt::format("\"{}\" is no name of a job: [A-Za-z0-9._-], at most {}, not "
                                     "beginning with a dot",
                                     job, kJobNameMax)};
}

/// The opening of a term; nothing in it when it is damaged.
Result<std::optional<Opening>> read_opening(ObjectStore& store, const std::string& job,
                                            std::int64_t term) {
  const auto text = store.get(opening_key(job, term), kRecordBytesMax);
  if (!text && text.error().code != Errc::not_found && text.error().code != Errc::corrupt) {
    return text.error();
  }
  if (!text) return std::optional<Opening>();
  const auto opening = decode_opening(*text);
  if (!opening || opening->job != job || opening->term != term) return std::optional<Opening>();
  return std::optional<Opening>(*opening);
}

/// One try; nothing when a manifest of the listing vanished under the search.
Result<std::optional<Newest>> search(ObjectStore& store, const std::string& job, Depth depth,
                                     std::int64_t below) {
  const auto listing = list_job(store, job);
  if (!listing) return listing.error();
  const Line line = make_line(listing->openings, listing->manifests, below);
  Newest result;
  for (const std::int64_t term : line.cut) {
    result.skipped.push_back(
        {opening_key(job, term), "damaged: the line goes on with the term before it"});
  }
  for (const CheckpointName& name : line.candidates) {
    auto inspection = inspect(store, job, name, depth);
    if (!inspection) return inspection.error();
    if (inspection->vanished) return std::optional<Newest>();
    if (!inspection->problem) {
      result.manifest = std::move(inspection->manifest);
      return std::optional(std::move(result));
    }
    Problem& problem = *inspection->problem;
    if (problem.key != manifest_key(job, name)) problem.why += fmt::format(" ({})", describe(name));
    result.skipped.push_back(std::move(problem));
  }
  return std::optional(std::move(result));
}

}  // namespace

Result<Listing> list_job(ObjectStore& store, const std::string& job) {
  if (!is_job_name(job)) return bad_job(job);
  Listing listing;
  const auto terms = store.list(terms_prefix(job));
  if (!terms) return terms.error();
  for (const ObjectInfo& object : *terms) {
    const auto file =
        parse_term_file(std::string_view(object.key).substr(terms_prefix(job).size()));
    if (!file) continue;  // not ours: left alone
    if (!file->opening) {
      listing.claims.push_back(file->term);
      continue;
    }
    auto opening = read_opening(store, job, file->term);
    if (!opening) return opening.error();
    listing.openings[file->term] = std::move(*opening);
  }
  if (!listing.claims.empty()) listing.highest_claim = listing.claims.back();
  const auto manifests = store.list(manifests_prefix(job));
  if (!manifests) return manifests.error();
  for (const ObjectInfo& object : *manifests) {
    const auto name =
        parse_checkpoint_name(std::string_view(object.key).substr(manifests_prefix(job).size()));
    if (name) listing.manifests.push_back(*name);
  }
  return listing;
}

Result<Newest> newest(ObjectStore& store, const std::string& job, Depth depth, std::int64_t below) {
  for (int i = 0; i < kListingsMax; ++i) {
    auto found = search(store, job, depth, below);
    if (!found) return found.error();
    if (*found) return std::move(**found);
  }
  return Error{Errc::io,
               fmt::format("find the newest checkpoint of {}: manifests vanished under {} "
                           "searches",
                           job, kListingsMax)};
}

Result<std::vector<Standing>> inspect_all(ObjectStore& store, const std::string& job, Depth depth) {
  const auto listing = list_job(store, job);
  if (!listing) return listing.error();
  std::vector<CheckpointName> order = make_line(listing->openings, listing->manifests).candidates;
  const std::set<CheckpointName> on_line(order.begin(), order.end());
  for (auto at = listing->manifests.rbegin(); at != listing->manifests.rend(); ++at) {
    if (!on_line.contains(*at)) order.push_back(*at);
  }
  std::vector<Standing> all;
  for (const CheckpointName& name : order) {
    auto inspection = inspect(store, job, name, depth);
    if (!inspection) return inspection.error();
    if (!inspection->vanished) all.push_back({std::move(*inspection), on_line.contains(name)});
  }
  return all;
}

Result<std::vector<std::string>> list_jobs(ObjectStore& store) {
  const auto listed = store.list("");
  if (!listed) return listed.error();
  std::set<std::string> jobs;
  for (const ObjectInfo& object : *listed) {
    const std::string job = object.key.substr(0, object.key.find('/'));
    const std::string rest = object.key.substr(std::min(job.size() + 1, object.key.size()));
    if (is_job_name(job) && (rest.starts_with("terms/") || rest.starts_with("manifests/"))) {
      jobs.insert(job);
    }
  }
  return std::vector<std::string>(jobs.begin(), jobs.end());
}

}  // namespace ringmaster::storage
