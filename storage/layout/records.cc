// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/records.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "storage/layout/seal.h"

namespace ringmaster::storage {

namespace {

using Json = nlohmann::json;

/// The number of this name within [least, most], or nothing.
std::optional<std::int64_t> number_of(const Json& object, const char* name, std::int64_t least,
                                      std::int64_t most) {
  const auto at = object.find(name);
  if (at == object.end() || !at->is_number_unsigned()) return std::nullopt;
  const auto number = at->get<std::uint64_t>();
  if (number > static_cast<std::uint64_t>(most)) return std::nullopt;
  if (static_cast<std::int64_t>(number) < least) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::optional<CheckpointName> name_of(const Json& json, std::int64_t below_term) {
  if (!json.is_object()) return std::nullopt;
  const auto term = number_of(json, "term", 1, below_term - 1);
  const auto step = number_of(json, "step", 0, kStepMax);
  if (!term || !step) return std::nullopt;
  return CheckpointName{*term, *step};
}

/// A sealed object, or nothing to read.
Result<Json> read_object(std::string_view text, const char* what) {
  if (text.size() > kRecordBytesMax) return Error{Errc::corrupt, fmt::format("{}: long", what)};
  if (auto good = check_seal(text); !good) {
    return Error{Errc::corrupt, fmt::format("{}: {}", what, good.error().message)};
  }
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Error{Errc::corrupt, fmt::format("{}: not JSON", what)};
  return json;
}

}  // namespace

std::string encode_opening(const Opening& opening) {
  CHECK(is_job_name(opening.job));
  CHECK(!opening.resumes || opening.resumes->term < opening.term);
  const std::string resumes =
      opening.resumes
          ? fmt::format("{{\"term\":{},\"step\":{}}}", opening.resumes->term, opening.resumes->step)
          : "null";
  return seal(fmt::format(
      "\"format\":\"ringmaster-term\",\"version\":1,\"job\":\"{}\",\"term\":{},\"resumes\":{},",
      opening.job, opening.term, resumes));
}

Result<Opening> decode_opening(std::string_view text) {
  const Error wrong = {Errc::corrupt, "the opening of a term: not spelled as one"};
  const auto json = read_object(text, "the opening of a term");
  if (!json) return json.error();
  const auto job = json->find("job");
  const auto resumes = json->find("resumes");
  const auto term = number_of(*json, "term", 1, kTermMax);
  if (job == json->end() || !job->is_string() || resumes == json->end() || !term) return wrong;
  Opening opening{job->get<std::string>(), *term, {}};
  if (!is_job_name(opening.job)) return wrong;
  if (!resumes->is_null()) {
    opening.resumes = name_of(*resumes, *term);
    if (!opening.resumes) return wrong;
  }
  if (encode_opening(opening) != text) return wrong;
  return opening;
}

std::string encode_mark(std::int64_t seconds) {
  CHECK_LE(std::int64_t{0}, seconds);
  return seal(
      fmt::format("\"format\":\"ringmaster-removed\",\"version\":1,\"seconds\":{},", seconds));
}

Result<std::int64_t> decode_mark(std::string_view text) {
  const auto json = read_object(text, "the mark of a removed checkpoint");
  if (!json) return json.error();
  const auto seconds = number_of(*json, "seconds", 0, INT64_MAX);
  if (!seconds || encode_mark(*seconds) != text) {
    return Error{Errc::corrupt, "the mark of a removed checkpoint: not spelled as one"};
  }
  return *seconds;
}

std::string claim_text(const std::string& job, std::int64_t term) {
  return fmt::format("term {} of {}\n", term, job);
}

}  // namespace ringmaster::storage
