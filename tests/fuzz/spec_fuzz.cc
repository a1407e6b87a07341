// SPDX-License-Identifier: Apache-2.0
//
// Job specs. An error has its place in the text and one line of words; what is accepted is within
// its bounds, and its effective spec says the same.
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "jobs/spec/fields.h"
#include "jobs/spec/job_file.h"
#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

namespace {

void check_error(const jobs::SpecError& error, std::string_view input) {
  CHECK_LE(1, error.place.line);
  CHECK_LE(1, error.place.column);
  CHECK_LE(error.place.line, std::ranges::count(input, '\n') + 1);
  CHECK_LE(static_cast<std::size_t>(error.place.column), input.size() + 1);
  CHECK(!error.what.empty() && !error.why.empty());
  const std::string message = error.message();
  CHECK(message.starts_with(fmt::format("f:{}:{}: ", error.place.line, error.place.column)));
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20U; };
  CHECK(std::ranges::none_of(message, is_control));
}

void check_bounds(jobs::JobFile& file) {
  for (const jobs::Field& field : jobs::fields()) {
    if (field.takes != jobs::Takes::number) continue;
    if (field.name.starts_with("checkpoint.") && !file.checkpoint) continue;
    const int value = *std::get<int*>(field.target(file));
    CHECK_LE(field.low, value);
    CHECK_LE(value, field.high);
  }
  CHECK_LE(file.spec.ranks_min, file.spec.ranks_max);
  CHECK_LE(file.spec.ranks_max, file.hosts * file.slots);
  CHECK(!file.command.empty() && !file.command.front().empty());
  CHECK(!file.spec.name.empty());
}

void run(std::string_view input) {
  auto file = jobs::parse_job_file(input, "f");
  if (!file) return check_error(file.error(), input);
  check_bounds(*file);
  const std::string text = jobs::effective_text(*file);
  const auto again = jobs::parse_job_file(text, "f");
  CHECK(again.ok());
  CHECK_EQ(jobs::effective_text(*again), text);
  CHECK(again->command == file->command);
  CHECK(again->environment == file->environment);
  CHECK(again->checkpoint == file->checkpoint);
}

}  // namespace

Target spec_target() {
  return {
      "spec",
      {"name: j\ncommand: [a, --b, 1.5]\nranks: {min: 2, max: 4}\nprovider: local\n"
       "local: {hosts: 2, slots: 3}\nlimits: {restarts: 3}\n"
       "checkpoint: {to: \"file:///a\", every: 15 steps, keep: 2}\non_reclaim: replace\n"
       "env: {A: 1, B: \"no\", C: 'x'}\n",
       "---\nname: 'j'\ncommand:\n- a\n- |\n  b\n  c\n- >-\n  d\nranks: 3 # three\n"
       "checkpoint:\n  to: file:///x y\n  every: 500 steps\nenv:\n  \"NO\": \"\\x01\\u20ac\\\"\"\n",
       "name: j\r\ncommand: [a]\r\nranks: 2\r\nlimits: {budget: 3 USD, deadline: 12h}\r\n",
       "? name\n: &x j\ncommand: *x\nranks: !!int 2\n<<: {a: 1}\n",
       "%YAML 1.2\n---\n{name: ~, ranks: [1, , {}], \"a\": null}\n...\n---\nb: 0x1F\n",
       "a: [[[[{b: [}]]]]\n", "name: \"\\N\\_\\L\\ud83d\nb: 'it''s\n",
       "\xef\xbb\xbfname: \xc3\xa9\n"},
      &run,
      4000};
}

}  // namespace ringmaster::fuzz
