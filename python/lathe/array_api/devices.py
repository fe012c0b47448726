# SPDX-License-Identifier: MIT
"""Devices of arrays: `lathe.cuda.driver.Device`, of which the current context has one."""

from __future__ import annotations

from typing import Any

from lathe.array.gpu_array import GPUArray
from lathe.native import native


def here(device: Any = None) -> native.Device:
    """The current context's device; the first one's primary context is made current without.

    Raises
    ------
    ValueError
        For another device than the current one.
    """
    if native.Context.get_current() is None:
        native.driver_init()
        native.Device(0).retain_primary_context().push()
    current = native.Context.get_device()
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
