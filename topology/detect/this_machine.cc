// SPDX-License-Identifier: Apache-2.0
#include "topology/detect/this_machine.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "base/file_descriptor.h"
#include "topology/detect/driver_view.h"
#include "topology/detect/nvml_settings.h"
#include "topology/numbers.h"
#include "topology/pci_paths.h"
#include "topology/read/sysfs_machine.h"

namespace ringmaster::topology {

namespace {

constexpr std::size_t kAttributeBytesMax = 4096;  // a page: the most that /sys gives

/// One attribute in one read; nothing where it is not there or may not be read.
std::optional<std::string> read_attribute(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) return std::nullopt;
  std::string text(kAttributeBytesMax, '\0');
  const ssize_t got = ::read(file.get(), text.data(), text.size());
  if (got < 0) return std::nullopt;  // the speed of an interface that is down
  text.resize(static_cast<std::size_t>(got));
  return text;
}

class SysfsCopier {
 public:
  explicit SysfsCopier(std::string root) : root_(std::move(root)) {}

  FileTree copy() {
    copy_devices();
    copy_interfaces("sys/class/net", {"speed"});
    copy_interfaces("sys/class/infiniband", {});
    for (const std::string& name : names("sys/devices/system/node")) {
      copy_file("sys/devices/system/node/" + name + "/cpulist");
    }
    for (const std::string& name : names("proc/driver/nvidia/gpus")) {
      const std::string folder = "proc/driver/nvidia/gpus/" + name;
      copy_file(folder + "/numa_status");
      copy_file(folder + "/information");
    }
    return std::move(tree_);
  }

 private:
  std::vector<std::string> names(const std::string& folder) const {
    std::vector<std::string> result;
    std::error_code code;
    for (std::filesystem::directory_iterator at(root_ + "/" + folder, code), end; at != end;
         at.increment(code)) {
      result.push_back(at->path().filename());
      if (code || result.size() >= kNamesMax) break;
    }
    return result;
  }

  void copy_file(const std::string& path) {
    const auto text = read_attribute(root_ + "/" + path);
    if (text) tree_.add_file(path, *text);
  }

  bool copy_link(const std::string& path) {
    std::error_code code;
    const auto target = std::filesystem::read_symlink(root_ + "/" + path, code);
    return !code && tree_.add_link(path, target.string());
  }

  void copy_devices();
  void copy_interfaces(const std::string& folder, const std::vector<std::string>& attributes);

  static constexpr std::size_t kNamesMax = 8192;
  const std::string root_;
  FileTree tree_;
};

/// Storage, USB and what belongs to the processors are most of the devices, and nothing to us.
bool is_of_interest(const std::string& class_text) {
  constexpr std::array<std::uint64_t, 6> kBases = {0x02, 0x03, 0x06, 0x0b, 0x0c, 0x12};
  constexpr std::uint64_t kInfiniBand = 0x0c06;
  const auto code = parse_hex(trim(class_text));
  if (!code) return true;
  for (const std::uint64_t base : kBases) {
    if (*code >> 16 == base) return base != 0x0c || *code >> 8 == kInfiniBand;
  }
  return false;
}

void SysfsCopier::copy_devices() {
  for (const std::string& name : names("sys/bus/pci/devices")) {
    const std::string link = "sys/bus/pci/devices/" + name;
    const auto class_text = read_attribute(root_ + "/" + link + "/class");
    if (!class_text || !copy_link(link)) continue;
    const auto folder = tree_.resolve(link);
    if (!folder || !is_of_interest(*class_text)) continue;
    tree_.add_file(*folder + "/class", *class_text);
    for (const char* attribute :
         {"vendor", "device", "subsystem_vendor", "subsystem_device", "numa_node",
          "current_link_speed", "max_link_speed", "current_link_width", "max_link_width"}) {
      copy_file(*folder + "/" + attribute);
    }
  }
}

void SysfsCopier::copy_interfaces(const std::string& folder,
                                  const std::vector<std::string>& attributes) {
  for (const std::string& name : names(folder)) {
    const std::string link = folder + "/" + name;
    if (!copy_link(link)) continue;
    const auto whole = tree_.resolve(link);
    if (!whole || whole->find("/virtual/") != std::string::npos) continue;
    for (const std::string& attribute : attributes) copy_file(*whole + "/" + attribute);
  }
}

/// What healthy drivers take to start on a machine of 16 GPUs is below 2 s.
constexpr Duration kDriverPatience = std::chrono::seconds(5);

bool has_nvidia_gpu(const Topology& machine) {
  for (const Gpu& gpu : machine.gpus) {
    const auto at = gpu.bus_id ? find_pci(machine.pci, *gpu.bus_id) : std::nullopt;
    if (at && machine.pci[*at].vendor == kNvidia) return true;
  }
  return false;
}

}  // namespace

FileTree read_sysfs(const std::string& root) {
  return SysfsCopier(root).copy();
}

Topology read_this_machine() {
  Topology machine = machine_of_sysfs(read_sysfs(""));
  const auto driver = read_driver_view(read_nvml_name(), kDriverPatience);
  if (driver) {
    merge_driver_view(machine, *driver);
  } else if (driver.error().code != Errc::not_found || has_nvidia_gpu(machine)) {
    machine.warnings.push_back(driver.error().message);
  }
  return machine;
}

}  // namespace ringmaster::topology
