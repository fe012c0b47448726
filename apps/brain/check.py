# SPDX-License-Identifier: MIT
"""The volume as it is published, what rays see, and surfaces of known area and shape."""

from pathlib import Path

import numpy as np
from brain import NO_CUT, Scan, brain_file, load_brain
from scipy import ndimage
from skimage.measure import marching_cubes, mesh_surface_area

import lathe
from lathe.checks import Report

HERE = Path(__file__).resolve().parent
SIDE = 100.0  # of the lattice of known surfaces, mm


def on_device(voxels, origin, each=1, spacing=1.0):
    """The experiment's own kernels."""
    return Scan(
        voxels, origin, spacing, each, lathe.zeros,
        lambda entry: lathe.kernel(HERE / "brain.cu", entry),
    )  # fmt: skip


def check_volume(report):
    scan = lathe.load(brain_file())
    voxels, origin, spacing = scan.values, scan.origin, scan.spacing
    # What Fonov et al. publish: 197 x 233 x 189 voxels of 1 mm, and where 0, 0, 0 is.
    wrong = np.abs(np.subtract(voxels.shape, (189, 233, 197))).sum()
    wrong += np.abs(spacing - 1).sum() + np.abs(origin - [-98, -134, -72]).sum()
    report.within("sizes, spacing and origin differ from the published ones by", wrong, 0)
    # The template is the symmetric one: each voxel equals the one on the other side.
    report.within(
        "voxels that differ from the other side's", (voxels != voxels[..., ::-1]).sum(), 0
    )


def check_kernels(report, scan, voxels, each):
    # Means of up to 64 bytes are exact in float32 but for one rounding.
    padded = np.pad(voxels, [(0, -n % each) for n in voxels.shape])
    z, y, x = scan.size
    mean = padded.reshape(z, each, y, each, x, each).mean((1, 3, 5))
    report.within(f"means of {each}^3 voxels, from NumPy's by",
                  np.abs(scan.source.get() - mean).max(), 1e-4, "of 255")  # fmt: skip
    # Three sums of 17 products, each with a rounding of 6e-8 of up to 255.
    scan.smooth(3.0)
    expected = ndimage.gaussian_filter(mean, 3.0 / scan.spacing, mode="constant", truncate=4)
    report.within("smoothed by 3 mm, from SciPy's by",
                  np.abs(scan.value.get() - expected).max(), 1e-3, "of 255")  # fmt: skip
    value = scan.value.get()
    for axis, name in enumerate("xyz"):
        differ = scan.project(axis).get() != value.max(axis=2 - axis)
        report.within(f"greatest values along {name} that are not NumPy's", differ.sum(), 0)
    cut = (5.0, -30.0, 12.0)
    scan.carve(cut, threshold=20.0)
    z, y, x = (
        scan.origin[2 - i] + scan.spacing * np.arange(n).reshape([-1 if j == i else 1
                                                                   for j in range(3)])
        for i, n in enumerate(scan.size)
    )  # fmt: skip
    away = (x >= cut[0]) & (y >= cut[1]) & (z >= cut[2])
    expected = np.where((value > 20) & ~away, value, 0)
    report.within("voxels that are cut wrongly", (scan.carved.get() != expected).sum(), 0)


def seen(app, volume, **style):
    """The red channel, 0 to 1, of a frame that shows a volume."""
    assert app.frame()
    app.volume(volume, **style)
    return app.screenshot()[..., 0] / 255


def head_on(app, half):
    """Parallel rays along -z: the picture's height is 2 half."""
    app.use_camera("orbit")
    camera = app.orbit_camera
    camera.yaw = camera.pitch = 0
    camera.distance = 1e5 * half
    camera.field_of_view = 2 * np.arctan(1e-5)


def check_pictures(report, scan):
    """What the engine draws of the volume."""
    value = scan.value.get()[::2, ::2, ::2]
    # Rays are looked at in steps that count from the middle: with an odd depth, in voxels' middles.
    z, y, x = value.shape
    value = np.pad(value, [(0, 1 - z % 2), (0, y % 2), (0, x % 2)])
    cells = max(value.shape)
    pixels = 9 * cells  # nine for each voxel of the longest side
    app = lathe.App("check", size=(pixels, pixels), headless=True, ui=False, background=(0, 0, 0))
    app.frame_limit = 100
    head_on(app, 1.0)
    low = -64  # values fade out near the low end of a range
    picture = seen(app, value, mode="mip", colormap="gray", range=(low, 255))
    _, rows, columns = value.shape
    x = pixels // 2 + 9 * np.arange(columns) - 9 * columns // 2 + 4
    y = pixels // 2 - 1 - (9 * np.arange(rows) - 9 * rows // 2 + 4)
    # One of the picture's 256 steps is 1.25; the colormap has as many, so two roundings.
    found = low + picture[np.ix_(y, x)] * (255 - low)
    report.within("the picture of the greatest values, from NumPy's by",
                  np.abs(found - value.max(0)).max(), 1.5, "of 255")  # fmt: skip

    app = lathe.App("check", size=(64, 64), headless=True, ui=False, background=(1, 1, 1))
    app.frame_limit = 100
    head_on(app, 2.0)
    lathe.colormap("black", [(0, 0, 0), (0, 0, 0)])
    cube = np.ones((16, 16, 16), np.float32)
    for sigma in (0.25, 1.0, 3.0):
        for length in (2.0, 1.0):
            left = seen(app, cube, mode="emission", colormap="black", range=(0, 1), density=sigma,
                        bounds=((-1, -1, -length / 2), (1, 1, length / 2)))[32, 32]  # fmt: skip
            report.within(
                f"light behind a cube, sigma {sigma:g}, L {length:g}, from exp(-sigma L) by",
                abs(left - np.exp(-sigma * length)) * 255, 1.0, "of 255",
            )  # fmt: skip


def lattice(n):
    """x, y, z of n^3 points from -SIDE / 2 to SIDE / 2, and the spacing."""
    g = np.linspace(-SIDE / 2, SIDE / 2, n)
    return *np.meshgrid(g, g, g, indexing="ij")[::-1], SIDE / (n - 1)


def surface_of(field, spacing, cut=NO_CUT):
    """Vertices and triangles where a field over the lattice is 0."""
    scan = on_device(np.zeros(field.shape, np.uint8), (-SIDE / 2,) * 3, 1, spacing)
    scan.value.set(field.astype(np.float32))
    vertices, triangles = scan.surface(cut, level=0.0)
    return vertices.get().astype(float), triangles.get()


def measured(vertices, triangles):
    """Area, volume by the divergence theorem, and Euler's V - E + F."""
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2
    volume = np.sum(a * np.cross(b, c)) / 6
    return area, volume, euler(vertices, triangles)


def sides(triangles):
    """Each triangle's sides, with directions."""
    return np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])


def euler(vertices, triangles):
    edges = np.unique(np.sort(sides(triangles), axis=1), axis=0)
    return len(vertices) - len(edges) + len(triangles)


def open_sides(triangles):
    """Sides without the same side, the other way round, in just one other triangle."""
    ways, counts = np.unique(sides(triangles), axis=0, return_counts=True)
    back = set(map(tuple, ways[:, ::-1]))
    return sum(tuple(way) not in back for way in ways) + (counts > 1).sum()


def check_surfaces(report):
    radius = 35.0
    area, volume = 4 * np.pi * radius**2, 4 / 3 * np.pi * radius**3
    miss = []
    for n in (24, 47):
        x, y, z, spacing = lattice(n)
        sphere = surface_of(20 * (radius - np.sqrt(x * x + y * y + z * z)), spacing)
        found = measured(*sphere)
        miss.append((abs(found[0] / area - 1), abs(found[1] / volume - 1)))
    report.within("a sphere of radius 35 mm, 47^3 points: area, of 4 pi r^2, is wrong by",
                  miss[1][0], 0.003)  # fmt: skip
    report.within("its volume is wrong by", miss[1][1], 0.003)
    for k, what in enumerate(("area", "volume")):
        report.within(f"its {what}: the order, of half the spacing, differs from 2 by",
                      abs(np.log2(miss[0][k] / miss[1][k]) - 2), 0.2)  # fmt: skip
    report.within("its Euler characteristic, less 2", abs(found[2] - 2), 0)
    report.within("sides of its triangles that no other one has", open_sides(sphere[1]), 0)

    around, big, small = np.sqrt(x * x + y * y), 30.0, 12.5
    torus = surface_of(20 * (small - np.hypot(around - big, z)), spacing)
    found = measured(*torus)
    report.within("a torus, radii 30 and 12.5 mm: area, of 4 pi^2 R r, is wrong by",
                  abs(found[0] / (4 * np.pi**2 * big * small) - 1), 0.01)  # fmt: skip
    report.within("its Euler characteristic", abs(found[2]), 0)
    report.within("sides of its triangles that no other one has", open_sides(torus[1]), 0)
    two = np.maximum(15 - np.sqrt((x - 25) ** 2 + y * y + z * z),
                     20 - np.sqrt((x + 25) ** 2 + y * y + z * z))  # fmt: skip
    report.within("two spheres: Euler characteristic, less 4",
                  abs(measured(*surface_of(20 * two, spacing))[2] - 4), 0)  # fmt: skip

    # An eighth of the sphere cut away: three quarters of a circle are its new faces.
    cut = (0.1, 0.1, 0.1)
    sphere = surface_of(20 * (radius - np.sqrt(x * x + y * y + z * z)), spacing, cut)
    found = measured(*sphere)
    report.within("a sphere without an eighth: area is wrong by",
                  abs(found[0] / (7 / 8 * area + 3 / 4 * np.pi * radius**2) - 1), 0.02)  # fmt: skip
    report.within("its volume is wrong by", abs(found[1] / (7 / 8 * volume) - 1), 0.01)
    report.within("its Euler characteristic, less 2", abs(found[2] - 2), 0)


def euler_of_solid(inside):
    """Of the tetrahedra, faces, edges and points whose corners are all inside, by counting.

    Steps from a point go along nested sets of axes: 7 edges, 12 triangles and 6 tetrahedra.
    """
    wide = np.pad(inside, 1)

    def moved(axes):
        return wide[tuple(slice(1 + (axes >> a & 1), s + 1 + (axes >> a & 1))
                          for a, s in zip((2, 1, 0), inside.shape, strict=True))]  # fmt: skip

    corners = {axes: moved(axes) for axes in range(8)}
    total = int(inside.sum())
    for a in range(1, 8):
        edge = corners[0] & corners[a]
        total -= int(edge.sum())
        for b in range(a + 1, 8):
            if a & b == a:
                face = edge & corners[b]
                total += int(face.sum())
                if b != 7:
                    total -= int((face & corners[7]).sum())
    # Chains 0 < a < b < 7 with one axis more each are the tetrahedra; those above with b < 7 are
    # just these, since a nested pair below 7 has one and two axes.
    return total


def check_brain(report, scan):
    level = 115.0
    scan.smooth(2.0)
    vertices, triangles = scan.surface(NO_CUT, level=level)
    triangles = triangles.get()
    area, volume, number = measured(vertices.get().astype(float), triangles)
    field = scan.value.get()
    inside = np.zeros(field.shape, bool)
    inside[1:-1, 1:-1, 1:-1] = field[1:-1, 1:-1, 1:-1] > level
    report.say(f"  the brain at {level:g}: {len(triangles)} triangles, {area / 100:.0f} cm^2, "
               f"{volume / 1000:.0f} cm^3, Euler characteristic {number}")  # fmt: skip
    report.within("its Euler characteristic, from twice that of the solid, counted in NumPy, by",
                  abs(number - 2 * euler_of_solid(inside)), 0)  # fmt: skip
    report.within("sides of its triangles that no other one has", open_sides(triangles), 0)
    other, faces, _, _ = marching_cubes(field, level, spacing=(scan.spacing,) * 3)
    # Another way to cut cubes, at the same points: both are wrong by the square of the spacing.
    report.within("its area, from that of scikit-image's marching cubes by, of it",
                  abs(area / mesh_surface_area(other, faces) - 1), 0.03)  # fmt: skip
    a, b, c = (other[faces[:, i]].astype(float) for i in range(3))
    report.within("its volume, from scikit-image's by, of it",
                  abs(volume / abs(np.sum(a * np.cross(b, c)) / 6) - 1), 0.005)  # fmt: skip


def check(report: Report) -> None:
    each = report.setting("voxel", 3)
    check_volume(report)
    voxels, origin = load_brain()
    scan = on_device(voxels, origin, each)
    check_kernels(report, scan, voxels, each)
    check_pictures(report, scan)
    check_surfaces(report)
    check_brain(report, scan)
