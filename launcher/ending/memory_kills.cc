// SPDX-License-Identifier: Apache-2.0
#include "launcher/ending/memory_kills.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <utility>

#include "base/control_group.h"

namespace ringmaster::launcher {

namespace {

/// Version 1 writes "no limit" as the largest multiple of a page that fits.
constexpr std::int64_t kNoMemoryLimit = std::int64_t{1} << 62;

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

std::optional<std::int64_t> read_count(const std::string& text, const std::string& key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    std::int64_t value = 0;
    if (!key.empty() && (!(words >> name) || name != key)) continue;
    if (words >> value) return value;
  }
  return std::nullopt;
}

std::string bytes_text(std::int64_t bytes) {
  constexpr std::int64_t kMiB = 1 << 20;
  if (bytes >= 1024 * kMiB) {
    return fmt::format("{:.4g} GiB", static_cast<double>(bytes) / (1024.0 * kMiB));
  }
  if (bytes >= kMiB) return fmt::format("{:.4g} MiB", static_cast<double>(bytes) / kMiB);
  return fmt::format("{} bytes", bytes);
}

MemoryKills::MemoryKills(std::string root) : root_(std::move(root)), counter_(find()) {
  if (counter_) explained_ = read(*counter_).value_or(0);
}

std::optional<MemoryKills::Counter> MemoryKills::find() const {
  const std::string groups = root_ + "/sys/fs/cgroup";
  const std::string v2 = own_control_group(root_, "");
  const Counter events = {
      groups + v2 + "/memory.events", "oom_kill", true, v2, groups, "memory.max"};
  if (!v2.empty() && read(events)) return events;
  // In a container the path of version 1 is the host's and not there to see; its own is at the top.
  const std::string v1 = own_control_group(root_, "memory");
  for (const std::string& group : {v1, std::string("/")}) {
    const std::string folder = groups + "/memory" + group;
    Counter kills = {folder + "/memory.oom_control", "oom_kill", true, group, groups + "/memory",
                     "memory.limit_in_bytes"};
    if (!group.empty() && read(kills)) return kills;
    kills.file = folder + "/memory.failcnt";
    kills.key.clear();
    kills.certain = false;
    if (!group.empty() && read(kills)) return kills;
  }
  const Counter host = {root_ + "/proc/vmstat", "oom_kill", false, "", "", ""};
  if (read(host)) return host;
  return std::nullopt;
}

std::optional<std::int64_t> MemoryKills::read(const Counter& counter) const {
  return read_count(text_of_file(counter.file), counter.key);
}

/// The tightest limit of the group and those above it.
std::string MemoryKills::limit_text() const {
  std::int64_t least = kNoMemoryLimit;
  std::string where;
  for (std::string group = counter_->group; !group.empty(); group = group_above(group)) {
    const auto limit =
        read_count(text_of_file(counter_->limits + group + "/" + counter_->limit), "");
    if (!limit || *limit >= least) continue;
    least = *limit;
    where = group;
  }
  if (where.empty()) return "this host had none left";
  return fmt::format("control group {} may have {}", where, bytes_text(least));
}

std::string MemoryKills::explain(bool killed) {
  if (!counter_) return "";
  const auto now = read(*counter_);
  if (!now || *now <= explained_) return "";
  // Each kill explains one death; what an uncertain counter counts comes in heaps, or is others'.
  explained_ = killed && counter_->certain ? explained_ + 1 : *now;
  if (killed) {
    return fmt::format("{}out of memory: {}", counter_->certain ? "" : "probably ", limit_text());
  }
  if (!counter_->certain) return "";
  return fmt::format("meanwhile the kernel killed a process for lack of memory: {}", limit_text());
}

}  // namespace ringmaster::launcher
