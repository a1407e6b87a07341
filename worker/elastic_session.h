// SPDX-License-Identifier: Apache-2.0
//
// One rank's life between generations: says what it holds, hears who is in, gets the state, tells
// what it has finished. The C ABI (ringmaster_session.h, which documents each call) and the C++
// face (session.h) are thin covers over this.
//
// Without a launcher it is a world of one that never changes, or the ranks of an MPI launcher.
//
// Thread rules: one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "collectives/handle.h"
#include "collectives/mpi_plugin.h"
#include "collectives/nccl/gpu_communicator.h"
#include "worker/agent_channel.h"
#include "worker/contract.h"
#include "worker/engines.h"
#include "worker/ringmaster_session.h"
#include "worker/save_cadence.h"
#include "worker/staging.h"
#include "worker/state.h"

namespace ringmaster::worker {

/// Of a state in a GPU's memory, which no rank could be given and no agent could save.
inline constexpr const char* kStateOnGpu =
    "the state must be in host memory: copy it there from the GPU after each step";

class ElasticSession {
 public:
  /// Reads the rank's contract from the environment.
  static Result<std::unique_ptr<ElasticSession>> open();
  ~ElasticSession() { leave_generation(); }

  Result<void> add_state(void* data, std::size_t bytes);
  Result<void> use_gpu(int device, void* program_stream);
  Result<void> join();
  Result<void> step_finished();
  Result<void> finish();
  bool fail(const std::string& message);

  ringmaster_communicator* communicator() { return &communicator_; }
  const ringmaster_generation& generation() const { return generation_; }
  std::int64_t steps() const { return state_.steps() < 0 ? 0 : state_.steps(); }
  const std::string& gpu_path() const { return gpu_path_; }
  bool joined() const { return generation_.generation > 0; }

 private:
  /// What only a rank with a launcher has.
  struct Agent {
    AgentChannel channel;
    RankEngines engines;
    int rank;
  };
  /// Without a launcher of ours: alone, or with the ranks of an MPI launcher.
  static Result<std::unique_ptr<ElasticSession>> open_without_agent();
  FormMessage form_without_agent() const;
  Result<void> make_engine_without_agent();
  explicit ElasticSession(std::optional<Agent> agent);

  /// Ends what was started in the generation and not waited for.
  void leave_generation();
  Result<FormMessage> wait_for_generation();
  Result<void> restore(AgentChannel::Received received);
  Result<void> save();
  Result<void> save_if_due();
  Result<bool> hear_verdict();
  Result<void> enter(const FormMessage& form);
  Result<void> make_engine(const FormMessage& form);
  Result<void> add_gpu(const FormMessage& form);
  void describe(const FormMessage& form);

  std::optional<Agent> agent_;
  State state_;
  Staging staging_;
  SaveCadence cadence_;
  std::int64_t saved_steps_ = 0;  // what the last save held
  int source_ = 0;                // the position whose state the generation began with
  std::optional<collectives::MpiProcess> mpi_;  // ends after its communicators
  std::optional<collectives::Gpu> gpu_;
  std::string gpu_path_;
  ringmaster_communicator communicator_;
  ringmaster_generation generation_{};
  std::string members_;
  std::string reason_;
};

}  // namespace ringmaster::worker
