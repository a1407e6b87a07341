// SPDX-License-Identifier: Apache-2.0
//
// What PBS, LSF and Grid Engine leave to a job: lists that a program wrote, without comments. Names
// that come again are more slots of the same host, except in LSF's user hostfile, where a person
// wrote the order of ranks.
#include <fmt/format.h>

#include <algorithm>

#include "launcher/hostlist/readers.h"
#include "launcher/hostlist/text.h"
#include "launcher/hostlist/words.h"

namespace ringmaster::launcher::hostlist {

namespace {

constexpr std::size_t kGridEngineWords = 4;

ListResult<HostEntry> parse_counted(std::string_view host, std::string_view slots) {
  auto name = parse_host(host);
  if (!name) return name.error();
  const auto count = parse_number(slots, "a number of slots", 1, kSlotsMax);
  if (!count) return count.error();
  return HostEntry{.host = std::move(*name), .slots = *count};
}

/// A name a line, one slot each.
ListResult<HostList> read_name_a_slot(const Question& question) {
  HostTable table(question.list.name);
  Lines lines(question.list.text, Lines::Comments::none);
  while (const auto line = lines.next()) {
    const Place place{question.list.name, line->number, line->text};
    auto name = parse_host(line->text);
    if (!name) return name.error().at(place);
    if (auto bad = table.add({.host = std::move(*name), .slots = 1}, place)) return *bad;
  }
  return table.finish();
}

/// "all.q@n1", and which processors: a range, several, or a word that says none in particular.
Refusal check_queue(const std::vector<std::string_view>& line) {
  if (line.size() < kGridEngineWords) return {};
  const bool unbound = line[3] == "UNDEFINED" || line[3] == "<NULL>" || line[3] == "NONE";
  const auto in_range = [](char c) {
    return (c >= '0' && c <= '9') || c == '-' || c == ',' || c == ':';
  };
  if (!unbound && !std::ranges::all_of(line[3], in_range)) {
    return refusal(fmt::format("{} names no processors", in_quotes(line[3])),
                   "a line is host, slots, queue, processors");
  }
  if (!unbound && line[2].find('@') == std::string_view::npos) {
    return refusal(fmt::format("{} is no queue of a host", in_quotes(line[2])),
                   "a line is host, slots, queue, processors");
  }
  return {};
}

}  // namespace

ListResult<HostList> read_pbs(const Question& question) {
  return read_name_a_slot(question);
}

ListResult<HostList> read_lsf(const Question& question) {
  return read_name_a_slot(question);
}

ListResult<HostList> read_lsf_mcpu(const Question& question) {
  HostTable table(question.list.name);
  Lines lines(question.list.text, Lines::Comments::none);
  while (const auto line = lines.next()) {
    const auto all = words(line->text);
    for (std::size_t i = 0; i < all.size(); i += 2) {
      const Place place{question.list.name, line->number, all[i]};
      if (i + 1 == all.size()) {
        return refusal("a host without a number of slots", "it is host, slots, host, slots")
            .at(place);
      }
      auto entry = parse_counted(all[i], all[i + 1]);
      if (!entry) return entry.error().at(place);
      if (auto bad = table.add(std::move(*entry), place)) return *bad;
    }
  }
  return table.finish();
}

ListResult<HostList> read_lsf_user(const Question& question) {
  HostTable table(question.list.name);
  Lines lines(question.list.text, Lines::Comments::hash);
  while (const auto line = lines.next()) {
    const Place place{question.list.name, line->number, line->text};
    const auto all = words(line->text);
    if (all.size() > 2) {
      return refusal("more than a host and its slots", "a line is n1, or n1 4").at(place);
    }
    auto entry = parse_counted(all.front(), all.size() == 2 ? all[1] : "1");
    if (!entry) return entry.error().at(place);
    if (auto bad = table.append(std::move(*entry), place)) return *bad;
  }
  return table.finish();
}

ListResult<HostList> read_sge(const Question& question) {
  HostTable table(question.list.name);
  Lines lines(question.list.text, Lines::Comments::none);
  while (const auto line = lines.next()) {
    const Place place{question.list.name, line->number, line->text};
    const auto all = words(line->text);
    if (all.size() < 2 || all.size() > kGridEngineWords) {
      return refusal(
                 fmt::format("{} words, and a line is host, slots, queue, processors", all.size()))
          .at(place);
    }
    auto entry = parse_counted(all[0], all[1]);
    if (!entry) return entry.error().at(place);
    if (auto bad = check_queue(all)) return bad->at(place);
    if (auto bad = table.add(std::move(*entry), place)) return *bad;
  }
  return table.finish();
}

}  // namespace ringmaster::launcher::hostlist
