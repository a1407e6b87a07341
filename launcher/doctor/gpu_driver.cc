// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's driver and the libraries above it: whether they are there, and fit each other.
#include <fmt/format.h>

#include "collectives/nccl/nccl_library.h"
#include "launcher/doctor/checks.h"
#include "topology/pci_paths.h"

namespace ringmaster::launcher::doctor {

namespace {

constexpr const char* kNoGpu = "no NVIDIA GPU here";

/// "12.4" of 12040.
std::string cuda_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

/// "535.129.03" of NVML's own version, "12.535.129.03".
std::string driver_part(const std::string& library_version) {
  const std::size_t dot = library_version.find('.');
  return dot == std::string::npos ? "" : library_version.substr(dot + 1);
}

Verdict without_library(const Facts& facts, std::size_t gpus) {
  const std::string what = fmt::format("{} NVIDIA GPUs, and the driver's library is not found: {}",
                                       gpus, facts.driver.error);
  if (facts.in_container) {
    return warning(what, "start the container with GPUs (docker run --gpus all)");
  }
  return warning(what, "install NVIDIA's driver, or name libnvidia-ml in RINGMASTER_NVML_LIBRARY");
}

Verdict of_driver_error(const Facts& facts, std::size_t gpus) {
  const std::string what =
      fmt::format("{} NVIDIA GPUs, and their driver says: {}", gpus, facts.driver.checks->error);
  const bool loaded = !facts.driver.module_version.empty();
  if (!loaded && facts.in_container) {
    return warning(what, "start the container with GPUs (docker run --gpus all)");
  }
  if (!loaded) return problem(what, "load the kernel module (modprobe nvidia), or reboot");
  return problem(what, "let this user open /dev/nvidia*; dmesg may say more");
}

/// What a check of GPUs' modes says: `judge` gives a verdict for what is wrong with one.
template <class Judge>
Verdicts judge_modes(const Facts& facts, const char* fine_text, const Judge& judge) {
  if (Verdicts nothing = nothing_to_ask(facts); !nothing.empty()) return nothing;
  Verdicts verdicts;
  bool told = false;
  for (const topology::GpuChecks& gpu : facts.driver.checks->gpus) {
    const std::optional<Verdict> verdict = judge(gpu, told);
    if (verdict) verdicts.push_back(*verdict);
  }
  if (verdicts.empty()) verdicts.push_back(told ? fine(fine_text) : not_known("not told"));
  return verdicts;
}

}  // namespace

Verdicts judge_driver(const Facts& facts) {
  const std::size_t gpus = nvidia_gpus(facts).size();
  const DriverFacts& driver = facts.driver;
  if (driver.hangs) {
    return {problem("NVIDIA's driver does not answer within seconds",
                    "reboot the host; nvidia-smi will hang as well, dmesg may name the GPU")};
  }
  if (driver.checks && driver.checks->error.empty()) {
    return {fine(fmt::format("NVIDIA's driver {} answers", driver.checks->driver_version))};
  }
  if (driver.checks && driver.checks->mismatch) {
    return {not_known("the driver cannot be asked until driver-version is mended")};
  }
  if (gpus == 0 && driver.module_version.empty()) return {fine(kNoGpu)};
  if (driver.checks) return {of_driver_error(facts, gpus)};
  if (driver.no_library) return {without_library(facts, gpus)};
  return {problem(fmt::format("NVIDIA's driver cannot be asked: {}", driver.error),
                  "see whether nvidia-smi runs; reinstall the driver where it does not")};
}

Verdicts judge_driver_version(const Facts& facts) {
  const DriverFacts& driver = facts.driver;
  const std::string library = driver.checks ? driver_part(driver.checks->library_version) : "";
  const std::string& module = driver.module_version;
  constexpr const char* kAdvice =
      "the driver was updated while the old one is loaded: reboot, or unload and load its modules";
  const bool differ = !library.empty() && !module.empty() && library != module;
  if (differ || (driver.checks && driver.checks->mismatch)) {
    return {problem(fmt::format("kernel module {}, library {}: they must be of one version",
                                module.empty() ? "of another version" : module,
                                library.empty() ? "of another version" : library),
                    kAdvice)};
  }
  if (!library.empty() && !module.empty()) {
    return {fine(fmt::format("kernel module and library are both {}", module))};
  }
  if (nvidia_gpus(facts).empty() && module.empty()) return {fine(kNoGpu)};
  return {not_known("the versions are not both told")};
}

Verdicts judge_cuda(const Facts& facts) {
  const LibrariesFacts& libraries = facts.libraries;
  const int nvml = facts.driver.checks ? facts.driver.checks->cuda_version.value_or(0) : 0;
  // The runtime's answer counts before NVML's: it knows of libraries for newer CUDA on old drivers.
  const int runtime = libraries.cuda_driver.value_or(0);
  const int driver = runtime > 0 ? runtime : nvml;
  if (nvidia_gpus(facts).empty()) return {fine(kNoGpu)};
  if (driver == 0) return {not_known("no driver says which CUDA it serves")};
  Verdicts verdicts;
  const auto compare = [&](const std::string& name, int version) {
    const std::string what = fmt::format("{} is of CUDA {}, the driver serves up to {}", name,
                                         cuda_text(version), cuda_text(driver));
    if (version / 1000 > driver / 1000) {
      verdicts.push_back(problem(what, "update the driver, or take a build for an older CUDA"));
    } else if (version > driver) {
      verdicts.push_back(note(what,
                              "works within one major version, but not for kernels that are "
                              "compiled when they are loaded"));
    } else {
      verdicts.push_back(fine(what));
    }
  };
  if (!libraries.cuda_runtime.name.empty()) {
    compare(libraries.cuda_runtime.name, libraries.cuda_runtime.version);
  }
  if (libraries.nccl_cuda) compare(libraries.nccl.name, *libraries.nccl_cuda);
  if (verdicts.empty()) {
    verdicts.push_back(note(
        fmt::format("the driver serves CUDA {}, and no CUDA runtime is found: {}",
                    cuda_text(driver), libraries.cuda_runtime.why),
        "name its file in RINGMASTER_CUDA_RUNTIME where Ringmaster's own collectives use GPUs"));
  }
  return verdicts;
}

Verdicts judge_nccl(const Facts& facts) {
  using collectives::NcclLibrary;
  const LibraryFacts& nccl = facts.libraries.nccl;
  if (nvidia_gpus(facts).empty()) return {fine(kNoGpu)};
  if (nccl.name.empty()) {
    return {note(fmt::format("no NCCL: {}", nccl.why),
                 "install it, or name its file (a Python package has one) in "
                 "RINGMASTER_NCCL_LIBRARY; else collectives on GPUs go through the host")};
  }
  const std::string what =
      fmt::format("{} is NCCL {}", nccl.name, NcclLibrary::version_text(nccl.version));
  if (nccl.version < NcclLibrary::kOldestVersion) {
    return {warning(what, fmt::format("Ringmaster needs {} or newer",
                                      NcclLibrary::version_text(NcclLibrary::kOldestVersion)))};
  }
  return {fine(what)};
}

Verdicts judge_fabric_manager(const Facts& facts) {
  constexpr int kNone = 0, kCompleted = 3;
  return judge_modes(
      facts, "no GPU waits for its NVSwitches",
      [&](const topology::GpuChecks& gpu, bool& told) -> std::optional<Verdict> {
        if (!gpu.fabric_state) return std::nullopt;
        told = true;
        const bool failed = *gpu.fabric_state == kCompleted && gpu.fabric_result.value_or(0) != 0;
        if (*gpu.fabric_state == kNone || (*gpu.fabric_state == kCompleted && !failed)) {
          return std::nullopt;
        }
        return problem(fmt::format("{}: {}", gpu_name(facts, gpu.bus_id),
                                   failed ? "could not join its NVSwitches"
                                          : "has not joined its NVSwitches, CUDA will not start"),
                       "start nvidia-fabricmanager, of the driver's version, and read its log");
      });
}

Verdicts judge_compute_mode(const Facts& facts) {
  constexpr int kProhibited = 2, kOneProcess = 3;
  return judge_modes(
      facts, "all GPUs take any number of processes",
      [&](const topology::GpuChecks& gpu, bool& told) -> std::optional<Verdict> {
        if (!gpu.compute_mode) return std::nullopt;
        told = true;
        const std::string name = gpu_name(facts, gpu.bus_id);
        if (*gpu.compute_mode == kProhibited) {
          return problem(name + ": its mode lets no program compute", "nvidia-smi -c 0 -i N");
        }
        if (*gpu.compute_mode != kOneProcess) return std::nullopt;
        return note(name + ": its mode lets one process compute at a time",
                    "nvidia-smi -c 0 -i N where ranks share it, or a lost rank's place is taken "
                    "while it still ends");
      });
}

Verdicts judge_persistence(const Facts& facts) {
  if (Verdicts nothing = nothing_to_ask(facts); !nothing.empty()) return nothing;
  std::size_t off = 0, told = 0;
  for (const topology::GpuChecks& gpu : facts.driver.checks->gpus) {
    told += gpu.persistence ? 1 : 0;
    off += gpu.persistence && !*gpu.persistence ? 1 : 0;
  }
  if (told == 0) return {not_known("not told")};
  if (off == 0) return {fine("the driver stays loaded between programs")};
  return {note(fmt::format("{} of {} GPUs are started anew for each program", off, told),
               "nvidia-smi -pm 1, or start nvidia-persistenced: ranks start seconds sooner")};
}

}  // namespace ringmaster::launcher::doctor
