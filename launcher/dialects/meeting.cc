// SPDX-License-Identifier: Apache-2.0
#include "launcher/dialects/meeting.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/whole_number.h"

namespace ringmaster::launcher {

namespace {

// Limits of waiting for other hosts: without any they are kept, whatever they are.
constexpr std::array<std::string_view, 7> kLimits = {
    "timeout",           "join_timeout",        "last_call_timeout", "close_timeout",
    "heartbeat_timeout", "keep_alive_interval", "read_timeout"};

Result<void> check_conf(const std::string& text) {
  for (std::string_view left = text; !left.empty();) {
    const std::size_t comma = left.find(',');
    const std::string_view field = left.substr(0, comma);
    left.remove_prefix(comma == std::string_view::npos ? left.size() : comma + 1);
    const std::size_t equals = field.find('=');
    const std::string_view key = field.substr(0, equals);
    const bool has_value = equals != std::string_view::npos && equals + 1 < field.size();
    const bool known = std::find(kLimits.begin(), kLimits.end(), key) != kLimits.end();
    const std::string_view value = has_value ? field.substr(equals + 1) : std::string_view();
    double seconds = 0;
    const bool is_number = has_value && read_whole(value, &seconds);
    const bool is_ours = key == "is_host" && (value == "1" || value == "true" || value == "True");
    const bool is_first = key == "rank" && value == "0";
    if ((known && is_number) || is_ours || is_first) continue;
    return Error{Errc::invalid,
                 fmt::format("--rdzv-conf {}: \"{}\" has no meaning for one host; it takes "
                             "NAME=SECONDS with {}, or is_host=1",
                             text, field, fmt::join(kLimits, ", "))};
  }
  return {};
}

/// "[::1]:29400" or "host" -> address and port, 0 where it has none.
Result<MeetingPlace> split_endpoint(const std::string& text) {
  MeetingPlace place{.address = text};
  const std::size_t colon = text.rfind(':');
  const bool has_port = colon != std::string::npos && text.find(']', colon) == std::string::npos;
  if (has_port) {
    const std::string_view port = std::string_view(text).substr(colon + 1);
    place.address = text.substr(0, colon);
    if (!read_whole(port, &place.port) || place.port < 0 || place.port > 65535 ||
        place.address.empty()) {
      return Error{Errc::invalid, fmt::format("--rdzv-endpoint {}: it takes HOST:PORT", text)};
    }
  }
  if (place.address.size() > 2 && place.address.front() == '[' && place.address.back() == ']') {
    place.address = place.address.substr(1, place.address.size() - 2);
  }
  return place;
}

Result<void> check_own(std::string_view option, const std::string& text, const std::string& name,
                       const OwnNames& own) {
  if (is_this_host(name, own)) return {};
  return Error{
      Errc::invalid,
      fmt::format("{} {}: {} is not this host, and the ranks of one host meet on it; leave "
                  "it out, or write localhost",
                  option, text, name)};
}

}  // namespace

Result<MeetingPlace> read_meeting(const TorchrunSettings& settings, const OwnNames& own) {
  MeetingPlace place;
  if (settings.standalone) {
    for (const auto& [name, value] : {std::pair{"--rdzv-backend", &settings.meeting},
                                      std::pair{"--rdzv-endpoint", &settings.meeting_endpoint},
                                      std::pair{"--rdzv-id", &settings.run}}) {
      if (value->empty()) continue;
      place.remarks.push_back(
          fmt::format("{} {}: --standalone decides that itself, as with torchrun", name, *value));
    }
  }
  if (auto fine = check_conf(settings.meeting_conf); !fine) return fine.error();
  const bool fixed = !settings.standalone && settings.meeting != "c10d";
  if (!settings.standalone && !settings.meeting_endpoint.empty()) {
    auto endpoint = split_endpoint(settings.meeting_endpoint);
    if (!endpoint) return endpoint.error();
    auto fine = check_own("--rdzv-endpoint", settings.meeting_endpoint, endpoint->address, own);
    if (!fine) return fine.error();
    // With c10d it is where agents meet, which a single one does not need; ranks meet elsewhere.
    if (fixed) {
      place.address = endpoint->address;
      place.port = endpoint->port;
      return place;
    }
  }
  if (!settings.master_address.empty()) {
    auto fine = check_own("--master-addr", settings.master_address, settings.master_address, own);
    if (!fine) return fine.error();
    place.address = settings.master_address;
  }
  place.port = static_cast<int>(std::max<std::int64_t>(settings.master_port, 0));
  return place;
}

}  // namespace ringmaster::launcher
