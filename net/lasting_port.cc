// SPDX-License-Identifier: Apache-2.0
#include "net/lasting_port.h"

#include <cstdlib>
#include <fstream>
#include <random>
#include <string>

namespace ringmaster::net {

namespace {

constexpr int kFirst = 10'000;  // below them many have names
constexpr int kRoom = 1'000;
constexpr int kTries = 16;

}  // namespace

std::vector<int> lasting_ports(std::string_view range, Random random) {
  const int end = std::atoi(std::string(range).c_str());
  std::vector<int> ports;
  if (end < kFirst + kRoom || end > 65'536) return ports;
  for (int turn = 0; turn < kTries; ++turn) {
    ports.push_back(kFirst +
                    static_cast<int>(random.below(static_cast<std::uint64_t>(end - kFirst))));
  }
  return ports;
}

std::vector<int> lasting_ports_here() {
  std::string range;
  std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
  std::getline(file, range);
  std::random_device device;
  return lasting_ports(range, Random((std::uint64_t{device()} << 32) | device()));
}

}  // namespace ringmaster::net
