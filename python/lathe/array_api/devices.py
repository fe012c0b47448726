# SPDX-License-Identifier: MIT
"""Devices of arrays: `lathe.cuda.driver.Device`, of which the current context has one."""

from __future__ import annotations

from typing import Any

from lathe.cuda import driver
from lathe.cuda.array_type import GPUArray


def here(device: Any = None) -> driver.Device:
    """The current context's device; the first one's primary context is made current without.

    Raises
    ------
    ValueError
        For another device than the current one.
    """
    if driver.Context.get_current() is None:
        driver.init()
        driver.Device(0).retain_primary_context().push()
    current = driver.Context.get_device()
    if device is not None and device != current:
        raise ValueError(
            f"device is {device!r}, arrays are made on that of the current context, {current!r}"
        )
    return current


def expect_arrays(name: str, *arrays: Any) -> None:
    """Raises a TypeError unless all are arrays on the device."""
    for each in arrays:
        if not isinstance(each, GPUArray):
            raise TypeError(f"{name}: a GPUArray is expected, got {type(each).__name__}")
