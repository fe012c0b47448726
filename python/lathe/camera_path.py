# SPDX-License-Identifier: MIT
"""The way of a camera through key frames, for recordings and turntables."""

from __future__ import annotations

from collections.abc import Iterable

from lathe._lathe import CameraPath as EnginePath
from lathe.camera import Camera, space_camera_from
from lathe.draw_styles import number
from lathe.native import native

__all__ = ["CameraPath"]


class CameraPath:
    """A camera in space that passes each key frame at its time.

    Target, distance and field of view go along smooth curves that stay between neighbouring keys
    (monotone cubics; of the distance its logarithm). The camera turns from key to key by the
    shortest way, so less than half a turn lies between two. `orthographic` and `up` are as in the
    key before.

    Parameters
    ----------
    keys : iterable of (float, Camera)
        Seconds, which rise, and the camera there; one key or more.

    Raises
    ------
    TypeError, ValueError
        For what is no key, and for times that do not rise.

    Examples
    --------
    >>> import lathe
    >>> near, far = lathe.Camera(distance=1), lathe.Camera(distance=4)
    >>> path = lathe.CameraPath([(0, near), (2, far)])
    >>> path.at(1)
    lathe.Camera(target=(0, 0, 0), distance=2, yaw=0.6, pitch=0.4)
    """

    def __init__(self, keys: Iterable[tuple[float, Camera]]) -> None:
        engine_keys = []
        for seconds, camera in keys:
            if not isinstance(camera, Camera):
                raise TypeError(f"a key frame is (seconds, lathe.Camera), got {camera!r}")
            engine_keys.append((number("seconds", seconds), camera.engine_camera()))
        self._path: EnginePath = native.CameraPath(engine_keys)

    @classmethod
    def turntable(cls, camera: Camera, seconds: float) -> CameraPath:
        """Once around the target and the up axis, at one speed, from 0 to `seconds`.

        The first and the last picture are the same: a loop shows ``path.at(step / fps)`` for
        `seconds` * fps steps. Raises ValueError unless `seconds` is above 0.
        """
        made = cls.__new__(cls)
        made._path = native.CameraPath.turntable(camera.engine_camera(), number("seconds", seconds))
        return made

    def at(self, seconds: float) -> Camera:
        """The camera at a time; before the first key as there, after the last one, too."""
        return space_camera_from(self._path.at(number("seconds", seconds)))

    @property
    def begin(self) -> float:
        """Seconds of the first key."""
        return self._path.begin

    @property
    def end(self) -> float:
        """Seconds of the last key."""
        return self._path.end

    def __repr__(self) -> str:
        return f"<lathe.CameraPath from {self.begin:g} s to {self.end:g} s>"
