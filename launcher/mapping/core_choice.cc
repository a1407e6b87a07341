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

/// The cores of each domain that are still free, and whose turn it is.
class Domains {
 public:
  explicit Domains(const HostRoom& room) {
    for (const Core& core : room.cores) free_[core.domain].push_back(core.id);
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
      const auto part = take_of(domain, std::min(count - choice.cores.size(), cores.size()));
      choice.cores.insert(choice.cores.end(), part.begin(), part.end());
    }
    CHECK_EQ(choice.cores.size(), count);
    return choice;
  }

 private:
  std::vector<int> take_of(int domain, std::size_t count) {
    auto& cores = free_[domain];
    std::vector<int> taken(cores.begin(), cores.begin() + static_cast<std::ptrdiff_t>(count));
    cores.erase(cores.begin(), cores.begin() + static_cast<std::ptrdiff_t>(count));
    return taken;
  }

  std::map<int, std::deque<int>> free_;
  std::deque<int> turn_;
};

/// "3" or "0-2" or "*" out of `cores`.
Result<void> append_named(std::vector<int>& named, std::string_view range,
                          const std::vector<int>& cores) {
  if (range == "*") {
    named.insert(named.end(), cores.begin(), cores.end());
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
    named.push_back(cores[static_cast<std::size_t>(core)]);
  }
  return {};
}

}  // namespace

std::optional<std::vector<CoreChoice>> choose_cores(const HostRoom& room, int ranks, int each,
                                                    Policy policy) {
  const bool in_domains = policy == Policy::numa;
  if (each == 0 && !in_domains) return std::vector<CoreChoice>(static_cast<std::size_t>(ranks));
  // Domains are filled by their cores, one for each rank that asks for none.
  const auto count = static_cast<std::size_t>(std::max(1, each));
  if (static_cast<std::size_t>(ranks) * count > room.cores.size()) return std::nullopt;
  std::vector<CoreChoice> choices;
  Domains domains(room);
  for (int rank = 0; rank < ranks; ++rank) {
    CoreChoice choice;
    if (in_domains) {
      choice = domains.take(count);
      if (each == 0) choice.cores.clear();
    } else {
      for (std::size_t i = 0; i < count; ++i) {
        choice.cores.push_back(room.cores[static_cast<std::size_t>(rank) * count + i].id);
      }
    }
    choices.push_back(std::move(choice));
  }
  return choices;
}

Result<std::vector<int>> named_cores(std::string_view text, const HostRoom& room) {
  const std::size_t colon = text.find(':');
  std::vector<int> cores;
  int package = -1;
  if (colon != std::string_view::npos) {
    const auto number = hostlist::parse_number(text.substr(0, colon), "a package", 0, 65535);
    if (!number) return number.error().as_error();
    package = *number;
    text.remove_prefix(colon + 1);
  }
  for (const Core& core : room.cores) {
    if (package < 0 || core.package == package) cores.push_back(core.id);
  }
  if (cores.empty()) {
    return Error{Errc::not_found, fmt::format("no package {} with cores to use", package)};
  }
  std::vector<int> named;
  for (const std::string_view range : hostlist::fields(text, ',')) {
    if (auto done = append_named(named, range, cores); !done) return done.error();
  }
  return named;
}

}  // namespace ringmaster::launcher::mapping
