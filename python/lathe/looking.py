# SPDX-License-Identifier: MIT
"""How a view is looked at: its cameras, what lies where, and the things that it shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lathe._lathe import OrbitCamera, PanZoomCamera, Studio
from lathe.array.gpu_array import GPUArray
from lathe.camera import Camera, PlaneCamera, camera_from
from lathe.clip_plane import ClipPlane, Normal, clip_plane
from lathe.draw_styles import Corner, number
from lathe.grip import Grip, grip_from
from lathe.picking import Picked, picked_from
from lathe.probe import Probe
from lathe.thing import Thing

__all__ = ["Looking"]


class Looking:
    """Cameras and things of a view; what is drawn in it is in `lathe.draw`."""

    def __init__(self, view: Studio.View) -> None:
        self._view = view

    @property
    def camera(self) -> Camera | PlaneCamera:
        """The camera that is used, as a value. What is set is used from then on.

        Its text is the line that makes it again. `orbit_camera` and `pan_zoom_camera` are the
        cameras themselves, for single attributes.
        """
        return camera_from(self._view.camera)

    @camera.setter
    def camera(self, camera: Camera | PlaneCamera) -> None:
        if not isinstance(camera, Camera | PlaneCamera):
            raise TypeError(f"a camera is a lathe.Camera or a lathe.PlaneCamera, got {camera!r}")
        self._view.camera = camera.engine_camera()

    @property
    def orbit_camera(self) -> OrbitCamera:
        """The camera of what lies in space."""
        return self._view.orbit_camera

    @property
    def pan_zoom_camera(self) -> PanZoomCamera:
        """The camera of the plane."""
        return self._view.pan_zoom_camera

    def use_camera(self, name: str) -> None:
        """Which camera points are seen through, and how mouse and keys move it.

        Parameters
        ----------
        name : str
            ``"pan_zoom"``: the camera of the plane. The others are the camera of space.
            ``"orbit"``: a drag turns it about its target, the up axis stays upright.
            ``"trackball"``: a drag turns it freely, over the poles, too. ``"fly"``: W, S, A, D, E
            and Q move it, a drag turns it about its eye, the wheel changes the speed.
        """
        self._view.use_camera(name)

    def fly_to(self, camera: Camera, seconds: float = 0.5) -> None:
        """Moves the camera of space to another place, frame by frame, slowly at both ends.

        The clock counts, so recordings use a `CameraPath`. What moves the camera otherwise, the
        mouse or the program, ends the flight.

        Raises
        ------
        TypeError, ValueError
            For what is no Camera, and for less than 0 seconds.
        """
        if not isinstance(camera, Camera):
            raise TypeError(f"a view flies to a lathe.Camera, got {camera!r}")
        self._view.fly_to(camera.engine_camera(), number("seconds", seconds))

    def link(self, other: Looking | None) -> None:
        """Takes over the cameras of another view; from now on both move together.

        Mouse or program may move either. More views may join. None: this one has cameras of its own
        again, which begin as they are.

        Raises
        ------
        TypeError
            For what is neither a View, nor an App (its first view), nor None.
        """
        if other is not None and not isinstance(other, Looking):
            raise TypeError(f"a view is linked to a view or to None, got {other!r}")
        self._view.link(None if other is None else other._view)

    def bounds(self, name: str | None = None) -> tuple[Corner, Corner] | None:
        """The box around what the last step drew, or around the thing of that name.

        Lowest and highest corner, (x, y, z) each. None where nothing has a place. Pictures have
        none; positions that are not finite are left out. Waits for the device.
        """
        return self._view.bounds(name)

    def fit(self, name: str | None = None) -> bool:
        """Moves the camera so that all is seen, or the thing of that name, without turning it.

        A picture that fills the view does so again. False where nothing is to be seen. An orbit
        camera that nobody has placed fits what is first shown in space by itself. Waits for the
        device.
        """
        return self._view.fit(name)

    def light(
        self, *, occlusion: float = 0.0, radius: float | None = None, ground: float = 0.0
    ) -> None:
        """Adds to the light that surfaces in space are seen in, from the next frame on.

        Unless this is called there is neither; what is not given is off.

        Parameters
        ----------
        occlusion : float
            How dark corners and clefts are, from what is near on the screen: 0 not at all, 1 as
            usual, more for more. Of what is solid.
        radius : float, optional
            World units: what is farther away takes no light. Unless given, a part of the distance
            from the eye to the target.
        ground : float
            How dark a soft shadow is on a ground at the low end of the box around all that is
            drawn: 0 no ground, 1 as usual. The light for it is straight above, along the camera's
            up axis, and wide; it stays as it is when the camera turns. Spheres, tubes, arrows,
            meshes and pictures in space that are solid throw shadows, volumes and points in pixels
            do not. From below there is no ground. Each new drawing waits for the device, which
            finds the box.

        Raises
        ------
        TypeError, ValueError
            For what is no number, or below 0.
        """
        self._view.set_light(
            number("occlusion", occlusion),
            0.0 if radius is None else number("radius", radius),
            number("ground", ground),
        )

    def clip(self, origin: Sequence[float], normal: Normal, name: str = "clip") -> ClipPlane:
        """Cuts what is drawn in space by a plane, from the next frame on, until it is removed.

        Spheres, tubes and arrows are solid: they show a flat cut of their own colour. Meshes,
        height fields and surfaces in volumes are hollow: they show their other side. Points of a
        size in pixels, and flat ones, are there or not, by their middle. What is cut off is
        neither picked nor selected, and other things are found through it. Texts, axes, colour
        bars and pictures in the plane stay, and so do things whose `Thing.clipped` is False.

        Parameters
        ----------
        origin : (x, y, z)
            A place on the plane.
        normal : (x, y, z) or str
            Towards what stays, of any length; or an axis: ``"x"``, ``"-x"``, ``"y"`` and so on.
        name : str
            Another call with that name moves the plane. A view has at most eight.

        Returns
        -------
        ClipPlane
            It moves, pauses and removes the plane.

        Raises
        ------
        TypeError, ValueError
            For what is no place or direction, and for a ninth plane.
        """
        return clip_plane(self._view, origin, normal, str(name))

    @property
    def clip_planes(self) -> list[ClipPlane]:
        """Those that are there, by name."""
        return [ClipPlane(self._view, name) for name in self._view.clip_plane_names()]

    def pick(self, x: float, y: float) -> Picked | None:
        """What was drawn last at pixel (x, y) of the view, from its top left.

        The thing in front, or the nearest within 4 pixels. Kernels look at the arrays as they are
        now. Waits for the device.
        """
        return picked_from(self._view.pick(number("x", x), number("y", y)))

    def sight_line(self, x: float, y: float) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """The ray that pixel (x, y) of the view sees, by the camera of the last drawing.

        Returns
        -------
        (origin, direction) or None
            (3,) float64 each: a place on the near plane, and a direction of length 1. In a plane
            the direction is along -z. None before the first drawing.
        """
        line = self._view.sight_line(number("x", x), number("y", y))
        return None if line is None else (np.array(line[0]), np.array(line[1]))

    def grip(self, name: str) -> Grip | None:
        """What the mouse has hold of among the elements of the things of that name, or None.

        As long as steps call this, a press of the left button without modifiers on such an element
        takes hold of it, and the drag moves no camera. What the script does with it is its own
        business: a kernel pulls the element to `Grip.target`, or the element is put there. The
        press waits for the device.

        Examples
        --------
        >>> import lathe
        >>> app = lathe.App("beads", size=(64, 64), headless=True)
        >>> beads = app.asarray([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
        >>> @app.frame
        ... def frame(step):
        ...     if grip := app.grip("beads"):
        ...         beads[grip.index] = grip.target
        ...     app.points(beads, radius=0.2, name="beads")
        >>> app.run(frames=1)
        """
        return grip_from(self._view.grip(str(name)))

    def select(self, x0: float, y0: float, x1: float, y1: float) -> dict[str, GPUArray]:
        """What was drawn last in a rectangle, by the names of things.

        Parameters
        ----------
        x0, y0, x1, y1 : float
            Opposite corners, in pixels of the view from its top left.

        Returns
        -------
        dict of str to (k,) int64 GPUArray
            Indices, rising: of points, of a line's points at which segments begin, of triangles,
            and of a picture's elements in C order. A part counts where its middle lies there and is
            neither nearer nor farther than what is drawn; it may be hidden by others. Things that
            have none are left out, and so are volumes. Of things of one name the last counts.

        Notes
        -----
        Kernels look at the arrays as they are now. Waits for the device.
        """
        corners = [
            number(name, each)
            for name, each in zip(("x0", "y0", "x1", "y1"), (x0, y0, x1, y1), strict=True)
        ]
        return dict(self._view.select(*corners))

    def probe(self, thing: str, index: int) -> Probe:
        """Records the value of one element of a thing in each step from now on.

        Parameters
        ----------
        thing : str
            Name of the thing; it may be drawn later.
        index : int
            Of a point, vertex or triangle with values, or of an element of a picture or a volume in
            C order; of a picture's channels the first counts.

        Returns
        -------
        Probe
            It records as long as it is kept. In a window the panel "Things" plots it.

        Raises
        ------
        ValueError
            For an index below 0.
        """
        return Probe(self._view.probe(str(thing), int(index)))

    @property
    def things(self) -> list[Thing]:
        """What the last step drew, in the order of the calls, and what this one has added."""
        return [Thing(self._view, *each) for each in self._view.things()]

    def thing(self, name: str) -> Thing:
        """The thing of that name, to hide or restyle it. Equal names share what is set.

        Raises
        ------
        KeyError
            Where nothing of that name is drawn.
        """
        things = self.things
        for each in things:
            if each.name == name:
                return each
        known = ", ".join(repr(each.name) for each in things)
        raise KeyError(f"no thing {name!r} is drawn; there are: {known or 'none'}")
