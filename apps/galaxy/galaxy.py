# SPDX-License-Identifier: MIT
"""Galaxies of stars that all attract each other: spiral arms, and two discs that collide.

Edit galaxy.cu while it runs. `galaxies` and `bodies` take other first states; 262,144 bodies want
a GPU.
"""

from dataclasses import dataclass

import numpy as np

import lathe

# Units: G = 1, the mass of a galaxy is 1, the scale length of its disc is 1.
BLOCK, ROWS = 256, 4  # BLOCK and EACH of galaxy.cu
BULGE_SHARE, BULGE_SIZE = 0.3, 0.25  # of the mass, and Plummer's length
DISC_HEIGHT, DISC_EDGE = 0.06, 4.0
TOOMRE_Q = 1.0  # of the disc: below 1 rings fall apart by themselves
SOFTENING = 0.06
CLOUDS = 600  # bodies that are drawn with a glow around them
OPTIONS = ["-ftz=true"]  # denormal numbers are 0, which makes rsqrt one instruction


class Bodies:
    """Bodies on the device, and the launches that move them.

    `make(array)` makes an array of one of NumPy's, `kernel(name)` a kernel: an App's, or others.
    """

    def __init__(self, position, velocity, make, kernel, blocks_wanted=2048):
        self.count = n = len(position)
        blocks = -(-n // BLOCK)
        # A block in each slice of the bodies: 2,048 blocks fill the largest GPU four times.
        slices = min(max(blocks_wanted // blocks, 4), blocks)
        self.slice = -(-blocks // slices) * BLOCK  # whole tiles
        self.slices = -(-n // self.slice)
        self.position, self.velocity = make(position), make(velocity)
        self.pulls = make(np.zeros((self.slices, n, 4), position.dtype))
        self.speed = make(np.linalg.norm(velocity[:, :3], axis=1).astype(np.float32))
        self.attract = kernel("attract")[(blocks, self.slices), (BLOCK // ROWS, ROWS)]
        self.move = kernel("move").over(n, BLOCK)
        self.owed = 0.0  # by how much velocities lag behind positions: half of the last step

    def pull(self, **softening):
        """Accelerations where the bodies are, one by each slice; they stay on the device."""
        self.attract(self.position, self.pulls, self.count, self.slice, **softening)

    def step(self, dt, **softening):
        """Kick, drift, kick. The last kick is made with the next step's first, by the same pull."""
        self.pull(**softening)
        self.move(
            self.position, self.velocity, self.pulls, self.speed, self.count, self.slices,
            self.owed + dt / 2, dt,
        )  # fmt: skip
        self.owed = dt / 2

    def finish(self, **softening):
        """The last kick: velocities are those of the positions' time."""
        self.step(0.0, **softening)


def plummer(count, random):
    """Positions and velocities (count, 3) of Plummer's sphere of mass 1 and length 1.

    The way of Aarseth, Hénon and Wielen (1974).
    """
    share = random.uniform(0.0, 0.99, count)  # of the mass that is nearer to the middle
    radius = 1 / np.sqrt(share ** (-2 / 3) - 1)
    q = np.empty(0)  # speed / speed of escape, distributed as q^2 (1 - q^2)^(7/2)
    while len(q) < count:
        x, y = random.uniform(0, 1, (2, 4 * count))
        q = np.append(q, x[0.1 * y < x**2 * (1 - x**2) ** 3.5])
    speed = q[:count] * np.sqrt(2) * (1 + radius**2) ** -0.25
    return radius[:, None] * directions(count, random), speed[:, None] * directions(count, random)


def directions(count, random):
    """Points of the unit sphere, (count, 3)."""
    x = random.normal(size=(count, 3))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def speed_of_circles(radii, position, mass, softening):
    """Speed of circular orbits in the plane z = 0, in the pull of the bodies, all of one mass.

    The mean of the pull at places around each circle; of many bodies every so-manieth is asked.
    """
    some = position[:: -(-len(position) // 4096)]
    angle = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    inward = np.zeros(len(radii))
    for c, s in zip(np.cos(angle), np.sin(angle), strict=True):
        d = some - np.multiply.outer(radii, [c, s, 0])[:, None]
        pull = ((d[..., 0] * c + d[..., 1] * s) / (np.sum(d * d, -1) + softening**2) ** 1.5).sum(1)
        inward -= pull * mass * (len(position) / len(some)) / len(angle)
    return np.sqrt(np.maximum(radii * inward, 0))


def galaxy(count, random):
    """Positions and velocities (count, 3) of a disc with a bulge; the bulge's come first.

    The disc's surface density falls as exp(-R). Its bodies have the speed of circles in the pull of
    all, and random speeds around it as Toomre (1964) asks of a stable disc.
    """
    in_bulge = round(BULGE_SHARE * count)
    bulge_x, bulge_v = plummer(in_bulge, random)
    n = count - in_bulge
    radius = random.gamma(2.0, 1.0, 2 * n)  # R exp(-R)
    radius = np.resize(radius[radius < DISC_EDGE], n)
    angle = random.uniform(0, 2 * np.pi, n)
    c, s = np.cos(angle), np.sin(angle)
    height = DISC_HEIGHT * np.arctanh(random.uniform(-0.99, 0.99, n))  # sech^2(z / DISC_HEIGHT)
    x = np.concatenate([BULGE_SIZE * bulge_x, np.stack([radius * c, radius * s, height], 1)])

    radii = np.geomspace(0.02, 3 * DISC_EDGE, 64)
    circle = speed_of_circles(radii, x, 1 / count, SOFTENING)
    turn = circle / radii
    epicycle = np.sqrt(np.maximum(4 * turn**2 + radii * np.gradient(turn**2, radii), turn**2))
    density = (1 - BULGE_SHARE) / (2 * np.pi) * np.exp(-radii)
    radial = np.minimum(3.36 * TOOMRE_Q * density / epicycle, 0.4 * circle)
    across = radial * epicycle / (2 * turn)
    drift = circle**2 + radial**2 * (1 - (epicycle / (2 * turn)) ** 2 - 2 * radii)
    up = np.sqrt(np.pi * density * DISC_HEIGHT)

    def at(values):
        return np.interp(radius, radii, values) * random.normal(size=n)

    along = np.interp(radius, radii, np.sqrt(np.maximum(drift, 0))) + at(across)
    outward = at(radial)
    v = np.stack([outward * c - along * s, outward * s + along * c, at(up)], 1)
    # Plummer's sphere has this speed of circles by itself. The bulge feels the disc, too.
    r = radii / BULGE_SIZE
    more = circle / np.sqrt(r**2 / (1 + r**2) ** 1.5)
    bulge_v *= np.interp(np.linalg.norm(bulge_x, axis=1), r, more)[:, None]
    return x, np.concatenate([bulge_v, v])


def tilted(x, v, inclination, node):
    """The same turned about the x axis, then about the z axis; angles in degrees."""
    i, k = np.radians(inclination), np.radians(node)
    about_x = np.array([[1, 0, 0], [0, np.cos(i), np.sin(i)], [0, -np.sin(i), np.cos(i)]])
    about_z = np.array([[np.cos(k), np.sin(k), 0], [-np.sin(k), np.cos(k), 0], [0, 0, 1]])
    return x @ about_x @ about_z, v @ about_x @ about_z


def on_a_parabola(first, second, apart=9.0, nearest=1.5):
    """Both, each (x, v), tilted, on orbits as in Toomre and Toomre (1972): x, v (count, 3)."""
    first, second = tilted(*first, 20, 0), tilted(*second, -60, 40)
    total = 2.0
    across = np.sqrt(2 * total * nearest) / apart
    inward = np.sqrt(2 * total / apart - across**2)
    x, v = np.array([apart, 0, 0]), np.array([-inward, across, 0])
    return (
        np.concatenate([first[0] - x / 2, second[0] + x / 2]),
        np.concatenate([first[1] - v / 2, second[1] + v / 2]),
    )


def first_state(kind, count, seed=1974):
    """Positions with masses, velocities and colours, (count, 4) float32, in a random order."""
    random = np.random.default_rng(seed)
    sizes = [count] if kind == "one" else [count - count // 2, count // 2]
    galaxies = [galaxy(size, random) for size in sizes]
    colors = [star_colors(x, i, random) for i, (x, _) in enumerate(galaxies)]
    x, v = galaxies[0] if kind == "one" else on_a_parabola(*galaxies)
    mass = np.repeat([1 / size for size in sizes], sizes)
    x -= np.average(x, axis=0, weights=mass)
    v -= np.average(v, axis=0, weights=mass)
    order = random.permutation(count)
    arrays = np.column_stack([x, mass]), np.column_stack([v, 0 * mass]), np.concatenate(colors)
    return [array[order].astype(np.float32) for array in arrays]


def star_colors(x, which, random):
    """Red, green, blue and light (count, 4): old stars in the bulge, young ones in the disc.

    Clouds of glowing gas are among the young. Few stars are bright, as in the sky. Those in the
    middle get little light, because so many are in one place.
    """
    old, young, gas = (
        [(1.0, 0.72, 0.40), (0.50, 0.66, 1.0), (1.0, 0.30, 0.55)],
        [(1.0, 0.58, 0.34), (1.0, 0.72, 0.48), (0.35, 0.95, 0.85)],
    )[which]
    count = len(x)
    in_bulge = np.arange(count) < round(BULGE_SHARE * count)
    is_gas = ~in_bulge & (random.uniform(size=count) < 0.07)
    tint = np.where(in_bulge[:, None], old, young)
    tint = tint + np.multiply.outer(random.normal(size=count), [0.08, 0.04, -0.04])
    tint[is_gas] = gas
    light = np.minimum(0.4 + 0.4 * random.pareto(2.2, count), 2)
    light *= np.clip(np.linalg.norm(x, axis=1) / 1.5, 0.08, 1) * np.where(in_bulge, 0.8, 1)
    return np.column_stack([np.clip(tint, 0, 1), light])


@dataclass
class Shown:
    """What is on the device for one choice of `galaxies` and `bodies`."""

    choice: tuple
    bodies: Bodies
    colors: lathe.Array


def by_speed(bodies, n):
    """How the first n bodies get their colours from their speed."""
    return {"values": bodies.speed[:n], "range": (0, 1.4), "colormap": "plasma"}


def main() -> None:
    app = lathe.App("Galaxy", size=(1280, 720), background=(0.004, 0.004, 0.012))
    app.use_camera("orbit")
    camera = app.orbit_camera
    camera.up, camera.pitch, camera.yaw = "z", 1.1, 0.3
    kernels = {name: app.kernel("galaxy.cu", name, options=OPTIONS) for name in ("attract", "move")}
    app.state.shown = None

    def make(choice):
        camera.distance = {"one": 7.5, "two": 12.0}[choice[0]]
        position, velocity, colors = first_state(*choice)
        bodies = Bodies(position, velocity, app.asarray, kernels.__getitem__)
        return Shown(choice, bodies, app.asarray(colors))

    def draw(shown, look, light):
        """All stars, and clouds around some of them; light adds up."""
        bodies, few = shown.bodies, 4096 / shown.bodies.count
        layers = (
            (min(CLOUDS, bodies.count), 0.45, 0.17),  # how many, how wide, how bright
            (bodies.count, 0.065 * few**0.25, 0.8 * few**0.5),
        )
        for n, size, opacity in layers:
            if look == "stars":
                tones = {"colors": shown.colors[:n]}
            else:
                tones = by_speed(bodies, n)
                opacity *= 0.5
            app.points(
                bodies.position[:n], size=size, world_size=True, opacity=light * opacity,
                blend="additive", **tones,
            )  # fmt: skip

    @app.init
    def begin() -> None:
        app.state.time = 0.0
        if app.state.shown is not None:
            app.state.shown.bodies.owed = 0.0

    @app.frame
    def frame() -> None:
        choice = (
            app.param("galaxies", "one", choices=["one", "two"]),
            app.param("bodies", 4096, 256, 262144, log=True),
        )
        time_step = app.param("time_step", 0.03, 0.002, 0.06, log=True)
        steps = app.param("steps", 1, 1, 16)
        shown = app.state.shown
        if shown is None or shown.choice != choice:
            if shown is not None:
                app.state.time = 0.0
            shown = app.state.shown = make(choice)
        bodies = shown.bodies
        for _ in range(steps):
            bodies.step(time_step)  # `softening` comes from its slider
        app.state.time += steps * time_step

        light = app.param("light", 1.0, 0.1, 4.0, log=True)
        look = app.param("look", "stars", choices=["stars", "speed", "spheres"])
        if look == "spheres":
            app.points(bodies.position, radius=0.025, **by_speed(bodies, bodies.count))
        else:
            draw(shown, look, light)
        if app.param("turn", True):
            camera.yaw += 0.002
        app.caption(f"{bodies.count:,} bodies, time {app.state.time:.1f}")

    app.run()


if __name__ == "__main__":
    main()
