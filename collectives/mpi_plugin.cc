// SPDX-License-Identifier: Apache-2.0
#include "collectives/mpi_plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>
#include <utility>

#include "collectives/neighbour_files.h"

namespace ringmaster::collectives {

namespace {

Result<void*> load_plugin() {
  std::string why;
  for (const std::string& file : neighbour_files(kMpiPluginFile)) {
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
