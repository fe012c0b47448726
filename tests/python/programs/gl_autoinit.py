# SPDX-License-Identifier: MIT
"""What scripts for PyCUDA's gl do: a GL context first, then autoinit, then a shared buffer."""

import sys

import gl_calls
import numpy as np

import lathe.as_pycuda

lathe.as_pycuda.install()
made = gl_calls.Context()
from lathe.native import native  # noqa: E402

if native.gl_sharing_problem():
    print(native.gl_sharing_problem())
    sys.exit(77)

import pycuda.gl.autoinit  # noqa: E402
from pycuda.compiler import SourceModule  # noqa: E402
from pycuda.gl import RegisteredBuffer, graphics_map_flags  # noqa: E402

content = np.arange(64, dtype=np.float32)
vbo = gl_calls.buffer(content)
twice = SourceModule("__global__ void f(float* x) { x[threadIdx.x] *= 2; }").get_function("f")
registered = RegisteredBuffer(vbo, graphics_map_flags.NONE)
mapping = registered.map(None)
address, size = mapping.device_ptr_and_size()
twice(np.intp(address), block=(64, 1, 1))
mapping.unmap()
registered.unregister()
assert pycuda.gl.autoinit.device.name()
print("doubled" if (gl_calls.read_buffer(vbo, content) == 2 * content).all() else "wrong")
