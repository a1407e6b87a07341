# SPDX-License-Identifier: Apache-2.0
"""One step of PyTorch's DistributedDataParallel on Gloo; rank 0 says when it is done.

ringmaster bench launch --ranks 2 --until "first step" --launchers ringrun,torchrun \
    --program "python3 benchmarks/ddp_first_step.py"
"""
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
torch.manual_seed(1)
model = DistributedDataParallel(torch.nn.Linear(64, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = model(torch.ones(16, 64)).square().mean()
loss.backward()
optimizer.step()
if dist.get_rank() == 0:
    print("first step", flush=True)
dist.destroy_process_group()
