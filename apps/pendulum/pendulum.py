# SPDX-License-Identifier: MIT
"""Pendulums that a periodic force drives: a map of order and chaos, and a strange attractor.

Edit pendulum.cu while it runs. `map` chooses what differs from pendulum to pendulum; the right
mouse button shows the attractor of a place. The time line goes back; another slider there begins a
branch.
"""

import numpy as np

import lathe

STEPS = 64  # in a period of the force
SIDE = 640  # pendulums in a row of the map, and rows
CLOUD = 20_000  # those of the attractor
BLOCK = (32, 8)
KERNELS = ("advance", "paint", "show", "scatter")
MAPS = ["angle-drive", "damping-drive", "angle-velocity"]
ANGLES = "first angle from \u2212\u03c0 to \u03c0 \u2192"
TITLES = {
    "angle-drive": f"{ANGLES}, drive from 0.9 to 1.6 \u2191",
    "damping-drive": "damping from 0.2 to 0.8 \u2192, drive from 0.9 to 1.6 \u2191",
    "angle-velocity": f"{ANGLES}, velocity from \u22123 to 3 \u2191",
}
LOOKS = ["chaos", "angle", "velocity"]
DRIVES, DAMPINGS, SPEEDS = (0.9, 1.6), (0.2, 0.8), (-3.0, 3.0)  # of the map's sides
FASTEST, FRAME = 3.6, (0.16, 0.18, 0.24)
OPTIONS = ["--use_fast_math"]


class Pendulums:
    """Pendulums on the device, (rows, columns), and the launches that move them.

    `angle` and `velocity` are those at first.
    `asarray(array)` makes an array of one of NumPy's, `kernel(name)` a kernel: an App's, or others.
    """

    def __init__(self, angle, velocity, asarray, kernel, dtype=np.float32):
        self.shape = np.shape(angle)
        first = np.zeros((*self.shape, 4), dtype)
        first[..., 0], first[..., 1] = angle, velocity
        first[..., 2] = 1
        self.pendulums = asarray(first)
        self.tales = asarray(np.zeros((*self.shape, 2), dtype))
        self.steps = 0
        self.time = 0.0
        self._advance = kernel("advance").over(self.shape, BLOCK)

    def advance(self, steps, law, across=(0.0, 0.0), up=(0.0, 0.0), frequency=2 / 3, each=STEPS):
        """So many steps, `each` of which make a period of the force.

        `law` is (drive, damping) of the lower left corner; `across` and `up` are what it gains from
        left to right, and from bottom to top.
        """
        turn = 2 * np.pi / each
        now, half = turn * (self.steps % each), turn / 2
        phase = (np.cos(now), np.sin(now), np.cos(half), np.sin(half))
        dt = turn / frequency
        rows, columns = self.shape
        self._advance(
            self.pendulums, self.tales, columns, rows, law, across, up, phase, dt, steps
        )  # fmt: skip
        self.steps += steps
        self.time += steps * dt


def first_state(kind, side=SIDE):
    """Angles and velocities of a map, (side, side)."""
    u = (np.arange(side) + 0.5) / side
    still = np.zeros((side, side))
    speeds = still + (SPEEDS[0] + u * (SPEEDS[1] - SPEEDS[0]))[:, None]
    return (
        still if kind == "damping-drive" else still + np.pi * (2 * u - 1),
        speeds if kind == "angle-velocity" else still,
    )


def laws(kind, drive, damping):
    """(drive, damping) at the map's lower left corner, and what they gain across and up."""
    up = (DRIVES[1] - DRIVES[0], 0.0)
    if kind == "angle-drive":
        return (DRIVES[0], damping), (0.0, 0.0), up
    if kind == "damping-drive":
        return (DRIVES[0], DAMPINGS[0]), (0.0, DAMPINGS[1] - DAMPINGS[0]), up
    return (drive, damping), (0.0, 0.0), (0.0, 0.0)


def cloud(seed=1990):
    """Angles and velocities of many pendulums, (1, CLOUD), near to each other."""
    random = np.random.default_rng(seed)
    return random.normal(0, 0.3, (2, 1, CLOUD))


def main() -> None:
    app = lathe.App(
        "Pendulum", size=(1280, 720), background=(0.012, 0.014, 0.025), history="512 MiB"
    )
    kernels = {name: app.kernel("pendulum.cu", name, options=OPTIONS) for name in KERNELS}
    state = app.state
    state.map = state.cloud = state.kind = None
    picture, shown = app.empty((SIDE, SIDE, 4)), app.empty((SIDE, SIDE))
    places = app.empty((CLOUD, 2))
    views = app.mosaic("aaaaabbbb")
    views["b"].use_camera("pan_zoom")
    to_fit, wide = 10, 1.0

    def make(kind):
        state.kind = kind
        state.map = Pendulums(*first_state(kind), app.asarray, kernels.__getitem__)
        state.cloud = Pendulums(*cloud(), app.asarray, kernels.__getitem__)

    def draw_map(view, kind, look, law):
        if look == "chaos":
            kernels["paint"].over((SIDE, SIDE), BLOCK)(
                state.map.tales, picture, SIDE, SIDE, state.map.time, state.map.steps / STEPS
            )
            view.image(picture, y_up=True, name="map")
        else:
            style = {
                "angle": {"range": (-np.pi, np.pi), "colormap": "twilight"},
                "velocity": {"range": (-3, 3), "colormap": "RdBu_r"},
            }[look]
            kernels["show"].over(SIDE * SIDE, 256)(
                state.map.pendulums, shown, SIDE * SIDE, look == "velocity"
            )
            view.image(shown, y_up=True, name="map", **style)
        view.title(TITLES[kind], size=15)
        if kind == "angle-velocity":
            return
        # The law of the attractor: a line, or a cross, in the plane where a tile has the height 2.
        x, y = (
            wide * (2 * (value - low) / (high - low) - 1)
            for value, (low, high) in zip(law[::-1], (DAMPINGS, DRIVES), strict=True)
        )
        if abs(y) < wide:
            arms = [(-wide, y), (wide, y)]
            if kind == "damping-drive":
                arms = [(x - 0.05, y), (x + 0.05, y), (x, y - 0.05), (x, y + 0.05)]
            view.lines(arms, segments=True, color=(1, 1, 1, 0.8), width=1.2, name="law")

    def draw_cloud(view):
        kernels["scatter"].over(CLOUD, 256)(state.cloud.pendulums, places, CLOUD)
        view.points(
            places, size=1.8, opacity=0.35, color=(1.0, 0.62, 0.22), blend="additive",
            name="attractor",
        )  # fmt: skip
        x, y = np.pi, FASTEST
        view.lines([(-x, -y), (x, -y), (x, y), (-x, y)], closed=True, color=FRAME, name="frame")
        view.axes(("angle", "velocity"), grid=False)

    @app.on_mouse("press", "drag", button="right")
    def take(event) -> None:
        """The law of the place under the mouse."""
        if event.cell is None or state.kind == "angle-velocity":
            return
        column, row = ((each + 0.5) / SIDE for each in event.cell)
        app.set("drive", DRIVES[0] + row * (DRIVES[1] - DRIVES[0]))
        if state.kind == "damping-drive":
            app.set("damping", DAMPINGS[0] + column * (DAMPINGS[1] - DAMPINGS[0]))

    @app.on_resize
    def resized() -> None:
        nonlocal to_fit
        to_fit = 10

    @app.init
    def begin() -> None:
        for pendulums in (state.map, state.cloud):
            if pendulums is not None:
                pendulums.steps, pendulums.time = 0, 0.0

    @app.frame
    def frame() -> None:
        nonlocal to_fit, wide
        if to_fit > 0:  # the window takes some frames to find its shape
            to_fit -= 1
            views["b"].fit("frame")
            corner = views["a"].sight_line(0, 0)
            if corner is not None:
                wide = min(1.0, abs(corner[0][0] / corner[0][1]))
        kind = app.param("map", "damping-drive", choices=MAPS)
        drive = app.param("drive", 1.5, 0.0, 2.0)
        damping = app.param("damping", 0.25, 0.0, 1.0)
        frequency = app.param("frequency", 2 / 3, 0.2, 2.0)
        steps = app.param("steps", 4, 1, 64)
        look = app.param("look", "chaos", choices=LOOKS)
        if state.kind != kind:
            make(kind)
        state.map.advance(steps, *laws(kind, drive, damping), frequency=frequency)
        state.cloud.advance(steps, (drive, damping), frequency=frequency)
        draw_map(views["a"], kind, look, (drive, damping))
        draw_cloud(views["b"])
        app.caption(
            f"drive {drive:.3f}, damping {damping:.3f}, {state.map.steps / STEPS:.1f} periods"
        )

    app.run()


if __name__ == "__main__":
    main()
