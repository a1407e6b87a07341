// SPDX-License-Identifier: Apache-2.0
//
// A run's summary for a terminal: what it reached, who was lost when and why, how fast the ring
// healed, and two small curves.
//
// Pure: text out. Not here: whether the terminal wants colours (there are none).
#pragma once

#include <string>

#include "launcher/report/summary.h"

namespace ringmaster::launcher {

std::string terminal_summary(const Summary& summary);

/// The line's values over time in `columns` characters, each one of eight heights between `low` and
/// `high`; a column without a point repeats the one before.
std::string sparkline(const std::vector<Point>& line, std::size_t columns, double low, double high);

}  // namespace ringmaster::launcher
