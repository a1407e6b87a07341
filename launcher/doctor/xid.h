// SPDX-License-Identifier: Apache-2.0
//
// Errors that NVIDIA's kernel module writes into the kernel's log, each with a number (Xid) whose
// meaning is the same in all versions:
//     NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
//
// The meanings are in our own words, after NVIDIA's catalogue of them. Numbers that a faulty
// program causes are told from those of faulty hardware: the first are no reason to touch a host.
//
// Pure. The log is read by read_facts.h; what is in it is anybody's text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "launcher/doctor/finding.h"

namespace ringmaster::launcher::doctor {

struct XidEvent {
  int number = 0;
  std::string bus_id;  // as topology::parse_bus_id gives it
  std::string detail;  // the rest of the line: printable, at most 120 characters

  bool operator==(const XidEvent&) const = default;
};

/// The error in a record of the log; nothing for any other record. A GPU that the driver finds
/// missing at its start has no number in the log: it is told as 79, which says the same.
std::optional<XidEvent> parse_xid(std::string_view record);

struct XidMeaning {
  Level level = Level::note;
  std::string_view what;
  std::string_view advice;
};

/// Of any number: those without an entry of their own are a note.
XidMeaning xid_meaning(const XidEvent& event);

}  // namespace ringmaster::launcher::doctor
