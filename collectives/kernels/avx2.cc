// SPDX-License-Identifier: Apache-2.0
//
// The kernels for one instruction set; its flags are in CMakeLists.txt.
#if defined(__x86_64__)
#define RINGMASTER_ISA avx2
#include "collectives/kernels/body.h"
#endif
