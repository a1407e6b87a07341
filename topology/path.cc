// SPDX-License-Identifier: Apache-2.0
#include "topology/path.h"

#include <array>
#include <utility>

#include "base/check.h"
#include "topology/numbers.h"

namespace ringmaster::topology {

namespace {

constexpr int kLinksMax = 999;  // far above any board, and small enough to add up

constexpr std::array<std::pair<PathClass, std::string_view>, 6> kPathNames = {{
    {PathClass::self, "X"},
    {PathClass::pix, "PIX"},
    {PathClass::pxb, "PXB"},
    {PathClass::phb, "PHB"},
    {PathClass::node, "NODE"},
    {PathClass::sys, "SYS"},
}};

}  // namespace

std::string path_text(const Path& path) {
  if (path.kind == PathClass::nvlink) return "NV" + std::to_string(path.links);
  for (const auto& [kind, name] : kPathNames) {
    if (kind == path.kind) return std::string(name);
  }
  check_failed(__FILE__, __LINE__, "a path class without a name");
}

MaybePath parse_path(std::string_view text) {
  for (const auto& [kind, name] : kPathNames) {
    if (text == name) return Path{kind, 0};
  }
  if (!text.starts_with("NV")) return std::nullopt;
  const auto links = parse_number(text.substr(2), 1, kLinksMax);
  if (!links) return std::nullopt;
  return Path{PathClass::nvlink, static_cast<int>(*links)};
}

bool is_nearer(const Path& a, const Path& b) {
  if (a.kind != b.kind) return a.kind < b.kind;
  return a.links > b.links;
}

}  // namespace ringmaster::topology
