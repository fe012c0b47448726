# SPDX-License-Identifier: MIT
"""Meshes in Wavefront OBJ files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lathe.mesh import Mesh, fan, with_alpha

__all__ = ["read_obj"]


def read_obj(path: Path) -> Mesh:
    """Wavefront OBJ: v (with colours, too), vt, vn and f. Materials and curves are passed over.

    A vertex of the mesh is a combination of place, texture coordinate and normal that occurs.
    """
    places: list[Sequence[float]] = []
    texcoords: list[Sequence[float]] = []
    normals: list[Sequence[float]] = []
    known: dict[tuple[int, int, int], int] = {}
    triangles: list[tuple[int, int, int]] = []
    for number, line in _lines(path):
        word, *rest = line
        try:
            if word == "v":
                places.append([float(each) for each in rest])
            elif word == "vt":
                texcoords.append([float(each) for each in rest[:2]])
            elif word == "vn":
                normals.append([float(each) for each in rest[:3]])
            elif word == "f":
                counts = (len(places), len(texcoords), len(normals))
                corners = [known.setdefault(_corner(each, counts), len(known)) for each in rest]
                triangles += fan(corners)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error
    if not places:
        raise ValueError("it has no vertices")
    keys = np.array(list(known) or [(i, -1, -1) for i in range(len(places))])
    rows = _table(places, "vertices", 3)
    has = rows.shape[1]
    colors = rows[:, 3:6] if has >= 6 else None
    return Mesh(
        np.ascontiguousarray(rows[keys[:, 0], :3]),
        np.array(triangles, np.int32).reshape(-1, 3),
        _picked(normals, keys[:, 2], "normals", 3),
        None if colors is None else with_alpha(colors[keys[:, 0]]),
        _picked(texcoords, keys[:, 1], "texture coordinates", 2),
    )


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    with path.open(encoding="utf-8", errors="replace") as text:
        rest = ""
        for number, line in enumerate(text, 1):
            line = rest + line.partition("#")[0].rstrip()
            if line.endswith("\\"):
                rest = line[:-1] + " "
                continue
            rest = ""
            if words := line.split():
                yield number, words


def _corner(text: str, counts: tuple[int, int, int]) -> tuple[int, int, int]:
    """Indices of place, texture coordinate and normal, from 0; -1 for none."""
    found = [-1, -1, -1]
    for which, part in enumerate(text.split("/")):
        if which > 2:
            raise ValueError(f"{text} has more than three indices")
        if not part:
            continue
        given = int(part)
        index = given - 1 if given > 0 else counts[which] + given
        if given == 0 or not 0 <= index < counts[which]:
            raise ValueError(f"{text} is of nothing before it")
        found[which] = index
    if found[0] < 0:
        raise ValueError(f"{text} is of no vertex")
    return found[0], found[1], found[2]


def _table(rows: list[Sequence[float]], what: str, least: int) -> NDArray[np.float32]:
    if len({len(row) for row in rows}) != 1 or len(rows[0]) < least:
        raise ValueError(f"its {what} have not all the same {least} numbers")
    return np.array(rows, np.float32)


def _picked(
    rows: list[Sequence[float]], which: NDArray[Any], what: str, numbers: int
) -> NDArray[np.float32] | None:
    """Of vertices that all have one."""
    if not rows or np.any(which < 0):
        return None
    return np.ascontiguousarray(_table(rows, what, numbers)[which])
