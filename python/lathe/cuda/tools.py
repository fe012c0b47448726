# SPDX-License-Identifier: MIT
"""Helpers around contexts, under PyCUDA's names."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from lathe.cuda import driver


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
