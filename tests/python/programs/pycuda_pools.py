# SPDX-License-Identifier: MIT
# Memory that is kept for its next owner: on the device, and page-locked on the host.
import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
from pycuda.tools import DeviceMemoryPool, PageLockedMemoryPool

pool = DeviceMemoryPool()
random = np.random.default_rng(7)
values = random.random(5000).astype(np.float32)
for _ in range(50):
    x = gpuarray.to_gpu(values, allocator=pool.allocate)
    y = 3 * x + 1
    assert np.allclose(y.get(), 3 * values + 1, rtol=1e-6)
assert pool.active_blocks >= 2 and pool.held_blocks <= 4
active = pool.active_blocks
block = pool.allocate(10_000)
assert len(block) >= 10_000 and pool.active_blocks == active + 1
cuda.memset_d8(int(block), 5, 10_000)
assert (cuda.from_device(int(block), 10_000, np.uint8) == 5).all()
block.free()
assert pool.active_blocks == active and pool.held_blocks >= 1
pool.free_held()
assert pool.held_blocks == 0

hosts = PageLockedMemoryPool()
stream = cuda.Stream()
for k in range(20):
    host = hosts.allocate((100,), np.float32)
    host[:] = k
    memory = pool.allocate(host.nbytes)
    cuda.memcpy_htod_async(int(memory), host, stream)
    host[:] = 0 if stream.synchronize() is None else -1
    cuda.memcpy_dtoh_async(host, int(memory), stream)
    stream.synchronize()
    assert (host == k).all()
    del host
assert hosts.active_blocks == 0 and hosts.held_blocks == 1
hosts.stop_holding()
print("pools are right")
