// SPDX-License-Identifier: Apache-2.0
//
// A moment as people read it: "2026-01-31 12:00:00", in the local time zone.
#pragma once

#include <string>

namespace ringmaster::launcher {

/// `wall`: seconds since 1970.
std::string clock_text(double wall);

/// Now, with milliseconds: "2026-01-31 12:00:00.123".
std::string clock_text_ms();

}  // namespace ringmaster::launcher
