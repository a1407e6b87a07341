// SPDX-License-Identifier: Apache-2.0
#include "worker/elastic_session.h"

#include <fmt/format.h>

namespace ringmaster::worker {

namespace {

/// The result of the work is worth a wait for a store that is behind; nothing else waits for it.
constexpr Duration kLastSaveWait = std::chrono::minutes(2);

}  // namespace

Result<std::unique_ptr<ElasticSession>> ElasticSession::open() {
  auto contract = read_rank_contract();
  if (!contract) return contract.error();
  if (!contract->has_value()) return open_without_agent();
  auto channel = AgentChannel::adopt((*contract)->socket_fd);
  if (!channel) return channel.error();
  auto engines = RankEngines::open(**contract);
  if (!engines) return engines.error();
  const int rank = (*contract)->rank;
  return std::unique_ptr<ElasticSession>(
      new ElasticSession(Agent{std::move(*channel), std::move(*engines), rank}));
}

ElasticSession::ElasticSession(std::optional<Agent> agent) : agent_(std::move(agent)) {
  communicator_.arena = std::make_unique<collectives::Arena>(
      agent_ ? &agent_->engines.segment() : nullptr, agent_ ? agent_->rank : 0);
}

Result<void> ElasticSession::add_state(void* data, std::size_t bytes) {
  if (joined()) return Error{Errc::invalid, "add_state: the session has joined already"};
  if (data == nullptr && bytes > 0) return Error{Errc::invalid, "add_state: a null pointer"};
  if (gpu_ && bytes > 0 && gpu_->stream().memory_of(data) != collectives::Memory::host) {
    return Error{Errc::invalid, std::string("add_state: ") + kStateOnGpu};
  }
  state_.add(data, bytes);
  return {};
}

Result<void> ElasticSession::join() {
  for (;;) {
    leave_generation();
    auto form = wait_for_generation();
    if (!form) return form.error();
    auto entered = enter(*form);
    if (entered || entered.error().code != Errc::generation_changed) return entered;
  }
}

void ElasticSession::leave_generation() {
  // Before the agent hears that this rank has left: from then on it touches nothing of the old one.
  if (agent_ && !communicator_.idle()) agent_->engines.segment().leave(generation_.generation);
  communicator_.end_generation();
}

Result<FormMessage> ElasticSession::wait_for_generation() {
  if (!agent_) return form_without_agent();
  auto sent = agent_->channel.send(JoinMessage{state_.steps()});
  if (!sent) return sent.error();
  auto received = agent_->channel.receive();
  if (received && std::holds_alternative<RestoreMessage>(received->message)) {
    auto restored = restore(std::move(*received));
    if (!restored) return restored.error();
    received = agent_->channel.receive();
  }
  if (!received) return received.error();
  auto* form = std::get_if<FormMessage>(&received->message);
  if (form == nullptr) return Error{Errc::corrupt, "the agent answered a join with something else"};
  for (const std::uint32_t number : form->numbers) {
    if (number >= static_cast<std::uint32_t>(agent_->engines.segment().capacity())) {
      return Error{Errc::corrupt, fmt::format("a generation with rank {}", number)};
    }
  }
  return std::move(*form);
}

Result<void> ElasticSession::restore(AgentChannel::Received received) {
  const auto& message = std::get<RestoreMessage>(received.message);
  std::uint64_t bytes = 0;
  for (const std::uint64_t block : message.blocks) bytes += block;
  auto memory = StagedMemory::adopt(std::move(received.fd), bytes);
  if (!memory) return memory.error();
  if (state_.steps() != kNoState) return {};  // what is held is newer than any checkpoint of it
  return state_.restore(message.steps, message.blocks, memory->data());
}

Result<void> ElasticSession::save() {
  const auto staged = staging_.stage(state_, generation_.generation,
                                     static_cast<std::uint32_t>(generation_.position),
                                     static_cast<std::uint32_t>(generation_.size));
  if (staged.message.why.empty()) {  // else it is tried again when it is next looked at
    cadence_.saved(read_clock());
    saved_steps_ = state_.steps();
    agent_->engines.segment().slot(agent_->rank).save_asked.store(0);
  }
  return agent_->channel.send(staged.message, staged.fd);
}

Result<void> ElasticSession::save_if_due() {
  bool due = cadence_.due_by_steps(state_.steps());
  if (cadence_.check_due(state_.steps())) {
    const auto said = hear_verdict();
    if (!said) return said.error();
    due = due || *said;
  }
  return due ? save() : Result<void>();
}

Result<bool> ElasticSession::hear_verdict() {
  const std::int64_t steps = state_.steps();
  SaveVerdict verdict;
  if (generation_.position == source_) {
    const bool asked = agent_->engines.segment().slot(agent_->rank).save_asked.load() != 0;
    verdict = cadence_.decide(steps, read_clock(), asked);
  }
  const auto heard = communicator_.run({.kind = collectives::Operation::Kind::broadcast,
                                        .output = &verdict,
                                        .count = sizeof verdict / sizeof(std::int64_t),
                                        .type = RINGMASTER_INT64,
                                        .root = source_});
  // The step is finished whatever becomes of its save: the next collective says the same.
  if (!heard && heard.error().code == Errc::generation_changed) return false;
  if (!heard) return heard.error();
  cadence_.follow(verdict, steps, read_clock());
  return verdict.save != 0;
}

Result<void> ElasticSession::make_engine(const FormMessage& form) {
  communicator_.engine.reset();  // it hands its connections on before others begin
  if (!agent_) return make_engine_without_agent();
  auto made = agent_->engines.make(form, communicator_.arena.get());
  if (!made) return made.error();
  communicator_.engine = std::move(*made);
  return {};
}

Result<void> ElasticSession::enter(const FormMessage& form) {
  auto made = make_engine(form);
  if (!made) return made;
  auto source = state_.sync(*communicator_.engine);
  if (!source) return source.error();
  if (auto added = add_gpu(form); !added) return added;
  describe(form);
  source_ = *source;
  saved_steps_ = 0;  // a save that the break cut short is made again at the end
  generation_.source = static_cast<int>(form.numbers[static_cast<std::size_t>(*source)]);
  if (!agent_) return {};
  cadence_.begin({form.save_every, std::chrono::nanoseconds(form.save_period_ns)}, state_.steps(),
                 read_clock());
  agent_->engines.segment().slot(agent_->rank).steps.store(state_.steps());
  return agent_->channel.send(SyncedMessage{form.generation, state_.steps(),
                                            static_cast<std::uint32_t>(generation_.source)});
}

void ElasticSession::describe(const FormMessage& form) {
  members_ = fmt::format("{}", fmt::join(form.numbers, " "));
  reason_ = form.reason;
  generation_.generation = form.generation;
  generation_.rank = static_cast<int>(form.numbers[form.position]);
  generation_.position = static_cast<int>(form.position);
  generation_.size = static_cast<int>(form.numbers.size());
  generation_.steps = state_.steps();
  generation_.heal_seconds =
      form.generation <= 1
          ? 0
          : to_seconds(read_clock() - Time(std::chrono::nanoseconds(form.since_ns)));
  generation_.joined = static_cast<int>(form.joined);
  generation_.lost = static_cast<int>(form.lost);
  generation_.members = members_.c_str();
  generation_.reason = reason_.c_str();
  communicator_.begin_generation(form.generation, {form.numbers.begin(), form.numbers.end()});
}

Result<void> ElasticSession::step_finished() {
  if (!joined()) return Error{Errc::invalid, "step_finished: join first"};
  state_.step_finished();
  if (!agent_) return {};
  auto& slot = agent_->engines.segment().slot(agent_->rank);
  slot.steps.store(state_.steps());
  if (auto saved = save_if_due(); !saved) return saved;
  if (state_.steps() < slot.watch.load()) return {};
  slot.watch.store(collectives::Segment::kNoWatch);
  return agent_->channel.send(ReachedMessage{state_.steps()});
}

Result<void> ElasticSession::finish() {
  if (!joined()) return Error{Errc::invalid, "finish: join first"};
  auto all = communicator_.run({.kind = collectives::Operation::Kind::barrier});
  if (!all || !agent_) return all;
  if (cadence_.saves() && saved_steps_ != state_.steps()) {
    staging_.wait_for_room(kLastSaveWait);
    if (auto saved = save(); !saved) return saved;
  }
  return agent_->channel.send(FinishedMessage{generation_.generation});
}

bool ElasticSession::fail(const std::string& message) {
  return agent_ && agent_->channel.send(FailedMessage{message}).ok();
}

}  // namespace ringmaster::worker
