# SPDX-License-Identifier: MIT
"""The reader of NIfTI-1 files in apps/brain, beside files that are written here."""

from __future__ import annotations

import gzip
import importlib.util
import struct

import numpy as np
import pytest

from lathe.cli.list_apps import apps


@pytest.fixture(scope="module")
def brain():
    spec = importlib.util.spec_from_file_location("brain_of_test", apps()["brain"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def nifti(file, voxels, order="<", kind=4, slope=0.0, add=0.0, rows=((2, 3, 4), (-5, 6, 7))):
    """Writes a file; rows: spacing and origin of x, y, z."""
    head = bytearray(352)
    struct.pack_into(order + "i", head, 0, 348)
    struct.pack_into(order + "8h", head, 40, 3, *voxels.shape[::-1], 1, 1, 1, 1)
    struct.pack_into(order + "2h", head, 70, kind, 8 * voxels.itemsize)
    struct.pack_into(order + "3f", head, 108, 352, slope, add)
    matrix = np.column_stack([np.diag(rows[0]), rows[1]])
    struct.pack_into(order + "12f", head, 280, *matrix.ravel())
    head[344:348] = b"n+1\0"
    with gzip.open(file, "wb") as packed:
        packed.write(head + voxels.tobytes())


@pytest.mark.parametrize("order", ["<", ">"])
def test_voxels_and_places_are_those_of_the_file(brain, tmp_path, order):
    voxels = np.arange(-12, 12).reshape(2, 3, 4)
    nifti(tmp_path / "a.nii.gz", voxels.astype(order + "i2"), order)
    got, origin, spacing = brain.read_nifti(tmp_path / "a.nii.gz")
    assert (got == voxels).all()
    assert got.shape == (2, 3, 4)
    assert (list(origin), list(spacing)) == ([-5, 6, 7], [2, 3, 4])


def test_values_are_scaled(brain, tmp_path):
    voxels = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    nifti(tmp_path / "a.nii.gz", voxels, kind=2, slope=0.5, add=3)
    got, _, _ = brain.read_nifti(tmp_path / "a.nii.gz")
    assert (got == 0.5 * voxels + 3).all()


def test_what_it_cannot_read_is_refused(brain, tmp_path):
    voxels = np.zeros((2, 3, 4), np.int16)
    nifti(tmp_path / "complex.nii.gz", voxels, kind=32)
    with pytest.raises(ValueError, match="no NIfTI-1 volume of real numbers"):
        brain.read_nifti(tmp_path / "complex.nii.gz")
    nifti(tmp_path / "mirrored.nii.gz", voxels, rows=((-1, 1, 1), (0, 0, 0)))
    with pytest.raises(ValueError, match="do not lead right"):
        brain.read_nifti(tmp_path / "mirrored.nii.gz")


def test_a_missing_package_is_named(brain, monkeypatch):
    monkeypatch.setattr(brain, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError) as missing:
        brain.brain_file()
    assert missing.value.name == "nilearn"
