// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/xid.h"

#include <algorithm>
#include <array>

#include "topology/numbers.h"
#include "topology/pci.h"

namespace ringmaster::launcher::doctor {

namespace {

constexpr std::size_t kDetailMax = 120;
constexpr int kXidMax = 9999, kFallenOffTheBus = 79, kRecoveryAction = 154;

std::string printable(std::string_view text) {
  std::string result(text.substr(0, kDetailMax));
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c < ' ' || c > '~'; }, ' ');
  return std::string(topology::trim(result));
}

/// The bus id of "PCI:0000:3b:00", of older drivers' "0000:3b:00", or of one with its function.
std::optional<std::string> bus_id_of(std::string_view text) {
  if (text.starts_with("PCI:")) text.remove_prefix(4);
  const auto whole = topology::parse_bus_id(text);
  return whole ? whole : topology::parse_bus_id(std::string(text) + ".0");
}

/// "NVRM: The NVIDIA GPU 0000:b3:00.0 ... fallen off the bus": at the module's start.
std::optional<XidEvent> parse_missing_gpu(std::string_view record) {
  constexpr std::string_view kBegin = "NVRM: The NVIDIA GPU ", kSaid = "fallen off the bus";
  const std::size_t begin = record.find(kBegin);
  if (begin == std::string_view::npos || record.find(kSaid, begin) == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view rest = record.substr(begin + kBegin.size());
  // A line break within a record is written as four characters, "\x0a".
  const auto bus_id = bus_id_of(rest.substr(0, rest.find_first_of(" \\\n")));
  if (!bus_id) return std::nullopt;
  return XidEvent{kFallenOffTheBus, *bus_id, "GPU has fallen off the bus"};
}

constexpr std::string_view kRestartProgram =
    "the program, its data or its library is at fault more often than the GPU: look at its output";
constexpr std::string_view kReset =
    "reset the GPU (nvidia-smi -r -i N) or reboot; if it comes "
    "back, take the GPU out of use";
constexpr std::string_view kReboot =
    "reboot the host; if it comes back, have the GPU and its slot, power and cooling looked at";

struct NumberedMeaning {
  int number;
  XidMeaning meaning;
};

constexpr std::array kXidMeanings = {
    NumberedMeaning{13, {Level::note, "a kernel's exception on the GPU", kRestartProgram}},
    NumberedMeaning{31, {Level::note, "an access to memory that is not mapped", kRestartProgram}},
    NumberedMeaning{32, {Level::note, "a damaged stream of commands", kRestartProgram}},
    NumberedMeaning{43, {Level::note, "a program's work was stopped", kRestartProgram}},
    NumberedMeaning{45,
                    {Level::note, "work was cleared away after a program ended or was killed",
                     "look for another Xid just before it; alone it is harmless"}},
    NumberedMeaning{48, {Level::warning, "memory lost data (uncorrected ECC error)", kReset}},
    NumberedMeaning{61, {Level::warning, "the GPU's controller stopped or warned", kReset}},
    NumberedMeaning{62, {Level::problem, "the GPU's controller halted", kReset}},
    NumberedMeaning{63,
                    {Level::warning, "a bad row or page of memory waits to be replaced",
                     "reset the GPU (nvidia-smi -r -i N) when nothing runs there"}},
    NumberedMeaning{64,
                    {Level::problem, "a bad row or page of memory could not be replaced",
                     "take the GPU out of use and have it replaced"}},
    NumberedMeaning{69, {Level::note, "a command that the GPU does not know", kRestartProgram}},
    NumberedMeaning{74,
                    {Level::warning, "errors on an NVLink",
                     "look at the nvlink check; reset the GPUs, and have the link looked at "
                     "if it comes back"}},
    NumberedMeaning{79, {Level::problem, "the GPU has fallen off the bus", kReboot}},
    NumberedMeaning{
        92, {Level::warning, "many corrected ECC errors", "plan to have the GPU looked at"}},
    NumberedMeaning{94,
                    {Level::warning, "memory lost data of one program, which was ended",
                     "start the program again; reset the GPU when nothing runs there"}},
    NumberedMeaning{95, {Level::problem, "memory lost data, of any program there", kReset}},
    NumberedMeaning{109,
                    {Level::warning, "the GPU did not change between programs in time", kReset}},
    NumberedMeaning{110, {Level::warning, "a security fault", kReset}},
    NumberedMeaning{119, {Level::warning, "the GPU's own processor (GSP) did not answer", kReset}},
    NumberedMeaning{120, {Level::warning, "the GPU's own processor (GSP) failed", kReset}},
    NumberedMeaning{121, {Level::warning, "errors on the link to the processor (C2C)", kReset}},
    NumberedMeaning{140, {Level::problem, "an ECC error that was not recovered from", kReset}},
};

}  // namespace

std::optional<XidEvent> parse_xid(std::string_view record) {
  constexpr std::string_view kXidBegin = "NVRM: Xid (";
  const std::size_t begin = record.find(kXidBegin);
  if (begin == std::string_view::npos) return parse_missing_gpu(record);
  std::string_view rest = record.substr(begin + kXidBegin.size());
  rest = rest.substr(0, rest.find('\n'));  // what follows is the device and the subsystem
  const std::size_t close = rest.find("): ");
  if (close == std::string_view::npos) return std::nullopt;
  const auto bus_id = bus_id_of(rest.substr(0, close));
  rest.remove_prefix(close + 3);
  const std::size_t end = std::min(rest.find_first_not_of("0123456789"), rest.size());
  const auto number = topology::parse_number(rest.substr(0, end), 0, kXidMax);
  const bool ends_well = end == rest.size() || rest[end] == ',' || rest[end] == ' ';
  if (!bus_id || !number || !ends_well) return std::nullopt;
  rest.remove_prefix(end);
  if (!rest.empty()) rest.remove_prefix(1);
  return XidEvent{static_cast<int>(*number), *bus_id, printable(rest)};
}

XidMeaning xid_meaning(const XidEvent& event) {
  if (event.number == kRecoveryAction) {
    // "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)"
    if (event.detail.find("to 0x0 ") != std::string::npos) {
      return {Level::note, "the GPU needs no recovery any more", "nothing"};
    }
    return {Level::problem, "the driver asks for a recovery of the GPU",
            "do what it names: reset the GPU (nvidia-smi -r -i N) or reboot the host"};
  }
  for (const NumberedMeaning& known : kXidMeanings) {
    if (known.number == event.number) return known.meaning;
  }
  return {Level::note, "an error of the GPU or its driver",
          "look its number up in NVIDIA's catalogue of Xid errors"};
}

}  // namespace ringmaster::launcher::doctor
