// SPDX-License-Identifier: Apache-2.0
//
// Python programs of other launchers under ringrun: what speaks Horovod's rendezvous, and PyTorch's
// DistributedDataParallel. Skipped, and said so, where python3 or torch are absent.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/end_to_end/program.h"
#include "tests/end_to_end/text.h"

namespace ringmaster::tests {
namespace {

/// As Horovod's Gloo does it for each of its three communicators: put the own address, ask until
/// the others' are there, connect each pair, delete the own key.
constexpr const char* kRendezvous = R"(
import http.client, os, socket, time
env = os.environ
place = (env["HOROVOD_GLOO_RENDEZVOUS_ADDR"], int(env["HOROVOD_GLOO_RENDEZVOUS_PORT"]))
assert env["HOROVOD_CONTROLLER"] == "gloo" and env["HOROVOD_GLOO_IFACE"] == "lo"
def ask(verb, path, body=None):
    line = http.client.HTTPConnection(*place, timeout=20)
    line.request(verb, path, body)
    answer = line.getresponse()
    return answer.status, answer.read()
def meet(scope, rank, size):
    server = socket.create_server(("127.0.0.1", 0), backlog=64)
    server.settimeout(30)
    address = "127.0.0.1:%d" % server.getsockname()[1]
    assert ask("PUT", "/%s/%d" % (scope, rank), address.encode())[0] == 200
    total = rank
    for other in range(rank):
        status = 404
        while status == 404:
            status, value = ask("GET", "/%s/%d" % (scope, other))
            if status == 404: time.sleep(0.005)
        host, port = value.decode().split(":")
        with socket.create_connection((host, int(port))) as peer:
            peer.sendall(b"%d\n" % rank)
            total += int(peer.makefile().readline())
    for other in range(rank + 1, size):
        peer, _ = server.accept()
        total += int(peer.makefile().readline())
        peer.sendall(b"%d\n" % rank)
    assert total == size * (size - 1) // 2, (scope, total)
    assert ask("DELETE", "/%s/%d" % (scope, rank))[0] == 200
def number(name): return int(env["HOROVOD_" + name])
meet("global", number("RANK"), number("SIZE"))
meet("local_" + env["HOROVOD_HOSTNAME"], number("LOCAL_RANK"), number("LOCAL_SIZE"))
meet("cross_%d" % number("LOCAL_RANK"), number("CROSS_RANK"), number("CROSS_SIZE"))
while ask("GET", "/global/0")[0] != 404: time.sleep(0.005)
print("met")
)";

TEST(PythonContracts, RanksMeetAsHorovodsGlooDoes) {
  if (run_shell("python3 -c 'import http.client'").exit_code != 0) {
    GTEST_SKIP() << "python3 is absent";
  }
  for (const int ranks : {2, 4, 8}) {
    const Ended ended =
        run_program({"ringrun", "-np", std::to_string(ranks), "python3", "-c", kRendezvous});
    EXPECT_EQ(ended.exit_code, 0) << ended.error;
    EXPECT_EQ(lines_of(ended.output),
              std::vector<std::string>(static_cast<std::size_t>(ranks), "met"));
  }
}

constexpr const char* kTraining = R"(
import os, sys, torch
import torch.distributed as dist
from torch.distributed.elastic.multiprocessing.errors import record
from torch.nn.parallel import DistributedDataParallel
@record
def main():
    assert dist.is_torchelastic_launched() if hasattr(dist, "is_torchelastic_launched") else True
    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    assert (rank, size) == (int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]))
    torch.manual_seed(1)
    model = DistributedDataParallel(torch.nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    data = torch.randn(64, 8)
    wanted = data.sum(1, keepdim=True)
    share = slice(rank * 64 // size, (rank + 1) * 64 // size)
    for step in range(20):
        if "fail" in sys.argv and step == 3 and rank == 1: raise ValueError("a bad batch")
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(data[share]), wanted[share])
        loss.backward()
        optimizer.step()
    dist.all_reduce(loss)
    if rank == 0: print("loss %.9f" % (loss.item() / size), flush=True)
    # Else Gloo's threads find their peers gone while the interpreter ends, and may abort it.
    dist.barrier()
    dist.destroy_process_group()
main()
)";

class TorchPrograms : public testing::Test {
 protected:
  void SetUp() override {
    // Debian's python, whose torch it is; another may come first on PATH.
    if (run_shell("/usr/bin/python3 -c 'import torch'").exit_code != 0) {
      GTEST_SKIP() << "torch is absent (Debian: python3-torch)";
    }
    write_text(script_, kTraining);
  }
  TemporaryFolder folder_;
  std::string script_ = folder_.file("train.py");
};

TEST_F(TorchPrograms, TheLossIsTheSameAsUnderTorchrun) {
  for (const char* ranks : {"2", "4", "8"}) {
    SCOPED_TRACE(ranks);
    const Ended ours = run_program({"ringrun", "-np", ranks, "/usr/bin/python3", script_});
    ASSERT_EQ(ours.exit_code, 0) << ours.error;
    EXPECT_EQ(ours.output.substr(0, 5), "loss ");
    // Debian 12's torch has a table of streams that its Python reads differently: without these
    // two its own torchrun starts nothing.
    const Ended theirs = run_program({"/usr/bin/python3", "-m", "torch.distributed.run",
                                      "--nproc_per_node", ranks, "--standalone", "--redirects", "1",
                                      "--tee", "1", "--log_dir", folder_.path(), script_});
    ASSERT_EQ(theirs.exit_code, 0) << theirs.error;
    EXPECT_NE(theirs.output.find(ours.output), std::string::npos) << ours.output << theirs.output;
  }
}

TEST_F(TorchPrograms, WhatARecordedRankRaisesIsInItsErrorFile) {
  // The folder goes with the job: a copy is made before.
  const std::string watch = fmt::format(
      "/usr/bin/python3 {} fail; code=$?; cp $TORCHELASTIC_ERROR_FILE {} 2>/dev/null; exit $code",
      script_, folder_.file("$RANK.json"));
  const Ended ended = run_program({"ringrun", "-np", "2", "--grace", "20", "sh", "-c", watch});
  EXPECT_EQ(ended.exit_code, 1) << ended.error;
  EXPECT_NE(read_text(folder_.file("1.json")).find("ValueError: a bad batch"), std::string::npos);
}

}  // namespace
}  // namespace ringmaster::tests
