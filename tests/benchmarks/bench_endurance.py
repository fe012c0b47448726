# SPDX-License-Identifier: MIT
"""A studio that somebody plays with at random for a long time: does it hold more and more?

    python tests/benchmarks/bench_endurance.py [--seconds 600] [--seed 1] [--only edit_kernel,go]

A program with a history, plots and a panel of its own, without a window. In each frame the seed
decides what happens: its kernel's file is edited (one in five edits does not compile), its script
is saved with another number, the window is resized, the run pauses, steps, goes back, goes to
another step, starts over, keys and mouse do this and that, panels come and go, a checkpoint is
saved and restored. Ten times in the run what the process holds is printed: allocated memory, memory
that is resident, device memory, OpenGL's objects, open files, threads, objects of Python. The run
fails if anything grows in each of the last five looks, or if a frame fails.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import itertools
import os
import random
import sys
import tempfile
import time
from pathlib import Path

# Less than the machine has: what other programs take does not count, then.
os.environ.setdefault("LATHE_SOFT_MEMORY_MB", "2000")

import lathe
import lathe.script
from lathe.cuda import driver
from lathe.native import native
from lathe.options import RunOptions
from lathe.script import run_script

KERNEL = """
// version {version}
__global__ void ripple(float* u, int width, int height, float time, float waves) //@ 1..40 =12
{{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float there = {factor}f * sinf(waves * hypotf(x - 80, y - 45) * 0.02f - 3 * time);
    u[y * width + x] = 0.9f * u[y * width + x] + there;{mistake}
}}
"""

SCRIPT = """
import lathe
import player  # the bench
AMOUNT = {amount}
app = lathe.App("endurance", size=(900, 600), ui=True, history="8 MiB")
u = app.zeros((90, 160), name="u")
spots = app.zeros((500, 2), name="spots")
ripple = app.kernel("ripple.cu", "ripple")
log = app.log_values("mean")
app.state.count = getattr(app.state, "count", 0)
@app.frame
def frame(step):
    ripple.over(u.shape)(u, 160, 90, step.time)
    spots[:] += AMOUNT
    app.state.count += 1
    app.image(u, range="auto")
    app.points(spots, size=3)
    log(u[45, 80])
    app.histogram("heights", u, bins=32)
    with app.panel("of the step"):
        lathe.ui.text(str(step.index))
@app.panel("player")
def play():
    player.play(app)
app.frame_limit = 10**9
app.run()
"""

KEYS = ("space", "r", "f11", "f1", "s", "escape", ",", ".", "f8", "f9", "tab")
PANELS = ("Parameters", "Things", "Profiler", "Console", "Thread", "Values", "History", "Plots")


class MallocInfo(ctypes.Structure):
    """mallinfo2 of glibc 2.33: bytes of the allocator, of all its arenas."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    ]


class Holdings:
    """What the process holds."""

    def __init__(self) -> None:
        self._gl = ctypes.CDLL("libOpenGL.so.0")
        self._malloc_info = ctypes.CDLL(None).mallinfo2
        self._malloc_info.restype = MallocInfo

    def now(self) -> dict[str, float]:
        gc.collect()
        free, total = driver.mem_get_info()
        malloc = self._malloc_info()
        held = {
            "MB allocated": (malloc.uordblks + malloc.hblkhd) / 1e6,
            "MB": int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6,
            "MB of the device": (total - free) / 1e6,
            "files": len(os.listdir("/proc/self/fd")),
            "threads": len(os.listdir("/proc/self/task")),
            "objects": len(gc.get_objects()),
        }
        for kind in ("Buffer", "Texture", "Framebuffer", "Query", "Program", "VertexArray"):
            is_one = getattr(self._gl, f"glIs{kind}")
            is_one.restype = ctypes.c_ubyte  # the rest of the register is anything
            held[kind] = sum(bool(is_one(name)) for name in range(1, 20_000))
        return held


class Player:
    def __init__(self, folder: Path, seconds: float, seed: int, only: str) -> None:
        names = only.split(",") if only else [each.__name__.removeprefix("_") for each in ACTIONS]
        self.actions = [each for each in ACTIONS if each.__name__.removeprefix("_") in names]
        self.folder = folder
        self.random = random.Random(seed)
        self.begin = time.monotonic()
        self.seconds = seconds
        self.holdings = Holdings()
        self.looks: list[dict[str, float]] = []
        self.done: dict[str, int] = {}
        self.frames = 0
        self.version = 0

    def write_kernel(self) -> None:
        self.version += 1
        mistake = " mistake;" if self.random.random() < 0.2 else ""
        factor = round(self.random.uniform(0.05, 0.5), 3)
        text = KERNEL.format(version=self.version, factor=factor, mistake=mistake)
        (self.folder / "ripple.cu").write_text(text)

    def write_script(self) -> None:
        amount = round(self.random.uniform(0, 0.3), 3)
        (self.folder / "endurance.py").write_text(SCRIPT.format(amount=amount))

    def turn(self, app: lathe.App) -> None:
        self.frames += 1
        passed = time.monotonic() - self.begin
        if passed >= self.seconds * (len(self.looks) + 1) / 10:
            self.look()
        if passed >= self.seconds:
            app.close()
            return
        if self.random.random() < 0.4:
            action = self.random.choice(self.actions)
            name = action.__name__.removeprefix("_")
            self.done[name] = self.done.get(name, 0) + 1
            action(self, app)

    def look(self) -> None:
        held = self.holdings.now()
        self.looks.append(held)
        if len(self.looks) == 1:
            print(f"{'frames':>8} " + " ".join(f"{name:>16}" for name in held))
        row = " ".join(f"{value:16.1f}" for value in held.values())
        print(f"{self.frames:8} {row}", flush=True)

    def grown(self) -> list[str]:
        """What grew in each of the last five looks."""
        last = self.looks[-6:]
        return [
            name for name in last[0] if all(a[name] < b[name] for a, b in itertools.pairwise(last))
        ]


def _edit_kernel(player: Player, app: lathe.App) -> None:
    player.write_kernel()


def _save_script(player: Player, app: lathe.App) -> None:
    if player.random.random() < 0.2:
        player.write_script()


def _resize(player: Player, app: lathe.App) -> None:
    app.input.resize(player.random.randrange(200, 1400), player.random.randrange(150, 900))


def _pause(player: Player, app: lathe.App) -> None:
    app.run_control.paused = not app.run_control.paused


def _step(player: Player, app: lathe.App) -> None:
    player.random.choice((app.run_control.step, app.run_control.step_back))()


def _go(player: Player, app: lathe.App) -> None:
    if steps := app.history.steps:
        app.run_control.go_to(player.random.choice(steps))


def _start_over(player: Player, app: lathe.App) -> None:
    if player.random.random() < 0.1:
        app.run_control.reset()


def _speed(player: Player, app: lathe.App) -> None:
    app.run_control.speed = player.random.choice((0.25, 1.0, 1.0, 3.0))


def _slider(player: Player, app: lathe.App) -> None:
    app.set("waves", player.random.uniform(1, 40))


def _key(player: Player, app: lathe.App) -> None:
    key = player.random.choice(KEYS)
    app.input.press_key(key)
    app.input.release_key(key)


def _mouse(player: Player, app: lathe.App) -> None:
    width, height = app.size
    app.input.move_mouse(player.random.uniform(0, width), player.random.uniform(35, height))
    player.random.choice(
        (
            app.input.press_button,
            app.input.release_button,
            app.input.release_all,
            lambda: app.input.scroll(0, player.random.choice((-1, 1))),
        )
    )()


def _panel(player: Player, app: lathe.App) -> None:
    app.show_panel(player.random.choice(PANELS), player.random.random() < 0.7)


def _checkpoint(player: Player, app: lathe.App) -> None:
    if player.random.random() < 0.2:
        file = player.folder / "state.npz"
        app.checkpoint(file)
        app.restore(file)


ACTIONS = [value for name, value in sorted(globals().items()) if name in {
    "_edit_kernel", "_save_script", "_resize", "_pause", "_step", "_go", "_start_over", "_speed",
    "_slider", "_key", "_mouse", "_panel", "_checkpoint"}]  # fmt: skip

the_player: Player | None = None


def play(app: lathe.App) -> None:
    """Called by the script in each frame."""
    assert the_player is not None
    the_player.turn(app)


def main() -> int:
    global the_player
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="of what may happen, with commas between")
    options = parser.parse_args()
    sys.modules["player"] = sys.modules[__name__]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        player = the_player = Player(folder, options.seconds, options.seed, options.only)
        script = folder / "endurance.py"
        player.write_script()
        (folder / "ripple.cu").write_text(KERNEL.format(version=0, factor=0.2, mistake=""))
        native.keep_freed_memory()  # as `lathe run` does
        lathe.script.LOOK_EVERY = 0.1
        run_script(
            script, RunOptions(name="endurance", script=script, headless=True, ui=True, reload=True)
        )
    print(f"seed {options.seed}: {player.frames} frames; {player.done}")
    misuses = native.widgets.errors()
    for problem in player.grown():
        print(f"grows: {problem}")
    if misuses:
        print(f"Dear ImGui was misused {misuses} times")
    return 1 if player.grown() or misuses else 0


if __name__ == "__main__":
    sys.exit(main())
