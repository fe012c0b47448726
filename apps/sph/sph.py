# SPDX-License-Identifier: MIT
"""A dam breaks: water as particles (smoothed particle hydrodynamics), splashes and sloshing.

Edit sph.cu while it runs. The right mouse button takes water along; `tilt` tilts the tank.
"""

import numpy as np

import lathe
from lathe.cuda.scan import ExclusiveScanKernel

# Units: the depth of the water, gravity and its density are 1.
SMOOTHING = 1.3  # h, in distances of particles
SOUND = 15.0  # several times as fast as any water here, whose density then hardly changes
VISCOSITY, DIFFUSION = 0.03, 0.1
TALL = 4.0  # of the grid; all that flies higher is in its last row
KERNELS = ("count", "scatter", "settle", "push", "flow", "tell", "paint")
TANK = 5.366  # as in many papers: 3.22 m for water of 0.6 m
SCENES = ["dam", "column", "dams", "drop", "wave"]
LOOKS = ["speed", "pressure", "layers", "water"]
# Of the water's speed: deep, clear, spray.
SEA = [
    (0.03, 0.12, 0.36), (0.04, 0.30, 0.62), (0.08, 0.52, 0.80), (0.35, 0.78, 0.90),
    (0.80, 0.94, 0.96), (1.00, 1.00, 1.00),
]  # fmt: skip
# Pixels of the painted water, (rows, columns).
BY_CPU, BY_GPU = (360, 640), (1080, 1920)
LOW, HIGH = -0.12, 3.05  # what is seen
LEFT = (TANK - HIGH * 16 / 9) / 2
STIRRED = 0.18  # radius of what the mouse takes along


class Fluid:
    """Particles in a tank on the device, and the launches that move them.

    They are at `position` (n, 2) at first, `dx` apart and at rest. `depth`, a number or (n,), is
    the height of the surface above them, by which they have pressure. `tank` is its width.
    `asarray(array)` makes an array of one of NumPy's, `kernel(name)` a kernel: an App's, or others.
    """

    def __init__(
        self, position, dx, tank, asarray, kernel, depth=None, viscosity=VISCOSITY,
        diffusion=DIFFUSION,
    ):  # fmt: skip
        self.count = n = len(position)
        self.dx, self.h, self.tank, self.sound = dx, SMOOTHING * dx, tank, SOUND
        self.viscosity, self.diffusion = viscosity, diffusion
        width = 2.0001 * self.h
        self.grid = (int(tank / width) + 1, int(TALL / width) + 1, width, float(tank))
        cells = self.grid[0] * self.grid[1]
        state, more = np.zeros((n, 4), np.float32), np.zeros((n, 2), np.float32)
        state[:, :2] = position
        if depth is not None:  # at rest
            more[:, 0] = np.maximum(depth - position[:, 1], 0) / self.sound**2
        more[:, 1] = position[:, 1]
        self.state, self.more = asarray(state), asarray(more)
        # All the rest is made anew in each step: no part of the state.
        self._sorted = lathe.empty((n, 4), np.float32)
        self._sorted_more, self._velocity = (lathe.empty((n, 2), np.float32) for _ in range(2))
        self._counts, self._starts = (lathe.empty(cells + 1, np.int32) for _ in range(2))
        self._cell, self._place, self._order = (lathe.empty(n, np.int32) for _ in range(3))
        self._scan = ExclusiveScanKernel(np.int32, "a + b", 0)
        self._kernels = {name: kernel(name).over(n, 128) for name in KERNELS if name != "paint"}
        self._paint = kernel("paint")

    @property
    def dt(self):
        """Of a step: sound crosses a part of h."""
        return 0.5 * self.h / self.sound

    def step(self, gravity=(0.0, -1.0), hand=(0.0, 0.0, 0.0, 0.0, 0.0)):
        """A step of `dt`; `hand` is (x, y, radius, speed along x, along y) of what stirs."""
        n, grid, run = self.count, self.grid, self._kernels
        water = self._water = (
            self.dx, self.h, self.sound, self.viscosity, self.diffusion, *gravity
        )  # fmt: skip
        self._counts.fill(0)
        run["count"](self.state, self._counts, self._cell, self._place, n, grid)
        self._scan(self._counts, self._starts)
        run["scatter"](self._starts, self._cell, self._place, self._order, n)
        run["settle"](
            self.state, self.more, self._starts, self._cell, self._order,
            self._sorted, self._sorted_more, n,
        )  # fmt: skip
        run["push"](
            self._sorted, self._sorted_more, self._starts, self._velocity, n, grid, water, hand,
            self.dt,
        )  # fmt: skip
        run["flow"](
            self._sorted, self._sorted_more, self._starts, self._velocity,
            self.state, self.more, n, grid, water, self.dt,
        )  # fmt: skip

    def paint(self, picture, left, low, pixel):
        """The water as it was before the last step, (height, width, 4); see `paint` of sph.cu."""
        height, width, _ = picture.shape
        self._paint.over((height, width), (32, 8))(
            self._sorted, self._sorted_more, self._starts, picture, width, height,
            self.grid, self._water, left, low, pixel,
        )  # fmt: skip

    def tell(self, places, values, kind):
        """Places (n, 2) and what LOOKS[kind] is, as they are now."""
        self._kernels["tell"](self.state, self.more, places, values, self.count, kind, self.sound)


def block(left, bottom, width, height, dx):
    """Places (n, 2) of particles dx apart that fill a rectangle."""
    x = left + (np.arange(round(width / dx)) + 0.5) * dx
    y = bottom + (np.arange(round(height / dx)) + 0.5) * dx
    return np.stack(np.meshgrid(x, y), -1).reshape(-1, 2)


def first_state(scene, dx):
    """Places (n, 2) and the height of the surface above each, (n,)."""
    if scene == "wave":
        places = block(0, 0, TANK, 1.4, dx)
        surface = 0.7 + 0.4 * np.cos(np.pi * places[:, 0] / TANK)
        return places[places[:, 1] < surface], surface[places[:, 1] < surface]
    if scene == "drop":
        pool, drop = block(0, 0, TANK, 0.5, dx), block(2, 1.3, 1.2, 1.2, dx)
        drop = drop[np.hypot(*(drop - (2.6, 1.9)).T) < 0.45]
        return np.concatenate([pool, drop]), np.repeat([0.5, 0], [len(pool), len(drop)])
    blocks = {
        "dam": [block(0, 0, 2, 1, dx)],
        "column": [block(0, 0, 1, 1, dx)],
        "dams": [block(0, 0, 1, 1.2, dx), block(TANK - 0.7, 0, 0.7, 1.7, dx)],
    }[scene]
    tops = np.concatenate([np.full(len(b), b[:, 1].max() + dx / 2) for b in blocks])
    return np.concatenate(blocks), tops


def main() -> None:
    app = lathe.App("SPH", size=(1280, 720), background=(0.012, 0.018, 0.035))
    lathe.colormap("sea", SEA)
    kernels = {name: app.kernel("sph.cu", name) for name in KERNELS}
    state = app.state
    state.fluid, state.made, state.time, state.look = None, None, 0.0, None
    app.use_camera("pan_zoom")
    pixels = BY_CPU if app.gl["is_software"] else BY_GPU
    picture = app.empty((*pixels, 4))
    drawn = [app.empty((1, 2)), app.empty(1)]  # places and values of particles
    to_fit = 0
    mouse = before = None  # where it is while its right button is down, and was a frame ago

    @app.on_mouse("press", "drag", "release", button="right")
    def stir(event) -> None:
        nonlocal mouse
        mouse = None
        if event.kind == "release":
            return
        if event.cell is not None:
            mouse = (np.array(event.cell) + 0.5) * HIGH / pixels[0] + (LEFT, LOW)
        elif event.view and (line := event.view.sight_line(*event.place)):
            mouse = line[0][:2]

    def hand(seconds):
        """The disc around the mouse that takes water along."""
        nonlocal before
        here, then = mouse, before
        before = mouse
        if here is None or then is None:
            return (0.0,) * 5
        return (*here, STIRRED, *np.clip((here - then) / seconds, -4, 4))

    def draw(fluid, look):
        nonlocal to_fit
        if state.look != look:
            app.camera, state.look = lathe.PlaneCamera(), look
            to_fit = 0 if look == "water" else 10
        elif to_fit > 0:  # the window takes some frames to find its shape
            to_fit -= 1
            app.fit("tank")
        if look == "water":
            fluid.paint(picture, LEFT, LOW, HIGH / pixels[0])
            app.image(picture, smooth=True, y_up=True, name="water")
            return
        style = {
            "speed": {"range": (0, 2.2), "colormap": "sea"},
            "pressure": {"range": (0, 1), "colormap": "turbo"},
            "layers": {"range": (0, 1), "colormap": "YlGnBu_r"},
        }[look]
        if len(drawn[1]) != fluid.count:
            drawn[:] = app.empty((fluid.count, 2)), app.empty(fluid.count)
        fluid.tell(*drawn, LOOKS.index(look))
        app.points(
            drawn[0], values=drawn[1], size=1.35 * fluid.dx, world_size=True, name="water", **style
        )
        glass = [(0, 2.7), (0, 0), (TANK, 0), (TANK, 2.7)]
        app.lines(glass, color=(0.45, 0.55, 0.65), width=2, name="tank")

    @app.on_resize
    def resized() -> None:
        nonlocal to_fit
        to_fit = 0 if state.look == "water" else 10

    @app.init
    def begin() -> None:
        state.time = 0.0

    @app.frame
    def frame() -> None:
        scene = app.param("scene", "dam", choices=SCENES)
        rows = app.param("rows", 48, 20, 400, log=True)
        steps = app.param("steps", 12, 1, 64)
        tilt = np.radians(app.param("tilt", 0.0, -30.0, 30.0))
        look = app.param("look", "water", choices=LOOKS)
        if state.made != (scene, rows):
            position, depth = first_state(scene, 1 / rows)
            state.fluid = Fluid(
                position, 1 / rows, TANK, app.asarray, kernels.__getitem__, depth=depth
            )
            state.made, state.time = (scene, rows), 0.0
        fluid = state.fluid
        fluid.viscosity = app.param("viscosity", VISCOSITY, 0.0, 0.5)
        fluid.diffusion = app.param("diffusion", DIFFUSION, 0.0, 0.2)
        stirred = hand(steps * fluid.dt)
        for _ in range(steps):
            fluid.step((np.sin(tilt), -np.cos(tilt)), stirred)
        state.time += steps * fluid.dt
        draw(fluid, look)
        app.caption(f"{fluid.count:,} particles, time {state.time:.2f}")

    app.run()


if __name__ == "__main__":
    main()
