# SPDX-License-Identifier: MIT
"""The small launch whose accesses the picture of a lesson shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Launch"]


@dataclass(frozen=True, slots=True)
class Launch:
    """What a lesson's picture runs.

    Attributes
    ----------
    grid, block : (int, int, int) or shorter
    arguments : sequence
        Of the kernel: NumPy arrays, which are copied to the device, and NumPy scalars.
    names : mapping of int to str
        What arguments are called in the picture, by their number; those without a name are not
        drawn.
    columns : int
        Elements of a row of memory in the picture; 32 unless given.
    spare : int
        Elements behind each array that belong to nobody. A kernel that runs over the end is seen
        there, and ends nothing.
    """

    grid: Sequence[int]
    block: Sequence[int]
    arguments: Sequence[Any]
    names: Mapping[int, str]
    columns: int = 32
    spare: int = 0
