# SPDX-License-Identifier: MIT
"""OpenGL without any of Lathe's code, for tests: a plain EGL context, buffers and textures."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_char_p, c_int, c_ssize_t, c_uint, c_void_p, pointer
from typing import Any

import numpy as np
from numpy.typing import NDArray

TEXTURE_2D = 0x0DE1
RGBA8, RGBA32F, R32F = 0x8058, 0x8814, 0x822E
_RGBA, _RED, _FLOAT, _UNSIGNED_BYTE = 0x1908, 0x1903, 0x1406, 0x1401
_LAYOUTS = {RGBA8: (_RGBA, _UNSIGNED_BYTE), RGBA32F: (_RGBA, _FLOAT), R32F: (_RED, _FLOAT)}
_DYNAMIC_STORAGE = 0x100

egl = ctypes.CDLL("libEGL.so.1")
egl.eglGetProcAddress.restype = c_void_p
egl.eglGetProcAddress.argtypes = [c_char_p]
for _name in ("eglGetCurrentContext", "eglGetCurrentDisplay", "eglCreateContext"):
    getattr(egl, _name).restype = c_void_p


def gl(name: str, *arguments: Any) -> None:
    """Calls a function of OpenGL's that returns nothing; arguments are ctypes' or ints."""
    address = egl.eglGetProcAddress(name.encode())
    assert address, f"OpenGL has no {name}"
    given = [c_uint(a & 0xFFFFFFFF) if isinstance(a, int) else a for a in arguments]
    ctypes.CFUNCTYPE(None, *[type(a) for a in given])(address)(*given)


def error() -> int:
    """glGetError."""
    address = egl.eglGetProcAddress(b"glGetError")
    return int(ctypes.CFUNCTYPE(c_uint)(address)())


class Context:
    """A headless context by EGL alone: the first device that makes one, NVIDIA's before Mesa's."""

    def __init__(self) -> None:
        query = ctypes.CFUNCTYPE(c_uint, c_int, c_void_p, POINTER(c_int))(
            egl.eglGetProcAddress(b"eglQueryDevicesEXT")
        )
        count = c_int()
        query(0, None, byref(count))
        devices = (c_void_p * max(count.value, 1))()
        query(count.value, devices, byref(count))
        platforms = [(0x313F, device) for device in devices[: count.value]] + [(0x31DD, None)]
        get = ctypes.CFUNCTYPE(c_void_p, c_uint, c_void_p, c_void_p)(
            egl.eglGetProcAddress(b"eglGetPlatformDisplayEXT")
        )
        for platform, native in platforms:
            self.display = get(platform, native, None)
            if self.display and egl.eglInitialize(c_void_p(self.display), None, None):
                egl.eglBindAPI(0x30A2)  # EGL_OPENGL_API
                wanted = (c_int * 7)(0x3098, 4, 0x30FB, 5, 0x30FD, 1, 0x3038)  # 4.5 core
                self.context = egl.eglCreateContext(c_void_p(self.display), None, None, wanted)
                if self.context and self.make_current():
                    return
        raise AssertionError("EGL makes no context here")

    def make_current(self) -> bool:
        """On the calling thread."""
        return bool(egl.eglMakeCurrent(c_void_p(self.display), None, None, c_void_p(self.context)))

    def release(self) -> None:
        """The calling thread has none."""
        egl.eglMakeCurrent(c_void_p(self.display), None, None, None)

    def destroy(self) -> None:
        self.release()
        egl.eglDestroyContext(c_void_p(self.display), c_void_p(self.context))


def buffer(content: NDArray[Any]) -> int:
    """A new buffer's name."""
    name = c_uint()
    gl("glCreateBuffers", c_int(1), pointer(name))
    data = content.ctypes.data_as(c_void_p)
    gl("glNamedBufferStorage", name, c_ssize_t(content.nbytes), data, _DYNAMIC_STORAGE)
    assert error() == 0
    return name.value


def read_buffer(name: int, like: NDArray[Any]) -> NDArray[Any]:
    """What OpenGL sees in it."""
    out = np.empty_like(like)
    gl(
        "glGetNamedBufferSubData",
        name,
        c_ssize_t(0),
        c_ssize_t(out.nbytes),
        out.ctypes.data_as(c_void_p),
    )
    assert error() == 0
    return out


def write_buffer(name: int, content: NDArray[Any]) -> None:
    """Through OpenGL."""
    data = content.ctypes.data_as(c_void_p)
    gl("glNamedBufferSubData", name, c_ssize_t(0), c_ssize_t(content.nbytes), data)
    assert error() == 0


def texture(content: NDArray[Any], layout: int) -> int:
    """A new 2D texture's name; `content` has (height, width[, channels])."""
    name = c_uint()
    height, width = content.shape[:2]
    gl("glCreateTextures", TEXTURE_2D, c_int(1), pointer(name))
    gl("glTextureStorage2D", name, c_int(1), layout, c_int(width), c_int(height))
    gl(
        "glTextureSubImage2D",
        name,
        c_int(0),
        c_int(0),
        c_int(0),
        c_int(width),
        c_int(height),
        *_LAYOUTS[layout],
        content.ctypes.data_as(c_void_p),
    )
    assert error() == 0
    return name.value


def read_texture(name: int, layout: int, like: NDArray[Any]) -> NDArray[Any]:
    """What OpenGL sees in it."""
    out = np.empty_like(like)
    gl("glGetTextureImage", name, c_int(0), *_LAYOUTS[layout], c_int(out.nbytes),
       out.ctypes.data_as(c_void_p))  # fmt: skip
    assert error() == 0
    return out
