// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for NVIDIA's management library: the same functions, which play a machine that a file
// describes. RINGMASTER_NVML_STAND_IN names the file; a line is a word and its values:
//     init 9                         nvmlInit gives this result
//     gpu 00000000:07:00.0 NAME      a GPU; what follows is of it
//     links 12 up 3 switch 00000000:C5:00.0    that many ports: up or down, version, gpu, switch or
//                                    hidden (up, and not named), the other end
//     pcie 4 4 16 16                 generation now and at most, width now and at most
//     health 41 7 85899345920 1024 0 temperature, percent busy, memory, used, uncorrected errors
//     mig 1g.10gb MIG-UUID
//     checks 0 1 8 0 1 3 0           remapping failed, repair pending, what holds clocks down,
//                                    compute mode, persistence, fabric state, its result
//     peer 00000000:0F:00.0 4        its status of reading that GPU's memory; 0 where not said
//     version 535.1 535.1 12020      of the library, the driver ("-": not told) and CUDA
//     lost / denied / hang           calls on it give "GPU is lost" or "no permission", or never
//     end
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "topology/detect/nvml_library.h"

namespace ringmaster::fakes {
namespace {

using topology::NvmlDevice;
using topology::NvmlMemory;
using topology::NvmlPciInfo;
using topology::NvmlUtilization;

constexpr int kNvmlInvalidArgument = 2, kNvmlNotFound = 6;

struct PlayedPort {
  bool up = false;
  unsigned version = 0;
  std::string kind, remote;
};

struct PlayedGpu {
  std::string bus_id, name, uuid;
  std::vector<PlayedPort> ports = {};
  unsigned pcie[4] = {};
  unsigned temperature = 0, busy = 0;
  unsigned long long memory = 0, used = 0, errors = 0;
  bool healthy_told = false;
  std::vector<int> checks = {};
  std::map<std::string, int> peers = {};
  std::vector<PlayedGpu> mig = {};
  int result = topology::kNvmlSuccess;
  bool hangs = false;
};

struct PlayedMachine {
  int init = topology::kNvmlSuccess;
  std::string library, driver;
  int cuda = 0;
  std::vector<PlayedGpu> gpus = {};
};

void read_words(const std::string& word, std::istringstream& rest, PlayedGpu& gpu) {
  if (word == "links") {
    int count = 0;
    std::string state;
    PlayedPort port;
    rest >> count >> state >> port.version >> port.kind >> port.remote;
    port.up = state == "up";
    gpu.ports.insert(gpu.ports.end(), static_cast<std::size_t>(count), port);
  } else if (word == "pcie") {
    for (unsigned& value : gpu.pcie) rest >> value;
  } else if (word == "health") {
    rest >> gpu.temperature >> gpu.busy >> gpu.memory >> gpu.used >> gpu.errors;
    gpu.healthy_told = true;
  } else if (word == "mig") {
    PlayedGpu part{.bus_id = gpu.bus_id, .name = "", .uuid = ""};
    rest >> part.name >> part.uuid;
    part.name = gpu.name + " MIG " + part.name;
    gpu.mig.push_back(std::move(part));
  } else if (word == "checks") {
    for (int value = 0; rest >> value;) gpu.checks.push_back(value);
    gpu.checks.resize(7);
  } else if (word == "peer") {
    std::string bus_id;
    rest >> bus_id;
    rest >> gpu.peers[bus_id];
  } else if (word == "lost" || word == "denied") {
    gpu.result = word == "lost" ? topology::kNvmlGpuIsLost : topology::kNvmlNoPermission;
  } else if (word == "hang") {
    gpu.hangs = true;
  }
}

PlayedMachine read_played() {
  PlayedMachine machine;
  const char* path = std::getenv("RINGMASTER_NVML_STAND_IN");
  std::ifstream file(path == nullptr ? "" : path);
  if (!file) machine.init = topology::kNvmlDriverNotLoaded;
  for (std::string line; std::getline(file, line);) {
    std::istringstream rest(line);
    std::string word;
    rest >> word;
    if (word == "init") {
      rest >> machine.init;
    } else if (word == "version") {
      rest >> machine.library >> machine.driver >> machine.cuda;
    } else if (word == "gpu") {
      PlayedGpu gpu{.bus_id = "", .name = "", .uuid = ""};
      rest >> gpu.bus_id >> std::ws;
      std::getline(rest, gpu.name);
      gpu.uuid = "GPU-" + std::to_string(machine.gpus.size());
      machine.gpus.push_back(std::move(gpu));
    } else if (!machine.gpus.empty()) {
      read_words(word, rest, machine.gpus.back());
    }
  }
  return machine;
}

PlayedMachine& played() {
  static PlayedMachine machine = read_played();
  return machine;
}

PlayedGpu& played_gpu(NvmlDevice device) {
  return *static_cast<PlayedGpu*>(device);
}

/// What every call on a device begins with.
int enter(NvmlDevice device) {
  while (played_gpu(device).hangs) ::pause();
  return played_gpu(device).result;
}

int give_text(const std::string& text, char* to, unsigned size) {
  if (text.size() >= size) return kNvmlInvalidArgument;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return topology::kNvmlSuccess;
}

int give_number(NvmlDevice device, unsigned value, unsigned* to) {
  const int result = enter(device);
  if (result != topology::kNvmlSuccess) return result;
  if (value == 0) return topology::kNvmlNotSupported;
  *to = value;
  return topology::kNvmlSuccess;
}

/// One of the numbers of its line "checks".
template <class Value>
int give_check(NvmlDevice device, std::size_t which, Value* to) {
  const int result = enter(device);
  if (result != topology::kNvmlSuccess) return result;
  const auto& checks = played_gpu(device).checks;
  if (checks.empty()) return topology::kNvmlNotSupported;
  *to = static_cast<Value>(checks[which]);
  return topology::kNvmlSuccess;
}

void give_pci(const std::string& bus_id, NvmlPciInfo* to) {
  *to = {};
  bus_id.copy(to->bus_id, sizeof to->bus_id - 1);
}

/// The port, or null with the result that the call gives.
PlayedPort* enter_port(NvmlDevice device, unsigned port, int& result) {
  result = enter(device);
  if (result != topology::kNvmlSuccess) return nullptr;
  auto& ports = played_gpu(device).ports;
  result = ports.empty()         ? topology::kNvmlNotSupported
           : port < ports.size() ? topology::kNvmlSuccess
                                 : kNvmlInvalidArgument;
  return result == topology::kNvmlSuccess ? &ports[port] : nullptr;
}

}  // namespace
}  // namespace ringmaster::fakes

using namespace ringmaster::fakes;     // NOLINT: the functions below have C names
using namespace ringmaster::topology;  // NOLINT
#define RINGMASTER_PLAYED extern "C" __attribute__((visibility("default")))

RINGMASTER_PLAYED int nvmlInit_v2() {
  return played().init;
}
RINGMASTER_PLAYED int nvmlShutdown() {
  return kNvmlSuccess;
}
RINGMASTER_PLAYED const char* nvmlErrorString(int result) {
  if (result == kNvmlGpuIsLost) return "GPU is lost";
  if (result == kNvmlNoPermission) return "Insufficient Permissions";
  if (result == kNvmlVersionMismatch) return "Driver/library version mismatch";
  return result == kNvmlDriverNotLoaded ? "Driver Not Loaded" : "Unknown Error";
}
RINGMASTER_PLAYED int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(played().gpus.size());
  return kNvmlSuccess;
}
RINGMASTER_PLAYED int nvmlDeviceGetHandleByIndex_v2(unsigned index, NvmlDevice* device) {
  if (index >= played().gpus.size()) return kNvmlInvalidArgument;
  *device = &played().gpus[index];
  return kNvmlSuccess;
}
RINGMASTER_PLAYED int nvmlDeviceGetPciInfo_v3(NvmlDevice device, NvmlPciInfo* info) {
  if (played_gpu(device).result == kNvmlNoPermission) return kNvmlNoPermission;
  give_pci(played_gpu(device).bus_id, info);
  return kNvmlSuccess;
}
RINGMASTER_PLAYED int nvmlDeviceGetName(NvmlDevice device, char* name, unsigned size) {
  const int result = enter(device);
  return result == kNvmlSuccess ? give_text(played_gpu(device).name, name, size) : result;
}
RINGMASTER_PLAYED int nvmlDeviceGetUUID(NvmlDevice device, char* uuid, unsigned size) {
  const int result = enter(device);
  return result == kNvmlSuccess ? give_text(played_gpu(device).uuid, uuid, size) : result;
}
RINGMASTER_PLAYED int nvmlDeviceGetNvLinkState(NvmlDevice device, unsigned port, int* up) {
  int result = 0;
  const PlayedPort* played_port = enter_port(device, port, result);
  if (played_port != nullptr) *up = played_port->up ? 1 : 0;
  return result;
}
RINGMASTER_PLAYED int nvmlDeviceGetNvLinkVersion(NvmlDevice device, unsigned port,
                                                 unsigned* version) {
  int result = 0;
  const PlayedPort* played_port = enter_port(device, port, result);
  if (played_port != nullptr) *version = played_port->version;
  return result;
}
RINGMASTER_PLAYED int nvmlDeviceGetNvLinkRemotePciInfo_v2(NvmlDevice device, unsigned port,
                                                          NvmlPciInfo* info) {
  int result = 0;
  const PlayedPort* played_port = enter_port(device, port, result);
  if (played_port == nullptr) return result;
  if (!played_port->up || played_port->kind == "hidden") return kNvmlNotSupported;
  give_pci(played_port->remote, info);
  return kNvmlSuccess;
}
RINGMASTER_PLAYED int nvmlDeviceGetNvLinkRemoteDeviceType(NvmlDevice device, unsigned port,
                                                          int* kind) {
  int result = 0;
  const PlayedPort* played_port = enter_port(device, port, result);
  if (played_port == nullptr) return result;
  if (!played_port->up || played_port->kind == "hidden") return kNvmlNotSupported;
  *kind = played_port->kind == "switch" ? kNvmlRemoteSwitch : kNvmlRemoteGpu;
  return kNvmlSuccess;
}
RINGMASTER_PLAYED int nvmlDeviceGetCurrPcieLinkGeneration(NvmlDevice device, unsigned* value) {
  return give_number(device, played_gpu(device).pcie[0], value);
}
RINGMASTER_PLAYED int nvmlDeviceGetMaxPcieLinkGeneration(NvmlDevice device, unsigned* value) {
  return give_number(device, played_gpu(device).pcie[1], value);
}
RINGMASTER_PLAYED int nvmlDeviceGetCurrPcieLinkWidth(NvmlDevice device, unsigned* value) {
  return give_number(device, played_gpu(device).pcie[2], value);
}
RINGMASTER_PLAYED int nvmlDeviceGetMaxPcieLinkWidth(NvmlDevice device, unsigned* value) {
  return give_number(device, played_gpu(device).pcie[3], value);
}
RINGMASTER_PLAYED int nvmlDeviceGetTemperature(NvmlDevice device, int, unsigned* celsius) {
  return give_number(device, played_gpu(device).temperature, celsius);
}
RINGMASTER_PLAYED int nvmlDeviceGetUtilizationRates(NvmlDevice device, NvmlUtilization* busy) {
  const int result = enter(device);
  if (result != kNvmlSuccess) return result;
  if (!played_gpu(device).healthy_told) return kNvmlNotSupported;
  *busy = {played_gpu(device).busy, 0};
  return kNvmlSuccess;
}
RINGMASTER_PLAYED int nvmlDeviceGetMemoryInfo(NvmlDevice device, NvmlMemory* memory) {
  const int result = enter(device);
  const PlayedGpu& gpu = played_gpu(device);
  if (result != kNvmlSuccess) return result;
  if (!gpu.healthy_told) return kNvmlNotSupported;
  *memory = {gpu.memory, gpu.memory - gpu.used, gpu.used};
  return kNvmlSuccess;
}
RINGMASTER_PLAYED int nvmlDeviceGetTotalEccErrors(NvmlDevice device, int kind, int since,
                                                  unsigned long long* errors) {
  const int result = enter(device);
  if (result != kNvmlSuccess) return result;
  if (kind != 1 || since != 0 || !played_gpu(device).healthy_told) return kNvmlNotSupported;
  *errors = played_gpu(device).errors;
  return kNvmlSuccess;
}
RINGMASTER_PLAYED int nvmlDeviceGetMigMode(NvmlDevice device, unsigned* now, unsigned* pending) {
  const int result = enter(device);
  *now = *pending = played_gpu(device).mig.empty() ? 0 : 1;
  return result;
}
RINGMASTER_PLAYED int nvmlDeviceGetMaxMigDeviceCount(NvmlDevice device, unsigned* count) {
  return give_number(device, 7, count);
}
RINGMASTER_PLAYED int nvmlDeviceGetMigDeviceHandleByIndex(NvmlDevice device, unsigned index,
                                                          NvmlDevice* part) {
  const int result = enter(device);
  if (result != kNvmlSuccess) return result;
  if (index >= played_gpu(device).mig.size()) return kNvmlNotFound;
  *part = &played_gpu(device).mig[index];
  return kNvmlSuccess;
}
RINGMASTER_PLAYED int nvmlSystemGetNVMLVersion(char* version, unsigned size) {
  if (played().library.empty()) return kNvmlNotSupported;
  return give_text("12." + played().library, version, size);
}
RINGMASTER_PLAYED int nvmlSystemGetDriverVersion(char* version, unsigned size) {
  if (played().driver.empty() || played().driver == "-") return kNvmlNotSupported;
  return give_text(played().driver, version, size);
}
RINGMASTER_PLAYED int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = played().cuda;
  return *version == 0 ? kNvmlNotSupported : kNvmlSuccess;
}
RINGMASTER_PLAYED int nvmlDeviceGetP2PStatus(NvmlDevice from, NvmlDevice to, int, int* status) {
  const int result = enter(from);
  if (result != kNvmlSuccess) return result;
  const auto& peers = played_gpu(from).peers;
  const auto at = peers.find(played_gpu(to).bus_id);
  *status = at == peers.end() ? 0 : at->second;
  return kNvmlSuccess;
}
RINGMASTER_PLAYED int nvmlDeviceGetRemappedRows(NvmlDevice device, unsigned* corrected,
                                                unsigned* uncorrected, unsigned* pending,
                                                unsigned* failed) {
  *corrected = *uncorrected = 0;
  const int result = give_check(device, 0, failed);
  return result == kNvmlSuccess ? give_check(device, 1, pending) : result;
}
RINGMASTER_PLAYED int nvmlDeviceGetCurrentClocksThrottleReasons(NvmlDevice device,
                                                                unsigned long long* reasons) {
  return give_check(device, 2, reasons);
}
RINGMASTER_PLAYED int nvmlDeviceGetComputeMode(NvmlDevice device, int* mode) {
  return give_check(device, 3, mode);
}
RINGMASTER_PLAYED int nvmlDeviceGetPersistenceMode(NvmlDevice device, int* on) {
  return give_check(device, 4, on);
}
RINGMASTER_PLAYED int nvmlDeviceGetGpuFabricInfo(NvmlDevice device, NvmlFabricInfo* info) {
  *info = {};
  const int result = give_check(device, 5, &info->state);
  return result == kNvmlSuccess ? give_check(device, 6, &info->status) : result;
}
