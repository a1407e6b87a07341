// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/small_disk.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>

#include "base/file_descriptor.h"

namespace ringmaster::tests {

SmallDisk::SmallDisk(std::string folder, const std::string& size) : folder_(std::move(folder)) {
  std::filesystem::create_directories(folder_);
  ok_ = ::unshare(CLONE_NEWNS) == 0 &&
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
        ::mount("small", folder_.c_str(), "tmpfs", 0, ("mode=0700,size=" + size).c_str()) == 0;
}

SmallDisk::~SmallDisk() {
  if (ok_) ::umount2(folder_.c_str(), MNT_DETACH);
}

void SmallDisk::fill() const {
  const FileDescriptor file(
      ::open((folder_ + "/ballast").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  ASSERT_TRUE(file.valid());
  const std::string block(4096, 'x');
  while (::write(file.get(), block.data(), block.size()) > 0) {
  }
  ASSERT_EQ(errno, ENOSPC);
}

void SmallDisk::make_room() const {
  ASSERT_EQ(::unlink((folder_ + "/ballast").c_str()), 0);
}

void SmallDisk::set_read_only(bool read_only) const {
  const unsigned long flags = MS_REMOUNT | (read_only ? MS_RDONLY : 0);
  ASSERT_EQ(::mount("small", folder_.c_str(), "tmpfs", flags, nullptr), 0);
}

}  // namespace ringmaster::tests
