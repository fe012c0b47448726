# SPDX-License-Identifier: MIT
"""The arrays and textures of an App by name: found by a reloaded script, restored by a reset."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lathe._lathe import Studio, Texture
from lathe.array.gpu_array import GPUArray

__all__ = ["KeptArrays"]

Shape = int | Sequence[int]


@dataclass(slots=True)
class _Kept:
    memory: GPUArray | Texture
    initial: Any  # a host array, or one on the device; None: zeros
    claimed: bool = True


class KeptArrays:
    """Memory by name; without a name, by its number in the order of creation."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._kept: dict[str, _Kept] = {}
        self._unnamed = 0

    def make(self, shape: Shape, dtype: np.dtype[Any], name: str | None, initial: Any) -> GPUArray:
        """The kept array of this name, shape and dtype, else a new one."""
        sizes = _sizes(shape)
        found = self._find_or_make(
            name,
            initial,
            lambda old: isinstance(old, GPUArray) and old.shape == sizes and old.dtype == dtype,
            lambda: self._studio.array(list(sizes), dtype),
        )
        assert isinstance(found, GPUArray)
        return found

    def make_texture(
        self,
        shape: Shape,
        dtype: np.dtype[Any],
        smooth: bool,
        name: str | None,
        initial: NDArray[Any] | None,
    ) -> Texture:
        """The kept texture of this name, shape, dtype and reading, else a new one."""
        sizes = _sizes(shape)
        found = self._find_or_make(
            name,
            initial,
            lambda old: (
                isinstance(old, Texture)
                and (old.shape, old.dtype, old.smooth) == (sizes, dtype, smooth)
            ),
            lambda: self._studio.texture(list(sizes), dtype, smooth),
        )
        assert isinstance(found, Texture)
        return found

    def _find_or_make(
        self,
        name: str | None,
        initial: Any,
        fits: Callable[[GPUArray | Texture], bool],
        make: Callable[[], GPUArray | Texture],
    ) -> GPUArray | Texture:
        if name is None:
            name = f"#{self._unnamed}"
            self._unnamed += 1
        kept = self._kept.get(name)
        if kept is not None and not kept.claimed:
            if fits(kept.memory):
                kept.claimed = True
                kept.initial = initial
                return kept.memory
        elif kept is not None and not name.startswith("#"):
            raise ValueError(f"there is an array named '{name}' already")
        memory = make()
        if initial is not None:
            initial = initial.copy()
            memory.set(initial)
        self._kept[name] = _Kept(memory, initial)
        return memory

    def begin_reload(self) -> None:
        """What the script does not ask for again is let go at the next reload."""
        self._kept = {name: kept for name, kept in self._kept.items() if kept.claimed}
        for kept in self._kept.values():
            kept.claimed = False
        self._unnamed = 0

    def restore(self) -> None:
        """Everything as it was at first."""
        for kept in self._kept.values():
            if kept.initial is None:
                kept.memory.fill(0)
            else:
                kept.memory.set(kept.initial)


def _sizes(shape: Shape) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)
