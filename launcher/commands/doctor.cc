// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster doctor`: what would spoil a run on this host, and what to do about it.
#include <unistd.h>

#include "launcher/commands/command.h"
#include "launcher/doctor/diagnose.h"
#include "launcher/doctor/findings_text.h"
#include "launcher/doctor/read_facts.h"
#include "launcher/settings.h"

namespace ringmaster::launcher {

namespace {

struct DoctorSettings {
  std::string kernel_log;  // "": the kernel's own
  bool all = false, json = false;
};

}  // namespace

int run_doctor(const Arguments& arguments) {
  DoctorSettings s;
  const Flags flags = {
      {"--all", &s.all, "", "show every check, also what is fine and what could not be looked at"},
      {"--kernel-log", &s.kernel_log, "FILE",
       "look for Xid errors in what dmesg wrote (- is standard input), not in /dev/kmsg"},
      {"--json", &s.json, "", "print one JSON object with every check"},
  };
  const Usage usage = {
      "ringmaster doctor [options]",
      "Looks for what would spoil a run on this host: GPUs, their driver, libraries and links,\n"
      "limits, memory, folders, clock and name. Each finding is one line with what to do. Nothing\n"
      "is changed. Ends with 1 when there is a problem; notes and warnings end with 0.",
      "dmesg | ringmaster doctor --all --kernel-log -"};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  const bool own_log = s.kernel_log.empty();
  auto xids = doctor::read_kernel_log(own_log ? doctor::kKernelLog : s.kernel_log);
  if (!xids && !own_log) {
    return fail(s.json, xids.error(),
                "--kernel-log names a file that dmesg or journalctl -k has written");
  }
  doctor::Facts facts = doctor::read_facts("");
  if (xids) facts.xids = std::move(*xids);
  const auto findings = doctor::diagnose(facts);
  const bool colours = ::isatty(STDOUT_FILENO) != 0 && wants_colours();
  const int code = print_line(s.json ? doctor::findings_json(findings)
                                     : doctor::findings_text(findings, s.all, colours));
  const bool problem = doctor::worst_of(findings) == doctor::Level::problem;
  return code != 0 || !problem ? code : kExitFailed;
}

}  // namespace ringmaster::launcher
