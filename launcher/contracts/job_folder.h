// SPDX-License-Identifier: Apache-2.0
//
// The folder of one job: error files of its ranks, files of its PMIx server, shared memory of MPI.
// It is gone when the job is, however that ends.
//
// Its name says which guard it belongs to (pid namespace, pid, start time), like the tag of the
// job's processes: so the launcher removes it, the guard does when the launcher was killed, and the
// next launch of this user does when both were. In /dev/shm where that is, as MPI's shared memory
// is as fast as the folder it lies in; below a folder of this user's, so that a look for abandoned
// ones does not read all of /tmp.
#pragma once

#include <string>

#include "base/result.h"

namespace ringmaster::launcher {

class JobFolder {
 public:
  /// Below the guard, or without one (then it is named after this process).
  static Result<JobFolder> create();
  JobFolder(JobFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  JobFolder& operator=(JobFolder&&) = delete;
  ~JobFolder();

  const std::string& path() const { return path_; }

 private:
  explicit JobFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// In the guard, or in the launcher that lost it: removes the folders of its job.
void remove_job_folders();

/// Removes this user's folders whose guard is gone.
void sweep_job_folders();

}  // namespace ringmaster::launcher
