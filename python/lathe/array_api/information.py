# SPDX-License-Identifier: MIT
"""What the namespace says of itself: ``xp.__array_namespace_info__()``."""

from __future__ import annotations

from typing import Any

from lathe.array_api import dtypes as types
from lathe.array_api.devices import here
from lathe.native import native

_DTYPES = {
    name: getattr(types, name)
    for name in (
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "float32", "float64", "complex64", "complex128",
    )
}  # fmt: skip


class Information:
    """Capabilities, devices and data types of `lathe.array_api`."""

    def capabilities(self) -> dict[str, Any]:
        """Indices may be masks, shapes may depend on values; arrays have up to 32 axes."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 32}

    def default_device(self) -> native.Device:
        """That of the current context."""
        return here()

    def devices(self) -> tuple[native.Device, ...]:
        """Those that new arrays can be on now: one, that of the current context."""
        return (here(),)

    def default_dtypes(self, *, device: Any = None) -> dict[str, types.DType]:
        """What Python's numbers become, and indices."""
        here(device)
        return {
            "real floating": types.float64,
            "complex floating": types.complex128,
            "integral": types.int64,
            "indexing": types.int64,
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, types.DType]:
        """The standard's data types by name, or those of a kind. Arrays may also be float16."""
        here(device)
        return {
            name: dtype
            for name, dtype in _DTYPES.items()
            if kind is None or kind == () or types.isdtype(dtype, kind)
        }
