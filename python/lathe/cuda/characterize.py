# SPDX-License-Identifier: MIT
"""What the device and its compiler are like, as PyCUDA's characterize module asks."""

from __future__ import annotations

import struct

import numpy as np

from lathe.cuda import driver
from lathe.cuda.memoize import context_dependent_memoize

_SOURCE = """
%(preamble)s
extern "C" __global__ void measure(unsigned long long* bytes) { *bytes = sizeof(%(type_name)s); }
"""


def platform_bits() -> int:
    """Bits of an address of the host: 64."""
    return struct.calcsize("P") * 8


def _capability() -> tuple[int, int]:
    current = driver.Context.get_current()
    return (driver.Context.get_device() if current else driver.Device(0)).compute_capability()


def has_stack() -> bool:
    """Whether functions of the device may call themselves: since compute capability 2.0."""
    return _capability() >= (2, 0)


def has_double_support() -> bool:
    """Whether the device computes in double precision: since compute capability 1.3."""
    return _capability() >= (1, 3)


@context_dependent_memoize
def sizeof(type_name: str, preamble: str = "") -> int:
    """Bytes that a type has in a kernel. Compiles one and runs it, once a type.

    Parameters
    ----------
    type_name : str
        Such as ``"float4"``.
    preamble : str
        What declares it.

    Raises
    ------
    CompileError
        For what is no type.
    """
    from lathe.cuda.compiler import SourceModule

    source = _SOURCE % {"preamble": preamble, "type_name": type_name}
    result = np.zeros((), np.uint64)
    measure = SourceModule(source, no_extern_c=True).get_function("measure")
    measure(driver.Out(result), block=(1, 1, 1))
    return int(result)
