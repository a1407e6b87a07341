// SPDX-License-Identifier: Apache-2.0
#include "collectives/mpi_settings.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace ringmaster::collectives {

namespace {

int read_place_number(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  if (text == nullptr) return otherwise;
  const std::string_view view = text;
  int number = 0;
  const auto [end, code] = std::from_chars(view.data(), view.data() + view.size(), number);
  const bool whole = code == std::errc{} && end == view.data() + view.size();
  return whole ? number : otherwise;
}

}  // namespace

MpiPlace read_mpi_place() {
  const MpiPlace place{read_place_number("OMPI_COMM_WORLD_SIZE", 1),
                       read_place_number("OMPI_COMM_WORLD_RANK", -1)};
  const bool can_be = place.ranks > 1 && place.rank >= 0 && place.rank < place.ranks;
  return can_be ? place : MpiPlace{};
}

}  // namespace ringmaster::collectives
