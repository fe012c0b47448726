# SPDX-License-Identifier: MIT
"""Lesson 1 by a user's hands: a window under Xvfb, typed text, a click on Check."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time

import pytest

SIZE = (1280, 720)
CHECK = (250, 85)  # of the panel's last button, in pixels
EDITOR = (1000, 500)
SOLUTION = (
    "__global__ void sign(int* out) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
    "out[i] = 1000 * blockIdx.x + threadIdx.x; }"
)
LIMIT_SECONDS = 60.0


@pytest.fixture
def display():
    if not shutil.which("Xvfb") or not shutil.which("xdotool"):
        pytest.skip("Xvfb or xdotool is missing")
    read_end, write_end = os.pipe()
    screen = f"{SIZE[0]}x{SIZE[1]}x24"
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write_end), "-screen", "0", screen, "-nolisten", "tcp"],
        pass_fds=[write_end], stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write_end)
    with os.fdopen(read_end) as numbers:
        name = ":" + numbers.readline().strip()
    yield name
    server.terminate()
    server.wait()


def _wait(what, done):
    end = time.monotonic() + LIMIT_SECONDS
    while time.monotonic() < end:
        if done():
            return
        time.sleep(0.2)
    pytest.fail(f"{what} did not happen within {LIMIT_SECONDS:.0f} s")


def test_a_user_solves_the_first_lesson(display, tmp_path):
    environment = dict(
        os.environ, DISPLAY=display, LATHE_DEVICE="software",
        LATHE_STATE_DIR=str(tmp_path / "state"), LATHE_CACHE_DIR=str(tmp_path / "cache"),
    )  # fmt: skip
    environment.pop("WAYLAND_DISPLAY", None)

    def hands(*arguments: str) -> None:
        subprocess.run(["xdotool", *arguments], env=environment, check=True, timeout=60)

    def sees_window() -> bool:
        found = subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", "Lathe: learn"],
            env=environment, capture_output=True, text=True,
        )  # fmt: skip
        return bool(found.stdout.strip())

    progress = tmp_path / "state" / "learn" / "progress.json"
    kernel = tmp_path / "state" / "learn" / "01-which-thread.cu"
    course = subprocess.Popen(
        [sys.executable, "-m", "lathe", "learn", "1"], env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        _wait("the window", sees_window)
        _wait("the lesson", kernel.exists)
        time.sleep(3)
        hands("mousemove", *map(str, EDITOR), "sleep", "0.5", "click", "1", "sleep", "0.5")
        hands("key", "ctrl+a", "sleep", "0.5", "key", "Delete", "sleep", "0.5")
        hands("type", "--delay", "40", SOLUTION)
        hands("key", "ctrl+Return")
        _wait("the typed text", lambda: kernel.read_text().strip().endswith("threadIdx.x; }"))
        time.sleep(2)
        hands("mousemove", *map(str, CHECK), "sleep", "0.8", "click", "1")
        _wait("the grade", lambda: bool(json.loads(progress.read_text())["passed"]))
    finally:
        course.terminate()
        print(course.communicate(timeout=30)[0])
    assert json.loads(progress.read_text())["passed"] == ["01-which-thread"]
