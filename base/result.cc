// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <cerrno>
#include <cstring>

namespace ringmaster {

const char* errc_name(Errc code) {
  switch (code) {
    case Errc::invalid: return "invalid";
    case Errc::not_found: return "not_found";
    case Errc::denied: return "denied";
    case Errc::io: return "io";
    case Errc::corrupt: return "corrupt";
    case Errc::exhausted: return "exhausted";
    case Errc::timed_out: return "timed_out";
    case Errc::generation_changed: return "generation_changed";
    case Errc::mismatch: return "mismatch";
    case Errc::closed: return "closed";
    case Errc::exists: return "exists";
    case Errc::fenced: return "fenced";
  }
  CHECK(false);
}

static Errc code_of_errno(int error_number) {
  if (error_number == ENOENT) return Errc::not_found;
  if (error_number == EACCES || error_number == EPERM) return Errc::denied;
  if (error_number == ENOSPC || error_number == ENOMEM || error_number == EMFILE ||
      error_number == ENFILE || error_number == EAGAIN) {
    return Errc::exhausted;
  }
  if (error_number == EPIPE || error_number == ECONNRESET) return Errc::closed;
  return Errc::io;
}

Error errno_error(int error_number, std::string message) {
  return {code_of_errno(error_number), std::move(message) + ": " + std::strerror(error_number)};
}

}  // namespace ringmaster
