# SPDX-License-Identifier: MIT
"""The figure eight, Plummer's sphere, a circle, and pulls that NumPy sums, each beside a number."""

from pathlib import Path

import numpy as np
from galaxy import OPTIONS, SOFTENING, Bodies, galaxy, plummer, speed_of_circles
from scipy.special import gammaincinv, i0, i1, k0, k1

import lathe
from lathe.checks import Report

HERE = Path(__file__).resolve().parent

# Chenciner and Montgomery (2000); the numbers are Simó's. Masses are 1, without softening.
EIGHT_PERIOD = 6.32591398
EIGHT_X = np.array([[0.97000436, -0.24308753, 0], [-0.97000436, 0.24308753, 0], [0, 0, 0]])
EIGHT_V = np.array([-0.93240737, -0.86473146, 0]) * np.array([[-0.5], [-0.5], [1]])


def on_device(position, velocity, dtype, blocks_wanted=2048):
    """The experiment's own kernels for arrays of `dtype`."""
    real = {np.float32: "float", np.float64: "double"}[dtype]
    return Bodies(
        position.astype(dtype), velocity.astype(dtype), lathe.asarray,
        lambda entry: lathe.kernel(
            HERE / "galaxy.cu", entry, options=[*OPTIONS, f"-DREAL={real}"]
        ),
        blocks_wanted,
    )  # fmt: skip


def after(position, velocity, dtype, steps, dt, softening):
    """Positions and velocities (n, 3), float64, at the end of so many steps."""
    bodies = on_device(position, velocity, dtype)
    for _ in range(steps):
        bodies.step(dt, softening=softening)
    bodies.finish(softening=softening)
    return [x.get()[:, :3].astype(float) for x in (bodies.position, bodies.velocity)]


def pull_in_numpy(position, softening):
    """Accelerations (n, 3) by the sum over all pairs, and the potential energy; float64."""
    x, mass = position[:, :3].astype(float), position[:, 3].astype(float)
    d = x[None] - x[:, None]
    far2 = np.sum(d * d, -1) + softening**2
    np.fill_diagonal(far2, np.inf)
    energy = -0.5 * np.sum(np.multiply.outer(mass, mass) / np.sqrt(far2))
    return np.sum(mass[None, :, None] * d / far2[..., None] ** 1.5, 1), energy


def check_pulls(report, random):
    # float32: a term has some ten roundings of 6e-8, two of them in rsqrt, and hundreds of terms
    # are summed; measured 1e-6 and less. float64 has the same of 1e-16.
    limit = {np.float32: 1e-5, np.float64: 1e-13}
    # Bodies and blocks: less than a tile, one, slices of a tile, and slices of two tiles.
    for n, blocks in ((3, 2048), (256, 2048), (257, 2048), (700, 2048), (1100, 1)):
        position = np.column_stack([random.normal(size=(n, 3)), random.uniform(0.5, 2, n) / n])
        for dtype in (np.float32, np.float64):
            bodies = on_device(position, 0 * position, dtype, blocks)
            bodies.pull(softening=0.05)
            got = bodies.pulls.get().astype(float).sum(0)[:, :3]
            expected, _ = pull_in_numpy(bodies.position.get(), 0.05)
            error = np.linalg.norm(got - expected, axis=1) / np.linalg.norm(expected, axis=1)
            report.within(
                f"pulls of {n} bodies, {np.dtype(dtype)}, relative error", error.max(), limit[dtype]
            )


def check_eight(report):
    # The starting numbers have eight digits; the leapfrog's error falls with the square of the step
    # and is 2e-6 at 6,000 steps. The limit is five times that. The digits leave
    # their trace in the order, too.
    start = np.column_stack([EIGHT_X, np.ones(3)]), np.column_stack([EIGHT_V, np.zeros(3)])
    miss = []
    for steps in (3000, 6000):
        x, _ = after(*start, np.float64, steps, EIGHT_PERIOD / steps, 0.0)
        miss.append(np.abs(x - EIGHT_X).max())
    report.within("figure eight, float64, misses its start after a period by", miss[1], 1e-5)
    report.within("figure eight: the order of the steps differs from 2 by",
                  abs(np.log2(miss[0] / miss[1]) - 2), 0.05)  # fmt: skip


def check_plummer(report, random, steps):
    n, softening = 1024, 0.05
    x, v = plummer(n, random)
    x, v = x - x.mean(0), v - v.mean(0)
    position, velocity = np.column_stack([x, np.full(n, 1 / n)]), np.zeros((n, 4))
    pull, potential = pull_in_numpy(position, softening)
    virial = -np.sum(x * pull) / n
    # For 1,024 bodies drawn by chance 2T/W is 1 within some hundredths.
    report.within("Plummer's sphere as drawn: 2T/W differs from 1 by",
                  abs(np.sum(v * v) / n / virial - 1), 0.1)  # fmt: skip
    velocity[:, :3] = v
    before = 0.5 * np.sum(v * v) / n + potential
    x, v = after(position, velocity, np.float32, steps, 0.02, softening)
    pull, potential = pull_in_numpy(np.column_stack([x, position[:, 3]]), softening)
    kinetic = 0.5 * np.sum(v * v) / n
    report.within(f"Plummer's sphere after {steps} steps: 2T/W differs from 1 by",
                  abs(2 * kinetic / (-np.sum(x * pull) / n) - 1), 0.1)  # fmt: skip
    report.within("its energy drifts by", abs((kinetic + potential) / before - 1), 1e-4)
    # Rounding is the only cause: pulls of a pair are equal and opposite.
    share = np.linalg.norm(v.mean(0)) / np.linalg.norm(v, axis=1).mean()
    report.within("its momentum, of the sum of |mv|", share, 1e-5)


def check_circle(report):
    """A light body around a heavy one, softened: v^2 = M r^2 / (r^2 + softening^2)^(3/2)."""
    softening, radius, steps = 0.1, 1.5, 2000
    speed = np.sqrt(radius**2 / (radius**2 + softening**2) ** 1.5)
    position = np.array([[0, 0, 0, 1], [radius, 0, 0, 0]])
    velocity = np.array([[0.0, 0, 0, 0], [0, speed, 0, 0]])
    turn = 2 * np.pi * radius / speed
    # The leapfrog turns wrong by (2 pi / steps)^2 / 24, 3e-6 of the radius after a turn. float32
    # rounds 2,000 times by 6e-8: 1e-5 were all of it to one side for a tenth of the turn.
    x, _ = after(position, velocity, np.float32, steps, turn / steps, softening)
    report.within("circle around a central mass: misses its start by, of the radius",
                  np.linalg.norm(x[1] - position[1, :3]) / radius, 1e-4)  # fmt: skip


def check_disc(report):
    # Freeman (1970), a thin exponential disc of mass 1. Bodies that stand in a spiral of the golden
    # angle have no noise; a softening of 0.02 takes a hundredth.
    n, radii = 4096, np.array([1.0, 1.5, 2.2, 3.0])
    radius = gammaincinv(2, (np.arange(n) + 0.5) / n)
    angle = np.arange(n) * np.pi * (3 - np.sqrt(5))
    x = np.stack([radius * np.cos(angle), radius * np.sin(angle), 0 * radius], 1)
    y = radii / 2
    freeman = np.sqrt(2 * y**2 * (i0(y) * k0(y) - i1(y) * k1(y)))
    found = speed_of_circles(radii, x, 1 / n, 0.02)
    report.within("speed of circles in a disc, from Freeman's formula by",
                  np.abs(found / freeman - 1).max(), 0.03)  # fmt: skip


def check_galaxy(report, random):
    # The disc and the bulge are each near to equilibrium, not in it.
    n = 2048
    x, v = galaxy(n, random)
    pull, _ = pull_in_numpy(np.column_stack([x, np.full(n, 1 / n)]), SOFTENING)
    report.within("the galaxy as drawn: 2T/W differs from 1 by",
                  abs(np.sum(v * v) / -np.sum(x * pull) - 1), 0.1)  # fmt: skip


def check(report: Report) -> None:
    steps = report.setting("steps", 1000)
    random = np.random.default_rng(2000)
    check_pulls(report, random)
    check_eight(report)
    check_plummer(report, random, steps)
    check_circle(report)
    check_disc(report)
    check_galaxy(report, random)
