# SPDX-License-Identifier: MIT
"""Filters on photographs: Gaussian blur, Sobel edges, bilateral, side by side.

The photographs come with the scikit-image package. Edit image_lab.cu while it runs; filters run
again when a slider, the photograph or their source changes.
"""

import math

import numpy as np

import lathe

PHOTOGRAPHS = ("coffee", "astronaut", "camera")
TILE = 16


def load_photograph(name: str) -> np.ndarray:
    """(height, width, 3) uint8, from scikit-image; grey ones in three equal channels."""
    from skimage import data

    pixels = getattr(data, name)()
    return np.ascontiguousarray(np.repeat(pixels[..., None], 3, 2) if pixels.ndim == 2 else pixels)


class Filters:
    """Arrays and launches of the filters for images of one size.

    `make(shape, dtype)` makes an array, `kernel(name)` a kernel: an App's, or others.
    """

    def __init__(self, height, width, make, kernel):
        self.height, self.width = height, width
        color, grey = (height, width, 3), (height, width)
        self.source = make(color, np.float32)
        self.rows, self.blurred = make(color, np.float32), make(color, np.float32)
        self.edges, self.smooth = make(grey, np.float32), make(color, np.float32)
        self.weights = make(256, np.float32)
        names = ("to_float", "gaussian_weights", "blur_rows", "blur_columns", "sobel", "bilateral")
        self.kernels = {name: kernel(name) for name in names}

    def load(self, pixels):
        """From an array of (height, width, 3) uint8 on the device."""
        self.kernels["to_float"].over(pixels.size)(pixels, self.source, pixels.size)

    def blur(self, sigma):
        """Gaussian with a radius of 4 sigma, as SciPy takes it."""
        radius = int(4 * sigma + 0.5)
        if radius >= min(self.height, self.width) or 2 * radius + 1 > self.weights.size:
            raise ValueError(f"sigma {sigma} is too wide for {self.height} x {self.width}")
        self.kernels["gaussian_weights"][1, 128](self.weights, radius, sigma)
        grid = (math.ceil(self.width / TILE), math.ceil(self.height / TILE))
        shared_bytes = TILE * (TILE + 2 * radius) * 3 * 4
        size = (self.weights, self.width, self.height, radius)
        rows, columns = self.kernels["blur_rows"], self.kernels["blur_columns"]
        rows[grid, (TILE, TILE), shared_bytes](self.source, self.rows, *size)
        columns[grid, (TILE, TILE), shared_bytes](self.rows, self.blurred, *size)

    def sobel(self):
        """Length of the gradient of the luma."""
        over = self.kernels["sobel"].over((self.height, self.width))
        over(self.source, self.edges, self.width, self.height)

    def bilateral(self, radius, sigma_space, sigma_color):
        """Smooths where colours are alike."""
        over = self.kernels["bilateral"].over((self.height, self.width))
        over(
            self.source, self.smooth, self.width, self.height, radius, sigma_space, sigma_color
        )  # fmt: skip


def main() -> None:
    app = lathe.App("Image lab", size=(1280, 720), background=(0.02, 0.02, 0.025))
    photographs = {name: load_photograph(name) for name in PHOTOGRAPHS}
    pixels, filters, canvas = {}, {}, {}
    for name, photograph in photographs.items():
        height, width, _ = photograph.shape
        pixels[name] = app.asarray(photograph, name=f"{name} pixels")
        canvas[name] = app.zeros(photograph.shape, np.uint8, name=f"{name} canvas")
        filters[name] = Filters(
            height, width, app.zeros, lambda entry: app.kernel("image_lab.cu", entry)
        )
    compose = app.kernel("image_lab.cu", "compose")
    done = None

    @app.frame
    def frame() -> None:
        nonlocal done
        name = app.param("photograph", "coffee", choices=PHOTOGRAPHS)
        radius = app.param("radius", 5, 1, 12)
        sweep = app.param("sweep", True)
        values = app.parameters
        wanted = (
            name, radius, values["sigma"], values["sigma_space"], values["sigma_color"],
            compose.slot.generation,
        )  # fmt: skip
        f = filters[name]
        if wanted != done:
            done = wanted
            f.load(pixels[name])
            f.blur(values["sigma"])
            f.sobel()
            f.bilateral(radius, values["sigma_space"], values["sigma_color"])
        split_x = 0.5 + (0.22 * math.sin(0.9 * app.time) if sweep else 0)
        split_y = 0.5 + (0.22 * math.sin(0.65 * app.time) if sweep else 0)
        compose.over((f.height, f.width))(
            f.source, f.blurred, f.edges, f.smooth, canvas[name], f.width, f.height,
            split_x, split_y,
        )  # fmt: skip
        app.image(canvas[name], smooth=True)

    app.run()


if __name__ == "__main__":
    main()
