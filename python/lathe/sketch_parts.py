# SPDX-License-Identifier: MIT
"""What a sketch is made of: buffers with their first contents, launches, drawings."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["SEED", "Buffer", "Drawing", "Launch", "Sketch", "SketchError"]

SEED = 1


class SketchError(Exception):
    """A directive that is not understood: ``file:line: message``."""


@dataclass(frozen=True, slots=True)
class Buffer:
    """``//@ buffer``."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    content: str
    line: int
    is_vector: bool = False
    """The last size is that of a float2, uchar4, ..."""

    @property
    def cells(self) -> int:
        """Elements, a float3 being one."""
        return int(np.prod(self.shape[: len(self.shape) - self.is_vector], dtype=object))

    @property
    def bytes(self) -> int:
        """Of all elements."""
        return int(np.prod(self.shape, dtype=object)) * np.dtype(self.dtype).itemsize

    def make(self) -> NDArray[Any]:
        """The first contents."""
        random = np.random.default_rng([SEED, *self.name.encode()])
        call = re.fullmatch(r"(\w+)\((.*)\)", self.content)
        name = call[1] if call else self.content
        numbers = [float(x) for x in call[2].split(",")] if call else []
        if name == "random":
            low, high = numbers if numbers else (0.0, 1.0)
            return self._as_dtype(random.uniform(low, high, self.shape))
        if name == "noise":
            return self._as_dtype(random.normal(0.0, numbers[0], self.shape))
        value = {"zeros": 0.0, "ones": 1.0}.get(name)
        return np.full(self.shape, float(name) if value is None else value, self.dtype)

    def _as_dtype(self, values: NDArray[np.float64]) -> NDArray[Any]:
        """Integers stop at their limits instead of wrapping."""
        if np.dtype(self.dtype).kind in "iu":
            limits = np.iinfo(self.dtype)
            values = values.clip(limits.min, limits.max)
        return values.astype(self.dtype)


@dataclass(frozen=True, slots=True)
class Launch:
    """``//@ launch``; sizes are x, y, z."""

    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...] | None
    times: int
    swaps: tuple[tuple[str, str], ...]
    once: bool
    line: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """``//@ image``, ``points`` or ``lines``: the App's method, the buffer, its arguments."""

    method: str
    buffer: str
    arguments: dict[str, Any]
    values: str | None
    line: int


@dataclass(slots=True)
class Sketch:
    """What the directives of a file say."""

    title: str
    size: tuple[int, int] = (1280, 720)
    background: tuple[float, float, float] = (0.03, 0.03, 0.04)
    camera: str | None = None
    buffers: dict[str, Buffer] = field(default_factory=dict)
    launches: list[Launch] = field(default_factory=list)
    drawings: list[Drawing] = field(default_factory=list)
