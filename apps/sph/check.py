# SPDX-License-Identifier: MIT
"""A step beside all pairs in NumPy, still water, a standing wave, Ritter's dam, and experiments."""

import functools
from pathlib import Path

import numpy as np
from scipy.optimize import curve_fit
from sph import TANK, Fluid, block

import lathe
from lathe.checks import Report

HERE = Path(__file__).resolve().parent

# Martin and Moyce (1952), columns 2 1/4 inches wide, as high (n^2 = 1) and twice as high (n^2 = 2).
# Fronts: times n t (g/a)^(1/2), places in widths; heights: times t (g/a)^(1/2), in first heights.
FRONTS = {
    1: ([0.62, 0.97, 1.29, 1.62, 1.93, 2.24, 2.54], [1.22, 1.67, 2.11, 2.56, 3.00, 3.44, 3.89]),
    2: ([0.84, 1.43, 1.83, 2.20, 2.51, 2.83, 3.11], [1.22, 1.67, 2.11, 2.56, 3.00, 3.44, 3.89]),
}
HEIGHTS = {
    1: ([0.80, 1.29, 1.74, 2.15, 2.57], [0.89, 0.78, 0.67, 0.56, 0.44]),
    2: ([0.56, 0.93, 1.28, 1.66, 2.00, 2.45], [0.94, 0.83, 0.72, 0.61, 0.50, 0.39]),
}
# Lobovský et al. (2014), figure 12: a square column of 0.6 m, until it reaches their wall.
LARGE_FRONT = [0.75, 1.00, 1.25, 1.50], [1.60, 1.89, 2.20, 2.57]


@functools.cache
def kernel(entry):
    return lathe.kernel(HERE / "sph.cu", entry)


def fluid_of(position, dx, tank=TANK, **more):
    """The experiment's own kernels."""
    return Fluid(position, dx, tank, lathe.asarray, kernel, **more)


def by_hand(state, excess, fluid, gravity):
    """State and densities after a step, by all pairs in double precision."""
    dx, h, c = fluid.dx, fluid.h, fluid.sound
    x, v, e = state[:, :2], state[:, 2:], excess
    images = [(x, v, np.arange(len(x)))]
    for mirror, at in (((-1, 1), 0.0), ((-1, 1), 2 * fluid.tank)):
        images.append((x * mirror + (at, 0), v * mirror, np.arange(len(x))))
    images += [(a * (1, -1), b * (1, -1), k) for a, b, k in images[:3]]
    there, moving, number = (np.concatenate(each) for each in zip(*images, strict=True))
    d = x[:, None] - there
    distance = np.sqrt((d**2).sum(-1))
    near = distance < 2 * h
    slope = np.where(near, -35 / (4 * np.pi * h**4) * (1 - distance / (2 * h)) ** 3, 0) * dx**2
    pressure = c**2 * e[number] + (there - x[number]) @ gravity
    along = ((v[:, None] - moving) * d).sum(-1)
    drag = -fluid.viscosity * c * h * along / (distance**2 + 0.01 * h**2)
    force = c**2 * (e / (1 + e) ** 2)[:, None] + pressure / (1 + e[number]) ** 2 + drag
    new = v + fluid.dt * (gravity - ((force * slope)[..., None] * d).sum(1))
    mirrored = np.where(np.arange(len(there))[:, None] // len(x) % 3 > 0, (-1, 1), (1, 1))
    mirrored = mirrored * np.where(np.arange(len(there))[:, None] >= 3 * len(x), (1, -1), (1, 1))
    fall = ((new[:, None] - new[number] * mirrored) * d).sum(-1)
    surplus = e[number] - e[:, None] - (x[number] - x[:, None]) @ gravity / c**2
    change = ((fall - 2 * fluid.diffusion * h * c * surplus) * slope).sum(1)
    return np.column_stack([x + fluid.dt * new, new]), e + fluid.dt * change


def check_step(report):
    """One step of disordered water in a corner, and on its way through the air."""
    random = np.random.default_rng(1)
    dx, gravity = 0.05, np.array([0.3, -0.9])
    position = np.concatenate([block(0, 0, 0.6, 0.5, dx), block(1.6, 0.8, 0.4, 0.4, dx)])
    position += random.uniform(-0.3, 0.3, position.shape) * dx
    fluid = fluid_of(position, dx, tank=2.0)
    state = np.column_stack([position, random.normal(0, 0.5, position.shape)]).astype(np.float32)
    more = np.column_stack([random.normal(0, 0.003, len(state)), np.arange(len(state))])
    fluid.state.set(state)
    fluid.more.set(more.astype(np.float32))
    fluid.step(tuple(gravity))
    wanted, excess = by_hand(state.astype(float), more[:, 0], fluid, gravity)
    found = fluid.more.get().astype(float)
    order = np.argsort(found[:, 1])
    report.within("a step, beside all pairs in NumPy: velocities differ by",
                  abs(fluid.state.get()[order, 2:] - wanted[:, 2:]).max(), 2e-5)  # fmt: skip
    report.within("the same: places", abs(fluid.state.get()[order, :2] - wanted[:, :2]).max(), 1e-6)
    report.within("the same: densities", abs(found[order, 0] - excess).max(), 1e-6)


def check_free_water(report):
    """Water that touches nothing keeps its energy, without viscosity, and falls as a stone does."""
    random = np.random.default_rng(2)
    dx = 0.05
    position = block(2, 2, 0.8, 0.8, dx)
    fluid = fluid_of(position, dx, viscosity=0.0, diffusion=0.0)
    state = np.column_stack([position, random.normal(0, 0.3, position.shape)])
    fluid.state.set(state.astype(np.float32))
    before, steps = state[:, 2:].mean(0), 200

    def energy():
        state, e = fluid.state.get().astype(float), fluid.more.get()[:, 0].astype(float)
        inside = fluid.sound**2 * (np.log1p(e) + 1 / (1 + e) - 1)  # the integral of p / rho^2
        return ((state[:, 2:] ** 2).sum(1) / 2 + state[:, 1] + inside).mean()

    start, motion = energy(), (state[:, 2:] ** 2).sum(1).mean() / 2
    drift = 0.0
    for _ in range(steps):
        fluid.step()
        drift = max(drift, abs(energy() - start))
    report.within("energy of water in the air drifts by, in parts of its motion's", drift / motion,
                  0.1)  # fmt: skip
    after = fluid.state.get().astype(float)
    fallen = before - np.array([0, steps * fluid.dt])
    report.within("momentum of water in the air differs from that of a stone by, in speed",
                  abs(after[:, 2:].mean(0) - fallen).max(), 1e-4)  # fmt: skip

    def again():
        fluid = fluid_of(block(0, 0, 1, 1, dx), dx, depth=1.0)
        for _ in range(steps):
            fluid.step()
        return fluid.state.get()

    report.within("numbers that differ between two runs", (again() != again()).sum(), 0)


def check_still(report):
    """Water at rest stays so, with the pressure of what is above it."""
    dx = 1 / 24
    fluid = fluid_of(block(0, 0, 1, 1, dx), dx, tank=1.0, depth=1.0)
    for _ in range(round(4 / fluid.dt)):
        fluid.step()
    state, pressure = fluid.state.get(), fluid.more.get()[:, 0] * fluid.sound**2
    report.within("still water: pressure differs from the depth by", np.abs(
        pressure - (1 - state[:, 1])).max(), 0.06)  # fmt: skip
    report.within("still water: speed", np.hypot(state[:, 2], state[:, 3]).max(), 0.02)


def check_wave(report):
    """A small standing wave: omega^2 = g k tanh(k H)."""
    dx, k = 1 / 24, np.pi
    position = block(0, 0, 1, 1, dx)
    fluid = fluid_of(position, dx, tank=1.0, depth=1.0, viscosity=0.0, diffusion=0.0)
    x, y = position.T
    speed = 0.06 / np.cosh(k) * np.array([-np.sin(k * x) * np.cosh(k * y),
                                          np.cos(k * x) * np.sinh(k * y)])  # fmt: skip
    fluid.state.set(np.column_stack([position, *speed]).astype(np.float32))
    omega = np.sqrt(k * np.tanh(k))
    times, middles = [], []
    while not times or times[-1] < 1.5 * 2 * np.pi / omega:
        for _ in range(20):
            fluid.step()
        times.append(20 * fluid.dt * (len(times) + 1))
        middles.append(fluid.state.get()[:, 0].astype(float).mean() - 0.5)
    size = np.ptp(middles) / 2
    found, _ = curve_fit(lambda t, a, w, p: a * np.sin(w * t + p), times, middles,
                         (-size, omega, 0))  # fmt: skip
    report.within("a standing wave: omega differs from (g k tanh k H)^(1/2) by, in parts",
                  abs(found[1] / omega - 1), 0.02)  # fmt: skip


def collapse(fluid, until, every):
    """Times, fronts and heights at the left wall of water that spreads."""
    times, fronts, heights, count = [0.0], [], [], 0
    while True:
        state = fluid.state.get()
        fronts.append(state[:, 0].max() + fluid.dx / 2)
        heights.append(state[state[:, 0] < 3 * fluid.dx, 1].max() + fluid.dx / 2)
        if times[-1] >= until:
            return np.array(times), np.array(fronts), np.array(heights)
        for _ in range(every):
            fluid.step()
        count += every
        times.append(count * fluid.dt)


def check_ritter(report, rows):
    """A long dam: the front stays behind Ritter's, and depths come to his."""
    dx, until, length = 1 / rows, 3.5, 4.0
    fluid = fluid_of(block(0, 0, length, 1, dx), dx, tank=12.0, depth=1.0)
    times, fronts, _ = collapse(fluid, until, 25)
    ahead = fronts - length - 2 * times
    report.within("Ritter: the front is ahead of 2 (g H)^(1/2) t by", ahead[1:].max(), 0.0)
    late = times > 1.5
    pace = np.polyfit(times[late], fronts[late], 1)[0]
    report.within("Ritter: the front is slower than 2 (g H)^(1/2) by, in parts", 1 - pace / 2, 0.2)
    state = fluid.state.get()
    edges = np.arange(length - 2, length + 6.0, 0.2)
    area = np.histogram(state[:, 0], edges)[0] * dx**2 / np.diff(edges)
    x = (edges[1:] + edges[:-1]) / 2 - length
    theirs = np.clip(2 - x / times[-1], 0, 3) ** 2 / 9
    theirs = np.minimum(theirs, 1)
    report.within("Ritter: depths differ by, in the mean", abs(area - theirs).mean(), 0.03)
    at_dam = np.interp(0, x, area)
    report.within("Ritter: the depth where the dam stood differs from 4/9 by",
                  abs(at_dam - 4 / 9), 0.03)  # fmt: skip


def check_experiments(report, rows):
    """Columns as in the experiments; times in (width / g)^(1/2), lengths in widths."""
    for high in (1, 2):
        dx = 1 / rows  # of the height
        fluid = fluid_of(block(0, 0, 1 / high, 1, dx), dx, depth=1.0)
        times, fronts, heights = collapse(fluid, 2.65 if high == 1 else 1.85, 10)
        # From units of the height to those of the width.
        times, fronts = times * np.sqrt(high), fronts * high
        name = f"Martin and Moyce, n^2 = {high}"
        at, known = np.array(HEIGHTS[high])
        fits = at < times[-1]
        report.within(f"{name}: heights at the wall differ by, of the first one",
                      abs(np.interp(at, times, heights) - known)[fits].max(), 0.06)  # fmt: skip
        at, known = np.array(FRONTS[high])
        ahead = np.interp(at / np.sqrt(high), times, fronts) / known - 1
        report.within(f"{name}: the front is behind by, in parts", -ahead.min(), 0.0)
        report.within(f"{name}: the front is ahead by, in parts", ahead.max(), 0.2)
        if high == 1:
            at, known = np.array(LARGE_FRONT)
            report.within("Lobovský et al.: the front differs by, in parts",
                          abs(np.interp(at, times, fronts) / known - 1).max(), 0.06)  # fmt: skip


def check(report: Report) -> None:
    rows = report.setting("rows", 30)
    check_step(report)
    check_free_water(report)
    check_still(report)
    check_wave(report)
    check_ritter(report, 2 * rows // 3)
    check_experiments(report, rows)
