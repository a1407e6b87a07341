// SPDX-License-Identifier: Apache-2.0
#include "launcher/pmi/space.h"

#include <fmt/format.h>

#include "base/whole_number.h"

namespace ringmaster::launcher::pmi {

namespace {

constexpr const char* kMappingKey = "PMI_process_mapping";
/// What an abort without a number has given.
constexpr int kAbortCode = 1;

int abort_code(const Message& message) {
  const std::string_view text = message.find("exitcode").value_or("");
  int code = kAbortCode;
  return read_whole(text, &code) ? code : kAbortCode;
}

std::string text_or(std::optional<std::string_view> text) {
  return std::string(text.value_or(std::string_view()));
}

}  // namespace

Space::Space(int ranks, std::string name, std::string process_mapping)
    : ranks_(static_cast<std::size_t>(ranks)), name_(std::move(name)) {
  if (!process_mapping.empty()) values_[kMappingKey] = std::move(process_mapping);
}

std::vector<Action> Space::on_line(int rank, std::string_view line) {
  Actions actions;
  if (at(rank).opened) {
    take_inner_line(rank, line, actions);
    return actions;
  }
  const auto message = parse_message(line);
  if (!message) {
    actions.push_back(Fail{rank, "said what is no PMI: " + message.error().message});
  } else if (message->opens) {
    at(rank).opened = message->name;
  } else {
    take(rank, *message, actions);
  }
  return actions;
}

void Space::take(int rank, const Message& message, Actions& actions) {
  const auto answer = [&](std::string text) { actions.push_back(Send{rank, std::move(text)}); };
  const std::string& name = message.name;
  if (name == "init") return init(rank, message, actions);
  if (name == "abort") return actions.push_back(Abort{rank, abort_code(message)});
  if (!at(rank).inside) {
    actions.push_back(Fail{rank, fmt::format("said \"{}\" to PMI before its init", name)});
  } else if (name == "get_maxes") {
    answer(fmt::format("cmd=maxes rc=0 kvsname_max={} keylen_max={} vallen_max={}\n", kSpaceNameMax,
                       kKeyMax, kValueMax));
  } else if (name == "get_appnum") {
    answer("cmd=appnum rc=0 appnum=0\n");
  } else if (name == "get_universe_size") {
    answer(fmt::format("cmd=universe_size rc=0 size={}\n", ranks_.size()));
  } else if (name == "get_my_kvsname") {
    answer(fmt::format("cmd=my_kvsname rc=0 kvsname={}\n", name_));
  } else if (name == "put") {
    put(rank, message, actions);
  } else if (name == "get") {
    get(rank, message, actions);
  } else if (name == "barrier_in") {
    enter_barrier(rank, actions);
  } else if (name == "finalize") {
    at(rank).inside = false;
    answer("cmd=finalize_ack rc=0\n");
  } else {
    names(rank, message, actions);
  }
}

void Space::init(int rank, const Message& message, Actions& actions) {
  const bool known = message.find("pmi_version") == "1";
  at(rank).inside = at(rank).inside || known;
  actions.push_back(Send{rank, fmt::format("cmd=response_to_init pmi_version=1 pmi_subversion=1 "
                                           "rc={}\n",
                                           known ? 0 : -1)});
  if (!known) {
    actions.push_back(Fail{rank, fmt::format("speaks version {} of PMI, this server version 1",
                                             text_or(message.find("pmi_version")))});
  }
}

std::string Space::store(const std::string& key, std::string_view value) {
  if (key.empty() || key.size() > kKeyMax) return "key_has_a_wrong_length";
  if (value.size() > kValueMax) return "value_is_too_long";
  const auto found = values_.find(key);
  const std::size_t before = found == values_.end() ? 0 : key.size() + found->second.size();
  const std::size_t after = key.size() + value.size();
  if (bytes_ - before + after > kSpaceBytesMax) return "the_space_is_full";
  bytes_ = bytes_ - before + after;
  values_.insert_or_assign(key, std::string(value));
  return "";
}

void Space::put(int rank, const Message& message, Actions& actions) {
  std::string why = "no_such_space";
  if (message.find("kvsname") == name_) {
    why = message.find("key") == kMappingKey
              ? "the_launcher_sets_this_key"
              : store(text_or(message.find("key")), message.find("value").value_or(""));
  }
  actions.push_back(Send{rank, why.empty() ? "cmd=put_result rc=0 msg=success\n"
                                           : fmt::format("cmd=put_result rc=-1 msg={}\n", why)});
}

void Space::get(int rank, const Message& message, Actions& actions) const {
  const auto found = values_.find(text_or(message.find("key")));
  const bool right_space = message.find("kvsname") == name_;
  if (!right_space || found == values_.end()) {
    actions.push_back(Send{rank, "cmd=get_result rc=-1 msg=key_not_found\n"});
  } else {
    actions.push_back(
        Send{rank, fmt::format("cmd=get_result rc=0 msg=success value={}\n", found->second)});
  }
}

void Space::enter_barrier(int rank, Actions& actions) {
  if (at(rank).waits) {
    actions.push_back(Fail{rank, "entered a PMI barrier that it was in already"});
    return;
  }
  at(rank).waits = true;
  ++waiting_;
  if (waiting_ < static_cast<int>(ranks_.size())) return check_barrier(actions);
  waiting_ = 0;
  for (std::size_t other = 0; other < ranks_.size(); ++other) {
    ranks_[other].waits = false;
    actions.push_back(Send{static_cast<int>(other), "cmd=barrier_out rc=0\n"});
  }
}

void Space::check_barrier(Actions& actions) const {
  if (ended_rank_ < 0 || waiting_ == 0) return;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!ranks_[rank].waits || ranks_[rank].ended) continue;
    actions.push_back(Fail{static_cast<int>(rank),
                           fmt::format("waits in MPI for rank {}, which has ended", ended_rank_)});
    return;  // one is enough to end the job
  }
}

std::vector<Action> Space::on_ended(int rank) {
  Actions actions;
  at(rank).ended = true;
  at(rank).inside = false;
  ended_rank_ = rank;
  check_barrier(actions);
  return actions;
}

void Space::names(int rank, const Message& message, Actions& actions) {
  const std::string service = text_or(message.find("service"));
  const auto answer = [&](std::string_view command, bool done, const std::string& more) {
    actions.push_back(
        Send{rank, fmt::format("cmd={} rc={} info={} msg={}{}\n", command, done ? 0 : -1,
                               done ? "ok" : "failed", done ? "success" : "refused", more)});
  };
  if (message.name == "publish_name") {
    const std::string port = text_or(message.find("port"));
    const bool fits = !service.empty() && service.size() <= kSpaceNameMax &&
                      port.size() <= kValueMax && ports_.size() < ranks_.size() + kKeyMax;
    answer("publish_result", fits && ports_.try_emplace(service, port).second, "");
  } else if (message.name == "lookup_name") {
    const auto found = ports_.find(service);
    const bool known = found != ports_.end();
    answer("lookup_result", known, known ? " port=" + found->second : "");
  } else if (message.name == "unpublish_name") {
    answer("unpublish_result", ports_.erase(service) > 0, "");
  } else {
    actions.push_back(
        Fail{rank, fmt::format("asked PMI for \"{}\", which this server does not know",
                               message.name.substr(0, kKeyMax))});
  }
}

void Space::take_inner_line(int rank, std::string_view line, Actions& actions) {
  Rank& one = at(rank);
  const auto [key, value] = split_word(line);
  if (key == "totspawns") one.total = value.substr(0, kKeyMax);
  if (key == "spawnssofar") one.number = value.substr(0, kKeyMax);
  if (line != "endcmd") return;
  const std::string command = *one.opened;
  one.opened.reset();
  if (command != "spawn") {
    actions.push_back(Fail{rank, "asked PMI for \"" + command.substr(0, kKeyMax) +
                                     "\", which this server does not know"});
    return;
  }
  if (one.total != one.number) return;  // one answer for all programs of a spawn
  actions.push_back(Say{fmt::format("rank {} {}", rank, spawn_refusal())});
  actions.push_back(Send{rank, "cmd=spawn_result rc=-1 msg=not_supported\n"});
}

std::string spawn_refusal() {
  return "asked for more processes (MPI_Comm_spawn): not supported, start all ranks at once (-np)";
}

std::string process_mapping_of(const std::vector<int>& hosts) {
  struct Block {
    int first, count, size;
  };
  std::vector<Block> blocks;
  for (std::size_t rank = 0; rank < hosts.size();) {
    std::size_t end = rank;
    while (end < hosts.size() && hosts[end] == hosts[rank]) ++end;
    const int size = static_cast<int>(end - rank);
    const bool goes_on = !blocks.empty() && blocks.back().size == size &&
                         hosts[rank] == blocks.back().first + blocks.back().count;
    if (goes_on) {
      ++blocks.back().count;
    } else {
      blocks.push_back({hosts[rank], 1, size});
    }
    rank = end;
  }
  std::string text = "(vector";
  for (const Block& block : blocks) {
    text += fmt::format(",({},{},{})", block.first, block.count, block.size);
  }
  text += ")";
  return text.size() <= kValueMax ? text : "";
}

}  // namespace ringmaster::launcher::pmi
