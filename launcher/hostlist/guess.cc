// SPDX-License-Identifier: Apache-2.0
#include "launcher/hostlist/guess.h"

#include <fmt/format.h>

#include <algorithm>

#include "launcher/hostlist/openmpi_lines.h"
#include "launcher/hostlist/readers.h"
#include "launcher/hostlist/text.h"

namespace ringmaster::launcher::hostlist {

namespace {

struct Reading {
  const Format* format;
  HostList list;
};

bool same_hosts(const HostList& a, const HostList& b) {
  return a.hosts == b.hosts && a.ranks == b.ranks;
}

std::string names_of(const std::vector<Reading>& readings) {
  std::string names;
  for (const Reading& reading : readings) {
    names += fmt::format("{}{}: {} hosts, {} slots", names.empty() ? "" : "; ",
                         reading.format->name, reading.list.hosts.size(), reading.list.slots());
  }
  return names;
}

/// Whether the word is "user@host:N".
bool is_account_with_number(std::string_view word) {
  const std::size_t at = word.find('@'), colon = word.rfind(':');
  if (at == std::string_view::npos || colon == std::string_view::npos || colon < at) return false;
  const std::string_view number = word.substr(colon + 1);
  return !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The first such word of the list, with its line. An empty one when there is none.
Line account_with_number(std::string_view text) {
  Lines lines(text, Lines::Comments::hash);
  while (const auto line = lines.next()) {
    for (const std::string_view word : words(line->text)) {
      for (const std::string_view entry : fields(word, ',')) {
        if (is_account_with_number(entry)) return {line->number, entry};
      }
    }
  }
  return {};
}

/// The format that what stands beside the list asks for: tasks are Slurm's, filters DeepSpeed's.
std::string_view format_of_extras(const Question& question) {
  if (question.tasks) return "slurm";
  if (question.args) {
    const auto filters = [](std::string_view word) {
      return word.starts_with("--include") || word.starts_with("--exclude") || word == "-i" ||
             word == "-e";
    };
    return std::ranges::any_of(words(question.args->text), filters) ? "deepspeed" : "openmpi";
  }
  const bool ranks =
      looks_like_ranks(question.list.text) || looks_like_ranks(question.second->text);
  return ranks ? "rankfile" : "openmpi";
}

/// What the other formats make of the list, each different answer once.
std::vector<Reading> other_readings(const Format& preferred, const Question& question) {
  Lines lines(question.list.text, Lines::Comments::none);
  const bool several_lines = lines.next() && lines.next();
  std::vector<Reading> readings;
  for (const Format& format : formats()) {
    const bool fits = format.guessed && !(format.one_line && several_lines);
    if (!fits || format.name == preferred.name) continue;
    auto list = format.read(question);
    if (!list) continue;
    const auto same = [&](const Reading& other) { return same_hosts(other.list, *list); };
    if (std::ranges::none_of(readings, same)) readings.push_back({&format, std::move(*list)});
  }
  return readings;
}

ListResult<HostList> noted(const Format& format, HostList list, std::string note) {
  list.format = format.name;
  list.notes.push_back(std::move(note));
  return list;
}

}  // namespace

ListResult<HostList> guess_host_list(const Format& preferred, const Question& question) {
  CHECK(!question.second && !question.tasks && !question.args);
  auto first = preferred.read(question);
  if (!first || preferred.one_line) {
    const Line account = account_with_number(question.list.text);
    if (!account.text.empty()) {
      return refusal("the number behind the colon may be a port or a number of slots",
                     "name the format: user-host-port or openmpi-host")
          .at({.file = question.list.name, .line = account.number, .entry = account.text});
    }
  }
  if (first) {
    first->format = preferred.name;
    return first;
  }
  auto readings = other_readings(preferred, question);
  if (readings.empty()) {
    ListError error = first.error();
    error.why = fmt::format("as {}: {}", preferred.name, error.why);
    return error;
  }
  if (readings.size() > 1) {
    return refusal(fmt::format("it means different things ({})", names_of(readings)),
                   "name its format")
        .at({.file = question.list.name});
  }
  const Format& format = *readings.front().format;
  return noted(format, std::move(readings.front().list),
               fmt::format("not {}: read as {}, {}", preferred.name, format.name, format.what));
}

ListResult<HostList> read_guessed(const Question& question) {
  const bool alone = !question.second && !question.tasks && !question.args;
  const Format* format = find_format(alone ? "openmpi" : format_of_extras(question));
  CHECK(format != nullptr);
  if (alone) return guess_host_list(*format, question);
  auto list = read_host_list(*format, question);
  if (!list) return list;
  return noted(*format, std::move(*list), fmt::format("read as {}", format->name));
}

}  // namespace ringmaster::launcher::hostlist
