// SPDX-License-Identifier: Apache-2.0
#include "worker/training/blas.h"

#include <cblas.h>

#include <algorithm>

namespace ringmaster::training {

void multiply(Transposed transposed, std::size_t rows, std::size_t columns, std::size_t inner,
              const float* left, const float* right, float keep, float* result) {
  const bool left_turned = transposed == Transposed::left;
  const bool right_turned = transposed == Transposed::right;
  // OpenBLAS clears the result at a quarter of memset's speed, a tenth of a training step.
  if (keep == 0) std::fill_n(result, rows * columns, 0.0F);
  const auto size = [](std::size_t n) { return static_cast<blasint>(n); };
  cblas_sgemm(CblasRowMajor, left_turned ? CblasTrans : CblasNoTrans,
              right_turned ? CblasTrans : CblasNoTrans, size(rows), size(columns), size(inner),
              1.0F, left, size(left_turned ? rows : inner), right,
              size(right_turned ? inner : columns), keep == 0 ? 1.0F : keep, result, size(columns));
}

std::string blas_kernel() {
  return openblas_get_corename();
}

}  // namespace ringmaster::training
