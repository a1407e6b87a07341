// SPDX-License-Identifier: Apache-2.0
//
// Whether this code was built with sanitizers, which make it ten to twenty times slower: tests do
// fewer rounds there, for the same kinds of faults.
#pragma once

namespace ringmaster {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace ringmaster
