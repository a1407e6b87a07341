// SPDX-License-Identifier: Apache-2.0
//
// Ends what an earlier launch left behind when its guard and its launcher were both killed with
// SIGKILL. PDEATHSIG ended the ranks then; what the ranks had started lives on under init.
//
// Every process of a job carries the job's tag in its environment, and the tag names the two
// processes that must be alive for it, by pid and start time: no file, lock or registry has to
// survive, and a tag cannot outlive a reboot. Processes of another pid namespace are left alone,
// since the pids in their tags mean nothing here: from a host, a container's jobs would look dead.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace ringmaster::launcher {

/// The variable that every process of a job has.
inline constexpr std::string_view kJobTagName = "RINGMASTER_JOB";

/// "GUARD.START.LAUNCHER.START": the value of RINGMASTER_JOB.
std::string job_tag(pid_t guard, pid_t launcher);

/// True when both processes that the tag names are gone. False for text that is no tag.
bool is_abandoned(std::string_view tag);

/// Kills this user's processes whose tag is abandoned; returns how many.
int sweep();

}  // namespace ringmaster::launcher
