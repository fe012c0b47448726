# SPDX-License-Identifier: MIT
"""NumPy on the arrays' memory, where the device's memory is the host's: nothing is copied in."""

from __future__ import annotations

from typing import Any

import numpy as np

from lathe.array.gpu_array import GPUArray
from lathe.fft.work import Work
from lathe.native import native


def does_the_work() -> bool:
    """Whether NumPy transforms here, instead of cuFFT."""
    return native.host_does_the_work("LATHE_CUFFT")


def transform(a: GPUArray, out: GPUArray, work: Work, stream: Any) -> None:
    """Into an array of the result's shape and any type that takes it."""
    if not out.size:
        return
    source, target = native.host_views((a, out), stream)
    if source.dtype == np.float16:
        source = source.astype(np.float32)
    passes = work.passes
    if not passes:
        target[...] = source
        return
    wanted = work.dtype(source.dtype)
    may_write = target.dtype == wanted and not np.may_share_memory(source, target)
    functions: dict[str, Any] = {
        "complex": np.fft.ifft if work.is_inverse else np.fft.fft,
        "real": np.fft.rfft,
        "to_real": np.fft.irfft,
    }
    for number, (kind, size, axis) in enumerate(passes):
        into = target if may_write and number == len(passes) - 1 else None
        source = functions[kind](source, size, axis, work.norm, into)
    if source is not target:
        target[...] = source
