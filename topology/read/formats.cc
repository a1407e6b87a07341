// SPDX-License-Identifier: Apache-2.0
#include "topology/read/formats.h"

#include <fmt/format.h>

#include <set>

#include "base/check.h"
#include "topology/numbers.h"
#include "topology/read/archive.h"
#include "topology/read/readers.h"
#include "topology/read/text_lines.h"
#include "topology/show/xml_text.h"

namespace ringmaster::topology {

namespace {

const TopologyFormat& format_named(std::string_view name) {
  for (const TopologyFormat& format : topology_formats()) {
    if (format.name == name) return format;
  }
  check_failed(__FILE__, __LINE__, fmt::format("no format {}", name));
}

bool is_gpu_list(std::string_view text) {
  constexpr std::size_t kLooked = 4096;
  for (const TextLine& line : clean_lines(text.substr(0, kLooked))) {
    const std::string_view plain = trim(line.text);
    if (!plain.starts_with("GPU ")) continue;
    return plain.find("UUID:") != std::string_view::npos;
  }
  return false;
}

/// Adapters are known by their names, which are printable. One with the name of another before it
/// gets its bus id, or a number, behind that.
void name_adapters_apart(Topology& machine) {
  std::set<std::string> names;
  for (Nic& nic : machine.nics) {
    nic.name = printable_text(nic.name);
    if (names.insert(nic.name).second) continue;
    std::string name = nic.bus_id ? nic.name + " " + *nic.bus_id : nic.name;
    for (int number = 2; !names.insert(name).second; ++number) {
      name = fmt::format("{} {}", nic.name, number);
    }
    add_message(machine.warnings, fmt::format("a second adapter has the name {}: called {}",
                                              shown(nic.name), shown(name)));
    nic.name = std::move(name);
  }
}

}  // namespace

const std::vector<TopologyFormat>& topology_formats() {
  static const std::vector<TopologyFormat> formats = {
      {"matrix", "the table of nvidia-smi topo -m", read_matrix},
      {"gpu-list", "the list of nvidia-smi -L, with MIG devices", read_gpu_list},
      {"nccl-xml", "NCCL's topology XML (NCCL_TOPO_FILE, NCCL_TOPO_DUMP_FILE)", read_nccl_xml},
      {"hwloc-xml", "hwloc's XML, as lstopo writes it", read_hwloc_xml},
      {"sysfs", "an archive of /sys, tar or tar.xz", read_sysfs_archive},
      {"json", "what ringmaster topo --json prints", read_topology_json},
  };
  return formats;
}

std::vector<std::string> topology_format_names() {
  std::vector<std::string> names = {"auto"};
  for (const TopologyFormat& format : topology_formats()) names.emplace_back(format.name);
  return names;
}

const TopologyFormat& guess_topology_format(std::string_view text) {
  if (is_xz(text) || is_tar(text)) return format_named("sysfs");
  const std::string_view start = trim(text);
  if (start.starts_with('{')) return format_named("json");
  if (start.starts_with('<')) {
    // Both may begin with a comment: the root tells.
    const bool hwloc = start.find("<topology") < start.find("<system");
    return format_named(hwloc ? "hwloc-xml" : "nccl-xml");
  }
  return format_named(is_gpu_list(text) ? "gpu-list" : "matrix");
}

Answer read_topology(std::string_view format, std::string_view text) {
  if (text.size() > kTextBytesMax) {
    return Refusal{fmt::format("more than {} MiB", kTextBytesMax >> 20)};
  }
  if (trim(text).empty()) return Refusal{"there is nothing in it"};
  const TopologyFormat& reader =
      format == "auto" ? guess_topology_format(text) : format_named(format);
  Answer answer = reader.read(text);
  if (auto* machine = std::get_if<Topology>(&answer)) {
    name_adapters_apart(*machine);
    check_topology(*machine);
  }
  return answer;
}

}  // namespace ringmaster::topology
