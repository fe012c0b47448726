# SPDX-License-Identifier: MIT
# Arguments that a call copies, and memory of the host that a kernel reaches itself.
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule(
    """
    __global__ void add(float *sum, const float *a, const float *b)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        sum[i] = a[i] + b[i];
    }

    __global__ void square(float *x)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        x[i] *= x[i];
    }
    """
)
add, square = module.get_function("add"), module.get_function("square")
shape = {"block": (64, 1, 1), "grid": (4, 1)}
random = np.random.default_rng(6)
a, b = (random.random(256).astype(np.float32) for _ in range(2))

total = np.empty_like(a)
add(cuda.Out(total), cuda.In(a), cuda.In(b), **shape)
assert np.array_equal(total, a + b)
squared = a.copy()
square(cuda.InOut(squared), **shape)
assert np.array_equal(squared, a * a)

# Page-locked memory that is mapped: no copy at all.
assert pycuda.autoinit.device.can_map_host_memory
mapped = cuda.pagelocked_empty(256, np.float32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
mapped[:] = a
square(np.intp(mapped.base.get_device_pointer()), **shape)
cuda.Context.synchronize()
assert np.array_equal(mapped, a * a)

# An array that exists is page-locked where it is.
own = cuda.aligned_empty(1 << 12, np.float32)
own[:] = 3
registered = cuda.register_host_memory(own, flags=cuda.mem_host_register_flags.DEVICEMAP)
square(np.intp(registered.base.get_device_pointer()), block=(64, 1, 1), grid=(64, 1))
cuda.Context.synchronize()
assert (own == 9).all()
registered.base.unregister()

# Managed memory: one address for both sides, and the kernel takes the array as it is.
managed = cuda.managed_empty(256, np.float32, mem_flags=cuda.mem_attach_flags.GLOBAL)
managed[:] = b
square(managed, **shape)
cuda.Context.synchronize()
assert np.array_equal(managed, b * b)

# Rows that are apart: a copy of part of a picture into memory with a pitch.
picture = random.random((20, 30)).astype(np.float32)
memory, pitch = cuda.mem_alloc_pitch(12 * 4, 8, 4)
copy = cuda.Memcpy2D()
copy.set_src_host(picture)
copy.src_pitch, copy.src_x_in_bytes, copy.src_y = 30 * 4, 5 * 4, 3
copy.set_dst_device(memory)
copy.dst_pitch, copy.width_in_bytes, copy.height = pitch, 12 * 4, 8
copy(aligned=True)
rows = [cuda.from_device(int(memory) + y * pitch, 12, np.float32) for y in range(8)]
assert np.array_equal(rows, picture[3:11, 5:17])
print("memory of the host is right")
