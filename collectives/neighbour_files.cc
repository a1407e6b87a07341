// SPDX-License-Identifier: Apache-2.0
#include "collectives/neighbour_files.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace ringmaster::collectives {

std::vector<std::string> neighbour_files(const std::string& library) {
  std::vector<std::string> files;
  Dl_info here = {};
  if (::dladdr(reinterpret_cast<const void*>(&neighbour_files), &here) != 0) {
    const std::string file = here.dli_fname;
    const std::size_t slash = file.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : file.substr(0, slash);
    for (const char* below : {"", "../lib/", "../" RINGMASTER_LIBRARY_FOLDER "/"}) {
      files.push_back(fmt::format("{}/{}{}", folder, below, library));
    }
  }
  files.push_back(library);
  return files;
}

}  // namespace ringmaster::collectives
