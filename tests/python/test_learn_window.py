# SPDX-License-Identifier: MIT
"""The course in a window under Xvfb: real keys mend lesson 1, a real click grades it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from conftest import script_environment

pytestmark = [
    pytest.mark.skipif(
        shutil.which("Xvfb") is None or shutil.which("xdotool") is None,
        reason="Xvfb or xdotool is not installed",
    ),
    pytest.mark.software,
]

PROGRAM = """
from lathe.learn.lesson import lessons
from lathe.learn.window import Course

class Watched(Course):
    said = ""

    def frame(self, dt):
        super().frame(dt)
        line = (self.slot.source.split("\\n") + [""] * 5)[4].strip()
        told = "none" if self.grade is None else "PASS" if self.grade.passed else "FAIL"
        now = f"{told} | {self.shown_hints} | {self.lesson.name} | {line}"
        if now != self.said and self.app.frames > 8:
            self.said = now
            print(now, flush=True)

Watched(lessons()[0]).app.run()
"""
CHECK, HINT = (250, 84), (136, 84)  # buttons
WANTED = "    int i = blockIdx.x * blockDim.x + threadIdx.x;"


@pytest.fixture
def course(tmp_path):
    """A course in a window at the screen's corner."""
    read_end, write_end = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write_end), "-screen", "0", "1280x720x24"],
        pass_fds=[write_end], stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write_end)
    with os.fdopen(read_end) as number:
        display = ":" + number.readline().strip()
    script = tmp_path / "course.py"
    script.write_text(textwrap.dedent(PROGRAM))
    environment = script_environment(
        DISPLAY=display,
        LATHE_DEVICE="software",
        LATHE_STATE_DIR=str(tmp_path / "state"),
        LATHE_CACHE_DIR=str(tmp_path / "cache"),
    )
    program = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=environment
    )
    yield User(program, environment)
    program.kill()
    program.wait()
    server.kill()
    server.wait()


class User:
    """Hands on mouse and keyboard, and eyes on what the program says."""

    def __init__(self, program, environment):
        self.environment = environment
        self.lines = []
        self.program = program
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.program.stdout:
            self.lines.append(line.strip())

    def sees(self, *parts, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.lines and all(part in self.lines[-1] for part in parts):
                return
            assert self.program.poll() is None, self.lines[-5:]
            time.sleep(0.05)
        raise AssertionError(f"no line with {parts}: {self.lines[-5:]}")

    def hands(self, *words):
        subprocess.run(["xdotool", *words], env=self.environment, check=True)
        time.sleep(0.4)  # longer than a frame

    def clicks(self, x, y):
        self.hands("mousemove", str(x), str(y))
        self.hands("mousedown", "1")
        self.hands("mouseup", "1")


def test_lesson_one_by_hand(course, tmp_path):
    course.sees("none | 0 | 01-which-thread | int i = threadIdx.x;")
    found = subprocess.run(
        ["xdotool", "search", "--sync", "--name", "Lathe: learn"],
        env=course.environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    course.hands("windowmove", found.stdout.split()[0], "0", "0")
    course.hands("windowfocus", found.stdout.split()[0])
    course.clicks(*CHECK)
    course.sees("FAIL | 0")
    course.clicks(*HINT)
    course.sees("FAIL | 1")
    course.clicks(1100, 141)  # the end of line 5
    course.hands("key", "End")
    course.hands("key", "shift+Home")
    course.hands("type", "--delay", "60", WANTED.strip())
    course.sees(WANTED.strip())
    course.clicks(*CHECK)
    course.sees("PASS")
    kept = json.loads((tmp_path / "state" / "learn" / "progress.json").read_text())
    assert kept["passed"] == ["01-which-thread"]
    assert WANTED.strip() in (tmp_path / "state" / "learn" / "01-which-thread.cu").read_text()
