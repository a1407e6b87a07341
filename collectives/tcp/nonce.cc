// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/nonce.h"

#include <sys/random.h>

#include "base/check.h"

namespace ringmaster::collectives {

Nonce make_nonce() {
  Nonce nonce{};
  // Up to 256 bytes it gives all or is interrupted, and it is only interrupted while the machine
  // boots.
  CHECK_EQ(getrandom(nonce.data(), nonce.size(), 0), static_cast<ssize_t>(nonce.size()));
  return nonce;
}

}  // namespace ringmaster::collectives
