// SPDX-License-Identifier: Apache-2.0
//
// Rank files of Open MPI: "rank 0=n1 slot=0-1" a line, every rank with its host and perhaps its
// cores. With a hostfile beside it the hosts must be among that file's, and may be named by their
// place there; without one the rank file's hosts are the list.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "launcher/hostlist/openmpi_lines.h"
#include "launcher/hostlist/rank_cores.h"
#include "launcher/hostlist/readers.h"
#include "launcher/hostlist/words.h"

namespace ringmaster::launcher::hostlist {

namespace {

constexpr std::string_view kRankLine = "a line is rank 0=n1 slot=0-1";

/// Where hosts are looked up: those of the hostfile, or none, when any name is one.
struct Known {
  const HostList* list = nullptr;
  std::string_view name = {};
  std::unordered_map<std::string_view, std::size_t> places = {};
};

ListResult<std::string> find_rank_host(std::string_view word, const Known& known) {
  if (!word.starts_with('+')) {
    auto account = parse_account(word);
    if (!account) return account.error();
    if (known.list != nullptr && !known.places.contains(account->host)) {
      return refusal(fmt::format("{} is not among the hosts of {}", in_quotes(account->host),
                                 on_one_line(known.name)),
                     "name one of those, or +n0 for the first");
    }
    return account->host;
  }
  const auto relative = parse_relative(word);
  if (!relative) return relative.error();
  if (relative->by != Request::By::index || relative->host.slots) {
    return refusal("a rank needs one host", "write a name, or +n0 for the first");
  }
  if (known.list == nullptr) {
    return refusal("a place among hosts, and none are known here", "give a hostfile as well");
  }
  if (static_cast<std::size_t>(relative->number) >= known.list->hosts.size()) {
    return refusal(
        fmt::format("{} has {} hosts", on_one_line(known.name), known.list->hosts.size()),
        "+n0 is the first host");
  }
  return known.list->hosts[static_cast<std::size_t>(relative->number)].host;
}

ListResult<RankEntry> parse_rank_line(const std::vector<std::string_view>& line,
                                      const Known& known) {
  const bool cores =
      line.size() == 7 && (line[4] == "slot" || line[4] == "slots") && line[5] == "=";
  const bool shaped = (line.size() == 4 || cores) && line[0] == "rank" && line[2] == "=";
  if (!shaped) return refusal("no line of a rank file", std::string(kRankLine));
  const auto number = parse_number(line[1], "a rank", 0, static_cast<int>(kHostsMax) - 1);
  if (!number) return number.error();
  auto host = find_rank_host(line[3], known);
  if (!host) return host.error();
  RankEntry entry{.rank = *number, .host = std::move(*host)};
  if (!cores) return entry;
  if (auto bad = check_rank_cores(line[6])) return *bad;
  entry.slots = line[6];
  return entry;
}

ListResult<std::vector<RankEntry>> parse_ranks(std::string_view text, std::string_view file,
                                               const Known& known) {
  std::vector<RankEntry> ranks;
  std::unordered_map<int, int> lines_of;
  Lines lines(text, Lines::Comments::none);
  while (const auto line = lines.next()) {
    const Place place{file, line->number, line->text};
    auto entry = parse_rank_line(words_and_equals(line->text), known);
    if (!entry) return entry.error().at(place);
    const auto [at, fresh] = lines_of.emplace(entry->rank, line->number);
    if (!fresh) {
      return refusal(fmt::format("line {} places rank {} already", at->second, entry->rank))
          .at(place);
    }
    entry->line = line->number;
    ranks.push_back(std::move(*entry));
  }
  std::ranges::sort(ranks, {}, &RankEntry::rank);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (static_cast<std::size_t>(ranks[i].rank) == i) continue;
    return refusal(fmt::format("rank {} has no line, and rank {} has", i, ranks[i].rank),
                   "ranks count from 0 without gaps")
        .at({.file = file, .line = ranks[i].line});
  }
  return ranks;
}

/// The hosts that the ranks name, each with as many slots as ranks.
ListResult<HostList> hosts_of(const std::vector<RankEntry>& ranks, std::string_view file) {
  HostTable table(file);
  for (const RankEntry& rank : ranks) {
    const Place place{file, rank.line, rank.host};
    if (auto bad = table.add({.host = rank.host, .slots = 1}, place)) return *bad;
  }
  return table.finish();
}

}  // namespace

bool looks_like_ranks(std::string_view text) {
  const auto bare = without_comments(text, "");
  Lines lines(bare ? std::string_view(*bare) : text, Lines::Comments::none);
  const auto line = lines.next();
  return line && words(line->text).front() == "rank";
}

ListResult<HostList> read_rankfile(const Question& question) {
  const Source* ranks = &question.list;
  const Source* hosts = question.second ? &*question.second : nullptr;
  auto text = without_comments(ranks->text, ranks->name);
  if (!text) return text.error();
  if (hosts != nullptr && !looks_like_ranks(ranks->text)) {
    std::swap(ranks, hosts);  // the hostfile may come first
    text = without_comments(ranks->text, ranks->name);
    if (!text) return text.error();
  }
  HostList list;
  Known known;
  if (hosts != nullptr) {
    auto read = read_openmpi({.list = *hosts});
    if (!read) return read;
    list = std::move(*read);
    known.list = &list;
    known.name = hosts->name;
    for (std::size_t i = 0; i < list.hosts.size(); ++i) known.places.emplace(list.hosts[i].host, i);
  }
  auto entries = parse_ranks(*text, ranks->name, known);
  if (!entries) return entries.error();
  if (entries->empty()) {
    return refusal("it places no rank", std::string(kRankLine)).at({.file = ranks->name});
  }
  if (hosts == nullptr) {
    auto named = hosts_of(*entries, ranks->name);
    if (!named) return named;
    list = std::move(*named);
  }
  list.ranks = std::move(*entries);
  return list;
}

}  // namespace ringmaster::launcher::hostlist
