// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/list_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

namespace ringmaster::launcher::hostlist {

namespace {

using OrderedJson = nlohmann::ordered_json;

std::string plural(long long count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string host_text(const HostEntry& entry, std::size_t width) {
  std::string text = fmt::format("{:<{}}  ", entry.host, width);
  text += entry.slots ? plural(*entry.slots, "slot") : "as many slots as it has";
  if (entry.max) text += fmt::format(", at most {}", *entry.max);
  if (!entry.slot_ids.empty()) text += fmt::format(": {}", fmt::join(entry.slot_ids, ", "));
  if (!entry.user.empty()) text += fmt::format(", user {}", entry.user);
  if (entry.port) text += fmt::format(", port {}", *entry.port);
  return text + "\n";
}

OrderedJson host_json(const HostEntry& entry) {
  OrderedJson json = {{"host", entry.host}};
  json["slots"] = entry.slots ? OrderedJson(*entry.slots) : OrderedJson("auto");
  if (entry.max) json["max"] = *entry.max;
  if (!entry.user.empty()) json["user"] = entry.user;
  if (entry.port) json["port"] = *entry.port;
  if (!entry.slot_ids.empty()) json["slot_ids"] = entry.slot_ids;
  return json;
}

OrderedJson rank_json(const RankEntry& entry) {
  OrderedJson json = {{"rank", entry.rank}, {"host", entry.host}};
  if (!entry.slots.empty()) json["slots"] = entry.slots;
  return json;
}

/// An array, element by element: a million hosts need not stand in memory as objects.
template <class Entries, class Make>
std::string array_text(const Entries& entries, const Make& make) {
  std::string text = "[";
  for (const auto& entry : entries) {
    if (text.size() > 1) text += ',';
    text += make(entry).dump();
  }
  return text + "]";
}

}  // namespace

std::string list_sum(const HostList& list) {
  const auto hosts = static_cast<long long>(list.hosts.size());
  const auto unknown = static_cast<long long>(list.unknown());
  if (unknown == 0)
    return fmt::format("{}, {}", plural(hosts, "host"), plural(list.slots(), "slot"));
  if (unknown == hosts) return fmt::format("{}, slots as they have", plural(hosts, "host"));
  return fmt::format("{}, {} and what {} of them have", plural(hosts, "host"),
                     plural(list.slots(), "slot"), unknown);
}

std::string list_text(const HostList& list) {
  std::size_t width = 0;
  for (const HostEntry& entry : list.hosts) width = std::max(width, entry.host.size());
  std::string text;
  for (const HostEntry& entry : list.hosts) text += host_text(entry, width);
  for (const RankEntry& entry : list.ranks) {
    text += fmt::format("rank {} on {}{}\n", entry.rank, entry.host,
                        entry.slots.empty() ? "" : ", cores " + entry.slots);
  }
  text += fmt::format("{} ({})\n", list_sum(list), list.format);
  for (const std::string& note : list.notes) text += fmt::format("note: {}\n", note);
  return text;
}

std::string list_json(const HostList& list) {
  std::string text = fmt::format("{{\"format\":\"{}\",\"hosts\":", list.format);
  text += array_text(list.hosts, host_json);
  if (!list.ranks.empty()) text += ",\"ranks\":" + array_text(list.ranks, rank_json);
  return text + ",\"notes\":" + OrderedJson(list.notes).dump() + "}";
}

std::string list_error_json(const ListError& error) {
  OrderedJson inner = {
      {"code", errc_name(Errc::invalid)}, {"message", error.message()}, {"hint", error.hint}};
  if (!error.file.empty()) inner["file"] = error.file;
  if (error.line > 0) inner["line"] = error.line;
  if (!error.entry.empty()) inner["entry"] = error.entry;
  return OrderedJson{{"error", inner}}.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace ringmaster::launcher::hostlist
