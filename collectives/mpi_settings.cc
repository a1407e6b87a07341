// SPDX-License-Identifier: Apache-2.0
#include "collectives/mpi_settings.h"

#include <cstdlib>
#include <string_view>

#include "base/whole_number.h"

namespace ringmaster::collectives {

namespace {

int read_place_number(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  if (text == nullptr) return otherwise;
  int number = 0;
  return read_whole(text, &number) ? number : otherwise;
}

}  // namespace

MpiPlace read_mpi_place() {
  const MpiPlace place{read_place_number("OMPI_COMM_WORLD_SIZE", 1),
                       read_place_number("OMPI_COMM_WORLD_RANK", -1)};
  const bool can_be = place.ranks > 1 && place.rank >= 0 && place.rank < place.ranks;
  return can_be ? place : MpiPlace{};
}

}  // namespace ringmaster::collectives
