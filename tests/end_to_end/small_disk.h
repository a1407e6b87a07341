// SPDX-License-Identifier: Apache-2.0
//
// A small file system of a test's own, mounted where only this test and what it starts can see it.
#pragma once

#include <string>

namespace ringmaster::tests {

class SmallDisk {
 public:
  /// Makes the folder. Where mounting is not allowed, ok() is false.
  SmallDisk(std::string folder, const std::string& size);
  SmallDisk(const SmallDisk&) = delete;
  ~SmallDisk();
  bool ok() const { return ok_; }

  /// Until not a byte is left.
  void fill() const;
  void make_room() const;
  void set_read_only(bool read_only) const;

 private:
  std::string folder_;
  bool ok_ = false;
};

}  // namespace ringmaster::tests
