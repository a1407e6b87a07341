// SPDX-License-Identifier: Apache-2.0
//
// The same measurement with Gloo, over TCP on loopback: it has no other way between the ranks of a
// host. scripts/bench-peers builds it.
//
//     ringrun -np 2 allreduce-gloo LEAST_BYTES MOST_BYTES MILLISECONDS_A_SIZE FOLDER [ADDRESS]
//
// In FOLDER the ranks leave files by which they find one another: a new one for every run. ADDRESS
// is this rank's, where it is not loopback.
#include <gloo/allreduce.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

#include <memory>

#include "benchmarks/launch_contract.h"

static std::shared_ptr<gloo::rendezvous::Context> context;

static int rank_of() {
  return context->rank;
}
static int size_of_world() {
  return context->size;
}
static void sum(const float* in, float* out, size_t count) {
  gloo::AllreduceOptions options(context);
  options.setInput(const_cast<float*>(in), count);
  options.setOutput(out, count);
  options.setReduceFunction(
      [](void* to, const void* a, const void* b, size_t n) { gloo::sum<float>(to, a, b, n); });
  gloo::allreduce(options);
}

#include "benchmarks/measure.h"

int main(int argc, char** argv) {
  const int rank = number_from("RANK"), size = number_from("WORLD_SIZE");
  if (argc < 5 || argc > 6 || rank < 0 || size < 1) {
    fprintf(stderr,
            "usage: ringrun -np N allreduce-gloo LEAST_BYTES MOST_BYTES MILLISECONDS_A_SIZE FOLDER "
            "[ADDRESS]\n");
    return 2;
  }
  float *in = nullptr, *out = nullptr;
  size_t least = 0, most = 0;
  if (!take_sizes(argv, &least, &most, &in, &out)) return 2;
  gloo::transport::tcp::attr address(argc > 5 ? argv[5] : "127.0.0.1");
  auto device = gloo::transport::tcp::CreateDevice(address);
  gloo::rendezvous::FileStore store(argv[4]);
  context = std::make_shared<gloo::rendezvous::Context>(rank, size);
  context->connectFullMesh(store, device);
  measure_all(&all_reduce, in, out, least, most, atof(argv[3]));
  free(in);
  free(out);
  return 0;
}
