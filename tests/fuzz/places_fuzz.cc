// SPDX-License-Identifier: Apache-2.0
//
// From the texts that name hosts to a plan. The first line of an input is the wishes: a letter or a
// digit for each; then come, each ended by a record separator, an allocation's nodes, a hostfile,
// -H, and a rank file, where an empty one is none. Whatever is taken stays within the allocation,
// places each rank once, and gives no core and no slot twice.
#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "launcher/plan.h"
#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

namespace {

using namespace launcher;

std::string_view next_part(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

bool has(std::string_view wishes, char letter) {
  return wishes.find(letter) != std::string_view::npos;
}

RunSettings settings_of(std::string_view wishes) {
  RunSettings settings;
  if (has(wishes, 'n')) settings.map = "node";
  if (has(wishes, 'd')) settings.map = "numa";
  if (has(wishes, 'c')) settings.bind = "core";
  if (has(wishes, 'u')) settings.bind = "numa";
  if (has(wishes, '-')) settings.bind = "none";
  if (has(wishes, 'C')) settings.cores_per_rank = 2;
  settings.oversubscribe = has(wishes, 'o');
  return settings;
}

int ranks_of(std::string_view wishes) {
  int ranks = 0;
  for (const char c : wishes) ranks = c >= '0' && c <= '9' ? (ranks * 10 + c - '0') % 5000 : ranks;
  return ranks;
}

std::optional<hostlist::Source> source_of(std::string_view text, const char* name) {
  if (text.empty()) return std::nullopt;
  return hostlist::Source{name, std::string(text)};
}

std::optional<hostlist::Allocation> allocation_of(std::string_view nodes) {
  if (nodes.empty()) return std::nullopt;
  const auto source = hostlist::find_allocation(
      {{"SLURM_JOB_ID", "1"}, {"SLURM_JOB_NODELIST", std::string(nodes)}});
  auto allocation = hostlist::read_allocation(**source);
  return allocation ? std::optional(std::move(*allocation)) : std::nullopt;
}

bool same_host(const std::string& a, const std::string& b, const OwnNames& own) {
  return a == b || (is_this_host(a, own) && is_this_host(b, own));
}

void check_plan(const Plan& plan, const HostChoice& hosts, const RunSettings& settings) {
  std::map<std::string, int> used, slots;
  std::set<std::pair<std::string, int>> cores;
  CHECK_EQ(plan.places.size(), static_cast<std::size_t>(plan.spec.ranks_max));
  for (const auto& place : plan.places) {
    CHECK_EQ(place.local_rank, used[place.host]++);
    for (const int core : place.cores) {
      CHECK(cores.emplace(place.host, core).second || settings.oversubscribe);
    }
  }
  for (const auto& place : plan.places) CHECK_EQ(place.local_size, used[place.host]);
  if (!hosts.list || settings.oversubscribe) return;
  // A host without a number has four cores when it is this one; no other one can be counted.
  for (const auto& entry : hosts.list->hosts) slots[entry.host] += entry.slots.value_or(4);
  for (const auto& [host, count] : used) {
    CHECK(count <= slots[host] || !hosts.list->ranks.empty());
  }
}

void run(std::string_view input) {
  const std::string_view wishes = next_part(input, '\n');
  const OwnNames own = {.host = "head", .user = "kim", .addresses = {"10.0.0.1"}};
  HostTexts texts{.allocation = allocation_of(next_part(input, '\x1e'))};
  texts.file = source_of(next_part(input, '\x1e'), "file");
  if (const auto picked = next_part(input, '\x1e'); !picked.empty())
    texts.picked = {std::string(picked)};
  texts.rank_file = source_of(next_part(input, '\x1e'), "ranks");
  const auto hosts = choose_hosts(texts, own);
  if (!hosts) {
    CHECK(hosts.error().message().find('\n') == std::string::npos);
    return;
  }
  CHECK_EQ(hosts->list.has_value(), texts.any());
  if (hosts->list && texts.allocation) {
    for (const auto& entry : hosts->list->hosts) {
      const auto given = [&](const auto& other) { return same_host(other.host, entry.host, own); };
      CHECK(std::ranges::any_of(texts.allocation->list.hosts, given));
    }
  }
  HostFacts host{.name = "head", .cpus = 4};
  for (int core = 0; core < 4; ++core) host.cores.push_back({{core}, core / 2, core / 2});
  const RunSettings settings = settings_of(wishes);
  const auto plan =
      make_plan(settings, {{.command = {"a"}, .ranks = ranks_of(wishes)}}, host, *hosts);
  if (plan) return check_plan(*plan, *hosts, settings);
  CHECK(plan.error().message.find('\n') == std::string::npos);
}

}  // namespace

Target places_target() {
  return {"places",
          {"3nc\n\x1en1 slots=2\nlocalhost slots=2\n\x1e\x1e\x1e", "Cd\n\x1e\x1ehead:2,n1\x1e\x1e",
           "o9c\nn[1-3],head\x1e\x1elocalhost:1,+n0\x1e\x1e", "4u\n\x1e\x1e\x1e\x1e",
           "\nn1,head\x1ehead slots=1\n\x1e\x1erank 0=localhost slot=0-1\nrank 1=+n0\n\x1e",
           "o\n\x1e\x1e\x1erank 0=head slot=0\nrank 1=10.0.0.1 slot=0\n\x1e",
           "\n\x1en1:4\nkim@head\n\x1e+e:1\x1e\x1e"},
          &run,
          4000};
}

}  // namespace ringmaster::fuzz
