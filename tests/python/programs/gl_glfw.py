# SPDX-License-Identifier: MIT
"""A window by libglfw alone, with a context of GLX or EGL, and a buffer that a kernel doubles."""

import ctypes
import sys

import numpy as np

import lathe.cuda.driver as cuda
from lathe.cuda.compiler import SourceModule
from lathe.cuda.gl import RegisteredBuffer

glfw = ctypes.CDLL("libglfw.so.3")
glfw.glfwCreateWindow.restype = ctypes.c_void_p
glfw.glfwGetProcAddress.restype = ctypes.c_void_p
assert glfw.glfwInit()
hints = {0x22002: 4, 0x22003: 5, 0x22008: 0x32001}  # version 4.5, core profile
hints[0x2200B] = {"glx": 0x36001, "egl": 0x36002}[sys.argv[1]]
for hint, value in hints.items():
    glfw.glfwWindowHint(hint, value)
window = glfw.glfwCreateWindow(64, 64, b"test", None, None)
assert window, "no window"
glfw.glfwMakeContextCurrent(ctypes.c_void_p(window))


def gl(name, *arguments):
    address = glfw.glfwGetProcAddress(name.encode())
    ctypes.CFUNCTYPE(None, *[type(a) for a in arguments])(address)(*arguments)


content = np.arange(64, dtype=np.float32)
size = ctypes.c_ssize_t(content.nbytes)
vbo = ctypes.c_uint()
gl("glCreateBuffers", ctypes.c_int(1), ctypes.pointer(vbo))
data = content.ctypes.data_as(ctypes.c_void_p)
gl("glNamedBufferStorage", vbo, size, data, ctypes.c_uint(0x100))
twice = SourceModule("__global__ void f(float* x) { x[threadIdx.x] *= 2; }").get_function("f")
registered = RegisteredBuffer(vbo.value)
with registered.map() as mapping:
    twice(mapping.device_ptr_and_size()[0], block=(64, 1, 1))
back = np.empty_like(content)
gl("glGetNamedBufferSubData", vbo, ctypes.c_ssize_t(0), size, back.ctypes.data_as(ctypes.c_void_p))
registered.unregister()
assert cuda.Context.get_current() is not None
print("doubled" if (back == 2 * content).all() else f"wrong: {back}")
