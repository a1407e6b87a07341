// SPDX-License-Identifier: Apache-2.0
//
// A short MPI program, for the cost of starting one: `ringmaster bench launch --program
// build/peers/hundred-allreduces --launchers ringrun,openmpi` (scripts/bench-peers builds it).
#include <mpi.h>

int main(int argc, char** argv) {
  double in[128] = {1}, out[128];
  int size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 100; ++i) {
    MPI_Allreduce(in, out, 128, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (out[0] != size) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
