# SPDX-License-Identifier: MIT
"""A brain from magnetic resonance: its surface cut open, the greatest value, fog, projections.

The volume comes with the package nilearn. Edit brain.cu while it runs; `show` chooses what is seen,
and `right`, `front` and `top` move the cut.
"""

from importlib.util import find_spec
from pathlib import Path

import numpy as np

import lathe
from lathe.cuda.scan import ExclusiveScanKernel

FILE = "datasets/data/mni_icbm152_t1_tal_nlin_sym_09a_converted.nii.gz"
KERNELS = ("shrink", "blur", "project", "carve", "mark", "build", "paint")
FOLDS = 5.0  # mm: how far `paint` looks around
MIP = (70, 235)  # what the greatest values' colours show
NO_CUT = (1e6, 1e6, 1e6)


def brain_file() -> Path:
    """The template in the package nilearn, which needs not be importable."""
    package = find_spec("nilearn")
    for folder in (package and package.submodule_search_locations) or []:
        if (Path(folder) / FILE).exists():
            return Path(folder) / FILE
    raise ModuleNotFoundError(f"there is no {FILE} of the package nilearn", name="nilearn")


def load_brain():
    """Voxels (z, y, x) uint8 of 1 mm, less what is empty around them, and the origin in mm."""
    scan = lathe.load(brain_file())
    voxels, origin = scan.values, scan.origin
    filled = np.argwhere(voxels)
    low, high = filled.min(0), filled.max(0) + 1
    part = voxels[tuple(slice(a, b) for a, b in zip(low, high, strict=True))]
    return np.pad(part, 4), origin + low[::-1] - 4


def half_gaussian(sigma):
    """Weights of a Gaussian from its middle on, to 4 sigma, as SciPy takes them."""
    radius = int(4 * sigma + 0.5)
    weights = np.exp(-0.5 * (np.arange(radius + 1) / max(sigma, 1e-6)) ** 2)
    return (weights / (2 * weights.sum() - weights[0])).astype(np.float32)


class Scan:
    """A volume on the device, and the launches that work on it.

    `voxels` are (z, y, x) uint8; `each`^3 of them become one. `zeros(shape, dtype)` makes an array,
    `kernel(name)` a kernel: an App's, or others.
    """

    def __init__(self, voxels, origin, spacing, each, zeros, kernel):
        self.size = tuple(-(-n // each) for n in voxels.shape)  # (z, y, x)
        self.shape = self.size[::-1]
        self.spacing = spacing * each
        self.origin = tuple(float(x) + spacing * (each - 1) / 2 for x in origin)
        self.zeros = zeros
        n = int(np.prod(self.size))
        self.kernels = {name: kernel(name) for name in KERNELS}
        self.over = {name: self.kernels[name].over(n) for name in KERNELS}
        whole = zeros(voxels.shape, np.uint8)
        whole.set(np.ascontiguousarray(voxels))
        self.source, self.value, self.wide, self.carved, self.between, self.other = (
            zeros(self.size, np.float32) for _ in range(6)
        )
        self.weights = zeros(256, np.float32)
        self.cubes = zeros(n + 1, np.uint8)
        self.counts = [zeros(n + 1, np.int32) for _ in range(2)]  # of vertices, of triangles
        self.first = [zeros(n + 1, np.int32) for _ in range(2)]
        self.sum = ExclusiveScanKernel(np.int32, "a + b", 0)
        self.vertices, self.colors = zeros((0, 3), np.float32), zeros((0, 4), np.float32)
        self.triangles = zeros((0, 3), np.int32)
        self.over["shrink"](whole, voxels.shape[::-1], self.source, self.shape, each)
        self.blur(self.source, self.value, 0.0)
        self.blur(self.source, self.wide, FOLDS)

    def place(self, cut):
        """As the kernels take it; `cut` is (right, front, top), in mm."""
        return (self.origin, self.spacing, tuple(cut))

    def blur(self, start, end, sigma):
        """Smooths `start` into `end`, by `sigma` mm."""
        weights = half_gaussian(sigma / self.spacing)
        padded = np.zeros(self.weights.size, np.float32)
        padded[: len(weights)] = weights
        self.weights.set(padded)
        for axis, (a, b) in enumerate(
            [(start, self.between), (self.between, self.other), (self.other, end)]
        ):
            self.over["blur"](a, b, self.shape, axis, self.weights, len(weights) - 1)

    def smooth(self, sigma):
        """`value` is the volume, smoothed by `sigma` mm."""
        self.blur(self.source, self.value, sigma)

    def project(self, axis):
        """The greatest values along an axis, 0 for x to 2 for z, (rows, columns)."""
        picture = self.zeros([n for i, n in enumerate(self.size) if i != 2 - axis], np.float32)
        over = self.kernels["project"].over(picture.size)
        over(self.value, self.shape, axis, picture)
        return picture

    def carve(self, cut, **threshold):
        """`carved` is `value` where it is above the threshold and not cut away, else 0."""
        self.over["carve"](self.value, self.carved, self.shape, self.place(cut), **threshold)

    def surface(self, cut, **level):
        """Vertices (n, 3) and triangles (m, 3) of the surface. Waits for the device."""
        place = self.place(cut)
        self.over["mark"](self.value, self.shape, place, self.cubes, *self.counts, **level)
        for counts, first in zip(self.counts, self.first, strict=True):
            self.sum(counts, first)
        n, m = (int(first[-1:].get()[0]) for first in self.first)
        if n > len(self.vertices):
            self.vertices, self.colors = (self.zeros((n + n // 4, k), np.float32) for k in (3, 4))
        if m > len(self.triangles):
            self.triangles = self.zeros((m + m // 4, 3), np.int32)
        self.over["build"](
            self.value, self.shape, place, self.cubes, *self.first, self.vertices, self.triangles,
            **level,
        )  # fmt: skip
        return self.vertices[:n], self.triangles[:m]

    def paint(self, vertices, cut, **sliders):
        """Colours (n, 4) of the surface's vertices."""
        n = len(vertices)
        if n:
            self.kernels["paint"].over(n)(
                self.value, self.source, self.wide, self.shape, self.place(cut), vertices,
                self.colors, n, **sliders,
            )  # fmt: skip
        return self.colors[:n]

    def bounds(self):
        """The box that the voxels fill, in mm."""
        low = np.array(self.origin) - self.spacing / 2
        return tuple(low), tuple(low + self.spacing * np.array(self.shape))


def main() -> None:
    app = lathe.App("Brain", size=(1280, 720), background=(0.015, 0.017, 0.024))
    kernels = {name: app.kernel("brain.cu", name) for name in KERNELS}
    voxels, origin = load_brain()
    scan = mesh = done = None

    def look_from(view):
        view.use_camera("orbit")
        camera = view.orbit_camera
        camera.up, camera.target, camera.distance = "z", (0, -22, 2), 235
        camera.yaw, camera.pitch = 0.75, 0.42

    @app.frame
    def frame() -> None:
        nonlocal scan, mesh, done
        show = app.param("show", "cortex", choices=["cortex", "mip", "fog", "surface", "three"])
        each = app.param("voxel", 2, 1, 4)
        sigma = app.param("smooth", 1.5, 0.0, 6.0)
        cut = (
            app.param("right", 0.0, -80.0, 80.0),
            app.param("front", -20.0, -120.0, 85.0),
            app.param("top", 10.0, -80.0, 90.0),
        )
        if not app.param("cut", True):
            cut = NO_CUT
        if scan is None or scan.spacing != each:
            if scan is None:
                look_from(app.view)
            scan = Scan(voxels, origin, 1.0, each, app.zeros, kernels.__getitem__)
            done = None
        level, folds, threshold = (app.parameters[k] for k in ("level", "folds", "threshold"))
        values = (show, sigma, cut, level, folds, threshold, kernels["mark"].slot.generation)
        if values != done:
            done = values
            scan.smooth(sigma)
            if show == "cortex":
                vertices, triangles = scan.surface(cut)
                mesh = vertices, triangles, scan.paint(vertices, cut)
            else:
                scan.carve(cut)

        views = app.views(1, 3 if show == "three" else 1)
        if show == "cortex":
            app.mesh(mesh[0], mesh[1], colors=mesh[2], smooth=True, name="cortex")
        elif show == "three":
            for axis, title in enumerate(("from the right", "from behind", "from the top")):
                views[axis].image(
                    scan.project(axis), range=MIP, colormap="inferno", y_up=True, smooth=True
                )
                views[axis].title(title)
        else:
            style = {
                "mip": {"mode": "mip", "colormap": "inferno", "range": MIP},
                "fog": {
                    "mode": "emission",
                    "colormap": "magma",
                    "range": (40, 250),
                    "density": 0.1,
                },
                "surface": {"mode": "surface", "level": level},
            }[show]
            app.volume(scan.carved, bounds=scan.bounds(), name=show, **style)
        if app.param("turn", True):
            app.orbit_camera.yaw += 0.004
        app.caption(f"{show}, voxels of {each} mm")

    app.run()


if __name__ == "__main__":
    main()
