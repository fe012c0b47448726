# SPDX-License-Identifier: MIT
"""Helpers around contexts, memory, occupancy and types, under PyCUDA's names."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path

from lathe.cuda import driver
from lathe.cuda.c_arguments import (
    Argument,
    ScalarArg,
    VectorArg,
    dtype_to_ctype,
    get_arg_type,
    get_or_register_dtype,
    parse_c_arg,
    register_dtype,
)
from lathe.cuda.driver import bitlog2
from lathe.cuda.memoize import (
    clear_context_caches,
    context_dependent_memoize,
    context_dependent_memoized_functions,
    init_cuda_context_fixture,
    mark_cuda_test,
)
from lathe.cuda.occupancy import (
    DeviceData,
    OccupancyRecord,
    _exact_div,
    _int_ceiling,
    _int_floor,
)
from lathe.cuda.pools import (
    DebugMemoryPool,
    DeviceMemoryPool,
    PageLockedAllocator,
    PageLockedMemoryPool,
    PooledDeviceAllocation,
    PooledHostAllocation,
)


def _named_device() -> int | None:
    named = os.environ.get("CUDA_DEVICE")
    where = "CUDA_DEVICE"
    file = Path.home() / ".cuda_device"
    if named is None and file.is_file():
        named, where = file.read_text().strip(), str(file)
    if named is None:
        return None
    try:
        return int(named)
    except ValueError:
        raise RuntimeError(f"{where} must be the number of a device, got '{named}'") from None


def make_default_context(
    ctx_maker: Callable[[driver.Device], driver.Context] | None = None,
) -> driver.Context:
    """A context on the device that CUDA_DEVICE or ~/.cuda_device names, else on one that works.

    Parameters
    ----------
    ctx_maker : callable, optional
        Makes the context of a device; ``Device.make_context`` unless given.

    Raises
    ------
    RuntimeError
        Where no device works, with each one's reason.
    """
    make = ctx_maker or driver.Device.make_context
    count = driver.Device.count()
    if count == 0:
        raise RuntimeError("there is no CUDA device")
    named = _named_device()
    if named is not None:
        return make(driver.Device(named))
    reasons = []
    for number in range(count):
        try:
            return make(driver.Device(number))
        except driver.Error as error:
            reasons.append(f"device {number}: {error}")
    raise RuntimeError("no device works: " + "; ".join(reasons))


def get_default_device(default: int = 0) -> driver.Device:
    """The device that CUDA_DEVICE or ~/.cuda_device names, else the one with number `default`.

    `make_default_context` replaces it, which tries devices until one works.
    """
    warnings.warn(
        "get_default_device is deprecated: use make_default_context",
        DeprecationWarning,
        stacklevel=2,
    )
    named = _named_device()
    return driver.Device(default if named is None else named)


__all__ = [
    "Argument",
    "DebugMemoryPool",
    "DeviceData",
    "DeviceMemoryPool",
    "OccupancyRecord",
    "PageLockedAllocator",
    "PageLockedMemoryPool",
    "PooledDeviceAllocation",
    "PooledHostAllocation",
    "ScalarArg",
    "VectorArg",
    "_exact_div",
    "_int_ceiling",
    "_int_floor",
    "bitlog2",
    "clear_context_caches",
    "context_dependent_memoize",
    "context_dependent_memoized_functions",
    "dtype_to_ctype",
    "get_arg_type",
    "get_default_device",
    "get_or_register_dtype",
    "init_cuda_context_fixture",
    "make_default_context",
    "mark_cuda_test",
    "parse_c_arg",
    "register_dtype",
]
