# SPDX-License-Identifier: MIT
"""Colormaps of one's own."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lathe.native import native

__all__ = ["colormap"]


def colormap(name: str, colors: ArrayLike) -> None:
    """Gives colours a name that `colormap=` takes; with ``"_r"`` behind it they are reversed.

    Parameters
    ----------
    name : str
        Of none of the tables that are there. The same name again replaces the colours, also in what
        is drawn already.
    colors : (n, 3) or (n, 4)
        Two or more, at even distances, blended between them: floats of 0 to 1, or uint8. A fourth
        column, which matplotlib's colormaps give, is not looked at.

    Raises
    ------
    ValueError
        For another shape, and for numbers beyond 0 to 1.
    lathe.Error
        For a name that cannot be given.

    Examples
    --------
    >>> import lathe
    >>> lathe.colormap("ember", [(0, 0, 0), (0.8, 0.2, 0), (1, 0.9, 0.5)])
    """
    table = np.asarray(colors)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] not in (3, 4):
        raise ValueError(f"colors are (n, 3), two or more, got an array of shape {table.shape}")
    table = table[:, :3] / 255 if table.dtype == np.uint8 else table[:, :3].astype(np.float32)
    if not ((table >= 0) & (table <= 1)).all():
        raise ValueError(f"colors are 0 to 1, or uint8; got {table.min():.4g} to {table.max():.4g}")
    native.define_colormap(name, table.tolist())
