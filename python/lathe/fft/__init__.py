# SPDX-License-Identifier: MIT
"""Fourier transforms of arrays on the device: the functions of `numpy.fft`.

Arguments and results are NumPy's; each function has `stream` besides. On a GPU cuFFT transforms,
asynchronously; it is opened when it is first needed, and ``LATHE_CUFFT`` may name the file. On the
software device NumPy transforms, on the same memory and without a copy of it, when the work issued
before is done.

Examples
--------
>>> import numpy as np
>>> from lathe import fft
>>> from lathe.cuda.gpuarray import to_gpu
>>> signal = to_gpu(np.sin(2 * np.pi * np.arange(8, dtype=np.float32) / 8))
>>> fft.rfft(signal).get().imag.round(3).tolist()[:2]
[0.0, -4.0]
>>> bool(abs(fft.irfft(fft.rfft(signal)) - signal).max() < 1e-6)
True
"""

import sys

from lathe.array.extensions import register
from lathe.fft.frequencies import fftfreq, fftshift, ifftshift, rfftfreq
from lathe.fft.transforms import (
    fft,
    fft2,
    fftn,
    hfft,
    ifft,
    ifft2,
    ifftn,
    ihfft,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftn,
)

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

register("fft", sys.modules[__name__])
