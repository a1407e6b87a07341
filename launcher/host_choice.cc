// SPDX-License-Identifier: Apache-2.0
#include "launcher/host_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "launcher/hostlist/guess.h"
#include "launcher/hostlist/openmpi_option.h"

namespace ringmaster::launcher {

namespace {

using hostlist::HostEntry;
using hostlist::HostList;
using hostlist::ListResult;
using hostlist::Request;
using hostlist::Unsaid;

/// Gives this host one name in whatever lists it.
class OneName {
 public:
  explicit OneName(const OwnNames& own) : own_(own) {}

  void apply(std::string& host) {
    if (!is_this_host(host, own_)) return;
    if (name_.empty()) name_ = host;
    host = name_;
  }
  void apply(HostList& list) {
    for (HostEntry& entry : list.hosts) apply(entry.host);
    for (hostlist::RankEntry& entry : list.ranks) apply(entry.host);
  }
  const std::string& name() const { return name_; }

 private:
  const OwnNames& own_;
  std::string name_;
};

/// What messages call the hosts that are taken from.
struct Base {
  HostList list;
  std::string name;
};

ListResult<HostList> read_as(std::string_view format, const hostlist::Source& source) {
  const hostlist::Format* found = hostlist::find_format(format);
  CHECK(found != nullptr);
  return hostlist::read_host_list(*found, {.list = source});
}

/// A list that is the value of an option has no lines to speak of, and no format that one could
/// name.
ListResult<HostList> read_pick(const hostlist::Source& picked) {
  auto list = hostlist::guess_host_list(*hostlist::find_format("openmpi-host"), {.list = picked});
  if (list) return list;
  hostlist::ListError error = list.error();
  error.line = 0;
  if (error.hint.starts_with("name the format") || error.hint.starts_with("name its format")) {
    error.hint = "write n1:4,n2, or a hostfile: that has port=2222 and a format";
  }
  return error;
}

std::vector<Request> requests_for(const HostList& list, const std::string& file) {
  std::vector<Request> requests;
  for (const HostEntry& entry : list.hosts) {
    requests.push_back({.host = entry, .place = {file, entry.line, entry.host}});
  }
  return requests;
}

/// Places and names as Open MPI's --host has them; what is none, as a list of another launcher.
ListResult<HostList> pick(const Base& base, const hostlist::Source& picked, OneName& one) {
  auto requests = hostlist::parse_host_option(picked.text, {.file = picked.name});
  HostList other;
  if (!requests) {
    auto guessed = read_pick(picked);
    if (!guessed) return guessed.error();
    other = std::move(*guessed);
    requests = requests_for(other, picked.name);
  }
  if (requests->empty()) {
    return hostlist::refusal("it names no host", "name hosts as in n1:4,n2")
        .at({.file = picked.name});
  }
  for (Request& request : *requests) one.apply(request.host.host);
  return hostlist::take_hosts(base.list, *requests, Unsaid::one_slot, base.name);
}

/// The one value of -H, however often it was said.
ListResult<std::optional<hostlist::Source>> only_pick(const std::vector<std::string>& picked) {
  for (const std::string& value : picked) {
    if (value == picked.front()) continue;
    return hostlist::refusal(fmt::format("another -H says {}", hostlist::in_quotes(picked.front())),
                             "name all hosts in one list")
        .at({.file = "-H", .entry = value});
  }
  if (picked.empty()) return std::optional<hostlist::Source>();
  return std::optional(hostlist::Source{"-H", picked.front()});
}

/// The ranks of a rank file. Its hosts are those of the base, where there is one, and may then be
/// named by their place there.
ListResult<HostList> place_by_file(const std::optional<Base>& base, const hostlist::Source& file,
                                   OneName& one) {
  auto ranked = read_as("rankfile", file);
  if (!base) return ranked;
  if (!ranked) {
    hostlist::Question question{.list = file, .second = hostlist::Source{base->name, ""}};
    std::vector<std::string_view> seen;
    for (const HostEntry& entry : base->list.hosts) {
      if (std::ranges::count(seen, entry.host) > 0) continue;
      seen.push_back(entry.host);
      question.second->text += entry.host + "\n";
    }
    ranked = hostlist::read_host_list(*hostlist::find_format("rankfile"), question);
    if (!ranked) return ranked;
  }
  one.apply(*ranked);
  for (const hostlist::RankEntry& rank : ranked->ranks) {
    const auto is_its = [&](const HostEntry& entry) { return entry.host == rank.host; };
    if (std::ranges::any_of(base->list.hosts, is_its)) continue;
    return hostlist::refusal(fmt::format("it is not among the hosts of {}", base->name),
                             "name one of those")
        .at({.file = file.name, .line = rank.line, .entry = rank.host});
  }
  ranked->hosts = base->list.hosts;
  return ranked;
}

/// The hostfile, taken from the allocation where there is one.
ListResult<Base> read_base_file(const HostTexts& texts, const std::optional<Base>& allocated,
                                OneName& one) {
  auto list = read_as(texts.format, *texts.file);
  if (!list) return list.error();
  one.apply(*list);
  if (!allocated) return Base{std::move(*list), texts.file->name};
  auto taken = hostlist::take_hosts(allocated->list, requests_for(*list, texts.file->name),
                                    Unsaid::rest, allocated->name);
  if (!taken) return taken.error();
  taken->ranks = std::move(list->ranks);
  taken->notes = std::move(list->notes);
  return Base{std::move(*taken), texts.file->name};
}

hostlist::Refusal check_rank_files(const HostTexts& texts, const std::optional<Base>& base) {
  const bool placed = base && !base->list.ranks.empty();
  if (placed && texts.rank_file) {
    return hostlist::refusal(fmt::format("{} places ranks already", base->name), "leave one out")
        .at({.file = texts.rank_file->name});
  }
  if (placed && !texts.picked.empty()) {
    return hostlist::refusal(fmt::format("{} says where each rank is", base->name), "leave out -H")
        .at({.file = "-H", .entry = texts.picked.front()});
  }
  return {};
}

/// This host needs no ssh, which is what an account is for.
hostlist::Refusal check_accounts(const Base& base, const OwnNames& own) {
  for (const HostEntry& entry : base.list.hosts) {
    if (entry.user.empty() || entry.user == own.user || !is_this_host(entry.host, own)) continue;
    return hostlist::refusal("it is this host, and ranks here run under your own account",
                             "leave the account out")
        .at({.file = base.name, .line = entry.line, .entry = entry.user + "@" + entry.host});
  }
  return {};
}

}  // namespace

hostlist::ListResult<HostChoice> choose_hosts(const HostTexts& texts, const OwnNames& own) {
  HostChoice choice;
  OneName one(own);
  std::optional<Base> base;
  if (texts.allocation) {
    base = Base{texts.allocation->list, fmt::format("{} job {}", texts.allocation->source.manager,
                                                    texts.allocation->source.job)};
    one.apply(base->list);
    choice.remarks.push_back(texts.allocation->line());
  }
  if (texts.file) {
    auto read = read_base_file(texts, base, one);
    if (!read) return read.error();
    base = std::move(*read);
    choice.remarks.insert(choice.remarks.end(), base->list.notes.begin(), base->list.notes.end());
  }
  if (auto bad = check_rank_files(texts, base)) return *bad;
  const auto picked = only_pick(texts.picked);
  if (!picked) return picked.error();
  if (*picked) {
    auto list = base ? pick(*base, **picked, one) : read_pick(**picked);
    if (!list) return list.error();
    one.apply(*list);
    choice.remarks.insert(choice.remarks.end(), list->notes.begin(), list->notes.end());
    base = Base{std::move(*list), "-H"};
  }
  if (texts.rank_file) {
    auto list = place_by_file(base, *texts.rank_file, one);
    if (!list) return list.error();
    one.apply(*list);
    base = Base{std::move(*list), texts.rank_file->name};
  }
  if (!base) return choice;
  if (auto bad = check_accounts(*base, own)) return *bad;
  choice.here = one.name();
  choice.list = std::move(base->list);
  return choice;
}

}  // namespace ringmaster::launcher
