# SPDX-License-Identifier: MIT
"""Planes that cut what a view shows in space."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lathe._lathe import Studio
from lathe.draw_styles import Corner, triple

__all__ = ["ClipPlane", "clip_plane"]

_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}

Normal = str | Sequence[float]


def _normal_of(normal: Normal) -> Corner:
    if not isinstance(normal, str):
        return triple("normal", normal)
    axis = _AXES.get(normal[-1:])
    if axis is None or normal[:-1] not in ("", "+", "-"):
        raise ValueError(f"normal is 'x', 'y', 'z', '-x', '-y', '-z' or 3 numbers, got {normal!r}")
    sign = -1.0 if normal.startswith("-") else 1.0
    return sign * axis[0], sign * axis[1], sign * axis[2]


class ClipPlane:
    """A plane of a view that cuts things off: see `View.clip`. It is known by its name.

    Its attributes may be set at any time; the next frame is cut so.
    """

    def __init__(self, view: Studio.View, name: str) -> None:
        self._view, self._name = view, name

    @property
    def _parts(self) -> tuple[Corner, Corner, bool]:
        parts = self._view.clip_plane(self._name)
        if parts is None:
            raise KeyError(f"the view has no clip plane {self._name!r} any more")
        origin, normal, active = parts
        return triple("origin", origin), triple("normal", normal), active

    @property
    def name(self) -> str:
        return self._name

    @property
    def origin(self) -> Corner:
        """A place on the plane."""
        return self._parts[0]

    @origin.setter
    def origin(self, origin: Sequence[float]) -> None:
        _, normal, active = self._parts
        self._view.set_clip_plane(self._name, triple("origin", origin), normal, active)

    @property
    def normal(self) -> Corner:
        """Towards what stays, of length 1. May be set to ``"x"``, ``"-x"`` and so on, too."""
        x, y, z = self._parts[1]
        most = max(abs(x), abs(y), abs(z))
        length = most * math.hypot(x / most, y / most, z / most)
        return x / length, y / length, z / length

    @normal.setter
    def normal(self, normal: Normal) -> None:
        origin, _, active = self._parts
        self._view.set_clip_plane(self._name, origin, _normal_of(normal), active)

    @property
    def active(self) -> bool:
        """False: the plane stays in the list and cuts nothing."""
        return self._parts[2]

    @active.setter
    def active(self, active: bool) -> None:
        origin, normal, _ = self._parts
        self._view.set_clip_plane(self._name, origin, normal, bool(active))

    def remove(self) -> None:
        """From the view. Nothing happens where it is gone already."""
        self._view.remove_clip_plane(self._name)

    def __repr__(self) -> str:
        if self._view.clip_plane(self._name) is None:
            return f"<lathe.ClipPlane {self._name!r}: removed>"
        state = "" if self.active else ", not active"
        return (
            f"<lathe.ClipPlane {self._name!r}: origin {self.origin}, normal {self.normal}{state}>"
        )


def clip_plane(view: Studio.View, origin: Sequence[float], normal: Normal, name: str) -> ClipPlane:
    """Adds a plane, or moves that of the name."""
    view.set_clip_plane(name, triple("origin", origin), _normal_of(normal), True)
    return ClipPlane(view, name)
