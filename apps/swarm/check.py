# SPDX-License-Identifier: MIT
"""The grid beside all pairs, steps beside NumPy's, and the order of Vicsek's birds."""

from pathlib import Path

import numpy as np
from swarm import (
    DT,
    Swarm,
    birds_in_plane,
    birds_in_space,
    grid_in_plane,
    grid_in_space,
)

import lathe
from lathe.checks import Report

HERE = Path(__file__).resolve().parent
PACE = 0.03  # Vicsek's
ETAS = (1.0, 2.0, 3.0, 4.0, 5.0)
SLIDERS = {
    "separation": 10.0, "alignment": 3.0, "cohesion": 6.0, "room": 0.7, "speed": 4.0,
    "agility": 20.0,
}  # fmt: skip


def on_device(birds, grid):
    """The experiment's own kernels."""
    return Swarm(
        *birds, grid, lathe.asarray, lambda entry: lathe.kernel(HERE / "swarm.cu", entry)
    )  # fmt: skip


def all_pairs(position, box=0.0):
    """Who leads from each bird to each other one, (n, n, 3), and who sees whom, (n, n)."""
    x = position[:, :3].astype(float)
    d = x[None] - x[:, None]
    if box:
        d[..., :2] -= box * np.rint(d[..., :2] / box)
    near = np.sum(d * d, -1) < 1
    return d, near


def check_grid(report, random):
    """Each bird sees the same birds as in all pairs: their count, and the sum of their numbers."""
    far = random.normal(size=(1500, 4)) * [40, 40, 40, 0]  # the grid repeats itself there
    far[::2] = far[1::2] + random.normal(size=(750, 4)) * [0.5, 0.5, 0.5, 0]
    cases = [
        ("a plane of 3.1", birds_in_plane(40, 3.1), grid_in_plane(3.1)),
        ("a plane of 20", birds_in_plane(1600, 20.0), grid_in_plane(20.0)),
        ("flocks in space", birds_in_space(2000, 6.0), grid_in_space(6.0)),
        ("pairs beyond the grid", [far.astype(np.float32)] * 2, grid_in_space(6.0)),
    ]
    for what, birds, grid in cases:
        swarm = on_device(birds, grid)
        n, cells = swarm.count, swarm.counts.size - 1
        swarm.sort()
        seen, total = (lathe.asarray(np.zeros(n, np.uint32)) for _ in range(2))
        swarm.kernels["neighbours"](swarm.at, swarm.starts, swarm.bird, seen, total, n, grid)
        _, near = all_pairs(birds[0], grid[3])
        np.fill_diagonal(near, False)
        numbers = (near * np.arange(n)).sum(1)
        wrong = (seen.get() != near.sum(1)) | (total.get() != numbers)
        report.within(
            f"{what}, {near.sum() / n:.1f} neighbours: birds that see others", wrong.sum(), 0
        )
        across, deep, width, _ = grid
        x, y, z = (np.floor(birds[0][:, :3] / np.float32(width)).astype(int) % across).T
        cell = ((z if deep > 1 else 0) * across + y) * across + x
        starts = np.searchsorted(np.sort(cell), np.arange(cells + 1))
        wrong = (swarm.bird.get() != np.argsort(cell, kind="stable")).sum()
        wrong += (swarm.starts.get() != starts).sum()
        report.within("its birds and cells out of order, beside NumPy's sort", wrong, 0)


def flocked(position, velocity, home, hawk, dt):
    """The next positions and velocities (n, 3) of Reynolds's birds by all pairs, float64."""
    s = SLIDERS
    x, v = position[:, :3].astype(float), velocity[:, :3].astype(float)
    d, near = all_pairs(position)
    np.fill_diagonal(near, False)
    far = np.sqrt(np.sum(d * d, -1))
    push = near * np.maximum(1 / np.where(near, far, 1) - 1 / s["room"], 0)
    share = near / np.maximum(near.sum(1, keepdims=True), 1)
    seen = near.any(1)[:, None]
    pull = -s["separation"] * np.sum(push[..., None] * d, 1)
    pull += s["alignment"] * (share @ v - seen * v)
    pull += s["cohesion"] * np.sum(share[..., None] * d, 1)
    out = np.linalg.norm(x, axis=1, keepdims=True)
    pull -= np.maximum(out - home, 0) * x / out
    away = x - hawk[:3]
    close = np.linalg.norm(away, axis=1, keepdims=True)
    pull += 4 * s["agility"] * np.maximum(1 - close / hawk[3], 0) * away / close
    pull[:, 2] -= 0.5 * v[:, 2]
    size = np.linalg.norm(pull, axis=1, keepdims=True)
    v = v + dt * pull * np.minimum(s["agility"] / size, 1)
    speed = np.linalg.norm(v, axis=1, keepdims=True)
    v *= np.clip(speed, 0.7 * s["speed"], 1.4 * s["speed"]) / speed
    return x + dt * v, v


def check_flock(report):
    # Sums of up to a hundred terms in float32, each with some roundings of 6e-8.
    n, home, hawk = 1500, 4.5, (1.0, 2.0, -1.0, 3.0)
    swarm = on_device(birds_in_space(n, home), grid_in_space(home))
    worst = [0.0, 0.0]
    for steps in (1, 20, 100):
        while swarm.steps < steps - 1:
            swarm.flock(home, hawk, **SLIDERS)
        before = swarm.position.get(), swarm.velocity.get()
        swarm.flock(home, hawk, **SLIDERS)
        x, v = flocked(*before, home, hawk, DT)
        now = swarm.position.get()[:, :3], swarm.velocity.get()[:, :3]
        worst[0] = max(worst[0], np.abs(now[0] - x).max())
        worst[1] = max(worst[1], np.abs(now[1] - v).max())
    report.within("a flock's step, beside all pairs in NumPy: positions", worst[0], 1e-5)
    report.within("the same: velocities", worst[1], 1e-4)

    again = on_device(birds_in_space(n, home), grid_in_space(home))
    while again.steps < swarm.steps:
        again.flock(home, hawk, **SLIDERS)
    differ = again.position.get() != swarm.position.get()
    report.within(f"numbers that differ in a second run of {again.steps} steps", differ.sum(), 0)


def check_pose(report):
    """Noses along velocities, wings level, tops up: by a matrix of each quaternion."""
    swarm = on_device(birds_in_space(1000, 4.0), grid_in_space(4.0))
    swarm.pose(0.0, size=1.0, beats=1.0)
    x, y, z, w = swarm.turned.get().T.astype(float)
    right = np.column_stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)])
    top = np.column_stack([2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)])
    v = swarm.velocity.get()[:, :3].astype(float)
    nose = v / np.linalg.norm(v, axis=1, keepdims=True)
    worst = np.abs(np.cross(right, top) - nose).max()
    report.within("birds' noses beside their velocities' directions", worst, 1e-5)
    tilted = max(np.abs(right[:, 2]).max(), -top[:, 2].min())
    report.within("birds whose wings tilt, or that fly upside down: by", tilted, 1e-5)


def check_laws(report):
    """Birds that only keep apart have the same momentum after as before; alignment has a rate."""
    n, home = 600, 2.0
    calm = dict.fromkeys(SLIDERS, 0.0) | {"room": 0.7, "agility": 1e6, "speed": 4.0}
    nowhere = (0, 0, 1e4, 1e-3)
    x, v = birds_in_space(n, home)
    v = np.zeros_like(v)
    v[:, 0] = 4
    swarm = on_device((x, v), grid_in_space(home))
    swarm.flock(1e3, nowhere, dt=1e-3, **calm | {"separation": 10.0})
    change = swarm.velocity.get()[:, :3].astype(float) - v[:, :3]
    report.within("birds that push each other: their momentum changes, of all pushes, by",
                  np.linalg.norm(change.sum(0)) / np.linalg.norm(change, axis=1).sum(),
                  1e-5)  # fmt: skip

    # Where all see all, velocities approach their mean by the same share in each step.
    rate, steps = 3.0, 60
    random = np.random.default_rng(3)
    x, v = random.normal(size=(2, n, 4)).astype(np.float32) * [0.05, 0.05, 0, 0]
    v[:, 0] += 4
    swarm = on_device((x.astype(np.float32), v.astype(np.float32)), grid_in_space(home))
    for _ in range(steps):
        swarm.flock(1e3, nowhere, **calm | {"alignment": rate})
    end = swarm.velocity.get()[:, :2].astype(float)
    left = np.std(end, axis=0) / np.std(v[:, :2], axis=0)
    expected = (1 - DT * rate * n / (n - 1)) ** steps
    report.within("birds that only align: what differs in their velocities, from the exact by",
                  np.abs(left / expected - 1).max(), 1e-3)  # fmt: skip


def noise_of(birds, step):
    """The kernel's random numbers, -1/2 to 1/2."""

    def hashed(x):
        x = (x ^ (x >> np.uint32(16))) * np.uint32(0x7FEB352D)
        x = (x ^ (x >> np.uint32(15))) * np.uint32(0x846CA68B)
        return x ^ (x >> np.uint32(16))

    number = np.arange(1, birds + 1, dtype=np.uint32)
    return (hashed(hashed(number) + np.uint32(step)) >> np.uint32(8)) / 2.0**24 - 0.5


def vicsek_by_pairs(position, velocity, side, noise):
    """The next positions (n, 2) and angles (n) by all pairs; `noise` (n) is added to the angles."""
    _, near = all_pairs(position, side)
    total = near @ velocity[:, :2].astype(float)
    x = (position[:, :2].astype(float) + velocity[:, :2]) % side
    return x, np.arctan2(total[:, 1], total[:, 0]) + noise


def check_vicsek_step(report):
    side, eta = 15.0, 2.0
    swarm = on_device(birds_in_plane(900, side), grid_in_plane(side))
    worst = [0.0, 0.0]
    for _ in range(30):
        before = swarm.position.get(), swarm.velocity.get()
        noise = eta * noise_of(swarm.count, swarm.steps)
        swarm.vicsek(noise=eta, pace=PACE)
        x, angle = vicsek_by_pairs(*before, side, noise)
        off = swarm.position.get()[:, :2] - x
        worst[0] = max(worst[0], np.abs(off - side * np.rint(off / side)).max())
        v = swarm.velocity.get()[:, :2] / PACE
        worst[1] = max(worst[1], np.abs(v - np.stack([np.cos(angle), np.sin(angle)], 1)).max())
    # Positions of 15 are rounded to 1e-6. The mean direction of birds that nearly cancel is less
    # exact than float32 by as much as they cancel.
    report.within("30 of Vicsek's steps, beside all pairs in NumPy: positions", worst[0], 5e-6)
    report.within("the same: directions", worst[1], 1e-4)


def orders(count, side, eta, steps, before=300):
    """v_a in every fifth step on the device, after the steps before."""
    swarm = on_device(birds_in_plane(count, side), grid_in_plane(side))
    found = []
    for step in range(before + steps):
        swarm.vicsek(noise=eta, pace=PACE)
        if step >= before and step % 5 == 0:
            v = swarm.velocity.get()[:, :2]
            found.append(np.hypot(*v.mean(0)) / PACE)
    return np.mean(found)


def orders_in_numpy(count, side, etas, steps, before=300):
    """The same by all pairs in NumPy, with its own random numbers, for all noises at once."""
    random = np.random.default_rng(75)
    shape = (len(etas), count)
    x = random.uniform(0, side, (*shape, 2)).astype(np.float32)
    angle = random.uniform(0, 2 * np.pi, shape)
    found = []
    for step in range(before + steps):
        v = np.stack([np.cos(angle), np.sin(angle)], -1).astype(np.float32)
        if step >= before and step % 5 == 0:
            found.append(np.linalg.norm(v.mean(1), axis=-1))
        d = x[:, :, None] - x[:, None]
        d -= side * np.rint(d / side)
        mean = (np.square(d).sum(-1) < 1).astype(np.float32) @ v
        noise = np.array(etas)[:, None] * random.uniform(-0.5, 0.5, shape)
        angle = np.arctan2(mean[..., 1], mean[..., 0]) + noise
        x = (x + PACE * v) % side
    return np.mean(found, 0)


def check_vicsek_order(report, steps):
    """Figure 2 of Vicsek et al.: noise at density 4, then density."""
    report.say(f"  v_a, the order, is the mean of {steps} steps after 300")
    report.within("40 birds without noise: 1 - v_a", 1 - orders(40, 3.1, 0.0, 50), 1e-3)
    # All directions are equally likely: v_a is the mean length of n random steps of 1/n. Its mean
    # over 200 samples has an error of 4 %.
    alone = orders(100, 5.0, 2 * np.pi, 1000, 0) / np.sqrt(np.pi / 400)
    report.within("100 birds, noise 2 pi: v_a differs from (pi / 4 n)^(1/2), of it, by",
                  abs(alone - 1), 0.15)  # fmt: skip

    curves = {}
    for count, side, etas in ((40, 3.1, ETAS), (100, 5.0, ETAS[::2]), (400, 10.0, ETAS[::2])):
        curve = np.array([orders(count, side, eta, steps) for eta in etas])
        curves[count] = dict(zip(etas, curve, strict=True))
        report.say(f"  {count} birds, side {side}: " + ", ".join(
            f"v_a({eta:g}) = {v:.3f}" for eta, v in curves[count].items()))  # fmt: skip
        report.within(f"{count} birds: greatest change of v_a from one noise to the next",
                      np.diff(curve).max(), -0.05)  # fmt: skip
        if count <= 100:
            # Both means have standard deviations of 0.007 and less, by the parts of a run.
            expected = orders_in_numpy(count, side, etas, steps)
            report.within(f"{count} birds: v_a, beside a run of NumPy's with other numbers",
                          np.abs(curve - expected).max(), 0.04)  # fmt: skip
        # If each bird knew the mean direction of all, v_a were this.
        report.within(f"{count} birds, noise 1: v_a differs from sin(1/2) / (1/2) by",
                      abs(curve[0] - 2 * np.sin(0.5)), 0.025)  # fmt: skip
    for eta in (3.0, 5.0):
        change = np.diff([curves[count][eta] for count in (40, 100, 400)])
        report.within(f"noise {eta:g}: greatest change of v_a to more birds", change.max(), 0)
    thin = [orders(n, 10.0, 3.0, steps) for n in (25, 100)] + [curves[400][3.0]]
    report.say("  noise 3, side 10, density 1/4, 1, 4: v_a = "
               + ", ".join(f"{v:.3f}" for v in thin))  # fmt: skip
    report.within("greatest change of v_a to a lower density", np.diff(thin[::-1]).max(), -0.05)


def check(report: Report) -> None:
    steps = report.setting("steps", 800)
    random = np.random.default_rng(1995)
    check_grid(report, random)
    check_flock(report)
    check_pose(report)
    check_laws(report)
    check_vicsek_step(report)
    check_vicsek_order(report, steps)
