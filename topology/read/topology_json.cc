// SPDX-License-Identifier: Apache-2.0
//
// Reads what topology_json (show/show.h) writes. A field that is not there is unknown; one of the
// wrong kind is refused.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "topology/numbers.h"
#include "topology/read/json_value.h"
#include "topology/read/readers.h"

namespace ringmaster::topology {

namespace {

constexpr std::size_t kListMax = 4096;  // PCI devices, MIG devices, ports: each list
constexpr std::size_t kPciDepthMax = 64;
constexpr const char* kWantedJson = "what `ringmaster topo --json` prints is wanted";

std::optional<int> json_node(JsonFields& fields) {
  const JsonValue& list = fields.list("numa", 1);
  if (list.empty()) return std::nullopt;
  const JsonValue& node = list.front();
  if (node.is_number_unsigned() && node.get<std::uint64_t>() < kProcessorMax) {
    return node.get<int>();
  }
  fields.note("numa", "a list of one number");
  return std::nullopt;
}

std::optional<std::string> json_bus_id(JsonFields& fields) {
  if (!fields.has("bus_id")) return std::nullopt;
  auto bus_id = parse_bus_id(fields.text("bus_id"));
  if (!bus_id) fields.note("bus_id", "a PCI bus id");
  return bus_id;
}

std::optional<std::vector<int>> json_cpus(JsonFields& fields) {
  if (!fields.has("cpus")) return std::nullopt;
  const std::string text = fields.text("cpus");
  if (text.empty()) return std::vector<int>{};
  auto cpus = parse_cpu_list(text);
  if (!cpus) fields.note("cpus", "a list of processors");
  return cpus;
}

template <class T>
std::optional<T> json_unsigned(JsonFields& fields, const char* field) {
  const auto value =
      fields.number(field, 0,
                    static_cast<std::int64_t>(std::min<std::uint64_t>(
                        std::numeric_limits<T>::max(), std::numeric_limits<std::int64_t>::max())));
  return value ? std::optional(static_cast<T>(*value)) : std::nullopt;
}

PciLink json_link(JsonFields& fields, const char* field, JsonFault& fault, const JsonValue& of) {
  PciLink link;
  if (!fields.has(field)) return link;
  JsonFields parts(of.at(field), fields.what() + "." + field, fault);
  link.gt_s = parts.real("gt_s");
  link.gt_s_max = parts.real("gt_s_max");
  constexpr double kFastest = 1024;  // PCIe 7 has 128
  for (const auto& gt_s : {link.gt_s, link.gt_s_max}) {
    if (gt_s && (*gt_s == 0 || *gt_s > kFastest)) parts.note("gt_s", "null or a speed up to 1024");
  }
  link.width = parts.small("width");
  link.width_max = parts.small("width_max");
  return link;
}

Health json_health(const JsonValue& gpu, const std::string& what, JsonFault& fault) {
  JsonFields fields(gpu.at("health"), what + ".health", fault);
  Health health;
  health.lost = fields.text("lost");
  health.pcie = json_link(fields, "pcie", fault, gpu.at("health"));
  for (JsonFields& port : fields.objects("nvlinks", kListMax)) {
    NvlinkPort read{.port = port.small("port").value_or(-1)};
    const int last = health.nvlinks.empty() ? -1 : health.nvlinks.back().port;
    if (read.port <= last) port.note("port", "a number above the one before");
    read.state = port.flag("up") ? LinkState::up : LinkState::down;
    read.version = port.small("version");
    if (port.has("remote_bus_id")) read.remote_bus_id = port.text("remote_bus_id");
    read.to_switch = port.flag("to_switch");
    health.nvlinks.push_back(std::move(read));
  }
  health.temperature_c = fields.small("temperature_c");
  health.busy_percent = fields.small("busy_percent");
  health.memory_bytes = json_unsigned<std::uint64_t>(fields, "memory_bytes");
  health.memory_used_bytes = json_unsigned<std::uint64_t>(fields, "memory_used_bytes");
  health.ecc_uncorrected = json_unsigned<std::uint64_t>(fields, "ecc_uncorrected");
  return health;
}

class MachineReader {
 public:
  explicit MachineReader(const JsonValue& root) : root_(root), fields_(root, "topology", fault_) {}

  std::variant<Topology, std::string> read() {
    if (!fault_.found() && !root_.contains("gpus")) fields_.note("gpus", "a list");
    if (!fault_.found()) read_gpus();
    if (!fault_.found()) read_pairs();
    if (!fault_.found()) read_nics();
    if (!fault_.found()) read_rest();
    if (!fault_.found()) read_pci();
    if (fault_.found()) return fault_.text;
    return std::move(machine_);
  }

 private:
  void read_gpus();
  void read_pairs();
  void read_nics();
  void read_rest();
  void read_pci();
  std::vector<MaybePath> read_cells(const JsonValue& cells, const std::string& what);
  std::vector<std::string> read_texts(const char* field);

  const JsonValue& root_;
  JsonFault fault_;
  JsonFields fields_;
  Topology machine_;
};

void MachineReader::read_gpus() {
  std::size_t at = 0;
  for (JsonFields& fields : fields_.objects("gpus", kDevicesMax)) {
    const JsonValue& json = root_["gpus"][at++];
    if (fault_.found()) return;
    Gpu gpu;
    gpu.index = fields.small("index").value_or(-1);
    const int last = machine_.gpus.empty() ? -1 : machine_.gpus.back().index;
    if (gpu.index <= last) fields.note("index", "a number above the one before");
    gpu.bus_id = json_bus_id(fields);
    const bool twice =
        gpu.bus_id && std::any_of(machine_.gpus.begin(), machine_.gpus.end(),
                                  [&](const Gpu& other) { return other.bus_id == gpu.bus_id; });
    if (twice) fields.note("bus_id", "one that no other GPU has");
    gpu.numa = json_node(fields);
    gpu.name = fields.text("name");
    gpu.uuid = fields.text("uuid");
    gpu.cpus = json_cpus(fields);
    gpu.memory_node = fields.small("memory_node");
    for (JsonFields& mig : fields.objects("mig", kListMax)) {
      gpu.mig.push_back({mig.small("index").value_or(0), mig.text("profile"), mig.text("uuid")});
    }
    if (fields.has("health")) gpu.health = json_health(json, fields.what(), fault_);
    machine_.gpus.push_back(std::move(gpu));
  }
}

std::vector<MaybePath> MachineReader::read_cells(const JsonValue& cells, const std::string& what) {
  std::vector<MaybePath> row(machine_.gpus.size());
  if (!cells.is_array() || cells.size() != row.size()) {
    fault_.note(what, fmt::format("a list of {} paths", row.size()));
    return row;
  }
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (cells[i].is_null()) continue;
    row[i] =
        cells[i].is_string() ? parse_path(cells[i].get_ref<const std::string&>()) : std::nullopt;
    if (!row[i]) fault_.note(what, "a path (X, NV2, PIX, ..) or null");
  }
  return row;
}

void MachineReader::read_pairs() {
  const std::size_t count = machine_.gpus.size();
  const JsonValue& rows = fields_.list("paths", kDevicesMax);
  machine_.paths.assign(count, std::vector<MaybePath>(count));
  for (std::size_t i = 0; i < count; ++i) machine_.paths[i][i] = Path{PathClass::self, 0};
  if (fields_.has("paths") && rows.size() != count) fields_.note("paths", "a row for each GPU");
  for (std::size_t i = 0; i < rows.size() && !fault_.found(); ++i) {
    machine_.paths[i] = read_cells(rows[i], fmt::format("paths[{}]", i));
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      const MaybePath& path = machine_.paths[i][j];
      const bool self = path == Path{PathClass::self, 0};
      if (self != (i == j)) fields_.note("paths", "X where row and column meet, and only there");
      if (path != machine_.paths[j][i]) fields_.note("paths", "the same path both ways");
    }
  }
  for (JsonFields& fields : fields_.objects("links", kDevicesMax * kDevicesMax)) {
    const Link link{fields.small("a").value_or(-1), fields.small("b").value_or(-1),
                    fields.small("count", 1, 999).value_or(0)};
    const bool known = find_gpu(machine_, link.a) && find_gpu(machine_, link.b);
    if (!known || link.a >= link.b || link.count == 0) {
      fields.note("a", "a link of two GPUs, the lower number first");
      return;
    }
    const auto before = [](const Link& one, const Link& other) {
      return std::pair(one.a, one.b) < std::pair(other.a, other.b);
    };
    if (!machine_.links.empty() && !before(machine_.links.back(), link)) {
      fields.note("a", "a link after the one before");
      return;
    }
    machine_.links.push_back(link);
  }
}

void MachineReader::read_nics() {
  for (JsonFields& fields : fields_.objects("nics", kDevicesMax)) {
    Nic nic{.name = fields.text("name")};
    nic.bus_id = json_bus_id(fields);
    nic.rdma = fields.text("rdma");
    nic.numa = json_node(fields);
    nic.speed_mbit_s = fields.small("speed_mbit_s");
    nic.paths.resize(machine_.gpus.size());
    if (fields.has("paths")) {
      nic.paths = read_cells(fields.list("paths", kDevicesMax), fields.what() + ".paths");
    }
    machine_.nics.push_back(std::move(nic));
  }
}

std::vector<std::string> MachineReader::read_texts(const char* field) {
  std::vector<std::string> texts;
  for (const JsonValue& text : fields_.list(field, kMessagesMax)) {
    if (!text.is_string()) fields_.note(field, "a list of texts");
    if (text.is_string()) texts.push_back(text.get<std::string>());
  }
  return texts;
}

void MachineReader::read_rest() {
  const std::string fabric = fields_.text("fabric");
  bool named = fabric.empty();
  for (const Fabric kind : {Fabric::switched, Fabric::direct, Fabric::none, Fabric::unknown}) {
    if (fabric != fabric_name(kind)) continue;
    machine_.fabric = kind;
    named = true;
  }
  if (!named) fields_.note("fabric", "switch, direct, none or unknown");
  if (machine_.fabric == Fabric::none && !machine_.links.empty()) {
    fields_.note("fabric", "\"none\" only without links");
  }
  for (JsonFields& fields : fields_.objects("numa_nodes", kListMax)) {
    machine_.nodes.push_back(
        {fields.small("id").value_or(0), json_cpus(fields).value_or(std::vector<int>{})});
  }
  for (JsonFields& fields : fields_.objects("unknown_devices", kListMax)) {
    machine_.unknown_devices.push_back(
        {json_bus_id(fields).value_or(""), json_node(fields), fields.text("what")});
  }
  machine_.missing = read_texts("missing");
  machine_.warnings = read_texts("warnings");
}

void MachineReader::read_pci() {
  std::size_t at = 0;
  std::vector<std::size_t> depths;
  for (JsonFields& fields : fields_.objects("pci", kListMax)) {
    const JsonValue& json = root_["pci"][at];
    if (fault_.found()) return;
    PciDevice device{.bus_id = json_bus_id(fields).value_or("")};
    if (device.bus_id.empty()) fields.note("bus_id", "a PCI bus id");
    device.parent = fields.small("parent", -1, static_cast<int>(at) - 1).value_or(-1);
    depths.push_back(device.parent < 0 ? 0 : depths[static_cast<std::size_t>(device.parent)] + 1);
    if (depths.back() > kPciDepthMax) fields.note("parent", "a tree less deep");
    device.root = fields.small("root");
    device.numa = json_node(fields);
    device.class_code = json_unsigned<std::uint32_t>(fields, "class");
    device.vendor = json_unsigned<std::uint32_t>(fields, "vendor");
    device.device = json_unsigned<std::uint32_t>(fields, "device");
    device.subsystem_vendor = json_unsigned<std::uint32_t>(fields, "subsystem_vendor");
    device.subsystem_device = json_unsigned<std::uint32_t>(fields, "subsystem_device");
    device.link = json_link(fields, "link", fault_, json);
    machine_.pci.push_back(std::move(device));
    ++at;
  }
}

/// Lists within lists without end would take much more memory than their text.
bool is_too_deep(std::string_view text) {
  constexpr int kDepthMax = 32;
  int depth = 0;
  bool quoted_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted_text && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      quoted_text = !quoted_text;
    else if (quoted_text)
      continue;
    else if (text[i] == '[' || text[i] == '{')
      ++depth;
    else if (text[i] == ']' || text[i] == '}')
      --depth;
    if (depth > kDepthMax) return true;
  }
  return false;
}

/// The line in which a byte of the text stands.
int line_of_byte(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

}  // namespace

Answer read_topology_json(std::string_view text) {
  if (is_too_deep(text)) return Refusal{"this JSON is nested too deeply", 0, kWantedJson};
  JsonValue root;
  try {
    root = JsonValue::parse(text);
  } catch (const JsonValue::parse_error& error) {
    const std::size_t before = error.byte == 0 ? 0 : error.byte - 1;
    return Refusal{"this is no JSON from here on", line_of_byte(text, before), kWantedJson};
  } catch (const JsonValue::exception&) {
    return Refusal{"this JSON has a number that is none", 0, kWantedJson};
  }
  auto read = MachineReader(root).read();
  if (const auto* fault = std::get_if<std::string>(&read)) return Refusal{*fault, 0, kWantedJson};
  return std::get<Topology>(std::move(read));
}

}  // namespace ringmaster::topology
