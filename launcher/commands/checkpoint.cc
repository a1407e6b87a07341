// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster checkpoint`: what a store holds, whether it is whole, and how it goes.
#include "launcher/commands/checkpoint.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "launcher/commands/command.h"
#include "storage/checkpoint/collect.h"

namespace ringmaster::launcher {

namespace {

using storage::Depth;
using storage::ObjectStore;

constexpr std::string_view kStoreHint = "a store is file:///ABSOLUTE/FOLDER";

/// The jobs to look at: the one that was named, or all of the store.
Result<std::vector<std::string>> choose_jobs(ObjectStore& store, const std::string& url,
                                             const Arguments& words) {
  const auto jobs = storage::list_jobs(store);
  if (!jobs || words.size() < 2) return jobs;
  const std::string& job = words[1];
  for (const std::string& there : *jobs) {
    if (there == job) return std::vector<std::string>{job};
  }
  const std::string near = suggest(job, *jobs);
  return Error{Errc::not_found,
               fmt::format("{} has no checkpoints of a job {}{}", url, job,
                           near.empty() ? "" : fmt::format("; did you mean {}?", near))};
}

struct Opened {
  std::unique_ptr<ObjectStore> store = {};
  int exit_code = 0;  // when there is no store: it was said why
};

Opened open_named(bool json, const Arguments& words, std::size_t most, std::string_view usage) {
  if (words.empty() || words.size() > most) {
    return {nullptr, fail(json,
                          {Errc::invalid, fmt::format("{} words are too {}", words.size(),
                                                      words.empty() ? "few" : "many")},
                          fmt::format("usage: {}", usage), kExitUsage)};
  }
  auto store = storage::open_store(words.front());
  if (!store) {
    const bool spelling = store.error().code == Errc::invalid;
    return {nullptr, fail(json, store.error(), spelling ? kStoreHint : "",
                          spelling ? kExitUsage : kExitFailed)};
  }
  return {std::move(*store), 0};
}

Result<std::vector<CheckpointRow>> read_rows(ObjectStore& store, const std::string& url,
                                             const Arguments& words, Depth depth) {
  const auto jobs = choose_jobs(store, url, words);
  if (!jobs) return jobs.error();
  std::vector<CheckpointRow> rows;
  for (const std::string& job : *jobs) {
    const auto standings = storage::inspect_all(store, job, depth);
    if (!standings) return standings.error();
    for (CheckpointRow& row : checkpoint_rows(job, *standings)) rows.push_back(std::move(row));
  }
  return rows;
}

int print_rows(const std::vector<CheckpointRow>& rows, bool json) {
  if (rows.empty()) {
    if (!json) fmt::print(stderr, "no checkpoints\n");
    return 0;
  }
  if (json) return print_line(checkpoint_json(rows));
  return print_line(::isatty(STDOUT_FILENO) == 1 ? checkpoint_table(rows) : checkpoint_lines(rows));
}

int run_ls(const Arguments& arguments) {
  bool json = false;
  const Flags flags = {{"--json", &json, "", "print one JSON object a checkpoint"}};
  const Usage usage = {"ringmaster checkpoint ls URL [JOB] [options]",
                       "Lists the checkpoints of a store, newest first: in which state they are by "
                       "their manifests\nand the sizes of their shards. `verify` reads every byte.",
                       "ringmaster checkpoint ls file:///data/checkpoints", Rest::words};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  const Opened opened = open_named(json, read.words, 2, usage.usage);
  if (!opened.store) return opened.exit_code;
  const auto rows = read_rows(*opened.store, read.words.front(), read.words, Depth::sizes);
  if (!rows) return fail(json, rows.error());
  return print_rows(*rows, json);
}

int run_verify(const Arguments& arguments) {
  bool json = false;
  const Flags flags = {{"--json", &json, "", "print one JSON object a checkpoint"}};
  const Usage usage = {"ringmaster checkpoint verify URL [JOB] [options]",
                       "Reads every byte of the checkpoints of a store and checks it against its "
                       "manifest.\nThe exit code is 0 only when every checkpoint that counts is "
                       "whole.",
                       "ringmaster checkpoint verify file:///data/checkpoints fashion",
                       Rest::words};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  const Opened opened = open_named(json, read.words, 2, usage.usage);
  if (!opened.store) return opened.exit_code;
  const auto rows = read_rows(*opened.store, read.words.front(), read.words, Depth::bytes);
  if (!rows) return fail(json, rows.error());
  if (const int failed = print_rows(*rows, json); failed != 0) return failed;
  std::size_t damaged = 0;
  for (const CheckpointRow& row : *rows) damaged += row.state == CheckpointState::damaged ? 1 : 0;
  if (damaged == 0) return 0;
  return fail(
      json, {Errc::corrupt, fmt::format("{} of {} checkpoints are damaged", damaged, rows->size())},
      "a job starts from the newest whole one");
}

struct RemoveSettings {
  std::int64_t keep = 0;
  std::int64_t grace_seconds = 3600;
  bool json = false;
};

int remove_old(ObjectStore& store, const std::string& job, const RemoveSettings& settings) {
  const auto now = static_cast<std::int64_t>(read_wall_seconds());
  const auto collected = storage::collect(
      store, job, {.keep = settings.keep, .grace_seconds = settings.grace_seconds}, now);
  if (!collected) return fail(settings.json, collected.error());
  if (settings.json) {
    return print_line(nlohmann::ordered_json{
        {"job", job}, {"checkpoints", collected->manifests}, {"shards", collected->shards}}
                          .dump());
  }
  return print_line(fmt::format(
      "{}: removed {} checkpoints and {} shards; shards of removed checkpoints go {} s later", job,
      collected->manifests, collected->shards, settings.grace_seconds));
}

int remove_all(ObjectStore& store, const std::string& job, bool json) {
  const auto removed = storage::remove_job(store, job);
  if (!removed) return fail(json, removed.error(), "what is left goes when it is run again");
  if (json) {
    return print_line(nlohmann::ordered_json{{"job", job}, {"objects", *removed}}.dump());
  }
  return print_line(fmt::format("{}: removed {} objects", job, *removed));
}

int run_rm(const Arguments& arguments) {
  RemoveSettings settings;
  const Flags flags = {
      {"--keep", &settings.keep, "N", "keep the newest N whole checkpoints (0: remove all)",
       between(0, 1e6)},
      {"--grace", &settings.grace_seconds, "S",
       "with --keep: seconds that shards stay after their checkpoint was removed, for who is "
       "loading it",
       between(0, 1e9)},
      {"--json", &settings.json, "", "print the result as one JSON object"},
  };
  const Usage usage = {"ringmaster checkpoint rm URL JOB [options]",
                       "Removes the checkpoints of a job, all or all but the newest. A job that "
                       "runs must not be\nremoved whole: its next checkpoint would be refused.",
                       "ringmaster checkpoint rm file:///data/checkpoints fashion --keep 1",
                       Rest::words};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  if (read.words.size() == 1) {
    return fail(settings.json, {Errc::invalid, "which job? rm does not empty a whole store"},
                fmt::format("usage: {}", usage.usage), kExitUsage);
  }
  const Opened opened = open_named(settings.json, read.words, 2, usage.usage);
  if (!opened.store) return opened.exit_code;
  const auto jobs = choose_jobs(*opened.store, read.words.front(), read.words);
  if (!jobs) return fail(settings.json, jobs.error());
  const std::string& job = read.words[1];
  if (settings.keep > 0) return remove_old(*opened.store, job, settings);
  return remove_all(*opened.store, job, settings.json);
}

const std::vector<Command> kCommands = {
    {"ls", "list checkpoints and the state they are in", run_ls},
    {"verify", "read every byte and check it", run_verify},
    {"rm", "remove a job's checkpoints, all or the old ones", run_rm},
};

}  // namespace

int run_checkpoint(const Arguments& arguments) {
  return run_command("ringmaster checkpoint", "Looks after the checkpoints in a store.", kCommands,
                     arguments);
}

}  // namespace ringmaster::launcher
