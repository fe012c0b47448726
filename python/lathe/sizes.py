# SPDX-License-Identifier: MIT
"""Sizes of memory as people write them."""

from __future__ import annotations

import re

__all__ = ["bytes_from"]

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}
_UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


def bytes_from(size: int | str) -> int:
    """Bytes of ``"512 MiB"``, ``"1.5 GB"`` or a number of them. Raises ValueError for others."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*", str(size))
    factor = found and _UNITS.get(found[2].upper())
    if not found or factor is None:
        raise ValueError(f"a size is a number of bytes or like '512 MiB', got {size!r}")
    return round(float(found[1]) * factor)
