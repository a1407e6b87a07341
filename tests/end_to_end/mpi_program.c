// SPDX-License-Identifier: Apache-2.0
//
// A small MPI program, compiled by the tests with each MPI's own compiler: checked all-reduces, a
// split, then what its argument says: sum, abort, abort0, crash, leave, late, spawn.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int sums_are_right(int rank, int size) {
  for (int i = 0; i < 20; ++i) {
    double in = rank + i, out = 0;
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (out != size * (size - 1) / 2.0 + (double)size * i) return 0;
  }
  return 1;
}

static void end_badly(const char* mode) {
  if (strcmp(mode, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (strcmp(mode, "abort0") == 0) MPI_Abort(MPI_COMM_WORLD, 0);
  if (strcmp(mode, "crash") == 0) raise(SIGSEGV);
  if (strcmp(mode, "leave") == 0) _exit(0);
}

static void spawn(void) {
  MPI_Comm others;
  int code = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int error = MPI_Comm_spawn("/bin/true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                                   &others, &code);
  printf("spawn %s\n", error == MPI_SUCCESS ? "done" : "refused");
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "sum";
  int rank = 0, size = 0, part_rank = 0, part_size = 0, host_size = 0;
  signal(SIGSEGV, SIG_DFL);
  if (strcmp(mode, "late") == 0 && getenv("RANK")[0] == '0') return 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!sums_are_right(rank, size)) return 3;
  MPI_Comm part, host;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);
  MPI_Comm_rank(part, &part_rank);
  MPI_Comm_size(part, &part_size);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_size(host, &host_size);
  if (rank == size - 1) end_badly(mode);
  if (strcmp(mode, "spawn") == 0) spawn();
  if (strcmp(mode, "sum") != 0) MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d of %d, part %d of %d, host %d\n", rank, size, part_rank, part_size, host_size);
  MPI_Finalize();
  return 0;
}
