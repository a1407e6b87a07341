// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for NCCL: the same functions, on host memory between threads; it keeps a log, does
// wrong what it is told to, and writes down what NCCL forbids. Communicators are non-blocking.
#include "collectives/nccl/nccl_library.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "collectives/nccl/stand_in_for_test.h"
#include "tests/fakes/cuda_streams.h"
#include "tests/fakes/nccl_world.h"

namespace ringmaster::fakes {
namespace {

using collectives::kNcclInProgress;
using collectives::kNcclSuccess;
using collectives::NcclConfig;
using collectives::NcclFault;
using collectives::NcclUniqueId;

constexpr int kInvalidArgument = 4;
constexpr int kInvalidUsage = 5;

struct FakeCommunicator : std::enable_shared_from_this<FakeCommunicator> {
  enum class State { connecting, ready, finalizing, gone };
  State state = State::connecting;
  std::shared_ptr<NcclWorld> world;
  int rank = 0;
  int device = 0;
  int error = kNcclSuccess;
  bool told_in_progress = true;  // whether a question has been answered since the last call
  bool hangs = false;
  bool stays = false;
  int fails_later = kNcclSuccess;
  std::string last_error;
};

struct Service {
  int version = 22809;
  std::uint64_t next_id = 1;
  std::map<std::uint64_t, std::shared_ptr<NcclWorld>> worlds;
  std::vector<std::shared_ptr<FakeCommunicator>> communicators;  // also those that are gone
  std::vector<NcclFault> faults;
  std::map<int, std::vector<std::string>> logs;
  std::vector<std::string> misuses;
  std::string last_error;
};

Service& service() {
  static Service one;
  return one;
}

/// What the calling thread has put into its group, and which rank it is for the log.
struct ThreadOfRank {
  int rank = 0;
  int depth = 0;
  int error = kNcclSuccess;
  std::vector<std::pair<FakeCommunicator*, NcclWork>> group;
};

thread_local ThreadOfRank caller;

using NcclLock = std::lock_guard<std::recursive_mutex>;

void note(const std::string& line) {
  service().logs[caller.rank].push_back(line);
}

int forbid(const std::string& what, int result = kInvalidUsage) {
  service().misuses.push_back(fmt::format("rank {}: {}", caller.rank, what));
  service().last_error = what;
  return result;
}

/// The fault that was injected for this rank, taken out.
std::optional<NcclFault> take_fault(NcclFault::Kind kind, const char* function) {
  auto& all = service().faults;
  for (auto one = all.begin(); one != all.end(); ++one) {
    const bool meant = one->kind == kind && one->rank == caller.rank &&
                       (kind != NcclFault::Kind::refuse || std::string(one->function) == function);
    if (!meant) continue;
    const NcclFault fault = *one;
    all.erase(one);
    return fault;
  }
  return std::nullopt;
}

int refused(const char* function) {
  const auto fault = take_fault(NcclFault::Kind::refuse, function);
  if (!fault) return kNcclSuccess;
  service().last_error = fmt::format("{} was told to fail", function);
  return fault->result;
}

bool is_gone(const FakeCommunicator* one) {
  return one == nullptr || one->state == FakeCommunicator::State::gone;
}

/// Puts the work of a group on its streams; work of one group goes on together.
void launch(std::vector<std::pair<FakeCommunicator*, NcclWork>> group) {
  if (group.empty()) return;
  FakeCommunicator& communicator = *group.front().first;
  communicator.told_in_progress = false;
  const auto take = [&](NcclFault::Kind kind) { return take_fault(kind, ""); };
  if (take(NcclFault::Kind::hang)) communicator.hangs = true;
  if (const auto fault = take(NcclFault::Kind::async_error)) {
    communicator.fails_later = fault->result;
    communicator.hangs = true;
  }
  std::vector<StreamWork> parts;
  for (const auto& [one, work] : group) parts.push_back(one->world->join(one->rank, work));
  const auto owner = communicator.shared_from_this();
  put_on_stream(group.front().second.stream, [owner, parts]() mutable {
    if (is_gone(owner.get())) return true;  // aborted kernels end
    if (owner->hangs) return false;
    std::erase_if(parts, [](StreamWork& part) { return part(); });
    return parts.empty();
  });
}

/// Checks a call and launches it, or keeps it for the end of the group.
int begin_work(const char* function, void* handle, const NcclWork& work) {
  const NcclLock lock(stand_in_lock());
  auto* communicator = static_cast<FakeCommunicator*>(handle);
  if (!is_gone(communicator)) caller.rank = communicator->rank;
  note(fmt::format("{} {}", function, work.count));
  if (const int code = refused(function); code != kNcclSuccess) return code;
  if (is_gone(communicator)) return forbid(fmt::format("{} on no communicator", function));
  if (communicator->state != FakeCommunicator::State::ready || !communicator->told_in_progress) {
    return forbid(fmt::format("{} while an earlier call is in progress", function));
  }
  if (current_device() != communicator->device) {
    return forbid(fmt::format("{} with another device current", function));
  }
  const bool reads = work.kind != Kind::receive, writes = work.kind != Kind::send;
  if (work.count > 0 && ((reads && work.input == nullptr) || (writes && work.output == nullptr))) {
    return forbid(fmt::format("{} with a null pointer", function), kInvalidArgument);
  }
  if (caller.depth > 0) {
    caller.group.emplace_back(communicator, work);
    return kNcclSuccess;
  }
  launch({{communicator, work}});
  return kNcclInProgress;
}

/// Where a communicator has come to since it was last asked.
int state_of(FakeCommunicator& one) {
  if (one.error != kNcclSuccess) return one.error;
  if (one.fails_later != kNcclSuccess && one.told_in_progress) {
    one.last_error = "socket: the other side has closed";
    return one.error = one.fails_later;
  }
  const NcclWorld& world = *one.world;
  if (one.state == FakeCommunicator::State::connecting) {
    if (one.stays || world.arrived < world.ranks()) return kNcclInProgress;
    one.state = FakeCommunicator::State::ready;
  }
  const bool leaving = one.state == FakeCommunicator::State::finalizing;
  if (leaving && world.finalized < world.ranks()) return kNcclInProgress;
  if (!one.told_in_progress) {
    one.told_in_progress = true;
    return kNcclInProgress;
  }
  return kNcclSuccess;
}

int end_life(const char* function, void* handle) {
  const NcclLock lock(stand_in_lock());
  auto* one = static_cast<FakeCommunicator*>(handle);
  if (!is_gone(one)) caller.rank = one->rank;
  note(function);
  if (is_gone(one)) return forbid(fmt::format("{} on no communicator", function));
  one->state = FakeCommunicator::State::gone;
  return kNcclSuccess;
}

void reset_service() {
  const NcclLock lock(stand_in_lock());
  for (const auto& one : service().communicators) one->state = FakeCommunicator::State::gone;
  service() = {};
}

int count_communicators() {
  const NcclLock lock(stand_in_lock());
  int living = 0;
  for (const auto& one : service().communicators) living += is_gone(one.get()) ? 0 : 1;
  return living;
}

int connect(void** handle, int ranks, const NcclUniqueId& id, int rank, const NcclConfig& config) {
  caller.rank = rank;
  note("ncclCommInitRankConfig");
  if (const int code = refused("ncclCommInitRankConfig"); code != kNcclSuccess) return code;
  if (config.magic != NcclConfig().magic || config.blocking != 0) {
    return forbid("ncclCommInitRankConfig without a non-blocking configuration");
  }
  std::uint64_t number = 0;
  std::memcpy(&number, id.bytes, sizeof number);
  auto& world = service().worlds[number];
  if (world == nullptr) world = std::make_shared<NcclWorld>(ranks);
  auto made = std::make_shared<FakeCommunicator>();
  made->world = world;
  made->rank = rank;
  made->device = current_device();
  made->stays = take_fault(NcclFault::Kind::stay, "").has_value();
  const auto [place, first] = world->device_ranks.emplace(made->device, rank);
  if (!first) {
    made->error = kInvalidUsage;
    made->last_error = fmt::format("Duplicate GPU detected : rank {} and rank {} both on device {}",
                                   place->second, rank, made->device);
  }
  ++world->arrived;
  service().communicators.push_back(made);
  *handle = made.get();
  return kNcclInProgress;
}

int end_group() {
  note("ncclGroupEnd");
  if (caller.depth == 0) return forbid("ncclGroupEnd without a beginning");
  if (--caller.depth > 0) return kNcclSuccess;
  auto group = std::move(caller.group);
  caller.group.clear();
  if (const int code = refused("ncclGroupEnd"); code != kNcclSuccess) return code;
  const bool empty = group.empty();
  launch(std::move(group));
  return empty ? kNcclSuccess : kNcclInProgress;
}

std::vector<std::string> read_misuses() {
  const NcclLock lock(stand_in_lock());
  auto all = service().misuses;
  if (caller.depth != 0) all.push_back("a group without an end");
  return all;
}

}  // namespace
}  // namespace ringmaster::fakes

using namespace ringmaster::fakes;

extern "C" {

RINGMASTER_STAND_IN_EXPORT ringmaster::collectives::NcclStandIn ringmaster_nccl_stand_in = {
    .reset = reset_service,
    .set_version =
        [](int version) {
          const NcclLock lock(stand_in_lock());
          service().version = version;
        },
    .inject =
        [](const NcclFault& fault) {
          const NcclLock lock(stand_in_lock());
          service().faults.push_back(fault);
        },
    .log =
        [](int rank) {
          const NcclLock lock(stand_in_lock());
          return service().logs[rank];
        },
    .misuses = read_misuses,
    .living = count_communicators};

/// NCCL's file has such a line, by which people find out what it was built with.
RINGMASTER_STAND_IN_EXPORT extern const char ringmaster_nccl_line[];
const char ringmaster_nccl_line[] = "NCCL version 2.18.1+cuda13.0";

RINGMASTER_STAND_IN_EXPORT int ncclGetVersion(int* version) {
  const NcclLock lock(stand_in_lock());
  *version = service().version;
  return kNcclSuccess;
}

RINGMASTER_STAND_IN_EXPORT int ncclGetUniqueId(NcclUniqueId* id) {
  const NcclLock lock(stand_in_lock());
  if (const int code = refused(__func__); code != kNcclSuccess) return code;
  *id = {};
  const std::uint64_t number = service().next_id++;
  std::memcpy(id->bytes, &number, sizeof number);
  return kNcclSuccess;
}

RINGMASTER_STAND_IN_EXPORT int ncclCommInitRankConfig(void** handle, int ranks, NcclUniqueId id,
                                                      int rank, NcclConfig* config) {
  const NcclLock lock(stand_in_lock());
  return connect(handle, ranks, id, rank, *config);
}

RINGMASTER_STAND_IN_EXPORT int ncclCommFinalize(void* handle) {
  const NcclLock lock(stand_in_lock());
  auto* one = static_cast<FakeCommunicator*>(handle);
  note(__func__);
  if (is_gone(one)) return forbid("ncclCommFinalize on no communicator");
  one->state = FakeCommunicator::State::finalizing;
  ++one->world->finalized;
  return kNcclInProgress;
}

RINGMASTER_STAND_IN_EXPORT int ncclCommDestroy(void* handle) {
  return end_life(__func__, handle);
}

RINGMASTER_STAND_IN_EXPORT int ncclCommAbort(void* handle) {
  return end_life(__func__, handle);
}

RINGMASTER_STAND_IN_EXPORT int ncclCommGetAsyncError(void* handle, int* error) {
  const NcclLock lock(stand_in_lock());
  auto* one = static_cast<FakeCommunicator*>(handle);
  if (is_gone(one)) return forbid("ncclCommGetAsyncError on no communicator");
  *error = state_of(*one);
  return kNcclSuccess;
}

RINGMASTER_STAND_IN_EXPORT const char* ncclGetErrorString(int result) {
  constexpr const char* kTexts[] = {"no error",
                                    "unhandled cuda error",
                                    "unhandled system error",
                                    "internal error",
                                    "invalid argument",
                                    "invalid usage",
                                    "remote process exited or there was a network error",
                                    "NCCL operation in progress"};
  return result >= 0 && result < 8 ? kTexts[result] : "unknown result code";
}

RINGMASTER_STAND_IN_EXPORT const char* ncclGetLastError(void* handle) {
  const NcclLock lock(stand_in_lock());
  const auto* one = static_cast<const FakeCommunicator*>(handle);
  if (!is_gone(one) && !one->last_error.empty()) return one->last_error.c_str();
  return service().last_error.c_str();
}

RINGMASTER_STAND_IN_EXPORT int ncclGroupStart() {
  const NcclLock lock(stand_in_lock());
  note(__func__);
  if (const int code = refused(__func__); code != kNcclSuccess) return code;
  ++caller.depth;
  return kNcclSuccess;
}

RINGMASTER_STAND_IN_EXPORT int ncclGroupEnd() {
  const NcclLock lock(stand_in_lock());
  return end_group();
}

RINGMASTER_STAND_IN_EXPORT int ncclAllReduce(const void* input, void* output, std::size_t count,
                                             int type, int op, void* handle, void* stream) {
  return begin_work(__func__, handle,
                    {Kind::all_reduce, input, output, count, type, op, 0, stream});
}

RINGMASTER_STAND_IN_EXPORT int ncclReduce(const void* input, void* output, std::size_t count,
                                          int type, int op, int root, void* handle, void* stream) {
  return begin_work(__func__, handle, {Kind::reduce, input, output, count, type, op, root, stream});
}

RINGMASTER_STAND_IN_EXPORT int ncclReduceScatter(const void* input, void* output, std::size_t count,
                                                 int type, int op, void* handle, void* stream) {
  return begin_work(__func__, handle,
                    {Kind::reduce_scatter, input, output, count, type, op, 0, stream});
}

RINGMASTER_STAND_IN_EXPORT int ncclAllGather(const void* input, void* output, std::size_t count,
                                             int type, void* handle, void* stream) {
  return begin_work(__func__, handle, {Kind::all_gather, input, output, count, type, 0, 0, stream});
}

RINGMASTER_STAND_IN_EXPORT int ncclBroadcast(const void* input, void* output, std::size_t count,
                                             int type, int root, void* handle, void* stream) {
  return begin_work(__func__, handle,
                    {Kind::broadcast, input, output, count, type, 0, root, stream});
}

RINGMASTER_STAND_IN_EXPORT int ncclSend(const void* input, std::size_t count, int type, int peer,
                                        void* handle, void* stream) {
  return begin_work(__func__, handle, {Kind::send, input, nullptr, count, type, 0, peer, stream});
}

RINGMASTER_STAND_IN_EXPORT int ncclRecv(void* output, std::size_t count, int type, int peer,
                                        void* handle, void* stream) {
  return begin_work(__func__, handle,
                    {Kind::receive, nullptr, output, count, type, 0, peer, stream});
}

}  // extern "C"
