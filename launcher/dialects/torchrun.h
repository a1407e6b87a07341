// SPDX-License-Identifier: Apache-2.0
//
// torchrun's command line, of one host, in ringrun's words. Options come on the line or, as
// PET_<OPTION>, in the environment; the line wins. Names are spelt with - or _.
//
// Facts: torch/distributed/run.py and torch/distributed/elastic of PyTorch 1.13 to 2.5.
//
// Pure.
#pragma once

#include "launcher/dialects/rules.h"
#include "launcher/dialects/surroundings.h"

namespace ringmaster::launcher {

/// `arguments` without the launcher's name. Fails for what is unknown, misspelt or not here; errors
/// name the option as the user knows it.
Result<Translation> translate_torchrun(const std::vector<std::string>& arguments,
                                       const Surroundings& around);

}  // namespace ringmaster::launcher
