// SPDX-License-Identifier: Apache-2.0
//
// How two devices of a machine reach each other: the classes that `nvidia-smi topo -m` prints,
// which is what people know them by, ordered from near to far.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ringmaster::topology {

/// `pix`: over at most one PCIe switch. `pxb`: over several. `phb`: over a PCIe host bridge.
/// `node`: between host bridges of one NUMA node. `sys`: between NUMA nodes.
enum class PathClass { self, nvlink, pix, pxb, phb, node, sys };

/// One cell of the matrix. `links` is how many NVLinks (or XGMI links) are bonded; 0 for all other
/// classes.
struct Path {
  PathClass kind = PathClass::sys;
  int links = 0;

  bool operator==(const Path&) const = default;
};

/// A path that a source may not tell. Unknown is never taken for the farthest.
using MaybePath = std::optional<Path>;

/// "X", "NV12", "PIX", ...
std::string path_text(const Path& path);

/// The path that such a text names; nothing for any other text. NV counts are 1 to 999.
MaybePath parse_path(std::string_view text);

/// Whether `a` is nearer than `b`: by class, and NVLinks by their number.
bool is_nearer(const Path& a, const Path& b);

}  // namespace ringmaster::topology
