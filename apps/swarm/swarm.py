# SPDX-License-Identifier: MIT
"""Flocks of birds in space (Reynolds), and Vicsek's model of birds in a plane.

Edit swarm.cu while it runs. `model` chooses; the key H calls the hawk to the bird under the mouse.
A million birds want a GPU.
"""

from collections import deque

import numpy as np

import lathe
from lathe import ui
from lathe.cuda.scan import ExclusiveScanKernel

CELL = 1.001  # least width of a cell: birds see as far as 1, and places are rounded
HAWK_REACH = 4.0
DT = 1 / 60  # of a step of the flock
MODELS = ["boids", "vicsek"]
LOOKS = ["heading", "speed", "crowd"]
# Of headings, one turn: gold, red, violet, blue, turquoise, green.
COMPASS = [
    (1.00, 0.80, 0.45), (0.98, 0.45, 0.40), (0.80, 0.35, 0.75), (0.38, 0.45, 0.95),
    (0.30, 0.80, 0.90), (0.55, 0.90, 0.60), (1.00, 0.80, 0.45),
]  # fmt: skip
KERNELS = ("count", "scatter", "settle", "flock", "vicsek", "neighbours", "pose")
BIRD = np.array([  # nose to +z, top to +y: body, then root, rear, wrist and tip of both wings
    (0, 0, 1), (0, 0.17, 0.1), (-0.2, 0.02, -1), (0.2, 0.02, -1),
    (-0.06, 0.06, 0.45), (-0.06, 0.06, -0.2), (-0.6, 0.3, 0.4), (-1.45, 0.12, -0.3),
    (0.06, 0.06, 0.45), (0.06, 0.06, -0.2), (0.6, 0.3, 0.4), (1.45, 0.12, -0.3),
], np.float32)  # fmt: skip
BIRD_TRIANGLES = np.array([
    (0, 1, 2), (0, 3, 1), (0, 2, 3), (4, 6, 5), (6, 7, 5), (8, 9, 10), (10, 9, 11),
], np.int32)  # fmt: skip
BIRDS_BY_GPU, BIRDS_BY_CPU = 200_000, 20_000  # more are drawn as spheres


class Swarm:
    """Birds on the device, sorted by the cells of a grid, and the launches that move them.

    `asarray(array)` makes an array of one of NumPy's, `kernel(name)` a kernel: an App's, or others.
    `grid` is (cells along x and y, cells along z, width of a cell, side of the periodic box or 0).
    """

    def __init__(self, position, velocity, grid, asarray, kernel):
        self.count, self.grid = n, _ = len(position), grid
        cells = grid[0] * grid[0] * grid[1]
        self.position, self.velocity = asarray(position), asarray(velocity)
        self.at, self.going = asarray(position), asarray(velocity)
        self.tone = asarray(np.zeros(n, np.float32))
        self.turned = asarray(np.zeros((n, 4), np.float32))
        self.sizes = asarray(np.zeros((n, 3), np.float32))
        self.counts = asarray(np.zeros(cells + 1, np.int32))
        self.starts = asarray(np.zeros(cells + 1, np.int32))
        self.cell, self.bird = (asarray(np.zeros(n, np.int32)) for _ in range(2))
        # Birds of a cell come in any order here, until they are settled: no part of the state.
        self._place, self._order = lathe.empty(n, np.int32), lathe.empty(n, np.int32)
        self.kernels = {name: kernel(name).over(n, 128) for name in KERNELS}
        self.scan = ExclusiveScanKernel(np.int32, "a + b", 0)
        self.steps = 0

    def sort(self):
        """Birds of a cell lie one behind the other in `at`, `going` and `bird`."""
        n, kernels = self.count, self.kernels
        self.counts.fill(0)
        kernels["count"](self.position, self.counts, self.cell, self._place, n, self.grid)
        self.scan(self.counts, self.starts)
        kernels["scatter"](self.starts, self.cell, self._place, self._order, n)
        kernels["settle"](
            self.position, self.velocity, self.starts, self.cell, self._order,
            self.at, self.going, self.bird, n,
        )  # fmt: skip

    def _move(self, name, *numbers, **sliders):
        self.sort()
        self.kernels[name](
            self.at, self.going, self.starts, self.bird, self.position, self.velocity, self.tone,
            self.count, self.grid, *numbers, **sliders,
        )  # fmt: skip
        self.steps += 1

    def flock(self, home, hawk, look=0, dt=DT, **sliders):
        """A step of Reynolds's birds; `hawk` is (x, y, z, how far it is feared)."""
        self._move("flock", home, hawk, dt, look, **sliders)

    def vicsek(self, **sliders):
        """A step of Vicsek's."""
        self._move("vicsek", self.steps, **sliders)

    def pose(self, time, **sliders):
        """Turns the birds along their velocities, into `turned`; their wings beat, in `sizes`."""
        self.kernels["pose"](self.velocity, self.turned, self.sizes, self.count, time, **sliders)

    def order_parameter(self):
        """The birds' mean velocity by their mean speed: 1 if all fly one way. Waits."""
        with lathe.fuse:
            speeds = ((self.velocity * self.velocity).sum(axis=1) ** 0.5).sum()
        return np.linalg.norm(self.velocity.sum(axis=0).get()) / float(speeds.get())


def grid_in_plane(side):
    """Of a periodic box; it needs three cells, and has 1,024 at most."""
    across = min(int(side / CELL), 1024)
    if across < 3:
        raise ValueError(f"a box of {side} is narrower than three cells")
    return across, 1, side / across, side


def grid_in_space(home):
    """That of birds within `home` of the middle; those beyond share its cells."""
    across = int(np.clip(2 * home / CELL, 8, 128))
    return across, across, CELL, 0.0


def home_of(count):
    """Radius of the room of so many birds: if they were everywhere, each would see ten."""
    return (count / 10) ** (1 / 3)


def birds_in_space(count, home, speed=4.0, seed=1987):
    """Positions and velocities, (count, 4) float32: some flocks, each with a heading of its own."""
    random = np.random.default_rng(seed)
    flocks = 12
    which = random.integers(0, flocks, count)
    middle = directions(flocks, random) * home * random.uniform(0.2, 0.8, (flocks, 1))
    spread = directions(count, random) * random.uniform(0, 1, (count, 1)) ** (1 / 3)
    heading = directions(flocks, random)
    heading[:, 2] *= 0.2
    x = middle[which] + spread * home * 0.35
    v = speed * (heading[which] + 0.3 * directions(count, random))
    return with_fourth(x), with_fourth(v)


def birds_in_plane(count, side, pace=0.03, seed=1995):
    """Positions and velocities, (count, 4) float32, anywhere and in any direction."""
    random = np.random.default_rng(seed)
    angle = random.uniform(0, 2 * np.pi, count)
    x = np.column_stack([random.uniform(0, side, (count, 2)), np.zeros(count)])
    v = pace * np.column_stack([np.cos(angle), np.sin(angle), np.zeros(count)])
    return with_fourth(x), with_fourth(v)


def directions(count, random):
    """Points of the unit sphere, (count, 3)."""
    x = random.normal(size=(count, 3))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def with_fourth(x):
    return np.column_stack([x, np.zeros(len(x))]).astype(np.float32)


def draw(app, swarm, look):
    """All birds, by what their `tone` says."""
    style = {
        "heading": {"range": (-np.pi, np.pi), "colormap": "compass"},
        "speed": {"range": (0.7, 1.4), "colormap": "plasma"},
        "crowd": {"range": (0, 1), "colormap": "magma"},
    }[look]
    if swarm.grid[1] > 1:
        most = BIRDS_BY_CPU if app.gl["is_software"] else BIRDS_BY_GPU
        if swarm.count <= most:
            swarm.pose(app.state.time)
            app.instances(
                BIRD, BIRD_TRIANGLES, swarm.position[:, :3], rotations=swarm.turned,
                scale=swarm.sizes, values=swarm.tone, name="birds", **style,
            )  # fmt: skip
        else:
            app.points(swarm.position, values=swarm.tone, radius=0.11, name="birds", **style)
    else:
        side = swarm.grid[3]
        corners = [(0, 0), (side, 0), (side, side), (0, side)]
        app.lines(corners, closed=True, color=(0.3, 0.33, 0.4), width=1, name="box")
        app.points(swarm.position, values=swarm.tone, size=3, name="birds", **style)


def main() -> None:
    app = lathe.App("Swarm", size=(1280, 720), background=(0.01, 0.014, 0.03))
    lathe.colormap("compass", COMPASS)
    kernels = {name: app.kernel("swarm.cu", name) for name in KERNELS}
    state = app.state
    state.swarm = state.made = None
    state.orders = deque(maxlen=300)
    state.heading = deque(maxlen=5)  # where the hawk was
    falcon = Swarm(*birds_in_space(1, 1.0), grid_in_space(1.0), app.asarray, kernels.__getitem__)

    def make(model, count, density):
        """New birds, and a camera that sees them all."""
        state.orders.clear()
        state.time = 0.0
        if model == "boids":
            home = home_of(count)
            first, grid = birds_in_space(count, home), grid_in_space(home)
            app.use_camera("orbit")
            camera = app.orbit_camera
            camera.up, camera.pitch, camera.yaw = "z", 0.35, 0.5
            camera.distance = 2.4 * home
        else:
            side = (count / density) ** 0.5
            first, grid = birds_in_plane(count, side), grid_in_plane(side)
            app.use_camera("pan_zoom")
            camera = app.pan_zoom_camera
            camera.center, camera.height = (side / 2, side / 2), 1.05 * side
        return Swarm(*first, grid, app.asarray, kernels.__getitem__)

    def place_of_hawk(home):
        """It circles among the birds; the key H calls it to the one under the mouse."""
        if app.input.key_down("h") and app.picked is not None:
            return np.array(app.picked.position)
        t = 3 * state.time / home
        return 0.6 * home * np.array([np.cos(0.9 * t), np.sin(1.3 * t), 0.4 * np.sin(0.7 * t)])

    def fly(steps, look):
        """Steps of the flock."""
        swarm = state.swarm
        home = home_of(swarm.count)
        hawk = place_of_hawk(home)
        reach = HAWK_REACH if app.param("hawk", True) else 1e-3
        for _ in range(steps):
            swarm.flock(home, (*hawk, reach), LOOKS.index(look))
        state.time += steps * DT
        if reach == HAWK_REACH:
            state.heading.append(hawk)
            flown = with_fourth([hawk - state.heading[0] + (1e-6, 0, 0)])
            falcon.velocity.set(flown)
            falcon.pose(state.time, size=0.9, beats=1.0)
            app.instances(
                BIRD, BIRD_TRIANGLES, [hawk], rotations=falcon.turned, scale=falcon.sizes,
                color=(1, 1, 1), name="hawk",
            )  # fmt: skip

    @app.init
    def begin() -> None:
        state.time = 0.0
        state.orders.clear()
        if state.swarm is not None:
            state.swarm.steps = 0

    @app.panel("Order")
    def panel() -> None:
        ui.plot("order parameter", list(state.orders))
        ui.hint("1 if all birds fly one way, near 0 if each goes its own.")

    @app.frame
    def frame() -> None:
        model = app.param("model", "boids", choices=MODELS)
        count = app.param("birds", 20_000, 40, 1_048_576, log=True)
        density = app.param("density", 4.0, 0.1, 10.0, log=True)
        steps = app.param("steps", 1, 1, 32)
        look = app.param("look", "heading", choices=LOOKS)
        wanted = (model, count, density if model == "vicsek" else None)
        if state.made != wanted:
            state.made, state.swarm = wanted, make(model, count, density)
        swarm = state.swarm
        if model == "boids":
            fly(steps, look)
        else:
            for _ in range(steps):
                swarm.vicsek()
            look = "heading"
        draw(app, swarm, look)
        if app.param("turn", True):
            app.orbit_camera.yaw += 0.002
        state.orders.append(swarm.order_parameter())
        app.caption(f"{swarm.count:,} birds, order {state.orders[-1]:.2f}")

    app.run()


if __name__ == "__main__":
    main()
