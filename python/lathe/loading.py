# SPDX-License-Identifier: MIT
"""Files that become arrays: pictures, NumPy's, volumes, meshes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lathe.mesh import Mesh
from lathe.native import native
from lathe.obj_file import read_obj
from lathe.ply_file import read_ply
from lathe.tracebacks import words_of
from lathe.volume_files import Volume, read_nifti, read_raw

__all__ = ["load"]

_PICTURES = (
    ".png",
    ".jpg",
    ".jpeg",
    ".bmp",
    ".tga",
    ".psd",
    ".gif",
    ".hdr",
    ".pnm",
    ".ppm",
    ".pgm",
)


def load(file: str | os.PathLike[str]) -> NDArray[Any] | dict[str, NDArray[Any]] | Volume | Mesh:
    """Reads a file as arrays, by its ending.

    Parameters
    ----------
    file : str or path
        ``.png`` and other pictures; ``.npy``, ``.npz``; ``.nii``, ``.nii.gz`` (NIfTI-1); ``.raw``
        with size and type in its name, as in ``bonsai_256x256x256_uint8.raw``; ``.obj``; ``.ply``.

    Returns
    -------
    (height, width, channels) uint8 ndarray
        Of a picture, the top row first.
    ndarray, or dict of str to ndarray
        Of ``.npy``, and of ``.npz``.
    Volume
        ``values`` (z, y, x), ``origin`` and ``spacing`` (x, y, z): for ``app.volume``.
    Mesh
        ``vertices``, ``triangles`` and what the file has of ``normals``, ``colors`` and
        ``texcoords``: for ``app.mesh``.

    Raises
    ------
    lathe.Error
        Where the file cannot be read, or is not what its ending says. The message names both.

    Notes
    -----
    Nothing of a file is executed: arrays of Python objects are refused.

    Examples
    --------
    >>> import lathe, numpy as np
    >>> np.save("ramp.npy", np.arange(3.0))
    >>> lathe.load("ramp.npy")
    array([0., 1., 2.])
    """
    path = Path(file)
    name = path.name.lower()
    try:
        if name.endswith((".nii", ".nii.gz")):
            return read_nifti(path)
        if name.endswith(".raw"):
            return read_raw(path)
        if name.endswith(".obj"):
            return read_obj(path)
        if name.endswith(".ply"):
            return read_ply(path)
        if name.endswith(".npy"):
            read: NDArray[Any] = np.load(path, allow_pickle=False)
            return read
        if name.endswith(".npz"):
            with np.load(path, allow_pickle=False) as entries:
                return {each: entries[each] for each in entries.files}
    except OSError as error:
        raise native.Error(f"{path} was not read: {error.strerror or error}") from error
    except Exception as error:  # of damaged bytes NumPy and zipfile raise nearly anything
        raise native.Error(f"{path} was not read: {words_of(error)}") from error
    if name.endswith(_PICTURES):
        return native.load_image(str(path))
    known = "a picture, .npy, .npz, .nii, .raw, .obj or .ply"
    raise native.Error(f"{path} was not read: its ending is none of {known}")
