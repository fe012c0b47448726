# SPDX-License-Identifier: MIT
"""The filters against SciPy, and the bilateral against its formula in NumPy."""

from pathlib import Path

import numpy as np
from image_lab import PHOTOGRAPHS, Filters, load_photograph
from scipy import ndimage

import lathe
from lathe.checks import Report

HERE = Path(__file__).resolve().parent

# In steps of an 8-bit image. Sums of up to 100 products below 255 in float32 lose some 1e-4 of a
# step; the bilateral's exponential (2 units in the last place) and the quotient another 1e-4. Sobel
# reaches 1442 from nine products, so ten times less than 1e-3 of a step is rounding.
LIMIT = 2e-3


def bilateral(image, radius, sigma_space, sigma_color):
    """Tomasi and Manduchi's formula by shifting the whole picture, float64."""
    height, width, _ = image.shape
    wide = np.pad(image, ((radius, radius), (radius, radius), (0, 0)), mode="symmetric")
    total = np.zeros((height, width, 1))
    result = np.zeros_like(image)
    for j in range(-radius, radius + 1):
        for i in range(-radius, radius + 1):
            shifted = wide[radius + j : radius + j + height, radius + i : radius + i + width]
            far = (i * i + j * j) / (2 * sigma_space**2)
            unlike = np.sum((shifted - image) ** 2, 2, keepdims=True) / (2 * sigma_color**2)
            weight = np.exp(-far - unlike)
            total += weight
            result += weight * shifted
    return result / total


def check(report: Report) -> None:
    sigma = report.setting("sigma", 4.0)
    radius = report.setting("radius", 5)
    sigma_space = report.setting("sigma_space", 2.5)
    sigma_color = report.setting("sigma_color", 30.0)
    source = HERE / "image_lab.cu"

    def kernel(name):
        return lathe.kernel(source, name)

    for name in PHOTOGRAPHS:
        photograph = load_photograph(name)
        height, width, _ = photograph.shape
        filters = Filters(height, width, lathe.zeros, kernel)
        filters.load(lathe.asarray(photograph))
        filters.blur(sigma)
        filters.sobel()
        filters.bilateral(radius, sigma_space, sigma_color)

        image = photograph.astype(np.float64)
        blurred = ndimage.gaussian_filter(image, (sigma, sigma, 0), mode="reflect", truncate=4)
        luma = image @ [0.299, 0.587, 0.114]
        edges = np.hypot(ndimage.sobel(luma, 0), ndimage.sobel(luma, 1))
        for what, got, expected in (
            ("blur, largest difference from SciPy", filters.blurred, blurred),
            ("Sobel, largest difference from SciPy", filters.edges, edges),
            (
                "bilateral, largest difference from NumPy",
                filters.smooth,
                bilateral(image, radius, sigma_space, sigma_color),
            ),
        ):
            report.within(f"{name}: {what}", np.abs(got.get() - expected).max(), LIMIT, "of 255")
