# SPDX-License-Identifier: MIT
"""Triangles, as files of meshes give them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Mesh", "fan", "with_alpha"]


@dataclass(frozen=True, slots=True)
class Mesh:
    """Vertices, and the triangles between them. Faces of more corners are fans of triangles."""

    vertices: NDArray[np.float32]
    """(n, 3)."""
    triangles: NDArray[np.int32]
    """(m, 3): indices of vertices."""
    normals: NDArray[np.float32] | None = None
    """(n, 3)."""
    colors: NDArray[np.float32] | None = None
    """(n, 4): red, green, blue, alpha, 0 to 1."""
    texcoords: NDArray[np.float32] | None = None
    """(n, 2)."""


def fan(corners: Sequence[int]) -> list[tuple[int, int, int]]:
    """A polygon's triangles."""
    if len(corners) < 3:
        raise ValueError(f"a face with {len(corners)} corners")
    return [(corners[0], a, b) for a, b in pairwise(corners[1:])]


def with_alpha(colors: NDArray[Any]) -> NDArray[np.float32]:
    """Red, green, blue and perhaps alpha; integers become 0 to 1."""
    scale = np.iinfo(colors.dtype).max if colors.dtype.kind == "u" else 1
    whole = np.ones((len(colors), 4), np.float32)
    whole[:, : colors.shape[1]] = colors.astype(np.float32) / np.float32(scale)
    return whole
