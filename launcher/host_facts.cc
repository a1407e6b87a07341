// SPDX-License-Identifier: Apache-2.0
#include "launcher/host_facts.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "base/cpus.h"
#include "launcher/hostlist/text.h"
#include "launcher/hostlist/words.h"

namespace ringmaster::launcher {

namespace {

rlimit open_files() {
  rlimit limit{};
  CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  return limit;
}

}  // namespace

HostFacts read_host_facts() {
  std::array<char, 256> name{};
  const int seen = count_gpus("/proc/driver/nvidia/gpus");
  const auto visible = read_visible_devices();
  if (gethostname(name.data(), name.size() - 1) != 0) name[0] = '\0';
  return {.name = name[0] == '\0' ? "localhost" : name.data(),
          .cpus = read_cpu_budget(),
          .gpus = visible ? count_visible_gpus(seen, *visible) : seen,
          .open_files_max = open_files().rlim_max};
}

int count_gpus(const std::string& root) {
  std::error_code code;
  int found = 0;
  for (std::filesystem::directory_iterator entry(root, code), end; !code && entry != end;
       entry.increment(code)) {
    found += entry->is_directory(code) ? 1 : 0;
  }
  return found;
}

int count_visible_gpus(int seen, std::string_view visible) {
  int count = 0;
  for (const std::string_view entry : hostlist::fields(visible, ',')) {
    const std::string_view device = hostlist::trimmed(entry);
    const bool named = device.starts_with("GPU-") || device.starts_with("MIG-");
    if (!named && !hostlist::parse_number(device, "a GPU", 0, seen - 1)) break;
    ++count;
  }
  return seen == 0 ? 0 : count;
}

Result<void> raise_open_files(std::uint64_t wanted) {
  rlimit limit = open_files();
  if (limit.rlim_cur >= wanted) return {};
  limit.rlim_cur = wanted;
  if (setrlimit(RLIMIT_NOFILE, &limit) == 0) return {};
  return errno_error(errno, fmt::format("raise the limit of open files to {}", wanted));
}

std::uint64_t open_files_limit() {
  return open_files().rlim_cur;
}

}  // namespace ringmaster::launcher
