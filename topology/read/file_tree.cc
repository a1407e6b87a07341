// SPDX-License-Identifier: Apache-2.0
#include "topology/read/file_tree.h"

#include <algorithm>

#include "topology/numbers.h"

namespace ringmaster::topology {

namespace {

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    if (!part.empty() && part != ".") parts.emplace_back(part);
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return parts;
}

}  // namespace

bool FileTree::add_file(std::string path, std::string_view text) {
  if (entries_.size() >= kFilesMax) return false;
  entries_[std::move(path)] = {false, std::string(text.substr(0, kFileBytesMax))};
  return true;
}

bool FileTree::add_link(std::string path, std::string target) {
  if (entries_.size() >= kFilesMax) return false;
  entries_[std::move(path)] = {true, std::move(target)};
  return true;
}

std::optional<std::string> FileTree::resolve(std::string_view path) const {
  constexpr int kStepsMax = 256;  // parts and links together: a path of /sys has a dozen
  std::vector<std::string> left = parts_of(path);
  std::reverse(left.begin(), left.end());
  std::string done;
  for (int steps = 0; !left.empty(); ++steps) {
    if (steps == kStepsMax) return std::nullopt;
    const std::string part = std::move(left.back());
    left.pop_back();
    if (part == "..") {
      if (done.empty()) return std::nullopt;
      const std::size_t slash = done.rfind('/');
      done.erase(slash == std::string::npos ? 0 : slash);
      continue;
    }
    const std::string next = done.empty() ? part : done + "/" + part;
    const auto at = entries_.find(next);
    if (at == entries_.end() || !at->second.link) {
      done = next;
      continue;
    }
    if (at->second.text.starts_with('/')) done.clear();
    std::vector<std::string> target = parts_of(at->second.text);
    left.insert(left.end(), target.rbegin(), target.rend());
    if (left.size() > kStepsMax) return std::nullopt;
  }
  return done;
}

std::optional<std::string_view> FileTree::text(std::string_view path) const {
  const auto whole = resolve(path);
  if (!whole) return std::nullopt;
  const auto at = entries_.find(*whole);
  if (at == entries_.end() || at->second.link) return std::nullopt;
  return trim(at->second.text);
}

std::vector<std::string> FileTree::names(std::string_view folder) const {
  const auto whole = resolve(folder);
  if (!whole) return {};
  const std::string start = *whole + "/";
  std::vector<std::string> names;
  for (auto at = entries_.lower_bound(start); at != entries_.end() && at->first.starts_with(start);
       ++at) {
    const std::string_view rest = std::string_view(at->first).substr(start.size());
    std::string name(rest.substr(0, rest.find('/')));
    if (!name.empty() && (names.empty() || names.back() != name)) names.push_back(std::move(name));
  }
  // "a-1" stands between "a" and "a/b" in the map's order.
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace ringmaster::topology
