// SPDX-License-Identifier: Apache-2.0
//
// The kernels for one instruction set; its flags are in CMakeLists.txt.
#define RINGMASTER_ISA baseline
#include "collectives/kernels/body.h"
