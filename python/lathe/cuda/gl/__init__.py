# SPDX-License-Identifier: MIT
"""OpenGL's buffers and textures as memory of kernels, under PyCUDA's names.

The OpenGL context may come from `lathe.App`, GLFW, EGL, moderngl or pyglet; it must be current on
the thread that registers, maps, unmaps and unregisters. Between map and unmap the object is CUDA's,
and OpenGL must leave it alone.

Examples
--------
Fill a buffer of OpenGL's, whose name is `vbo`, on a stream::

    points = RegisteredBuffer(vbo, graphics_map_flags.WRITE_DISCARD)
    with points.map(stream) as mapping:
        address, size = mapping.device_ptr_and_size()
        kernel(address, block=(256, 1, 1), grid=(size // 4 // 256, 1), stream=stream)
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from lathe.cuda import driver
from lathe.cuda.flags import Flags
from lathe.native import native

RegisteredObject = native.RegisteredObject
RegisteredBuffer = native.RegisteredBuffer
RegisteredImage = native.RegisteredImage
RegisteredMapping = native.RegisteredMapping


class graphics_map_flags(Flags):
    """What CUDA does with a GL object; wrong hints lose data."""

    NONE = 0
    READ_ONLY = 1
    WRITE_DISCARD = 2
    SURFACE_LDST = 4
    TEXTURE_GATHER = 8


def _require_shared(routine: str) -> None:
    problem = native.gl_sharing_problem()
    if problem:
        raise driver.LogicError(f"{routine} failed: invalid OpenGL or DirectX context - {problem}")


def make_context(dev: driver.Device, flags: int = 0) -> driver.Context:
    """A context on `dev` that shares with the thread's OpenGL context; current from now on.

    Every context of the right device can: this one asks before.

    Parameters
    ----------
    dev : Device
    flags : ctx_flags

    Raises
    ------
    LogicError
        Where no OpenGL context is current, or OpenGL runs on another device.
    """
    if not isinstance(dev, driver.Device):
        raise TypeError(f"dev must be a Device, got {dev!r}")
    context = dev.make_context(int(flags))
    try:
        _require_shared("cuGLCtxCreate")
    except driver.Error:
        context.detach()
        raise
    return context


def init() -> None:
    """Does nothing: since CUDA 3.0 sharing needs no beginning.

    Raises
    ------
    LogicError
        Where no OpenGL context is current, or OpenGL runs on another device.
    """
    warnings.warn("gl.init is deprecated, and not needed", DeprecationWarning, stacklevel=2)
    _require_shared("cuGLInit")


def map_objects(
    objects: Sequence[RegisteredObject], stream: driver.Stream | None = None
) -> native.MappingGroup:
    """Maps several objects in one driver call, which is faster than one by one.

    Parameters
    ----------
    objects : sequence of RegisteredBuffer or RegisteredImage
    stream : Stream, optional
        Whose work comes after OpenGL's.

    Returns
    -------
    MappingGroup
        A sequence of `RegisteredMapping` in their order, and a context manager that unmaps all.
    """
    return native.map_gl_objects(list(objects), stream)


def _deprecated(name: str) -> None:
    warnings.warn(f"{name} is deprecated: use RegisteredBuffer", DeprecationWarning, stacklevel=3)


class BufferObjectMapping:
    """A mapped `BufferObject`; a context manager that unmaps."""

    def __init__(self, mapping: RegisteredMapping) -> None:
        self._mapping = mapping

    def unmap(self) -> None:
        """Hands it back to OpenGL."""
        self._mapping.unmap()

    def device_ptr(self) -> int:
        """Its address on the device, until the unmap."""
        return self._mapping.device_ptr_and_size()[0]

    def size(self) -> int:
        """Bytes."""
        return self._mapping.device_ptr_and_size()[1]

    def __enter__(self) -> BufferObjectMapping:
        return self

    def __exit__(self, *args: object) -> None:
        self._mapping.__exit__(*args)


class BufferObject:
    """The older `RegisteredBuffer`.

    Parameters
    ----------
    bufobj : int
        OpenGL's name of a buffer with storage.
    """

    def __init__(self, bufobj: int) -> None:
        _deprecated("BufferObject")
        self._registered = RegisteredBuffer(bufobj)

    def handle(self) -> int:
        """OpenGL's name."""
        return self._registered.gl_handle()

    def unregister(self) -> None:
        """CUDA forgets it."""
        self._registered.unregister()

    def map(self) -> BufferObjectMapping:
        """Hands it to CUDA until the unmap."""
        return BufferObjectMapping(self._registered.map())


__all__ = [
    "BufferObject",
    "BufferObjectMapping",
    "RegisteredBuffer",
    "RegisteredImage",
    "RegisteredMapping",
    "RegisteredObject",
    "graphics_map_flags",
    "init",
    "make_context",
    "map_objects",
]
