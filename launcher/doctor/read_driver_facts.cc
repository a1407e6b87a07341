// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's driver, and the libraries that programs on GPUs load.
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <chrono>
#include <sstream>

#include "base/file_descriptor.h"
#include "collectives/nccl/gpu_settings.h"
#include "collectives/nccl/loaded_library.h"
#include "launcher/doctor/checks.h"
#include "launcher/doctor/host_text.h"
#include "launcher/doctor/read_facts.h"
#include "topology/detect/child_answer.h"
#include "topology/detect/driver_view.h"
#include "topology/detect/nvml_settings.h"
#include "topology/detect/this_machine.h"
#include "topology/numbers.h"
#include "topology/read/sysfs_machine.h"

namespace ringmaster::launcher::doctor {

namespace {

/// What healthy drivers take to start on a machine of 16 GPUs is below 2 s.
constexpr Duration kAnswerPatience = std::chrono::seconds(5);
/// NCCL is some hundred MiB, which may have to come from a network's file system.
constexpr Duration kLoadPatience = std::chrono::seconds(20);

/// The CUDA of NCCL, out of the file that this function of it lies in.
std::optional<int> read_nccl_cuda(const void* function) {
  Dl_info where{};
  if (::dladdr(function, &where) == 0 || where.dli_fname == nullptr) return std::nullopt;
  const FileDescriptor file(::open(where.dli_fname, O_RDONLY | O_CLOEXEC));
  struct stat facts {};
  if (!file.valid() || ::fstat(file.get(), &facts) != 0 || facts.st_size <= 0) return std::nullopt;
  const auto size = static_cast<std::size_t>(facts.st_size);
  void* bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (bytes == MAP_FAILED) return std::nullopt;
  const auto version = parse_nccl_cuda({static_cast<const char*>(bytes), size});
  ::munmap(bytes, size);
  return version;
}

/// Lines of a word and a value: what read_library_facts takes apart.
std::string ask_cuda_runtime() {
  using namespace collectives;
  const auto library = load_library(read_cuda_runtime_names());
  if (!library) return fmt::format("cuda-why {}\n", library.error().message);
  int (*runtime_version)(int*) = nullptr;
  int (*driver_version)(int*) = nullptr;
  const auto found =
      find_symbols(*library, {wanted_symbol("cudaRuntimeGetVersion", runtime_version),
                              wanted_symbol("cudaDriverGetVersion", driver_version)});
  if (!found) return fmt::format("cuda-why {}\n", found.error().message);
  int runtime = 0, driver = 0;
  if (runtime_version(&runtime) != 0) return "cuda-why the CUDA runtime tells no version\n";
  if (driver_version(&driver) != 0) driver = 0;
  return fmt::format("cuda-name {}\ncuda {}\ncuda-driver {}\n", library->name, runtime, driver);
}

std::string ask_nccl() {
  using namespace collectives;
  const auto library = load_library(read_nccl_names());
  if (!library) return fmt::format("nccl-why {}\n", library.error().message);
  int (*version_of)(int*) = nullptr;
  const auto found = find_symbols(*library, {wanted_symbol("ncclGetVersion", version_of)});
  if (!found) return fmt::format("nccl-why {}\n", found.error().message);
  int version = 0;
  if (version_of(&version) != 0) return "nccl-why NCCL tells no version\n";
  std::string text = fmt::format("nccl-name {}\nnccl {}\n", library->name, version);
  const auto cuda = read_nccl_cuda(::dlsym(library->handle, "ncclGetVersion"));
  return cuda ? text + fmt::format("nccl-cuda {}\n", *cuda) : text;
}

void take_library_line(const std::string& word, const std::string& value, LibrariesFacts& to) {
  const int number = static_cast<int>(topology::parse_number(value, 0, 1 << 30).value_or(0));
  if (word == "cuda-name") to.cuda_runtime.name = value;
  if (word == "cuda-why") to.cuda_runtime.why = value;
  if (word == "cuda") to.cuda_runtime.version = number;
  if (word == "cuda-driver") to.cuda_driver = number;
  if (word == "nccl-name") to.nccl.name = value;
  if (word == "nccl-why") to.nccl.why = value;
  if (word == "nccl") to.nccl.version = number;
  if (word == "nccl-cuda") to.nccl_cuda = number;
}

}  // namespace

void read_driver_facts(const std::string& root, Facts& facts) {
  facts.machine = topology::machine_of_sysfs(topology::read_sysfs(root));
  DriverFacts& driver = facts.driver;
  driver.module_version =
      parse_module_version(read_small_file(root + "/proc/driver/nvidia/version").value_or(""));
  const std::string library = topology::read_nvml_name();
  auto checks = topology::read_driver_checks(library, kAnswerPatience);
  if (!checks) {
    driver.error = checks.error().message;
    driver.no_library = checks.error().code == Errc::not_found;
    driver.hangs = checks.error().code == Errc::timed_out;
    return;
  }
  driver.checks = std::move(*checks);
  if (!driver.checks->error.empty()) return;
  const auto view = topology::read_driver_view(library, kAnswerPatience);
  if (!view) {
    driver.checks->error = view.error().message;
    driver.hangs = view.error().code == Errc::timed_out;
    return;
  }
  for (const topology::Gpu& gpu : view->gpus) {
    if (!gpu.bus_id) driver.refused.push_back(gpu.health.lost);
  }
  topology::merge_driver_view(facts.machine, *view);
}

void read_library_facts(Facts& facts) {
  if (nvidia_gpus(facts).empty()) return;
  const auto text = topology::read_child_answer(
      "loading NCCL and the CUDA runtime", kLoadPatience,
      []() -> Result<std::string> { return ask_cuda_runtime() + ask_nccl(); });
  if (!text) {
    facts.libraries.cuda_runtime.why = facts.libraries.nccl.why = text.error().message;
    return;
  }
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string::npos) continue;
    take_library_line(line.substr(0, blank), line.substr(blank + 1), facts.libraries);
  }
}

}  // namespace ringmaster::launcher::doctor
