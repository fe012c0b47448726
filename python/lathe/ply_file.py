# SPDX-License-Identifier: MIT
"""Meshes in PLY files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from lathe.mesh import Mesh, fan, with_alpha

__all__ = ["read_ply"]

_PLY_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2",
    "ushort": "u2", "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4",
    "float": "f4", "float32": "f4", "double": "f8", "float64": "f8",
}  # fmt: skip
_PLY_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}


@dataclass(slots=True)
class _Element:
    name: str
    count: int
    properties: list[tuple[str, str, str]]  # name, type, type of a list's length or ""


def read_ply(path: Path) -> Mesh:
    """PLY, as text and in both byte orders (Turk 1994)."""
    with path.open("rb") as file:
        order, elements = _ply_header(file)
        tables: dict[str, dict[str, Any]] = {}
        words = iter(file.read().split()) if order == "" else None
        for element in elements:
            if words is not None:
                tables[element.name] = _ply_words(element, words)
            else:
                tables[element.name] = _ply_bytes(element, file, order)
    vertex = tables.get("vertex", {})
    if not all(axis in vertex for axis in "xyz"):
        raise ValueError("it has no vertices")
    faces = tables.get("face", {})
    lists: Any = next(
        (faces[name] for name in ("vertex_indices", "vertex_index") if name in faces), []
    )
    triangles = _triangles_of(lists)
    count = len(vertex["x"])
    if triangles.size and not (triangles.min() >= 0 and triangles.max() < count):
        raise ValueError("a face has a vertex that there is not")

    def columns(*names: str) -> NDArray[Any] | None:
        if not all(name in vertex for name in names):
            return None
        return np.stack([vertex[name] for name in names], axis=1)

    colors = columns("red", "green", "blue", "alpha")
    if colors is None:
        colors = columns("red", "green", "blue")
    texcoords = next(
        (found for pair in ("uv", "st") if (found := columns(*pair)) is not None),
        columns("texture_u", "texture_v"),
    )
    places, normals = columns("x", "y", "z"), columns("nx", "ny", "nz")
    assert places is not None
    return Mesh(
        places.astype(np.float32),
        triangles,
        None if normals is None else normals.astype(np.float32),
        None if colors is None else with_alpha(colors),
        None if texcoords is None else texcoords.astype(np.float32),
    )


def _ply_header(file: IO[bytes]) -> tuple[str, list[_Element]]:
    if file.readline().strip() != b"ply":
        raise ValueError("it is no PLY file")
    order: str | None = None
    elements: list[_Element] = []
    for raw in file:
        words = raw.decode("ascii", "replace").split()
        if not words or words[0] in ("comment", "obj_info"):
            continue
        if words[0] == "end_header":
            if order is None:
                break
            return order, elements
        if words[0] == "format" and len(words) > 1:
            order = _PLY_ORDERS.get(words[1])
        elif words[0] == "element" and len(words) == 3:
            elements.append(_Element(words[1], int(words[2]), []))
        elif words[0] == "property" and elements and words[-2] in _PLY_TYPES:
            length = words[2] if words[1] == "list" else ""
            if length and length not in _PLY_TYPES:
                raise ValueError(f"unknown type in its header: {length}")
            elements[-1].properties.append((words[-1], words[-2], length))
        else:
            raise ValueError(f"not understood in its header: {' '.join(words)}")
    raise ValueError("its header has no end, or no format that is known")


def _ply_words(element: _Element, words: Iterator[bytes]) -> dict[str, Any]:
    table: dict[str, list[Any]] = {name: [] for name, _, _ in element.properties}
    try:
        for _ in range(element.count):
            for name, _, length in element.properties:
                if length:
                    table[name].append([int(next(words)) for _ in range(int(next(words)))])
                else:
                    table[name].append(float(next(words)))
    except StopIteration:
        raise ValueError(f"it ends within its {element.name} elements") from None
    types = {name: kind for name, kind, length in element.properties if not length}
    return {
        name: np.array(column, _PLY_TYPES[types[name]]) if name in types else column
        for name, column in table.items()
    }


def _ply_bytes(element: _Element, file: IO[bytes], order: str) -> dict[str, Any]:
    lists = [each for each in element.properties if each[2]]
    if not lists:
        row = np.dtype([(name, order + _PLY_TYPES[kind]) for name, kind, _ in element.properties])
        rows = np.frombuffer(_exactly(file, row.itemsize * element.count, element), row)
        return {
            name: rows[name].astype(rows[name].dtype.newbyteorder("=")) for name in row.names or ()
        }
    alike = _ply_alike(element, file, order)
    if alike is not None:
        return alike
    table: dict[str, list[Any]] = {name: [] for name, _, _ in element.properties}
    for _ in range(element.count):
        for name, kind, length in element.properties:
            count = int(_numbers(file, order, length, 1, element)[0]) if length else 1
            values = _numbers(file, order, kind, count, element)
            table[name].append(values.tolist() if length else values[0])
    return table


def _ply_alike(element: _Element, file: IO[bytes], order: str) -> dict[str, Any] | None:
    """All rows at once where lists have one length: that of the first row's only one."""
    begin = file.tell()
    lists = [each for each in element.properties if each[2]]
    if len(lists) != 1 or element.properties[0] != lists[0] or element.count == 0:
        return None
    name, kind, length = lists[0]
    count = int(_numbers(file, order, length, 1, element)[0])
    file.seek(begin)
    rest = [(other, order + _PLY_TYPES[which]) for other, which, _ in element.properties[1:]]
    listed = [
        ("length of the list", order + _PLY_TYPES[length]),
        (name, order + _PLY_TYPES[kind], count),
    ]
    row = np.dtype([*listed, *rest])
    data = file.read(row.itemsize * element.count)
    if len(data) == row.itemsize * element.count:
        rows = np.frombuffer(data, row)
        if np.all(rows["length of the list"] == count):
            return {name: rows[name].reshape(-1, count), **{each: rows[each] for each, _ in rest}}
    file.seek(begin)
    return None


def _numbers(file: IO[bytes], order: str, kind: str, count: int, element: _Element) -> Any:
    dtype = np.dtype(order + _PLY_TYPES[kind])
    return np.frombuffer(_exactly(file, dtype.itemsize * count, element), dtype)


def _exactly(file: IO[bytes], count: int, element: _Element) -> bytes:
    data = file.read(count)
    if len(data) != count:
        raise ValueError(f"it ends within its {element.name} elements")
    return data


def _triangles_of(faces: Any) -> NDArray[np.int32]:
    """Fans, in the order of the faces."""
    if isinstance(faces, np.ndarray) and faces.shape[1] == 3:
        return faces.astype(np.int32)
    found = [triangle for face in faces for triangle in fan([int(each) for each in face])]
    return np.array(found, np.int32).reshape(-1, 3)
