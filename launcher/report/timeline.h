// SPDX-License-Identifier: Apache-2.0
//
// The picture of a run: loss, throughput and world size over one time axis, with a labelled line
// at every loss and every join.
//
// Three panels and not one chart with three axes: a reader compares them downwards, along the
// marks, and never has to ask which line belongs to which scale.
//
// Pure.
#pragma once

#include <string>

#include "launcher/report/summary.h"

namespace ringmaster::launcher {

/// An <svg> element whose colours are the classes of style_sheet() (chart.h).
std::string draw_timeline(const Summary& summary);

}  // namespace ringmaster::launcher
