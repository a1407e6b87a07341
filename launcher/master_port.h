// SPDX-License-Identifier: Apache-2.0
//
// Holds the port that ranks find in MASTER_PORT. It is bound and never listened on: rank 0 can
// listen on it (both sides set SO_REUSEADDR), and the kernel gives it to nobody else meanwhile, so
// twenty jobs on one host never collide.
#pragma once

#include "base/file_descriptor.h"
#include "base/result.h"

namespace ringmaster::launcher {

class MasterPort {
 public:
  static Result<MasterPort> bind();
  int number() const { return number_; }

 private:
  MasterPort(FileDescriptor socket, int number) : socket_(std::move(socket)), number_(number) {}
  FileDescriptor socket_;
  int number_;
};

}  // namespace ringmaster::launcher
