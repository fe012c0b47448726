# SPDX-License-Identifier: MIT
"""The arrays of an App by name: found again by a reloaded script, restored by a reset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lathe._lathe import Array, Studio

__all__ = ["KeptArrays"]


@dataclass(slots=True)
class _Kept:
    array: Array
    initial: NDArray[Any] | None  # None: zeros
    claimed: bool = True


class KeptArrays:
    """Arrays by name; without a name, by their number in the order of creation."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._kept: dict[str, _Kept] = {}
        self._unnamed = 0

    def make(
        self,
        shape: int | Sequence[int],
        dtype: np.dtype[Any],
        name: str | None,
        initial: NDArray[Any] | None,
    ) -> Array:
        """The kept array of this name, shape and dtype, else a new one."""
        sizes = (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)
        if name is None:
            name = f"#{self._unnamed}"
            self._unnamed += 1
        kept = self._kept.get(name)
        if kept is not None and not kept.claimed:
            if kept.array.shape == sizes and kept.array.dtype == dtype:
                kept.claimed = True
                kept.initial = initial
                return kept.array
        elif kept is not None and not name.startswith("#"):
            raise ValueError(f"there is an array named '{name}' already")
        array = self._studio.array(list(sizes), dtype)
        if initial is not None:
            initial = initial.copy()
            array.set(initial)
        self._kept[name] = _Kept(array, initial)
        return array

    def begin_reload(self) -> None:
        """What the script does not ask for again is let go at the next reload."""
        self._kept = {name: kept for name, kept in self._kept.items() if kept.claimed}
        for kept in self._kept.values():
            kept.claimed = False
        self._unnamed = 0

    def restore(self) -> None:
        """All arrays as they were at first."""
        for kept in self._kept.values():
            if kept.initial is None:
                kept.array.fill(0)
            else:
                kept.array.set(kept.initial)
