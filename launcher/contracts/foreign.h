// SPDX-License-Identifier: Apache-2.0
//
// Which inherited variables tell of a launch that is not ours: ringrun was itself started by
// mpirun, torchrun, srun or another ringrun, and its ranks must not take that launch's numbers for
// their own.
//
// Names that a launcher sets for its processes go; what users set to steer a library stays
// (OMPI_MCA_btl, PMIX_MCA_*, HOROVOD_FUSION_THRESHOLD, SLURM_JOB_ID and the other facts of an
// allocation). That is why this is a list of names and not of prefixes wherever a prefix is shared.
//
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringmaster::launcher {

/// True for a variable that another launch set, or that every launch sets anew.
bool is_foreign(std::string_view name);

/// The name of "NAME=VALUE".
std::string_view variable_name(std::string_view variable);

/// `base`, then `rank`, then `user`: of equal names the last is taken, except that a variable with
/// Precedence::inherited that `base` has stays as it is. Entries are "NAME=VALUE", each name once
/// in the result (programs differ in which of two they take); values pass byte for byte.
std::vector<std::string> merge_environments(const std::vector<std::string>& base,
                                            const std::vector<std::string>& rank,
                                            const std::vector<std::string>& user);

}  // namespace ringmaster::launcher
