// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "storage/checkpoint/writer.h"

namespace ringmaster::storage {

namespace {

constexpr int kClaimTriesMax = 100;  // each lost one means that another opener was quicker

/// Takes the next free number.
Result<std::int64_t> claim(ObjectStore& store, const std::string& job) {
  for (int i = 0; i < kClaimTriesMax; ++i) {
    const auto listing = list_job(store, job);
    if (!listing) return listing.error();
    // Openings too: a claim may have been damaged away, its number must not come back.
    std::int64_t highest = listing->highest_claim;
    if (!listing->openings.empty()) {
      highest = std::max(highest, listing->openings.rbegin()->first);
    }
    for (const CheckpointName& name : listing->manifests) highest = std::max(highest, name.term);
    if (highest >= kTermMax) {
      return Error{Errc::exhausted, fmt::format("open a term of {}: no numbers are left", job)};
    }
    const std::int64_t term = highest + 1;
    const std::string text = claim_text(job, term);
    const auto created = store.create(claim_key(job, term), {text});
    if (created) return term;
    if (created.error().code != Errc::exists) return created.error();
  }
  return Error{Errc::timed_out,
               fmt::format("open a term of {}: others were quicker {} times", job, kClaimTriesMax)};
}

}  // namespace

Result<Term> open_term(ObjectStore& store, const std::string& job, Depth depth) {
  const auto number = claim(store, job);
  if (!number) return number.error();
  // After the claim: what an older term commits from here on fails in its own look for claims.
  auto found = newest(store, job, depth, *number);
  if (!found) return found.error();
  const auto listing = list_job(store, job);
  if (!listing) return listing.error();
  if (listing->highest_claim != *number) {
    return Error{Errc::fenced, fmt::format("open term {} of {}: term {} was claimed meanwhile",
                                           *number, job, listing->highest_claim)};
  }
  Opening opening{job, *number, {}};
  if (found->manifest) opening.resumes = found->manifest->name;
  const std::string text = encode_opening(opening);
  if (auto opened = store.create(opening_key(job, *number), {text}); !opened) {
    return opened.error();
  }
  return Term{job, *number, std::move(found->manifest), std::move(found->skipped)};
}

}  // namespace ringmaster::storage
