# SPDX-License-Identifier: MIT
# Prepared calls, streams beside each other, order by events, and times.
import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule(
    """
    __global__ void walk(float *x, int steps, float by)
    {
        extern __shared__ float own[];
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        own[threadIdx.x] = x[i];
        for (int k = 0; k < steps; ++k) own[threadIdx.x] += by;
        x[i] = own[threadIdx.x];
    }
    """
)
walk = module.get_function("walk").prepare("Pif")
n, grid, block = 2048, (16, 1), (128, 1, 1)
shared = 128 * 4
start = np.arange(n, dtype=np.float32)
memory = cuda.to_device(start)
walk.prepared_call(grid, block, memory, 10, 0.5, shared_size=shared)
assert np.array_equal(cuda.from_device_like(memory, start), start + 5)
seconds = walk.prepared_timed_call(grid, block, memory, 2, 0.5, shared_size=shared)
assert seconds() > 0
assert np.array_equal(cuda.from_device_like(memory, start), start + 6)
unprepared = module.get_function("walk")
seconds = unprepared(
    memory, np.int32(1), np.float32(1), block=block, grid=grid, shared=shared, time_kernel=True
)
assert seconds > 0 and walk.max_threads_per_block >= 128 and walk.num_regs >= 0

# Each stream copies in, computes and copies out; page-locked memory lets them overlap.
parts, streams = 4, [cuda.Stream() for _ in range(4)]
hosts = [cuda.pagelocked_zeros(n, np.float32) for _ in streams]
memories = [cuda.mem_alloc(n * 4) for _ in streams]
begin, end = cuda.Event(), cuda.Event()
begin.record()
for k in range(parts):
    hosts[k][:] = k
    cuda.memcpy_htod_async(memories[k], hosts[k], streams[k])
    walk.prepared_async_call(grid, block, streams[k], memories[k], 8, 1, shared_size=shared)
    cuda.memcpy_dtoh_async(hosts[k], memories[k], streams[k])
for stream in streams:
    stream.synchronize()
    assert stream.is_done()
end.record().synchronize()
assert begin.query() and begin.time_till(end) > 0 and end.time_since(begin) > 0
assert all((hosts[k] == k + 8).all() for k in range(parts))

# The second stream goes on when the first one has come to the event.
first, second = streams[:2]
ready = cuda.Event(cuda.event_flags.DISABLE_TIMING)
hosts[0][:] = 1
cuda.memcpy_htod_async(memories[0], hosts[0], first)
walk.prepared_async_call(grid, block, first, memories[0], 1000, 1, shared_size=shared)
ready.record(first)
second.wait_for_event(ready)
cuda.memcpy_dtod_async(memories[1], memories[0], n * 4, second)
cuda.memcpy_dtoh_async(hosts[1], memories[1], second)
second.synchronize()
assert (hosts[1] == 1001).all()
cuda.memset_d32_async(memories[2], 7, n, streams[2])
streams[2].synchronize()
assert (cuda.from_device(memories[2], n, np.uint32) == 7).all()
print("streams are right")
