// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/openmpi_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/settings.h"
#include "launcher/hostlist/words.h"

namespace ringmaster::launcher::hostlist {

namespace {

constexpr int kPortMax = 65535;
constexpr std::size_t kTypoBytesMax = 32;  // a longer word is no key with a slip in it

enum class Key { slots, max, user, port };

struct Spelling {
  std::string_view name;
  Key key;
};
// Every spelling that Open MPI 4 and PRRTE read; the first of each kind is suggested.
constexpr std::array<Spelling, 19> kSpellings = {{
    {"slots", Key::slots},    {"max_slots", Key::max}, {"port", Key::port},
    {"username", Key::user},  {"count", Key::slots},   {"cpu", Key::slots},
    {"max-slots", Key::max},  {"slots_max", Key::max}, {"slots-max", Key::max},
    {"max_cpu", Key::max},    {"max-cpu", Key::max},   {"cpu_max", Key::max},
    {"cpu-max", Key::max},    {"max_count", Key::max}, {"max-count", Key::max},
    {"count_max", Key::max},  {"count-max", Key::max}, {"user_name", Key::user},
    {"user-name", Key::user},
}};

ListResult<Key> parse_key(std::string_view word) {
  std::vector<std::string> names;
  for (const Spelling& spelling : kSpellings) {
    if (spelling.name == word) return spelling.key;
    names.emplace_back(spelling.name);
  }
  if (word.find(':') != std::string_view::npos || word.find(',') != std::string_view::npos) {
    return refusal(fmt::format("{} is no key", in_quotes(word)), "one host a line: n1 slots=4");
  }
  const std::string near = word.size() <= kTypoBytesMax ? suggest(word, names) : "";
  return refusal(fmt::format("{} is no key of a hostfile", in_quotes(word)),
                 near.empty() ? "there are slots=, max_slots=, username= and port="
                              : fmt::format("did you mean {}=?", near));
}

Refusal set_key(HostEntry& host, Key key, std::string_view value) {
  const auto twice = refusal("the same is said twice");
  switch (key) {
    case Key::slots: {
      if (host.slots) return twice;
      const auto slots = parse_slots(value);
      if (!slots) return slots.error();
      host.slots = *slots;
      return {};
    }
    case Key::max: {
      if (host.max) return twice;
      const auto max = parse_number(value, "max_slots", 0, kSlotsMax);
      if (!max) return max.error();
      host.max = *max;
      return {};
    }
    case Key::user: {
      if (!host.user.empty()) return twice;
      const auto account = parse_account(std::string(value) + "@" + host.host);
      if (!account) return account.error();
      host.user = account->user;
      return {};
    }
    case Key::port: {
      if (host.port) return twice;
      const auto port = parse_number(value, "a port", 1, kPortMax);
      if (!port) return port.error();
      host.port = *port;
      return {};
    }
  }
  return {};
}

/// The words behind the host: key, '=', value, again and again.
Refusal set_keys(HostEntry& host, const std::vector<std::string_view>& line) {
  for (std::size_t i = 1; i < line.size(); i += 3) {
    const auto key = parse_key(line[i]);
    if (!key) return key.error();
    if (i + 1 == line.size() || line[i + 1] != "=") {
      return refusal(fmt::format("{} without a value", in_quotes(line[i])),
                     fmt::format("write {}=N", line[i]));
    }
    const std::string_view value = i + 2 < line.size() ? line[i + 2] : std::string_view();
    if (auto bad = set_key(host, *key, value)) return bad;
  }
  if (host.slots && host.max && *host.max < *host.slots) {
    return refusal(fmt::format("max_slots={} is less than slots={}", *host.max, *host.slots));
  }
  if (host.max && !host.slots) host.slots = host.max;  // as Open MPI 4 has it
  return {};
}

/// What a word in the place of the host most likely was meant to be.
ListError explained(ListError error, std::string_view word) {
  const bool colon = std::ranges::count(word, ':') == 1;
  if (colon)
    error.hint = "in a hostfile slots are written n1 slots=4; n1:4 is for --host and Hydra";
  return error;
}

ListResult<Request> parse_line(const std::vector<std::string_view>& line) {
  Request request;
  const std::string_view word = line.front();
  if (word.starts_with('+')) {
    auto relative = parse_relative(word);
    if (!relative) return relative.error();
    request = std::move(*relative);
  } else {
    auto account = parse_account(word);
    if (!account) return explained(account.error(), word);
    request.host.host = std::move(account->host);
    request.host.user = std::move(account->user);
  }
  if (auto bad = set_keys(request.host, line)) return *bad;
  return request;
}

}  // namespace

std::vector<std::string_view> words_and_equals(std::string_view line) {
  std::vector<std::string_view> all;
  for (std::string_view word : words(line)) {
    while (!word.empty()) {
      const std::size_t equals = word.find('=');
      const std::size_t end = equals == 0 ? 1 : std::min(equals, word.size());
      all.push_back(word.substr(0, end));
      word.remove_prefix(end);
    }
  }
  return all;
}

ListResult<OpenmpiLines> parse_openmpi_lines(std::string_view text, std::string_view file) {
  OpenmpiLines result;
  Lines lines(text, Lines::Comments::none);
  while (const auto line = lines.next()) {
    const Place place{file, line->number, line->text};
    const bool excludes = line->text.starts_with('^');
    const auto all = words_and_equals(line->text.substr(excludes ? 1 : 0));
    if (all.empty()) return refusal("no host is named").at(place);
    auto request = parse_line(all);
    if (!request) return request.error().at(place);
    if (excludes && (request->by != Request::By::name || all.size() > 1)) {
      return refusal("'^' excludes a host by its name, and nothing stands behind it").at(place);
    }
    if (excludes) {
      result.excluded.insert(request->host.host);
      continue;
    }
    if (result.requests.size() >= 2 * kHostsMax) return refusal("too many lines").at(place);
    request->place = place;
    result.requests.push_back(std::move(*request));
  }
  return result;
}

}  // namespace ringmaster::launcher::hostlist
