// SPDX-License-Identifier: Apache-2.0
#include "jobs/coordinator/checkpoints.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "base/time.h"
#include "storage/checkpoint/collect.h"

namespace ringmaster::jobs {

namespace {

/// A job has at most a term and a commit under way.
constexpr std::size_t kWaitingMax = 1000;
constexpr const char* kTooMany = "too much waits for the store already";

std::vector<storage::Tensor> tensors_of(const Save& save) {
  std::vector<storage::Tensor> tensors;
  for (std::size_t block = 0; block < save.blocks.size(); ++block) {
    tensors.push_back({fmt::format("block-{}", block),
                       storage::Dtype::u8,
                       {static_cast<std::uint64_t>(save.blocks[block])}});
  }
  return tensors;
}

/// What an agent has reported, as storage/ knows it. Errc::invalid for what no agent writes.
Result<storage::WrittenShard> written_of(const StoredShard& shard,
                                         const std::vector<storage::Tensor>& tensors) {
  storage::WrittenShard written;
  written.shard = {shard.key, static_cast<std::uint64_t>(shard.bytes), shard.crc};
  for (const ShardChunk& chunk : shard.chunks) {
    if (chunk.block < 0 || static_cast<std::size_t>(chunk.block) >= tensors.size()) {
      return Error{Errc::invalid, fmt::format("{}: there is no block {}", shard.key, chunk.block)};
    }
    const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    written.chunks.push_back({tensors[static_cast<std::size_t>(chunk.block)],
                              {{number(chunk.offset)}, {number(chunk.bytes)}},
                              number(chunk.begin)});
  }
  return written;
}

Result<storage::Manifest> manifest_of(const Save& save, const storage::Term& term) {
  const auto tensors = tensors_of(save);
  for (const storage::Tensor& tensor : tensors) {
    if (auto good = storage::check_tensor(tensor); !good) return good.error();
  }
  std::vector<storage::WrittenShard> shards;
  for (const auto& shard : save.shards) {
    auto written = written_of(*shard, tensors);
    if (!written) return written.error();
    shards.push_back(std::move(*written));
  }
  return storage::assemble(term.job, {term.number, save.steps},
                           static_cast<std::int64_t>(save.shards.size()), tensors, shards);
}

std::string text_of(const std::vector<storage::Problem>& skipped) {
  std::string text;
  for (const auto& problem : skipped) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", problem.key, problem.why);
  }
  return text;
}

}  // namespace

Checkpoints::Checkpoints(boost::asio::io_context& loop, Answer answer, Duration limit,
                         OpenStore open)
    : loop_(loop),
      answer_(std::move(answer)),
      limit_(limit),
      open_(open),
      answers_(loop),
      pool_(kWaitingMax) {}
Checkpoints::~Checkpoints() = default;

void Checkpoints::run(std::function<std::vector<Event>()> work,
                      const std::function<Event(const std::string& why)>& failed) {
  const auto say = [this](const std::vector<Event>& events) {
    for (const Event& event : events) answer_(event);
  };
  const std::int64_t number = answers_.expect(limit_, say, [failed, limit = limit_] {
    return std::vector{
        failed(fmt::format("the store did not answer in {:g} s", to_seconds(limit)))};
  });
  const bool taken = pool_.run([this, work = std::move(work), number, say] {
    boost::asio::post(loop_, [this, events = work(), number, say] {
      // What was done is done: an answer that was given up counts when it comes.
      if (!answers_.arrive(number, events)) say(events);
    });
  });
  if (taken) return;
  answers_.forget(number);
  boost::asio::post(loop_, [say, event = failed(kTooMany)] { say({event}); });
}

void Checkpoints::open_term(const OpenTerm& action, const Place& place) {
  run([this, action, place] { return std::vector<Event>{open_now(action, place)}; },
      [action](const std::string& why) {
        return TermFailed{action.job, action.request, why};
      });
}

void Checkpoints::commit(const CommitCheckpoint& action, const Place& place) {
  run([this, action, place] { return commit_now(action, place); },
      [action](const std::string& why) {
        return CheckpointFailed{action.job, action.save.steps, why};
      });
}

void Checkpoints::forget(JobId job) {
  // Behind what is under way. Where the queue is full the turn stays, which costs its memory only.
  static_cast<void>(pool_.run([this, job] { turns_.erase(job); }));
}

Event Checkpoints::open_now(const OpenTerm& action, const Place& place) {
  const auto failed = [&](const Error& error) {
    return TermFailed{action.job, action.request, error.message};
  };
  Turn& turn = turns_[action.job];
  turn.written.clear();
  turn.term.reset();
  auto store = open_(place.store);
  if (!store) return failed(store.error());
  turn.store = std::move(*store);
  auto term = storage::open_term(*turn.store, place.name);
  if (!term) return failed(term.error());
  TermOpened opened{action.job, action.request, Term{term->number}, {}, text_of(term->skipped)};
  if (term->resumes) opened.newest = {Term{term->resumes->name.term}, term->resumes->name.step};
  turn.term = std::move(*term);
  return opened;
}

std::vector<Event> Checkpoints::commit_now(const CommitCheckpoint& action, const Place& place) {
  const std::int64_t steps = action.save.steps;
  std::vector<Event> events;
  const auto done = [&](const Event& event) {
    events.push_back(event);
    return events;
  };
  const auto failed = [&](const std::string& why) {
    return done(CheckpointFailed{action.job, steps, why});
  };
  Turn& turn = turns_[action.job];
  if (!turn.term) {  // the store was not there when this coordinator began
    const Event opened = open_now(OpenTerm{action.job, 0, ""}, place);
    if (const auto* closed = std::get_if<TermFailed>(&opened)) return failed(closed->why);
    events.push_back(opened);
  }
  // An earlier coordinator made it exist, and could not say so any more.
  const auto& resumes = turn.term->resumes;
  if (resumes && steps <= resumes->name.step) {
    return done(CheckpointCommitted{action.job, Term{resumes->name.term}, steps});
  }
  const auto manifest = manifest_of(action.save, *turn.term);
  if (!manifest) return failed(manifest.error().message);
  if (auto made = storage::commit(*turn.store, *turn.term, *manifest); !made) {
    return failed(made.error().message);
  }
  turn.written.insert(manifest->name);
  // What cannot be removed now is looked at again after the next commit.
  static_cast<void>(storage::collect(*turn.store, place.name,
                                     {.keep = place.keep, .trusted = turn.written},
                                     static_cast<std::int64_t>(read_wall_seconds())));
  return done(CheckpointCommitted{action.job, Term{turn.term->number}, steps});
}

}  // namespace ringmaster::jobs
