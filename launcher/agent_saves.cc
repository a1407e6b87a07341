// SPDX-License-Identifier: Apache-2.0
//
// The agent's part in checkpoints: what ranks have staged goes to the store, and a generation that
// starts from a checkpoint is told when its state is here.
#include <fmt/format.h>

#include <csignal>

#include "launcher/agent_running.h"

namespace ringmaster::launcher {

namespace {

jobs::ShardWritten event_of(const jobs::RankId& id, const worker::StagedMessage& message,
                            const storage::WrittenShard& written) {
  jobs::ShardWritten event{.id = id,
                           .generation = jobs::Generation{message.generation},
                           .steps = message.steps,
                           .position = static_cast<int>(message.position),
                           .members = static_cast<int>(message.members),
                           .blocks = {message.blocks.begin(), message.blocks.end()},
                           .shard = {}};
  event.shard.key = written.shard.key;
  event.shard.bytes = static_cast<std::int64_t>(written.shard.bytes);
  event.shard.crc = written.shard.crc;
  for (const storage::WrittenChunk& chunk : written.chunks) {
    const auto block = std::stoll(chunk.tensor.name.substr(chunk.tensor.name.find('-') + 1));
    event.shard.chunks.push_back({block, static_cast<std::int64_t>(chunk.box.offset.front()),
                                  static_cast<std::int64_t>(chunk.box.shape.front()),
                                  static_cast<std::int64_t>(chunk.begin)});
  }
  return event;
}

}  // namespace

void Agent::on_staged(const jobs::RankId& id, const worker::StagedMessage& message,
                      FileDescriptor fd) {
  const auto failed = [&](const std::string& why) {
    on_event_(jobs::ShardFailed{id, message.steps, why});
  };
  if (saver_ == nullptr || message.generation < 1 || message.steps < 1) return;
  if (!message.why.empty()) return failed(message.why);
  const auto share = worker::share_of(message.blocks, message.position, message.members);
  auto memory = worker::StagedMemory::adopt(std::move(fd), worker::bytes_of(share));
  if (!memory) return failed(memory.error().message);
  const auto done = [this, id, message](const Result<storage::WrittenShard>& written) {
    if (written) return on_shard_done(id, event_of(id, message, *written));
    on_shard_done(id, jobs::ShardFailed{id, message.steps, written.error().message});
  };
  if (!saver_->write(message, term_, std::move(*memory), done)) {
    return failed("too many saves of this host wait for the store");
  }
  ++saving_[id.incarnation];
}

void Agent::on_shard_done(const jobs::RankId& id, const jobs::Event& event) {
  on_event_(event);
  if (--saving_[id.incarnation] > 0) return;
  saving_.erase(id.incarnation);
  release_exit(id.incarnation);
}

void Agent::release_exit(jobs::Incarnation incarnation) {
  const auto held = held_exits_.extract(incarnation);
  if (held) on_event_(held.mapped());
}

void Agent::ask_for_save() {
  for (const Running& running : running_) {
    segment_.slot(static_cast<int>(running.id.rank.value)).save_asked.store(1);
  }
}

void Agent::load_and_form(const jobs::FormGeneration& action) {
  const bool under_way = loading_for_ && loading_for_->table.restore == action.table.restore;
  loading_for_ = action;
  if (under_way) return;
  const jobs::CheckpointAt at = *action.table.restore;
  const bool taken = saver_->load(
      at, [this, at](Result<Saver::Loaded> loaded) { on_loaded(at, std::move(loaded)); });
  if (!taken) on_loaded(at, Error{Errc::exhausted, "too much waits for the store"});
}

void Agent::on_loaded(const jobs::CheckpointAt& at, Result<Saver::Loaded> loaded) {
  if (!loading_for_ || loading_for_->table.restore != at) return;  // it was over before it began
  const jobs::FormGeneration action = *loading_for_;
  loading_for_.reset();
  if (loaded) {
    loaded_ = std::make_unique<Saver::Loaded>(std::move(*loaded));
    loaded_at_ = at;
    if (action.table.generation > aborted_) form_now(action);
    return;
  }
  // Its members here cannot take part, and must not begin from nothing.
  const std::string why =
      fmt::format("load the checkpoint of step {}: {}", at.steps, loaded.error().message);
  for (const jobs::Member& member : action.table.members) {
    Running* running = find(member.id);
    if (running == nullptr) continue;
    post(jobs::RankFailed{member.id, why});
    running->process->signal(SIGKILL);
  }
}

bool Agent::send_restore(Running& running) {
  if (loaded_ == nullptr) return true;
  const worker::RestoreMessage message{loaded_at_->steps, loaded_->blocks};
  if (running.process->send(message, loaded_->memory.fd())) return true;
  running.process->signal(SIGKILL);
  return false;
}

}  // namespace ringmaster::launcher
