// SPDX-License-Identifier: Apache-2.0
//
// Some files of /sys and /proc as a value: read from a machine or out of an archive, so that what
// is made of them can be tested without the machine.
//
// Pure. Paths are relative to the root ("sys/class/net/eth0"), without "." and "..".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringmaster::topology {

class FileTree {
 public:
  // A machine of 16 GPUs and 32 NICs has some thousand files of some bytes.
  static constexpr std::size_t kFilesMax = 100000;
  static constexpr std::size_t kFileBytesMax = 1 << 16;

  /// Adds a file with its contents (cut at kFileBytesMax), a symbolic link, or nothing above
  /// kFilesMax of them: then it gives false.
  bool add_file(std::string path, std::string_view text);
  bool add_link(std::string path, std::string target);

  /// The file's contents without blanks at the ends; nothing where it is not there.
  std::optional<std::string_view> text(std::string_view path) const;

  /// Names below a folder, in order. Links on the way are followed.
  std::vector<std::string> names(std::string_view folder) const;

  /// The path with all links followed; nothing where they go round or out of the tree.
  std::optional<std::string> resolve(std::string_view path) const;

  bool empty() const { return entries_.empty(); }

 private:
  struct Entry {
    bool link = false;
    std::string text;  // contents, or where the link goes
  };
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace ringmaster::topology
