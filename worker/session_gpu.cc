// SPDX-License-Identifier: Apache-2.0
//
// A session whose ranks have GPUs: what is chosen before the first join, and what every generation
// gets on top of its host's engine.
#include "worker/elastic_session.h"

namespace ringmaster::worker {

namespace {

/// NCCL meets thousands of ranks within minutes; longer than this nobody is coming.
constexpr Duration kGpuSetupMax = std::chrono::minutes(10);

}  // namespace

Result<void> ElasticSession::use_gpu(int device, void* program_stream) {
  if (joined()) return Error{Errc::invalid, "use_gpu: the session has joined already"};
  if (gpu_) return Error{Errc::invalid, "use_gpu: the session has a GPU already"};
  auto gpu = collectives::Gpu::open(device, program_stream);
  if (!gpu) return Error{gpu.error().code, "use_gpu: " + gpu.error().message};
  for (const State::Part& part : state_.parts()) {
    if (part.bytes > 0 && gpu->stream().memory_of(part.data) != collectives::Memory::host) {
      return Error{Errc::invalid, std::string("use_gpu: ") + kStateOnGpu};
    }
  }
  gpu_.emplace(std::move(*gpu));
  return {};
}

/// After the state is the same everywhere, which goes by the host's engine: a GPU's takes longer to
/// make, and a rank that is lost meanwhile is lost with the state in many places.
Result<void> ElasticSession::add_gpu(const FormMessage& form) {
  if (!gpu_) return {};
  std::function<bool()> aborted = [] { return false; };
  if (agent_) {
    aborted = [this, generation = form.generation] {
      return agent_->engines.segment().aborted(generation);
    };
  }
  auto made = collectives::GpuCommunicator::open(
      std::move(communicator_.engine), *gpu_,
      std::vector<int>(form.numbers.begin(), form.numbers.end()), std::move(aborted), kGpuSetupMax);
  if (!made) return made.error();
  gpu_path_ = (*made)->path();
  // What an operation may wait is the communicator's usual time again.
  (*made)->set_timeout(collectives::Communicator::kDefaultTimeout);
  communicator_.engine = std::move(*made);
  return {};
}

}  // namespace ringmaster::worker
