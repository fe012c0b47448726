# SPDX-License-Identifier: MIT
"""Grading in a process of its own: what a kernel does there ends there.

``python -m lathe.learn.apart LESSON FILE`` prints the grade as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from lathe.learn.grading import Criterion, Grade, grade
from lathe.learn.lesson import Lesson, find_lesson

__all__ = ["SECONDS", "grade_apart", "start", "wait_for"]

SECONDS = 60.0
"""After which a kernel that has not ended fails."""


def start(lesson: Lesson, file: Path) -> subprocess.Popen[str]:
    """Begins to grade a file on the software device."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "lathe.learn.apart", str(lesson.folder), str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ, LATHE_DEVICE="software"),
    )


def wait_for(lesson: Lesson, process: subprocess.Popen[str], seconds: float = SECONDS) -> Grade:
    """The grade; after so many seconds the process is ended, which is a grade, too."""
    try:
        out, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        why = f"it ran for {seconds:.0f} seconds; look for a loop whose condition stays true"
        return Grade(lesson.name, (Criterion("The kernel ends", False, why),))
    try:
        told = json.loads(out)
        return Grade(told["lesson"], tuple(Criterion(**each) for each in told["criteria"]))
    except (ValueError, KeyError, TypeError):
        words = errors.strip().split("\n")[-1] or f"exit code {process.returncode}"
        return Grade(lesson.name, (Criterion("The kernel can be graded", False, words),))


def grade_apart(lesson: Lesson, file: Path, seconds: float = SECONDS) -> Grade:
    """`start` and `wait_for`."""
    return wait_for(lesson, start(lesson, file), seconds)


if __name__ == "__main__":
    print(json.dumps(grade(find_lesson(sys.argv[1]), Path(sys.argv[2]).read_text()).to_dict()))
