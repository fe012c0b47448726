# SPDX-License-Identifier: MIT
"""The open sea in the wind: waves of deep water by Fourier transforms, with foam (Tessendorf 2001).

Edit ocean.cu while it runs. `wind`, `direction`, `choppiness` and `sun` make the weather.
"""

import numpy as np

import lathe
from lathe import fft

GRAVITY = 9.81
KERNELS = ("amplitudes", "evolve", "surface", "fan", "dome", "square")
OPTIONS = ["--use_fast_math"]  # powers and exponentials by the fast ways
# Metres: sides of the two patches, and the wave length that parts them. Their ratio is no simple
# fraction, so that the sum does not repeat itself.
LENGTHS, PARTED = (420.0, 37.3), 4.5
RANGES = ((0.0, 2 * np.pi / PARTED), (2 * np.pi / PARTED, 1e9))  # of wave numbers
SUN = np.radians(-155)  # where it stands, about the y axis from +z
FAR = 6000.0  # metres to the sky
CAMERAS = {
    "sea": lathe.Camera(
        target=(0, 6, 0), distance=60, yaw=0.55, pitch=0.09, field_of_view=0.75
    ),
    "square": lathe.Camera(target=(0, -20, 0), distance=560, yaw=0.55, pitch=0.5),
}  # fmt: skip
BLOCK = (32, 8)
# Rows and columns of vertices of the sea and of the sky: a GPU draws more.
BY_CPU, BY_GPU, SKY = (340, 240), (1200, 1200), (120, 160)


class Patch:
    """A periodic square of sea on the device, and the launches that move it.

    `length` in metres, `n` sines in each direction, of wave numbers `between` two limits.
    `asarray(array)` makes an array of one of NumPy's, `kernel(name)` a kernel: an App's, or others.
    """

    def __init__(self, n, length, between, asarray, kernel, seed=2001):
        self.n, self.length, self.between = n, length, between
        noise = np.random.default_rng(seed).normal(size=(n, n, 2))
        self.noise = asarray(noise.astype(np.float32))
        self.foam = asarray(np.zeros((n, n), np.float32))
        # What follows from the time and the wind is no part of the state.
        self._a = lathe.empty((n, n), np.complex64)
        self._spectra = lathe.empty((8, n, n // 2 + 1), np.complex64)
        self._fields = lathe.empty((8, n, n), np.float32)
        self._moved = lathe.empty((n, n, 4), np.float32)
        self._tilt = lathe.empty((n, n, 2), np.float32)
        self.kernel = kernel

    def amplitudes(self, wind):
        """Of all waves, for a `wind` (m/s, radians, peak); (n, n) complex64 on the device."""
        patch = (self.length, *self.between)
        self.kernel("amplitudes").over((self.n, self.n), BLOCK)(
            self.noise, self._a, self.n, patch, wind
        )
        return self._a

    def fields(self, time):
        """The eight numbers of `evolve` at a time in seconds, (8, n, n) float32 on the device."""
        n = self.n
        self.kernel("evolve").over((n, n // 2 + 1), BLOCK)(
            self._a, self._spectra, n, self.length, time
        )
        fft.irfft2(self._spectra, (n, n), norm="forward", out=self._fields)
        return self._fields

    def surface(self, choppiness, limit=0.0, fade=1.0):
        """Where the water is, (n, n, 4) with its foam, and its slopes (n, n, 2), on the device."""
        self.kernel("surface").over(self.n * self.n, 256)(
            self._fields, self._moved, self._tilt, self.foam, self.n, choppiness, limit, fade
        )
        return self._moved, self._tilt


def energy(omega, speed, peak=1.0):
    """The spectrum (m^2 s) at `omega` (rad/s); NumPy's own words for `energy` of ocean.cu."""
    top = (0.8 * 0.74) ** 0.25 * GRAVITY / speed
    width = np.where(omega > top, 0.09, 0.07)
    raised = peak ** np.exp(-((omega / top - 1) ** 2) / (2 * width**2))
    slow = GRAVITY / (speed * omega)
    return 8.1e-3 * GRAVITY**2 * omega**-5 * np.exp(-0.74 * slow**4) * raised


def moment(speed, peak, between, power=0):
    """The integral of k^power times the spectrum, of wave numbers k `between` two limits."""
    k = np.geomspace(max(between[0], 1e-4), min(between[1], 20.0), 4000)
    omega = np.sqrt(GRAVITY * k)
    return np.trapezoid(energy(omega, speed, peak) * k**power, omega)


def seen(camera, aspect, over):
    """Of the fan of vertices that a camera sees: the greatest angle below the horizon, and the
    first and last about the y axis. The eye is so many times as high `over` the highest waves."""
    ahead = np.array(camera.direction)
    right = np.cross(ahead, (0, 1, 0))
    right /= np.linalg.norm(right)
    up = np.cross(right, ahead)
    tall = np.tan(camera.field_of_view / 2) * 1.1
    wide = tall * aspect
    ways = [ahead + x * wide * right + y * tall * up for x in (-1, 0, 1) for y in (-1, 1)]
    middle = np.arctan2(ahead[0], ahead[2])
    level = np.array([np.cos(middle), np.sin(middle)])  # z, x
    down = [np.arctan2(-w[1], np.hypot(w[0], w[2])) for w in ways]
    along = np.array([(w[2] * level[0] + w[0] * level[1]) for w in ways])
    across = np.array([(w[0] * level[0] - w[2] * level[1]) for w in ways])
    steepest = min(np.arctan(np.tan(min(max(down), 1.5)) * over), 1.55)
    moved = np.arctan((1 - 1 / over) * np.tan(steepest))  # water that waves move aside
    around = np.abs(np.arctan2(across, along)).max() + 0.06 + moved
    if max(down) > 1.2 or along.min() <= 0 or around > 2.5:
        around, steepest = np.pi, 1.5707
    return steepest, middle - around, middle + around


def triangles(rows, columns):
    """Of a grid of vertices, (m, 3) int32."""
    i = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    a, b, c, d = i[:-1, :-1], i[:-1, 1:], i[1:, :-1], i[1:, 1:]
    return np.stack([a, b, c, c, b, d], -1).reshape(-1, 3)


class Grid:
    """Vertices on the device that a kernel places anew in each frame: no part of the state.

    `channels` are (4,) of colours or () of values.
    """

    def __init__(self, rows, columns, channels, app):
        self.shape, count = (rows, columns), rows * columns
        self._places, self._tones = app.empty((count, 3)), app.empty((count, *channels))
        self.triangles = app.asarray(triangles(rows, columns))


def main() -> None:
    app = lathe.App("Ocean", size=(1280, 720), background=(0.02, 0.03, 0.05))
    kernels = {name: app.kernel("ocean.cu", name, options=OPTIONS) for name in KERNELS}
    state = app.state
    state.patches, state.time, state.look = None, 0.0, None
    camera = app.orbit_camera
    app.use_camera("orbit")
    sea = Grid(*(BY_CPU if app.gl["is_software"] else BY_GPU), (4,), app)
    sky = Grid(*SKY, (4,), app)
    square = None

    def make(n):
        return [
            Patch(n, length, between, app.asarray, kernels.__getitem__, seed)
            for seed, (length, between) in enumerate(zip(LENGTHS, RANGES, strict=True), 2001)
        ]

    def of_sea(wind):
        """The structure Sea of ocean.cu."""
        variances = [moment(*wind[::2], between, 2) for between in RANGES]
        return LENGTHS, tuple(variances), 4 * moment(*wind[::2], (0, 1e9)) ** 0.5

    def draw_sea(patches, drawn, wind, elevation):
        """To the horizon, as the camera sees it."""
        width, height = app.size
        numbers = of_sea(wind)
        low = 1 + 0.8 * numbers[2] - camera.eye[1]  # the eye stays above the waves
        if low > 0:
            camera.target = np.add(camera.target, (0, low, 0))
        eye = np.array(camera.eye)
        sun = (
            np.cos(elevation) * np.sin(SUN), np.sin(elevation), np.cos(elevation) * np.cos(SUN)
        )  # fmt: skip
        over = eye[1] / max(eye[1] - numbers[2], 0.2 * eye[1])
        fan = (tuple(eye), *seen(camera, width / height, over), sun)
        kernels["dome"].over(sky.shape, BLOCK)(
            sky._places, sky._tones, *sky.shape, fan, FAR, 0.003 * state.time
        )
        kernels["fan"].over(sea.shape, BLOCK)(
            *drawn, patches[0].n, sea._places, sea._tones, *sea.shape, numbers, fan
        )
        app.mesh(sky._places, sky.triangles, colors=sky._tones, lit=False, name="sky")
        app.points(
            [eye + 0.98 * FAR * np.array(sun)], size=0.018 * FAR, world_size=True,
            color=(1, 0.97, 0.9), blend="additive", name="sun",
        )  # fmt: skip
        app.mesh(sea._places, sea.triangles, colors=sea._tones, lit=False, name="sea")

    def draw_square(patches, drawn, wind):
        """The large patch alone, coloured by its heights."""
        nonlocal square
        n = patches[0].n
        if square is None or square.shape[0] != n + 1:
            square = Grid(n + 1, n + 1, (), app)
        numbers = of_sea(wind)
        kernels["square"].over(square.shape, BLOCK)(
            *drawn, n, square._places, square._tones, numbers
        )
        app.mesh(
            square._places, square.triangles, values=square._tones, smooth=True,
            range=(-0.7 * numbers[2], 0.7 * numbers[2]), colormap="GnBu_r", name="heights",
        )  # fmt: skip
        app.colorbar("heights", label="height (m)")

    @app.init
    def begin() -> None:
        state.time = 0.0

    @app.frame
    def frame(step) -> None:
        speed = app.param("wind", 11.0, 3.0, 25.0)
        direction = app.param("direction", -60.0, -180.0, 180.0)
        peak = app.param("peak", 1.0, 1.0, 7.0)
        choppiness = app.param("choppiness", 1.0, 0.0, 1.5)
        foam = app.param("foam", 0.78, 0.0, 0.95)
        elevation = app.param("sun", 9.0, 1.0, 70.0)
        pace = app.param("pace", 1.0, 0.0, 4.0)
        n = int(app.param("cells", "256", choices=["64", "128", "256", "512", "1024"]))
        look = app.param("look", "sea", choices=["sea", "square"])
        if state.patches is None or state.patches[0].n != n:
            state.patches = make(n)
        seconds = pace * step.dt
        state.time += seconds
        wind = (speed, np.radians(direction), peak)
        drawn = []
        for patch in state.patches:
            patch.amplitudes(wind)
            patch.fields(state.time)
            drawn += patch.surface(choppiness, foam, np.exp(-seconds / 2.5))
        if state.look != look:
            state.look, app.camera = look, CAMERAS[look]
        if look == "sea":
            draw_sea(state.patches, drawn, wind, np.radians(elevation))
        else:
            draw_square(state.patches, drawn, wind)
        height = 0.21 * speed**2 / GRAVITY
        app.caption(f"wind {speed:.0f} m/s, waves of {height:.1f} m, {state.time:.0f} s")

    app.run()


if __name__ == "__main__":
    main()
