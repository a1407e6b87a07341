// SPDX-License-Identifier: Apache-2.0
#include "topology/pci.h"

#include <fmt/format.h>

#include "topology/numbers.h"

namespace ringmaster::topology {

namespace {

// Base classes and subclasses of the PCI Code and ID Assignment Specification.
constexpr std::uint32_t kNetwork = 0x02, kDisplay = 0x03, kAccelerator = 0x12, kVga = 0x0300;
constexpr std::uint32_t kInfiniBandSubclass = 0x0c06, kPciBridge = 0x0604, kNvswitch = 0x068000;

std::optional<std::uint64_t> hex_part(std::string_view text, std::size_t digits_max,
                                      std::uint64_t most) {
  if (text.empty() || text.size() > digits_max || text.starts_with("0x")) return std::nullopt;
  const auto value = parse_hex(text);
  return value && *value <= most ? value : std::nullopt;
}

}  // namespace

bool is_before(std::string_view a, std::string_view b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

std::optional<std::string> parse_bus_id(std::string_view text) {
  text = trim(text);
  const std::size_t dot = text.rfind('.');
  const std::size_t colon = text.rfind(':', dot);
  if (dot == std::string_view::npos || colon == std::string_view::npos) return std::nullopt;
  std::string_view bus_text = text.substr(0, colon), domain_text = "0";
  const std::size_t domain_end = bus_text.rfind(':');
  if (domain_end != std::string_view::npos) {
    domain_text = bus_text.substr(0, domain_end);
    bus_text = bus_text.substr(domain_end + 1);
  }
  const auto domain = hex_part(domain_text, 8, 0xffffffffU);
  const auto bus = hex_part(bus_text, 2, 0xff);
  const auto slot = hex_part(text.substr(colon + 1, dot - colon - 1), 2, 0xff);
  const auto function = hex_part(text.substr(dot + 1), 1, 7);
  if (!domain || !bus || !slot || !function) return std::nullopt;
  return fmt::format("{:04x}:{:02x}:{:02x}.{}", *domain, *bus, *slot, *function);
}

bool is_gpu(const PciDevice& device) {
  if (!device.class_code) return false;
  const std::uint32_t base = *device.class_code >> 16;
  // Files for virtual machines leave the vendor out. Consoles are VGA, what computes is not.
  if (!device.vendor) return base == kDisplay && *device.class_code >> 8 != kVga;
  const bool maker = device.vendor == kNvidia || device.vendor == kAmd;
  return maker && (base == kDisplay || (base == kAccelerator && device.vendor == kAmd));
}

bool is_nic(const PciDevice& device) {
  if (!device.class_code) return false;
  return *device.class_code >> 16 == kNetwork || *device.class_code >> 8 == kInfiniBandSubclass;
}

bool is_accelerator(const PciDevice& device) {
  constexpr std::uint32_t kCoprocessor = 0x0b40;
  return device.class_code &&
         (*device.class_code >> 8 == kCoprocessor || *device.class_code >> 16 == kAccelerator);
}

bool is_bridge(const PciDevice& device) {
  return device.class_code && *device.class_code >> 8 == kPciBridge;
}

bool is_nvswitch(std::uint32_t class_code) {
  return class_code == kNvswitch;
}

}  // namespace ringmaster::topology
