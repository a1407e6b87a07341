// SPDX-License-Identifier: Apache-2.0
#include "launcher/mapping/core_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "launcher/hostlist/text.h"
#include "launcher/hostlist/words.h"

namespace ringmaster::launcher::mapping {

namespace {

void append_processors(std::vector<int>& processors, const Core& core) {
  processors.insert(processors.end(), core.processors.begin(), core.processors.end());
}

/// The cores of each domain that are still free, and whose turn it is.
class Domains {
 public:
  explicit Domains(const HostRoom& room) {
    for (const Core& core : room.cores) free_[core.domain].push_back(&core);
    for (const auto& [domain, cores] : free_) turn_.push_back(domain);
  }

  /// `count` cores of the next domain that has as many, which then comes last in turn. When none
  /// has, of several.
  CoreChoice take(std::size_t count) {
    for (std::size_t tried = 0; tried < turn_.size(); ++tried) {
      const int domain = turn_.front();
      turn_.pop_front();
      turn_.push_back(domain);
      if (free_[domain].size() < count) continue;
      return {take_of(domain, count), domain};
    }
    CoreChoice choice;
    for (auto& [domain, cores] : free_) {
      const std::size_t part = std::min(count, cores.size());
      const auto taken = take_of(domain, part);
      choice.cores.insert(choice.cores.end(), taken.begin(), taken.end());
      count -= part;
    }
    CHECK_EQ(count, 0U);
    return choice;
  }

 private:
  std::vector<int> take_of(int domain, std::size_t count) {
    auto& cores = free_[domain];
    std::vector<int> taken;
    for (std::size_t i = 0; i < count; ++i) {
      append_processors(taken, *cores.front());
      cores.pop_front();
    }
    return taken;
  }

  std::map<int, std::deque<const Core*>> free_;
  std::deque<int> turn_;
};

/// "3" or "0-2" or "*" out of `cores`.
Result<void> append_named(std::vector<int>& named, std::string_view range,
                          const std::vector<const Core*>& cores) {
  if (range == "*") {
    for (const Core* core : cores) append_processors(named, *core);
    return {};
  }
  const std::size_t dash = range.find('-');
  const int most = static_cast<int>(cores.size()) - 1;
  const auto first = hostlist::parse_number(range.substr(0, dash), "a core", 0, most);
  if (!first) return first.error().as_error();
  int last = *first;
  if (dash != std::string_view::npos) {
    const auto end = hostlist::parse_number(range.substr(dash + 1), "a core", *first, most);
    if (!end) return end.error().as_error();
    last = *end;
  }
  for (int core = *first; core <= last; ++core) {
    append_processors(named, *cores[static_cast<std::size_t>(core)]);
  }
  return {};
}

/// A domain for each rank, as if each took a core of it; all over again when all cores are taken.
std::vector<CoreChoice> choose_domains(const HostRoom& room, int ranks) {
  CHECK(!room.cores.empty());
  std::vector<CoreChoice> choices;
  std::optional<Domains> domains;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank) {
    if (rank % room.cores.size() == 0) domains.emplace(room);
    choices.push_back({.domain = domains->take(1).domain});
  }
  return choices;
}

}  // namespace

std::optional<std::vector<CoreChoice>> choose_cores(const HostRoom& room, int ranks, int each,
                                                    Policy policy) {
  const bool in_domains = policy == Policy::numa;
  if (each == 0) {
    return in_domains ? choose_domains(room, ranks)
                      : std::vector<CoreChoice>(static_cast<std::size_t>(ranks));
  }
  const auto count = static_cast<std::size_t>(each);
  if (static_cast<std::size_t>(ranks) * count > room.cores.size()) return std::nullopt;
  std::vector<CoreChoice> choices;
  Domains domains(room);
  for (int rank = 0; rank < ranks; ++rank) {
    CoreChoice choice;
    if (in_domains) {
      choice = domains.take(count);
    } else {
      for (std::size_t i = 0; i < count; ++i) {
        append_processors(choice.cores, room.cores[static_cast<std::size_t>(rank) * count + i]);
      }
    }
    std::ranges::sort(choice.cores);
    choices.push_back(std::move(choice));
  }
  return choices;
}

Result<std::vector<int>> named_cores(std::string_view text, const HostRoom& room) {
  const std::size_t colon = text.find(':');
  std::vector<const Core*> cores;
  int package = -1;
  if (colon != std::string_view::npos) {
    const auto number = hostlist::parse_number(text.substr(0, colon), "a package", 0, 65535);
    if (!number) return number.error().as_error();
    package = *number;
    text.remove_prefix(colon + 1);
  }
  for (const Core& core : room.cores) {
    if (package < 0 || core.package == package) cores.push_back(&core);
  }
  if (cores.empty()) {
    return Error{Errc::invalid, fmt::format("no package {} with cores to use", package)};
  }
  std::vector<int> named;
  for (const std::string_view range : hostlist::fields(text, ',')) {
    if (auto done = append_named(named, range, cores); !done) return done.error();
  }
  // "0,0-1" names a core twice and means it once.
  std::ranges::sort(named);
  named.erase(std::unique(named.begin(), named.end()), named.end());
  return named;
}

}  // namespace ringmaster::launcher::mapping
