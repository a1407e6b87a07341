// SPDX-License-Identifier: Apache-2.0
//
// Says why a program could not be started, better than errno does: execve's ENOENT also means a
// missing interpreter, its EACCES also a directory, and both send people the wrong way.
//
// It looks at the files after the fact; when they changed meanwhile, errno's own text is left.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace ringmaster::launcher {

/// `failed` is the place in `candidates` that the errno is about. Relative files are seen from
/// `directory` ("" is ours). not_found only when there is no such program at all.
Error exec_error(const std::string& program, const std::vector<std::string>& candidates,
                 std::size_t failed, int error_number, const std::string& directory);

}  // namespace ringmaster::launcher
