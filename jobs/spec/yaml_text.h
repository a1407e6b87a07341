// SPDX-License-Identifier: Apache-2.0
//
// How words stand in YAML: which must be quoted because YAML has ideas of its own about them, and
// how a word is written so that every YAML reader gets the same one back.
//
// YAML 1.1 reads `no` as false, `0777` as 511, `1_000` as 1000 and `12:30:00` as 45000; other
// readers do not. A spec that means different things to different readers is refused: quoted, all
// of them are plain words.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ringmaster::jobs {

/// What YAML may take the unquoted `word` for ("a truth value"), or "" when all readers see the
/// same word or an ordinary decimal number.
std::string_view surprise_of(std::string_view word);

/// `text` as it stands in a flow list or map: plain when that is safe, else in double quotes.
std::string yaml_word(std::string_view text);

/// Where the first byte stands that is not part of valid UTF-8.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

}  // namespace ringmaster::jobs
