# SPDX-License-Identifier: MIT
"""Periods, paths and exponents of pendulums and of the logistic map, beside numbers."""

from pathlib import Path

import numpy as np
from pendulum import OPTIONS, Pendulums
from scipy.integrate import solve_ivp
from scipy.special import ellipk

import lathe
from lathe.checks import Report

HERE = Path(__file__).resolve().parent
FREQUENCY = 2 / 3
# Baker and Gollub (1996), damping 1/2 and frequency 2/3: after how many periods of the force the
# motion repeats itself; 0: chaos.
REPEATS = {0.9: 1, 1.07: 2, 1.15: 0, 1.35: 1, 1.45: 2, 1.47: 4, 1.5: 0}


def kernel_of(dtype):
    """The experiment's own kernels, of which float has its options."""
    options = ["-DREAL=double"] if dtype == np.float64 else OPTIONS
    return lambda entry: lathe.kernel(HERE / "pendulum.cu", entry, options=options)


def pendulums(angle, velocity=0.0, dtype=np.float64):
    angle = np.atleast_2d(angle)
    return Pendulums(angle, velocity + 0 * angle, lathe.asarray, kernel_of(dtype), dtype)


def state(some):
    """Angles, not turned back, and velocities, (n,) each."""
    all_of = some.pendulums.get().astype(float)
    turns = some.tales.get()[..., 1].astype(float)
    return (all_of[..., 0] + 2 * np.pi * turns).ravel(), all_of[..., 1].ravel()


def check_periods(report):
    """Without friction and force a swing takes 4 K(sin^2(angle / 2))."""
    first = np.array([0.01, 0.5, 1.0, 2.0, 3.0])
    some, dt = pendulums(first), 0.01
    times, found = 0.0, np.zeros(len(first))
    before = state(some)[1]
    for _ in range(2000):
        some.advance(1, (0.0, 0.0), frequency=2 * np.pi / (100 * dt), each=100)
        times += dt
        now = state(some)[1]
        passed = (before < 0) & (now >= 0) & (found == 0)  # half of the period
        found[passed] = 2 * (times - dt * now / (now - before))[passed]
        before = now
    wanted = 4 * ellipk(np.sin(first / 2) ** 2)
    report.within("periods of swings up to 3 rad differ from the elliptic integral by, in parts",
                  abs(found / wanted - 1).max(), 1e-5)  # fmt: skip


def check_paths(report):
    """Four periods of the force, beside SciPy's method of eighth order."""
    first = np.linspace(-3, 3, 7)
    law, periods = (1.2, 0.5), 4

    def change(t, y):
        return [y[1], law[0] * np.cos(FREQUENCY * t) - law[1] * y[1] - np.sin(y[0])]

    until = periods * 2 * np.pi / FREQUENCY
    wanted = np.array([
        solve_ivp(change, (0, until), (angle, 0.5), "DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
        for angle in first
    ])  # fmt: skip
    worst = {}
    for dtype, each in ((np.float64, 1000), (np.float64, 2000), (np.float32, 64)):
        some = pendulums(first, 0.5, dtype)
        for _ in range(periods):
            some.advance(each, law, each=each)
        worst[dtype, each] = abs(np.array(state(some)).T - wanted).max()
    report.within("paths of 4 periods, 2000 steps in each, differ from SciPy's by",
                  worst[np.float64, 2000], 1e-7)  # fmt: skip
    order = np.log2(worst[np.float64, 1000] / worst[np.float64, 2000])
    report.within("the error falls by the fourth power of the step, but for", abs(order - 4), 0.3)
    report.within("as drawn, float32, 64 steps in a period, they differ by",
                  worst[np.float32, 64], 0.02)  # fmt: skip


def exponent(some, law, periods, skip):
    """Of each pendulum: growth a unit of time, after some periods that do not count."""
    some.advance(64 * skip, law)
    growth, time = some.tales.get()[..., 0].astype(float), some.time
    for _ in range(periods // 50):
        some.advance(64 * 50, law)
    return ((some.tales.get()[..., 0] - growth) / (some.time - time)).ravel()


def check_exponents(report):
    """Of small swings, of the logistic map, and of a chaotic pendulum."""
    for damping in (0.25, 0.5):
        found = exponent(pendulums([0.1, 0.2]), (0.0, damping), 400, 50)
        report.within(f"a small swing with damping {damping}: the exponent differs from half of it "
                      "by", abs(found + damping / 2).max(), 0.002)  # fmt: skip
    # The exact exponents: of a fixed point, of a cycle of two, and of r = 4.
    rates = np.array([2.5, 3.2, 3.4, 4.0])
    wanted = np.array([np.log(0.5), *(np.log(abs(4 + 2 * r - r * r)) / 2 for r in rates[1:3]),
                       np.log(2)])  # fmt: skip
    many = 256
    r = lathe.asarray(np.repeat(rates, many))
    x = lathe.asarray(np.tile(np.random.default_rng(4).uniform(0.1, 0.9, many), len(rates)))
    growth, step = lathe.zeros(len(rates) * many, np.float64), kernel_of(np.float64)("logistic")
    for counts in (False, True):
        if counts:
            growth.fill(0)
        step.over(len(rates) * many, 128)(x, growth, r, len(rates) * many, 2000)
    found = growth.get().reshape(len(rates), many).mean(1) / 2000
    for rate, have, want in zip(rates, found, wanted, strict=True):
        name = " = ln 2" if rate == 4 else ""
        report.within(f"logistic map, r = {rate}: the exponent differs from {want:.4f}{name} by",
                      abs(have - want), 1e-3)  # fmt: skip
    found = exponent(pendulums(np.linspace(-3, 3, 64)), (1.5, 0.25), 400, 100).mean()
    report.within("drive 1.5, damping 1/4: the exponent differs from Baker and Gollub's 0.16 by",
                  abs(found - 0.16), 0.01)  # fmt: skip


def check_repeats(report):
    """How the motion comes to chaos, for several drives at damping 1/2."""
    mistakes = 0
    for drive, wanted in REPEATS.items():
        some = pendulums(np.linspace(-3, 3, 16))
        law, each = (drive, 0.5), 128
        for _ in range(300):
            some.advance(each, law, each=each)
        seen = []
        for _ in range(9):
            seen.append(some.pendulums.get()[..., :2].reshape(-1, 2))
            some.advance(each, law, each=each)
        # Angles as points of a circle: some pendulums turn over.
        seen = np.array([[np.cos(s[:, 0]), np.sin(s[:, 0]), s[:, 1]] for s in seen])
        away = abs(seen[1:] - seen[0]).max(1)  # (periods, pendulums)
        repeats = np.where((away < 1e-3).any(0), (away < 1e-3).argmax(0) + 1, 0)
        common = np.bincount(repeats).argmax()
        mistakes += int(common != wanted)
        report.say(f"  drive {drive}: the motion repeats itself after {common or 'no number of'} "
                   "periods")  # fmt: skip
    report.within("drives whose motion repeats itself otherwise than in Baker and Gollub's book",
                  mistakes, 0)  # fmt: skip


def check_doubling(report):
    """The first doubling of the period, at damping 1/2, is at the drive 1.0663."""
    drives = np.linspace(1.0640, 1.0690, 26)
    some = pendulums(np.full(len(drives), 0.3))
    up = (drives[-1] - drives[0]) * len(drives) / (len(drives) - 1)
    law = (drives[0] - up / len(drives) / 2, 0.5)
    for _ in range(3000 // 20):
        some.advance(64 * 20, law, across=(up, 0.0))
    before = state(some)[1]
    some.advance(64, law, across=(up, 0.0))
    split = abs(state(some)[1] - before) > 2e-3
    onset = drives[split.argmax()] if split.any() else np.nan
    report.within("the period doubles at a drive that differs from 1.0663 by", abs(onset - 1.0663),
                  0.0005)  # fmt: skip


def check(report: Report) -> None:
    check_periods(report)
    check_paths(report)
    check_exponents(report)
    check_repeats(report)
    check_doubling(report)
