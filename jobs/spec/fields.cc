// SPDX-License-Identifier: Apache-2.0
#include "jobs/spec/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ringmaster::jobs {

namespace {

Target no_value(JobFile&) {
  return {};
}

constexpr std::array kFields = {
    Field{"name", Takes::name, [](JobFile& file) -> Target { return &file.spec.name; }, kRequired,
          "what the job is called; it begins with a letter or digit", 1, 60},
    Field{"command", Takes::words, [](JobFile& file) -> Target { return &file.command; }, kRequired,
          "the program and its arguments; no shell reads them"},
    Field{"ranks", Takes::each, no_value, kRequired,
          "how many ranks run; a single number is both least and most"},
    Field{"ranks.min", Takes::number, [](JobFile& file) -> Target { return &file.spec.ranks_min; },
          kRequired, "with fewer the job waits for replacements", 1, 4096},
    Field{"ranks.max", Takes::number, [](JobFile& file) -> Target { return &file.spec.ranks_max; },
          kRequired, "what it starts with and heals towards", 1, 4096},
    Field{"provider", Takes::choice, [](JobFile& file) -> Target { return &file.provider; },
          "local", "where hosts come from; local: agents on this machine"},
    Field{"local", Takes::keys, no_value, "", "the hosts of the local provider"},
    Field{"local.hosts", Takes::number, [](JobFile& file) -> Target { return &file.hosts; }, "1",
          "how many hosts, each an agent of its own", 1, 64},
    Field{"local.slots", Takes::number, [](JobFile& file) -> Target { return &file.slots; },
          "ranks.max", "how many ranks each host can run", 1, 256},
    Field{"limits", Takes::keys, no_value, "", "where the job ends by itself"},
    Field{"limits.restarts", Takes::number,
          [](JobFile& file) -> Target { return &file.spec.restarts; }, "10",
          "how many replacements the whole job may start", 0, 1'000'000},
    Field{"checkpoint", Takes::keys, [](JobFile& file) -> Target { return &file.checkpoint; }, "",
          "where and when the state is saved; left out, it is not"},
    Field{"checkpoint.to", Takes::location,
          [](JobFile& file) -> Target { return &file.checkpoint->to; }, kRequired,
          "the folder; the path is taken as it is written"},
    Field{"checkpoint.every", Takes::period,
          [](JobFile& file) -> Target { return &file.checkpoint->every; }, kRequired, "how often"},
    Field{"checkpoint.keep", Takes::number,
          [](JobFile& file) -> Target { return &file.checkpoint->keep; }, "3",
          "how many of the newest ones stay", 1, 1000},
    Field{"on_reclaim", Takes::choice, [](JobFile& file) -> Target { return &file.on_reclaim; },
          "replace", "what happens when a host is taken back"},
    Field{"env", Takes::variables, [](JobFile& file) -> Target { return &file.environment; }, "",
          "environment variables of every rank"},
};

constexpr std::array kPlannedFields = {
    PlannedField{"per_rank", "GPUs, cores and memory of each rank"},
    PlannedField{"gpu", "kinds of GPUs, in order of wish"},
    PlannedField{"regions", "where clouds may look for hosts"},
    PlannedField{"market", "how much of it is spot, and the highest price"},
    PlannedField{"limits.budget", "how much the job may cost"},
    PlannedField{"limits.deadline", "how long the job may take"},
};

constexpr std::array kBuiltChoices = {
    Choice{"provider", "local"},
    Choice{"checkpoint.to", "file"},
    Choice{"on_reclaim", "replace"},
};

constexpr std::array kPlannedChoices = {
    Choice{"provider", "ssh"},          Choice{"provider", "slurm"},
    Choice{"provider", "aws"},          Choice{"provider", "aliyun"},
    Choice{"provider", "tencent"},      Choice{"provider", "gcp"},
    Choice{"checkpoint.to", "s3"},      Choice{"checkpoint.to", "oss"},
    Choice{"checkpoint.to", "cos"},     Choice{"checkpoint.to", "gs"},
    Choice{"checkpoint.every", "auto"}, Choice{"on_reclaim", "shrink"},
    Choice{"on_reclaim", "wait"},
};

}  // namespace

std::span<const Field> fields() {
  return kFields;
}
std::span<const PlannedField> planned_fields() {
  return kPlannedFields;
}
std::span<const Choice> built_choices() {
  return kBuiltChoices;
}
std::span<const Choice> planned_choices() {
  return kPlannedChoices;
}

const Field* find_field(std::string_view name) {
  const auto* at = std::ranges::find(kFields, name, &Field::name);
  return at == kFields.end() ? nullptr : at;
}

bool is_planned_field(std::string_view name) {
  return std::ranges::count(kPlannedFields, name, &PlannedField::name) > 0;
}

bool is_choice(std::span<const Choice> choices, std::string_view field, std::string_view value) {
  return std::ranges::any_of(choices, [&](const Choice& choice) {
    return choice.field == field && choice.value == value;
  });
}

Words values_of(std::span<const Choice> choices, std::string_view field) {
  Words values;
  for (const Choice& choice : choices) {
    if (choice.field == field) values.emplace_back(choice.value);
  }
  return values;
}

std::string_view parent_of(std::string_view name) {
  const auto point = name.rfind('.');
  return point == std::string_view::npos ? std::string_view{} : name.substr(0, point);
}

std::string_view last_part(std::string_view name) {
  return name.substr(name.rfind('.') + 1);  // npos + 1 is 0
}

std::string takes_text(const Field& field) {
  const auto keys = [&] {
    Words below;
    for (const Field& other : kFields) {
      if (parent_of(other.name) == field.name) below.emplace_back(last_part(other.name));
    }
    return fmt::format("a map of {}", fmt::join(below, ", "));
  };
  switch (field.takes) {
    case Takes::keys:
      return keys();
    case Takes::each:
      return "a whole number, or " + keys();
    case Takes::number:
      return fmt::format("a whole number from {} to {}", field.low, field.high);
    case Takes::name:
      return fmt::format("{} to {} letters, digits, - _ .", field.low, field.high);
    case Takes::choice:
      return fmt::format("{}", fmt::join(values_of(kBuiltChoices, field.name), ", "));
    case Takes::words:
      return "a list of words";
    case Takes::variables:
      return "a map of names to texts";
    case Takes::location:
      return fmt::format("{}:///absolute/path",
                         fmt::join(values_of(kBuiltChoices, field.name), ":///.., "));
    case Takes::period:
      return fmt::format("{} to {}, or 1 to {} steps", duration_text(kPeriodMin),
                         duration_text(kPeriodMax), kPeriodStepsMax);
  }
  check_failed(__FILE__, __LINE__, "no such kind of field");
}

std::string fields_table() {
  std::string table = "| key | takes | left out | what it is |\n|---|---|---|---|\n";
  for (const Field& field : kFields) {
    const std::string_view parent = parent_of(field.name);
    std::string left_out(field.otherwise.empty() ? "-" : field.otherwise);
    if (field.otherwise == kRequired && !parent.empty()) left_out += fmt::format(" in {}", parent);
    table += fmt::format("| `{}` | {} | {} | {} |\n", field.name, takes_text(field), left_out,
                         field.doc);
  }
  return table;
}

std::string planned_table() {
  std::string table = "| key | not built yet |\n|---|---|\n";
  for (const PlannedField& field : kPlannedFields) {
    table += fmt::format("| `{}` | {} |\n", field.name, field.doc);
  }
  for (const Field& field : kFields) {
    const Words values = values_of(kPlannedChoices, field.name);
    if (values.empty()) continue;
    table += fmt::format("| `{}` | {} |\n", field.name, fmt::join(values, ", "));
  }
  return table;
}

}  // namespace ringmaster::jobs
