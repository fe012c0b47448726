# SPDX-License-Identifier: MIT
"""Interactions a second of the experiment galaxy: all bodies on all bodies, in whole steps.

    python tests/benchmarks/bench_galaxy.py [--bodies 4096,65536] [--seconds 0.5]

Times are those of CUDA's events around many steps, each with both kernels. A step of n bodies has
n^2 interactions, a body with itself among them. By convention one is 20 flops; ours has 13
instructions. CUDA's sample `nbody -benchmark` counts the same way.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

import numpy as np
from peers import on_gpu, wait

import lathe
from lathe.cuda import driver

APP = Path(__file__).resolve().parents[2] / "apps" / "galaxy"
sys.path.insert(0, str(APP))
from galaxy import OPTIONS, SOFTENING, Bodies, plummer  # noqa: E402

ROUNDS = 7


def bodies_on_device(count: int) -> Bodies:
    """Plummer's sphere."""
    x, v = plummer(count, np.random.default_rng(1974))
    position = np.column_stack([x, np.full(count, 1 / count)]).astype(np.float32)
    velocity = np.column_stack([v, np.zeros(count)]).astype(np.float32)
    kernels = {
        entry: lathe.kernel(APP / "galaxy.cu", entry, options=OPTIONS)
        for entry in ("attract", "move")
    }
    return Bodies(position, velocity, lathe.asarray, kernels.__getitem__)


def seconds_of(bodies: Bodies, steps: int) -> float:
    """Of one step, by events."""
    begin, end = driver.Event(), driver.Event()
    wait()
    begin.record()
    for _ in range(steps):
        bodies.step(0.001, softening=SOFTENING)
    end.record()
    end.synchronize()
    return begin.time_till(end) / 1e3 / steps


def interactions_per_second(count: int, seconds: float = 0.5) -> float:
    """The median of `ROUNDS` rounds that take about `seconds` each."""
    bodies = bodies_on_device(count)
    seconds_of(bodies, 3)  # compiles
    steps = max(1, min(20000, round(seconds / seconds_of(bodies, 10 if on_gpu() else 1))))
    return count * count / statistics.median(seconds_of(bodies, steps) for _ in range(ROUNDS))


def main() -> None:
    usual = "1024,4096,16384,65536,262144" if on_gpu() else "1024,4096,8192"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bodies", default=usual)
    parser.add_argument("--seconds", type=float, default=0.5, help="of a round")
    options = parser.parse_args()
    print(lathe.cuda.autoprimaryctx.device.name())
    print(f"{'bodies':>10} {'ms a step':>12} {'G interactions/s':>18} {'TFLOP/s at 20':>15}")
    for count in map(int, options.bodies.split(",")):
        rate = interactions_per_second(count, options.seconds)
        step = count * count / rate * 1e3
        flops = 20 * rate / 1e12
        print(f"{count:>10,} {step:>12.4f} {rate / 1e9:>18.1f} {flops:>15.2f}", flush=True)


if __name__ == "__main__":
    main()
