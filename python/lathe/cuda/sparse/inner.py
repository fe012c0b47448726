# SPDX-License-Identifier: MIT
"""Inner products whose value comes to the host later."""

from __future__ import annotations

import atexit
from typing import Any

from lathe.cuda import driver, gpuarray
from lathe.cuda.gpuarray import GPUArray

STREAM_POOL: list[driver.Stream] = []


def get_stream() -> driver.Stream:
    """One that nobody uses: of `STREAM_POOL`, or new."""
    try:
        return STREAM_POOL.pop()
    except IndexError:
        return driver.Stream()


class AsyncInnerProduct:
    """The inner product of two vectors, `a` conjugated.

    Parameters
    ----------
    a, b : GPUArray
    pagelocked_allocator : callable or None
        Takes a shape and a type and gives a page-locked array: `driver.pagelocked_empty`, or the
        `allocate` of a `PageLockedMemoryPool`.

    Attributes
    ----------
    gpu_result : GPUArray
        The value on the device, without axes.
    """

    def __init__(self, a: GPUArray, b: GPUArray, pagelocked_allocator: Any = None) -> None:
        self.gpu_result = gpuarray.vdot(a, b)
        self.gpu_finished_evt = driver.Event()
        self.gpu_finished_evt.record()
        self.gpu_finished = False
        self.pagelocked_allocator = pagelocked_allocator or driver.pagelocked_empty
        self._value: Any = None

    def _begin_copy(self) -> None:
        """On a stream of its own, so that it need not wait for what was issued since."""
        self.gpu_finished = True
        result = self.gpu_result
        self.copy_stream = get_stream()
        self.host_dest = self.pagelocked_allocator(result.shape, result.dtype)
        driver.memcpy_dtoh_async(self.host_dest, result.gpudata, self.copy_stream)
        self.copy_finished_evt = driver.Event()
        self.copy_finished_evt.record(self.copy_stream)

    def get_host_result(self) -> Any:
        """The value, or None as long as it is under way: ask again. Does not wait."""
        if self._value is not None:
            return self._value
        if not self.gpu_finished:
            if self.gpu_finished_evt.query():
                self._begin_copy()
            return None
        if not self.copy_finished_evt.query():
            return None
        STREAM_POOL.append(self.copy_stream)
        self._value = self.host_dest.reshape(())[()]
        return self._value

    def wait(self) -> Any:
        """The value, for which this waits."""
        if self._value is None:
            if not self.gpu_finished:
                self.gpu_finished_evt.synchronize()
                self._begin_copy()
            self.copy_finished_evt.synchronize()
        return self.get_host_result()


atexit.register(STREAM_POOL.clear)

__all__ = ["STREAM_POOL", "AsyncInnerProduct", "get_stream"]
