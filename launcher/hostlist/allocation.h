// SPDX-License-Identifier: Apache-2.0
//
// The hosts that a queueing system gave to this job, as the environment tells: Slurm, PBS, LSF and
// Grid Engine. Who starts inside such a job need not name hosts.
//
// Two halves, so that nothing here looks at the world: `find_allocation` says which text is the
// list and where it is, and `read_allocation` reads that text. In between the caller fetches a
// file, where the variable names one (read_allocation_here does both).
//
// A job's own number must be there beside the list. A list without one is left over from another
// job, and starting ranks on its hosts would disturb whoever has them now.
//
// Pure, except read_allocation_here.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/hostlist/formats.h"

namespace ringmaster::launcher::hostlist {

using Environment = std::map<std::string, std::string, std::less<>>;

/// Where an allocation's list stands.
struct AllocationSource {
  std::string manager = {};  // "Slurm"
  std::string job = {};      // its number there
  std::string format = {};   // the list's
  std::string variable = {};
  std::string path = {};   // the file that the variable names; "": the variable's value is the list
  Question question = {};  // without the list's text where it is in a file
};

struct Allocation {
  AllocationSource source = {};
  HostList list = {};

  /// "Slurm job 17: 3 hosts, 20 slots, from SLURM_JOB_NODELIST and SLURM_TASKS_PER_NODE".
  std::string line() const;
};

/// The allocation that the environment tells of, or nothing. Refuses one that cannot be used: a
/// task of a Slurm step (each task would start the whole job), two systems at once.
ListResult<std::optional<AllocationSource>> find_allocation(const Environment& environment);

/// Reads the list, whose text is in the question by now.
ListResult<Allocation> read_allocation(AllocationSource source);

/// The names of all variables that the above looks at.
const std::vector<std::string>& allocation_variables();

/// This process's own environment, as far as the above looks at it.
Environment read_allocation_environment();

/// Finds, fetches and reads. An error that is none of the list's (a file that cannot be read) has
/// the file as its place.
ListResult<std::optional<Allocation>> read_allocation_here(const Environment& environment);

}  // namespace ringmaster::launcher::hostlist
