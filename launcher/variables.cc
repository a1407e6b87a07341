// SPDX-License-Identifier: Apache-2.0
#include "launcher/variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "launcher/process/sweep.h"
#include "worker/contract.h"

namespace ringmaster::launcher {

namespace {

using hostlist::Place;

/// NAME, or NAME=VALUE.
struct Assignment {
  std::string_view name = {};
  std::optional<std::string_view> value = {};
};

Assignment assignment_in(std::string_view text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, sign), text.substr(sign + 1)};
}

bool is_own_name(std::string_view name) {
  const std::array<std::string_view, 6> own = {worker::kSocketVariable, worker::kSegmentVariable,
                                               worker::kAbortVariable,  worker::kListenerVariable,
                                               worker::kRankVariable,   kJobTagName};
  return std::ranges::count(own, name) > 0;
}

Result<void> check_name(std::string_view name, const Place& place) {
  const auto bad = [](char c) { return c >= 0 && c <= ' '; };
  if (name.empty() || std::ranges::any_of(name, bad)) {
    return hostlist::refusal("no variable", "write NAME=VALUE, or NAME for the value that it has")
        .at(place)
        .as_error();
  }
  if (!is_own_name(name)) return {};
  return hostlist::refusal("ringrun sets this one itself", "leave it out").at(place).as_error();
}

/// The value of a name that stands alone, or nothing.
std::optional<std::string_view> inherited_value(const std::vector<std::string>& inherited,
                                                std::string_view name) {
  for (const std::string& variable : inherited) {
    const Assignment assignment = assignment_in(variable);
    if (assignment.name == name) return assignment.value;
  }
  return std::nullopt;
}

/// Collects the choices; the last one of a name counts.
class Choice {
 public:
  explicit Choice(const std::vector<std::string>& inherited) : inherited_(inherited) {}

  Result<void> add(const Assignment& assignment, const Place& place) {
    if (auto valid = check_name(assignment.name, place); !valid) return valid;
    const auto value =
        assignment.value ? assignment.value : inherited_value(inherited_, assignment.name);
    const std::string name(assignment.name);
    if (value) {
      values_[name] = *value;
    } else {
      remarks_.push_back(fmt::format("{} {}: not set here, so ranks do not get it", place.file,
                                     hostlist::on_one_line(name)));
    }
    return {};
  }

  const std::string* find(std::string_view name) const {
    const auto at = values_.find(name);
    return at == values_.end() ? nullptr : &at->second;
  }

  ChosenVariables finish() && {
    return {.variables = {values_.begin(), values_.end()}, .remarks = std::move(remarks_)};
  }

 private:
  const std::vector<std::string>& inherited_;
  std::map<std::string, std::string, std::less<>> values_;
  std::vector<std::string> remarks_;
};

/// The end of a line of people's files may be CRLF.
std::string_view without_return(std::string_view line) {
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

Result<void> read_env_file(const hostlist::Source& file, Choice& choice) {
  std::string_view rest = file.text;
  const bool by_nul = rest.find('\0') != std::string_view::npos;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.find(by_nul ? '\0' : '\n');
    std::string_view piece = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (!by_nul) piece = without_return(piece);
    if (piece.empty() || (!by_nul && piece.front() == '#')) continue;
    if (auto added = choice.add(assignment_in(piece), {file.name, number, piece}); !added) {
      return added;
    }
  }
  return {};
}

}  // namespace

Result<ChosenVariables> choose_variables(const std::vector<std::string>& exports,
                                         const std::vector<hostlist::Source>& files,
                                         const std::vector<std::string>& inherited) {
  Choice choice(inherited);
  for (const hostlist::Source& file : files) {
    if (auto read = read_env_file(file, choice); !read) return read.error();
  }
  std::set<std::string_view> named;
  for (const std::string& text : exports) {
    const Assignment assignment = assignment_in(text);
    const bool again = !named.insert(assignment.name).second;
    const std::string before = again && choice.find(assignment.name) != nullptr
                                   ? *choice.find(assignment.name)
                                   : std::string();
    if (auto added = choice.add(assignment, {.file = "-x", .entry = text}); !added) {
      return added.error();
    }
    const std::string* now = choice.find(assignment.name);
    if (again && now != nullptr && *now != before) {
      return hostlist::refusal("another -x gives it another value", "give it once")
          .at({.file = "-x", .entry = text})
          .as_error();
    }
  }
  return std::move(choice).finish();
}

void set_variables(std::vector<std::string>& environment, const Variables& variables) {
  if (variables.empty()) return;
  std::set<std::string_view> names;
  for (const auto& [name, value] : variables) names.insert(name);
  std::erase_if(environment, [&](const std::string& text) {
    return names.contains(std::string_view(text).substr(0, text.find('=')));
  });
  for (const auto& [name, value] : variables) environment.push_back(name + "=" + value);
}

}  // namespace ringmaster::launcher
