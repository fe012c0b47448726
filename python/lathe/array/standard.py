# SPDX-License-Identifier: MIT
"""What the Python array API standard asks of an array and neither PyCUDA nor the operators have."""

from __future__ import annotations

from typing import Any

from lathe.array.extensions import provided
from lathe.native import native

_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


class StandardMethods:
    """Namespace and device of a `GPUArray`, and its use as an index."""

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """`lathe.array_api`, which has the functions of the standard.

        Raises
        ------
        ValueError
            For a version of the standard that is not known.
        """
        if api_version is not None and api_version not in _VERSIONS:
            raise ValueError(f"the array API is {_VERSIONS[-1]} here, {api_version!r} is not known")
        return provided("array_api")

    @property
    def device(self: Any) -> native.Device:
        """The device that the array is on."""
        return native.Device(native.array_device(self))

    def to_device(self: Any, device: Any, /, *, stream: Any = None) -> Any:
        """The array itself, which is on that device.

        Raises
        ------
        ValueError
            For another device: that is a copy through `get` and the other device's context.
        """
        if device != self.device:
            raise ValueError(f"the array is on {self.device!r} and cannot go to {device!r}")
        return self

    def __index__(self: Any) -> int:
        if self.ndim or self.dtype.kind not in "iu":
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        return int(self.item())
