# SPDX-License-Identifier: MIT
# A program for PyCUDA: arguments copied by the call, memory of one's own, a context at exit.
import numpy
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule(
    """
    __global__ void twice(float *a)
    {
        int i = threadIdx.x + threadIdx.y * 4;
        a[i] *= 2;
    }
    """
)
a = numpy.random.randn(4, 4).astype(numpy.float32)
memory = cuda.mem_alloc(a.nbytes)
cuda.memcpy_htod(memory, a)
module.get_function("twice")(memory, block=(4, 4, 1), grid=(1, 1), shared=0)
doubled = numpy.empty_like(a)
cuda.memcpy_dtoh(doubled, memory)
assert (doubled == 2 * a).all()
assert pycuda.autoinit.context == cuda.Context.get_current()
print("doubled on", pycuda.autoinit.device.name())
