// SPDX-License-Identifier: Apache-2.0
//
// Says which input a process died of: the target, the seed, and the bytes as hex, on standard
// error. An input that breaks something usually ends the process (a CHECK, a signal, a sanitizer),
// so the test that made it cannot say so any more.
//
// It hears of signals and, where a sanitizer is linked in, of its verdict. An input that hangs is
// heard of as well, by an alarm.
#pragma once

#include <cstdint>
#include <string_view>

namespace ringmaster::fuzz {

/// From now until the process ends.
void install_crash_report();

/// What is tried next. The views must stay valid until the next call.
void announce(std::string_view target, std::uint64_t seed, std::string_view input);

}  // namespace ringmaster::fuzz
