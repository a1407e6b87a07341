// SPDX-License-Identifier: Apache-2.0
//
// Matrix products over row-major floats, with the sizes said once.
//
// A thin face over CBLAS: its call takes fourteen arguments of which ours decide five, and its ints
// need a cast each. The serial build is linked (cmake/folder.cmake): one rank is one core.
#pragma once

#include <string>

namespace ringmaster::training {

enum class Transposed { none, left, right };

/// result (rows x columns) = keep * result + left * right, summed over `inner`.
void multiply(Transposed transposed, std::size_t rows, std::size_t columns, std::size_t inner,
              const float* left, const float* right, float keep, float* result);

/// The name of the kernels that BLAS chose for this processor ("Zen", "SkylakeX").
std::string blas_kernel();

}  // namespace ringmaster::training
