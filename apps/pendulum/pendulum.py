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
KERNELS = ("advance", "paint")
MAPS = ["angle-drive", "damping-drive", "angle-velocity"]
ANGLES = "first angle from \u2212\u03c0 to \u03c0 \u2192"
TITLES = {
    "angle-drive": f"{ANGLES}, drive from 0.9 to 1.6 \u2191",
    "damping-drive": "damping from 0.2 to 0.8 \u2192, drive from 0.9 to 1.6 \u2191",
    "angle-velocity": f"{ANGLES}, velocity from \u22123 to 3 \u2191",
}
LOOKS = ["chaos", "angle", "velocity"]
DRIVES, DAMPINGS, SPEEDS = (0.9, 1.6), (0.2, 0.8), (-3.0, 3.0)  # of the map's sides
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
    picture = lathe.empty((SIDE, SIDE, 4), np.float32)
    views = app.mosaic("aaaaabbbb")
    views["b"].use_camera("pan_zoom")
    views["b"].camera = lathe.PlaneCamera(center=(0, 0), height=8.2)

    def make(kind):
        state.kind = kind
        state.map = Pendulums(*first_state(kind), app.asarray, kernels.__getitem__)
        state.cloud = Pendulums(*cloud(), app.asarray, kernels.__getitem__)

    def draw_map(view, kind, look, law):
        style = {"y_up": True, "name": "map"}
        if look == "chaos":
            kernels["paint"].over((SIDE, SIDE), BLOCK)(
                state.map.tales, picture, SIDE, SIDE, state.map.time, state.map.steps / STEPS
            )
            view.image(picture, **style)
        elif look == "angle":
            angles = state.map.pendulums[..., 0]
            view.image(angles, range=(-np.pi, np.pi), colormap="twilight", **style)
        else:
            view.image(state.map.pendulums[..., 1], range=(-3, 3), colormap="RdBu_r", **style)
        # The law of the attractor: a line, or a cross, in the plane whose height is 2.
        wide = min(1.0, app.size[0] * view.tile[2] / (app.size[1] * view.tile[3]))
        x, y = (
            wide * (2 * (value - low) / (high - low) - 1)
            for value, (low, high) in zip(law[::-1], (DAMPINGS, DRIVES), strict=True)
        )
        if kind != "angle-velocity" and abs(y) < wide:
            arms = [(-wide, y), (wide, y)]
            if kind == "damping-drive":
                arms = [(x - 0.05, y), (x + 0.05, y), (x, y - 0.05), (x, y + 0.05)]
            view.lines(arms, segments=True, color=(1, 1, 1, 0.7), width=1.2, name="law")
        view.title(TITLES[kind], size=15)

    def draw_cloud(view):
        places = state.cloud.pendulums.reshape(-1, 4)
        view.points(
            places[:, :2], size=1.8, opacity=0.35, color=(1.0, 0.62, 0.22), blend="additive",
            name="attractor",
        )  # fmt: skip
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

    @app.init
    def begin() -> None:
        for pendulums in (state.map, state.cloud):
            if pendulums is not None:
                pendulums.steps, pendulums.time = 0, 0.0

    @app.frame
    def frame() -> None:
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
