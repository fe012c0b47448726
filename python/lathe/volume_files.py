# SPDX-License-Identifier: MIT
"""Volumes in files."""

from __future__ import annotations

import gzip
import os
import re
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Volume", "read_nifti", "read_raw"]

_NIFTI_TYPES = {
    2: "u1", 4: "i2", 8: "i4", 16: "f4", 64: "f8", 256: "i1", 512: "u2", 768: "u4",
    1024: "i8", 1280: "u8",
}  # fmt: skip
_HEADER = 348  # bytes


@dataclass(frozen=True, slots=True)
class Volume:
    """Values on a grid, and where it lies."""

    values: NDArray[Any]
    """(z, y, x), or (time, z, y, x)."""
    origin: NDArray[np.float64]
    """(3,): x, y, z of the middle of the first voxel."""
    spacing: NDArray[np.float64]
    """(3,): from one voxel to the next along x, y, z; above 0."""


def read_raw(path: Path) -> Volume:
    """Voxels without a header, x fastest, little-endian: the name says how many, and their type.

    That is the convention of the Open Scientific Visualization Datasets:
    ``bonsai_256x256x256_uint8.raw``.
    """
    found = re.search(r"_(\d+)x(\d+)x(\d+)_(u?int(?:8|16|32|64)|float(?:16|32|64))$", path.stem)
    if found is None:
        raise ValueError(
            "its name must say the size along x, y, z and the type, as bonsai_256x256x256_uint8.raw"
        )
    x, y, z = (int(each) for each in found.groups()[:3])
    dtype = np.dtype(found.group(4)).newbyteorder("<")
    with path.open("rb") as file:
        wanted, there = x * y * z * dtype.itemsize, file.seek(0, os.SEEK_END)
        if wanted != there:
            raise ValueError(f"it has {there} bytes, its name says {wanted}")
        file.seek(0)
        values = np.fromfile(file, dtype).reshape(z, y, x)
    return Volume(values.astype(dtype.newbyteorder("=")), np.zeros(3), np.ones(3))


def read_nifti(path: Path) -> Volume:
    """A NIfTI-1 file in one piece, packed or not; in its unit of length, mostly mm.

    Axes that lead to the left, back or down, or in another order, are turned, so that x leads to
    the right, y to the front and z to the top. A header has 348 bytes: the sizes at 40, the type at
    70, where voxels begin at 108, their scale at 112, three rows that make places of voxels at 280
    (sform), else the widths at 76 (https://nifti.nimh.nih.gov/nifti-1).
    """
    packed = path.read_bytes()
    try:
        data = gzip.decompress(packed) if packed[:2] == b"\x1f\x8b" else packed
    except (zlib.error, EOFError) as error:
        raise ValueError(f"it is packed, and damaged: {error}") from error
    if len(data) < _HEADER or data[344:347] != b"n+1":
        raise ValueError("it is no NIfTI-1 file in one piece")
    order = "<" if data[:4] == struct.pack("<i", _HEADER) else ">"
    axes, *sizes = struct.unpack(order + "8h", data[40:56])
    (kind,) = struct.unpack(order + "h", data[70:72])
    if kind not in _NIFTI_TYPES or axes not in (3, 4) or min(sizes[:axes]) < 1:
        raise ValueError("it is no volume of real numbers")
    begin, slope, add = struct.unpack(order + "3f", data[108:120])
    shape = sizes[:axes][::-1]
    count = int(np.prod(shape, dtype=np.int64))
    values = np.frombuffer(data, order + _NIFTI_TYPES[kind], count, int(begin)).reshape(shape)
    values = values.astype(values.dtype.newbyteorder("="))
    if np.isfinite(slope) and slope != 0 and (slope, add) != (1, 0):
        values = values * np.float32(slope) + np.float32(add)
    if axes == 4 and shape[0] == 1:
        values = values[0]
    return _turned(values, *_placement(data, order))


def _placement(data: bytes, order: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Steps along the file's axes in space, as columns, and the place of its first voxel."""
    quaternion_code, rows_code = struct.unpack(order + "2h", data[252:256])
    if rows_code > 0:
        rows = np.array(struct.unpack(order + "12f", data[280:328])).reshape(3, 4)
        return rows[:, :3], rows[:, 3]
    widths = np.array(struct.unpack(order + "8f", data[76:108]))
    if quaternion_code <= 0:
        return np.diag(widths[1:4]), np.zeros(3)
    b, c, d, *place = struct.unpack(order + "6f", data[256:280])
    rest = 1 - b * b - c * c - d * d
    a = np.sqrt(rest) if rest > 1e-7 else 0.0
    turn = np.array([
        [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
        [2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b)],
        [2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - c * c - b * b],
    ])  # fmt: skip
    mirror = -1.0 if widths[0] < 0 else 1.0
    return turn * (widths[1:4] * (1, 1, mirror)), np.array(place)


def _turned(values: NDArray[Any], steps: NDArray[np.float64], origin: NDArray[Any]) -> Volume:
    """With axes along x, y and z."""
    # A turn by float32 quaternions is off by up to 3e-4.
    clean = np.where(np.abs(steps) > 1e-3 * np.linalg.norm(steps, axis=0), steps, 0)
    if any(np.any((clean != 0).sum(axis) != 1) for axis in (0, 1)):
        raise ValueError("its axes are not along x, y and z")
    which = [int(np.flatnonzero(row)[0]) for row in clean]  # the file's axis along x, y, z
    first = values.ndim - 3
    ends = [values.ndim - 1 - axis for axis in which]  # of `values`, whose last axis is the file's
    values = values.transpose(*range(first), *reversed(ends))
    origin = origin.astype(np.float64)
    for axis in range(3):
        step = clean[axis, which[axis]]
        if step < 0:
            at = values.ndim - 1 - axis
            origin[axis] += step * (values.shape[at] - 1)
            values = np.flip(values, at)
    spacing = np.abs([clean[axis, which[axis]] for axis in range(3)])
    return Volume(np.ascontiguousarray(values), origin, spacing)
