// SPDX-License-Identifier: Apache-2.0
#include "collectives/mpi/mpi_types.h"

#include <array>

#include "collectives/mpi/mpi_wait.h"
#include "collectives/reduce.h"

namespace ringmaster::collectives {

namespace {

constexpr std::array<Reduction, 4> kReductions = {RINGMASTER_SUM, RINGMASTER_MIN, RINGMASTER_MAX,
                                                  RINGMASTER_PRODUCT};

template <Type type, Reduction reduction>
void combine(void* in, void* in_out, int* count, MPI_Datatype*) {
  reduce({in, in_out}, in_out, static_cast<std::size_t>(*count), type, reduction);
}

template <Type type>
constexpr std::array<MPI_User_function*, 4> kCombine = {
    combine<type, RINGMASTER_SUM>, combine<type, RINGMASTER_MIN>, combine<type, RINGMASTER_MAX>,
    combine<type, RINGMASTER_PRODUCT>};

std::size_t index_of(Reduction reduction) {
  if (reduction == RINGMASTER_AVERAGE) return 0;
  for (std::size_t i = 0; i < kReductions.size(); ++i) {
    if (kReductions[i] == reduction) return i;
  }
  check_failed(__FILE__, __LINE__, "a reduction that is none");
}

}  // namespace

MPI_Datatype mpi_type(Type type) {
  switch (type) {
    case RINGMASTER_FLOAT32:
      return MPI_FLOAT;
    case RINGMASTER_FLOAT64:
      return MPI_DOUBLE;
    case RINGMASTER_INT32:
      return MPI_INT32_T;
    case RINGMASTER_INT64:
      return MPI_INT64_T;
    case RINGMASTER_UINT8:
      return MPI_UINT8_T;
    case RINGMASTER_FLOAT16:
    case RINGMASTER_BFLOAT16:
      return MPI_UINT16_T;
  }
  return MPI_DATATYPE_NULL;
}

Result<std::unique_ptr<MpiOperations>> MpiOperations::make() {
  std::unique_ptr<MpiOperations> all(new MpiOperations);
  for (const auto& functions : {kCombine<RINGMASTER_FLOAT16>, kCombine<RINGMASTER_BFLOAT16>,
                                kCombine<RINGMASTER_UINT8>}) {
    for (MPI_User_function* function : functions) {
      constexpr int kCommutes = 1;
      MPI_Op made = MPI_OP_NULL;
      auto created = check_mpi(MPI_Op_create(function, kCommutes, &made), "MPI_Op_create");
      if (!created) return created.error();
      all->made_.push_back(made);
    }
  }
  return all;
}

MpiOperations::~MpiOperations() {
  for (MPI_Op& one : made_) MPI_Op_free(&one);
}

MPI_Op MpiOperations::find(Type type, Reduction reduction) const {
  const std::size_t index = index_of(reduction);
  if (type == RINGMASTER_FLOAT16) return made_[index];
  if (type == RINGMASTER_BFLOAT16) return made_[kReductions.size() + index];
  if (type == RINGMASTER_UINT8) return made_[2 * kReductions.size() + index];
  const std::array<MPI_Op, 4> own = {MPI_SUM, MPI_MIN, MPI_MAX, MPI_PROD};
  return own[index];
}

}  // namespace ringmaster::collectives
