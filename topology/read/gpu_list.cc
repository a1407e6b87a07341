// SPDX-License-Identifier: Apache-2.0
//
// A machine out of `nvidia-smi -L`: its GPUs and their MIG devices. Nothing of how they are wired.
#include <fmt/format.h>

#include <algorithm>

#include "topology/numbers.h"
#include "topology/read/readers.h"
#include "topology/read/text_lines.h"

namespace ringmaster::topology {

namespace {

constexpr int kListedMax = 9999;
constexpr std::size_t kMigMax = 64;  // of one GPU; the driver makes 7

/// Takes "(UUID: X)" off the end of the line.
std::string take_uuid(std::string_view& line) {
  const std::size_t open = line.rfind("(UUID: ");
  if (open == std::string_view::npos) return "";
  std::string_view uuid = line.substr(open + 7);
  uuid = uuid.substr(0, uuid.find(')'));
  line = trim(line.substr(0, open));
  return std::string(trim(uuid));
}

/// "GPU 0: NVIDIA A100-SXM4-80GB (UUID: ..)".
std::optional<Gpu> listed_gpu(std::string_view line) {
  if (!line.starts_with("GPU ")) return std::nullopt;
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto index = parse_number(line.substr(4, colon - 4), 0, kListedMax);
  if (!index) return std::nullopt;
  Gpu gpu{.index = static_cast<int>(*index)};
  line.remove_prefix(colon + 1);
  gpu.uuid = take_uuid(line);
  gpu.name = trim(line);
  return gpu;
}

/// "MIG 1g.20gb     Device  0: (UUID: ..)".
std::optional<MigDevice> listed_mig(std::string_view line) {
  const auto words = split_words(line, 5);
  if (words.size() < 4 || words[0] != "MIG" || words[2] != "Device") return std::nullopt;
  const auto index = parse_number(words[3].substr(0, words[3].find(':')), 0, kListedMax);
  if (!index) return std::nullopt;
  MigDevice mig{.index = static_cast<int>(*index), .profile = std::string(words[1]), .uuid = ""};
  mig.uuid = take_uuid(line);
  return mig;
}

}  // namespace

Answer read_gpu_list(std::string_view text) {
  constexpr const char* kWantedList = "the list that `nvidia-smi -L` prints is wanted";
  Topology machine;
  for (const TextLine& line : clean_lines(text)) {
    const std::string_view plain = trim(line.text);
    if (plain.empty()) continue;
    if (auto gpu = listed_gpu(plain)) {
      if (find_gpu(machine, gpu->index)) {
        return Refusal{fmt::format("a second GPU {}", gpu->index), line.number, kWantedList};
      }
      if (machine.gpus.size() >= kDevicesMax) {
        return Refusal{fmt::format("more than {} GPUs", kDevicesMax), line.number, kWantedList};
      }
      machine.gpus.push_back(std::move(*gpu));
    } else if (auto mig = listed_mig(plain); mig && !machine.gpus.empty()) {
      if (machine.gpus.back().mig.size() >= kMigMax) {
        return Refusal{fmt::format("more than {} MIG devices", kMigMax), line.number, kWantedList};
      }
      machine.gpus.back().mig.push_back(std::move(*mig));
    } else {
      add_message(machine.warnings, fmt::format("line {}: {} is no GPU and no MIG device",
                                                line.number, shown(plain)));
    }
  }
  if (machine.gpus.empty()) return Refusal{"no line names a GPU", 0, kWantedList};
  std::stable_sort(machine.gpus.begin(), machine.gpus.end(),
                   [](const Gpu& a, const Gpu& b) { return a.index < b.index; });
  const std::size_t count = machine.gpus.size();
  machine.paths.assign(count, std::vector<MaybePath>(count));
  for (std::size_t i = 0; i < count; ++i) machine.paths[i][i] = Path{PathClass::self, 0};
  return machine;
}

}  // namespace ringmaster::topology
