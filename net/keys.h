// SPDX-License-Identifier: Apache-2.0
//
// The key pairs of the control plane: CURVE keys as ZeroMQ takes them, 40 characters of Z85 each,
// in files that only their owner can read.
//
// Thread rules: plain values and blocking file calls.
#pragma once

#include <string>

#include "base/result.h"

namespace ringmaster::net {

struct KeyPair {
  std::string public_key;  // may be shown
  std::string secret_key;
};

/// A new pair from the system's random source.
KeyPair make_key_pair();

/// Writes both lines to a new file of mode 0600; a file that is there is an error.
Result<void> write_key_pair(const std::string& path, const KeyPair& keys);

/// A missing file is not_found; one that others may read is denied; another content is corrupt.
Result<KeyPair> read_key_pair(const std::string& path);

/// True for 40 characters of Z85.
bool is_key(const std::string& text);

}  // namespace ringmaster::net
