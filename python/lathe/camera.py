# SPDX-License-Identifier: MIT
"""Cameras as values: how a view looks, to be kept, printed, pasted and set again."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from lathe._lathe import OrbitCamera, PanZoomCamera
from lathe.draw_styles import floats, number, triple
from lathe.native import native

__all__ = ["Camera", "PlaneCamera"]


@dataclass(frozen=True, repr=False, kw_only=True)
class Camera:
    """How a view looks at what lies in space. Its text is the Python that makes it again.

    `dataclasses.asdict` makes a plain dict of it, and ``Camera(**kept)`` a camera of that.

    Attributes
    ----------
    target : (float, float, float)
        What is in the picture's middle.
    distance : float
        From there to the eye; above 0.
    yaw, pitch, roll : float
        Radians: of the eye about the up axis, from +z (or +x where z is up); above the ground, at
        most π / 2; and clockwise, how far the picture is turned.
    field_of_view : float
        Radians from the bottom to the top of the picture, above 0 and below π.
    orthographic : bool
        Parallel rays: what lies far behind is as large as what is near. The picture is as high as
        it is at the target otherwise.
    up : str
        ``"y"`` or ``"z"``: the axis that points up.

    Raises
    ------
    TypeError, ValueError
        For what is no number, or out of range.

    Examples
    --------
    >>> import lathe
    >>> lathe.Camera(distance=2.5, orthographic=True)
    lathe.Camera(target=(0, 0, 0), distance=2.5, yaw=0.6, pitch=0.4, orthographic=True)
    """

    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    distance: float = 3.0
    yaw: float = 0.6
    pitch: float = 0.4
    roll: float = 0.0
    field_of_view: float = 0.8
    orthographic: bool = False
    up: Literal["y", "z"] = "y"

    def __post_init__(self) -> None:
        _keep(self, "target", triple("target", self.target))
        for name in ("distance", "yaw", "pitch", "roll", "field_of_view"):
            _keep(self, name, number(name, getattr(self, name)))
        _keep(self, "orthographic", bool(self.orthographic))
        if not self.distance > 0:
            raise ValueError(f"distance is above 0, got {self.distance!r}")
        if not 0 < self.field_of_view < math.pi:
            raise ValueError(f"field_of_view is above 0 and below π, got {self.field_of_view!r}")
        if self.up not in ("y", "z"):
            raise ValueError(f"up is 'y' or 'z', got {self.up!r}")

    def engine_camera(self) -> OrbitCamera:
        """The same for the engine, where all but places are float32."""
        made: OrbitCamera = native.OrbitCamera(
            target=self.target,
            distance=self.distance,
            yaw=self.yaw,
            pitch=self.pitch,
            roll=self.roll,
            field_of_view=self.field_of_view,
            orthographic=self.orthographic,
            up=self.up,
        )
        return made

    def __repr__(self) -> str:
        return repr(self.engine_camera())


@dataclass(frozen=True, repr=False, kw_only=True)
class PlaneCamera:
    """How a view looks at a plane, x right and y up. Its text is the Python that makes it again.

    Attributes
    ----------
    center : (float, float)
        The plane's point in the picture's middle.
    height : float
        Units from the bottom to the top, above 0.

    Raises
    ------
    TypeError, ValueError
        For what is no number, or out of range.
    """

    center: tuple[float, float] = (0.0, 0.0)
    height: float = 2.0

    def __post_init__(self) -> None:
        _keep(self, "center", tuple(floats("center", self.center, (2,))))
        _keep(self, "height", number("height", self.height))
        if not self.height > 0:
            raise ValueError(f"height is above 0, got {self.height!r}")

    def engine_camera(self) -> PanZoomCamera:
        """The same for the engine, where all but places are float32."""
        made: PanZoomCamera = native.PanZoomCamera(center=self.center, height=self.height)
        return made

    def __repr__(self) -> str:
        return repr(self.engine_camera())


def camera_from(camera: OrbitCamera | PanZoomCamera) -> Camera | PlaneCamera:
    """The engine's camera as a value of Python's, with no more digits than the engine has."""
    if isinstance(camera, native.PanZoomCamera):
        x, y = camera.center
        return PlaneCamera(center=(x, y), height=_short(camera.height))
    return space_camera_from(camera)


def space_camera_from(camera: OrbitCamera) -> Camera:
    """See `camera_from`."""
    x, y, z = camera.target
    return Camera(
        target=(x, y, z),
        distance=_short(camera.distance),
        yaw=_short(camera.yaw),
        pitch=_short(camera.pitch),
        roll=_short(camera.roll),
        field_of_view=_short(camera.field_of_view),
        orthographic=camera.orthographic,
        up="z" if camera.up == "z" else "y",
    )


def _short(value: float) -> float:
    return float(str(np.float32(value)))


def _keep(camera: Any, name: str, value: Any) -> None:
    object.__setattr__(camera, name, value)
