// SPDX-License-Identifier: Apache-2.0
#include "collectives/mpi_plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>
#include <utility>

namespace ringmaster::collectives {

namespace {

/// Beside the file that holds this code, or where libraries lie next to programs.
std::vector<std::string> plugin_files() {
  std::vector<std::string> files;
  Dl_info here = {};
  if (::dladdr(reinterpret_cast<const void*>(&plugin_files), &here) != 0) {
    const std::string file = here.dli_fname;
    const std::size_t slash = file.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : file.substr(0, slash);
    for (const char* below : {"", "../lib/", "../" RINGMASTER_LIBRARY_FOLDER "/"}) {
      files.push_back(fmt::format("{}/{}{}", folder, below, kMpiPluginFile));
    }
  }
  files.push_back(kMpiPluginFile);
  return files;
}

Result<void*> load_plugin() {
  std::string why;
  for (const std::string& file : plugin_files()) {
    // Global: Open MPI loads libraries of its own, which look for its symbols.
    void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (handle != nullptr) return handle;
    const char* said = ::dlerror();
    why = said != nullptr ? said : file + ": it cannot be loaded";
  }
  return Error{Errc::not_found,
               fmt::format("no MPI engine: {}; build with libopenmpi-dev installed "
                           "(-DRINGMASTER_MPI=ON), or start the program with ringrun",
                           why)};
}

}  // namespace

Result<MpiProcess> MpiProcess::start() {
  auto handle = load_plugin();
  if (!handle) return handle.error();
  const auto* plugin = static_cast<const MpiPlugin*>(::dlsym(*handle, kMpiPluginSymbol));
  if (plugin == nullptr || plugin->layout != MpiPlugin::kLayout) {
    return Error{Errc::invalid, fmt::format("{} is of another version: install both from one build",
                                            kMpiPluginFile)};
  }
  auto started = plugin->start();
  if (!started) return started.error();
  return MpiProcess(plugin);
}

MpiProcess::MpiProcess(MpiProcess&& other) noexcept
    : plugin_(std::exchange(other.plugin_, nullptr)) {}

MpiProcess::~MpiProcess() {
  if (plugin_ != nullptr) plugin_->finish();
}

}  // namespace ringmaster::collectives
