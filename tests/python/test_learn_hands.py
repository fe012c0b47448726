# SPDX-License-Identifier: MIT
"""Lesson 1 by a user's hands: a window under Xvfb, typed text, a click on Check."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import hands

from lathe.learn import find_lesson

CHECK = (250, 85)  # of the panel's last button, in pixels
EDITOR = (1000, 500)
SOLUTION = (
    "__global__ void sign(int* out) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
    "out[i] = 1000 * blockIdx.x + threadIdx.x; }"
)


def test_a_user_solves_the_first_lesson(tmp_path):
    progress = tmp_path / "state" / "learn" / "progress.json"
    kernel = tmp_path / "state" / "learn" / "01-which-thread.cu"
    with hands.display(tmp_path) as user:
        course = subprocess.Popen(
            [sys.executable, "-m", "lathe", "learn", "1"], env=user.environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        try:
            hands.wait("the window", lambda: user.window("Lathe: learn"))
            hands.wait("the lesson", kernel.exists)
            time.sleep(3)
            user.do("mousemove", *map(str, EDITOR), "sleep", "0.5", "click", "1", "sleep", "0.5")
            user.do("key", "ctrl+a", "sleep", "0.5", "key", "Delete", "sleep", "0.5")
            user.do("type", "--delay", "40", SOLUTION)
            user.do("key", "ctrl+Return")
            hands.wait(
                "the typed text", lambda: kernel.read_text().strip().endswith("threadIdx.x; }")
            )
            time.sleep(2)
            user.do("mousemove", *map(str, CHECK), "sleep", "0.8", "click", "1")
            hands.wait("the grade", lambda: bool(json.loads(progress.read_text())["passed"]))
        finally:
            course.terminate()
            print(course.communicate(timeout=30)[0])
    assert json.loads(progress.read_text())["passed"] == ["01-which-thread"]


def test_a_grade_comes_while_the_course_is_paused(tmp_path):
    """Nobody touches the window after Check, so it rests until there is a grade."""
    lesson = find_lesson("1")
    folder = tmp_path / "state" / "learn"
    folder.mkdir(parents=True)
    (folder / "01-which-thread.cu").write_text(lesson.solution.read_text())
    progress = folder / "progress.json"
    with hands.display(tmp_path) as user:
        course = subprocess.Popen(
            [sys.executable, "-m", "lathe", "learn", "1"], env=user.environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        try:
            hands.wait("the window", lambda: user.window("Lathe: learn"))
            hands.wait("the lesson", progress.exists)
            time.sleep(3)
            user.do("mousemove", "500", "300", "sleep", "0.5", "key", "space", "sleep", "1")
            user.do("mousemove", *map(str, CHECK), "sleep", "0.8", "click", "1")
            hands.wait("the grade", lambda: bool(json.loads(progress.read_text())["passed"]))
        finally:
            course.terminate()
            print(course.communicate(timeout=30)[0])
