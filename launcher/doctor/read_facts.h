// SPDX-License-Identifier: Apache-2.0
//
// Looks at this host: /proc, /sys, limits, NVIDIA's driver and libraries, the kernel's log, the
// resolver. Nothing is changed, and what cannot be read stays empty.
//
// What may hang or crash (a driver whose GPU is gone, a library, a resolver) is asked in child
// processes that are given up after some seconds. Thread rules: as topology/detect/child_answer.h.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "launcher/doctor/facts.h"

namespace ringmaster::launcher::doctor {

/// Where the kernel gives its log, a record at a time.
inline constexpr const char* kKernelLog = "/dev/kmsg";

/// All of it, but for the kernel's log. `root` ("" is the host's) is where /proc, /sys and /dev/shm
/// are found; limits, the driver and the resolver are always this process's.
Facts read_facts(const std::string& root);

/// Xid errors of the kernel's log, or of a file with lines of it (dmesg, journalctl -k; "-" is
/// standard input), the last 1,000. Waits for the ends of pipes only. Errc::denied or
/// Errc::not_found where it may not be read.
Result<std::vector<XidEvent>> read_kernel_log(const std::string& path);

// Parts of read_facts, in files of their own.
void read_driver_facts(const std::string& root, Facts& facts);  // machine, driver
void read_library_facts(Facts& facts);                          // libraries
void read_limit_facts(const std::string& root, Facts& facts);   // limits, folders, groups
void read_kernel_facts(const std::string& root, Facts& facts);  // memory and settings
void read_name_facts(Facts& facts);                             // name

/// The text of a small file; nothing where it cannot be read.
std::optional<std::string> read_small_file(const std::string& path);

}  // namespace ringmaster::launcher::doctor
