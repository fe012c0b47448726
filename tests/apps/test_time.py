# SPDX-License-Identifier: MIT
"""Each experiment goes back, and on from a checkpoint, to the last bit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import script_environment

NAMES = [
    "gray_scott", "nbody", "galaxy", "cavity", "swarm", "image_lab", "ocean", "sph", "pendulum",
    "brain",
]  # fmt: skip

PROGRAM = """
import hashlib, sys
from pathlib import Path
from lathe.options import RunOptions
from lathe.script import run_script

script, mode, file, settings = sys.argv[1:5]
whole, before = 24, 15


def run(**more):
    options = RunOptions(
        script=Path(script), frames=1000, size=(320, 180), headless=True, ui=False,
        assignments=tuple(settings.split()), **more)
    # The script runs until its frames are done: they are counted here.
    import lathe
    lathe.App.run, original = lambda app, frames=None: original(app, 1), lathe.App.run
    run_script(Path(script), options)
    lathe.App.run = original
    return options.app


def digest(app):
    found = hashlib.sha256(app.screenshot().tobytes())
    for name, memory in sorted(app._studio.memories(), key=lambda each: each[0]):
        found.update(name.encode() + memory.get().tobytes())
    return found.hexdigest(), app.step


if mode == "straight":
    app = run()
    app.run(frames=before - 1)
    app.checkpoint(file)
    app.run(frames=whole - before)
elif mode == "resumed":
    app = run()  # a step, in which some make their arrays
    app.restore(file)
    app.run(frames=whole - before)
else:
    app = run()
    app.history.budget = 1 << 30
    app.run(frames=whole - 1)
    app.run_control.go_to(whole - 15)
    app.run(frames=1)
    assert app.step == whole - 15, app.step
    app.run(frames=14)
    assert len(app.history.branches) == 1, "the past was another"
print(*digest(app))
"""


def result(name: str, mode: str, file: Path) -> str:
    script = Path(__file__).parents[2] / "apps" / name / f"{name}.py"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(script), mode, str(file), SETTINGS.get(name, "")],
        capture_output=True, text=True, env=script_environment(), timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip().splitlines()[-1]


# A camera that turns by itself is no state.
SETTINGS = dict.fromkeys(("nbody", "galaxy", "swarm", "brain"), "turn=false")


@pytest.mark.parametrize("name", NAMES)
def test_an_experiment_goes_back_and_on(name: str, tmp_path: Path) -> None:
    file = tmp_path / "state.npz"
    straight = result(name, "straight", file)
    assert straight.endswith(" 23")
    assert result(name, "resumed", file) == straight
    assert result(name, "back", file) == straight
