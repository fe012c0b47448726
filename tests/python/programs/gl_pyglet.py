# SPDX-License-Identifier: MIT
"""A window of pyglet, and a buffer of its context that a kernel doubles."""

import ctypes

import numpy as np
import pyglet
from pyglet import gl

from lathe.cuda.compiler import SourceModule
from lathe.cuda.gl import RegisteredBuffer

window = pyglet.window.Window(64, 64, visible=False)
content = np.arange(64, dtype=np.float32)
vbo = gl.GLuint()
gl.glGenBuffers(1, ctypes.byref(vbo))
gl.glBindBuffer(gl.GL_ARRAY_BUFFER, vbo)
data = content.ctypes.data_as(ctypes.c_void_p)
gl.glBufferData(gl.GL_ARRAY_BUFFER, content.nbytes, data, gl.GL_DYNAMIC_DRAW)
twice = SourceModule("__global__ void f(float* x) { x[threadIdx.x] *= 2; }").get_function("f")
registered = RegisteredBuffer(vbo.value)
with registered.map() as mapping:
    twice(mapping.device_ptr_and_size()[0], block=(64, 1, 1))
back = np.empty_like(content)
gl.glGetBufferSubData(gl.GL_ARRAY_BUFFER, 0, content.nbytes, back.ctypes.data_as(ctypes.c_void_p))
registered.unregister()
print("doubled" if (back == 2 * content).all() else f"wrong: {back}")
window.close()
