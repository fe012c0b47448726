# SPDX-License-Identifier: MIT
"""What a student has done: lessons that passed, and the kernels as they were left."""

from __future__ import annotations

import json
import os
from pathlib import Path

from lathe.learn.lesson import Lesson

__all__ = ["Progress", "state_folder"]


def state_folder() -> Path:
    """LATHE_STATE_DIR, else XDG_STATE_HOME/lathe, else ~/.local/state/lathe; not created here."""
    if named := os.environ.get("LATHE_STATE_DIR"):
        return Path(named)
    home = os.environ.get("XDG_STATE_HOME")
    return (Path(home) if home else Path.home() / ".local" / "state") / "lathe"


class Progress:
    """Kept in ``learn/progress.json`` of the state folder, the kernels beside it."""

    def __init__(self) -> None:
        self.folder = state_folder() / "learn"
        self._file = self.folder / "progress.json"
        self.passed: set[str] = set()
        self.last = ""
        try:
            known = json.loads(self._file.read_text())
            self.passed = {str(name) for name in known["passed"]}
            self.last = str(known["last"])
        except (OSError, ValueError, KeyError, TypeError):
            pass  # none yet, or none that can be read: the course begins

    def kernel_of(self, lesson: Lesson) -> Path:
        """The student's file of a lesson; the lesson's beginning where there was none."""
        file = self.folder / f"{lesson.name}.cu"
        if not file.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            file.write_text(lesson.starter.read_text())
        return file

    def open(self, lesson: Lesson) -> None:
        """The lesson to begin with next time."""
        self.last = lesson.name
        self._keep()

    def add(self, lesson: Lesson) -> None:
        """The lesson passed."""
        self.passed.add(lesson.name)
        self._keep()

    def _keep(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        new = self._file.with_suffix(f".{os.getpid()}")
        new.write_text(json.dumps({"passed": sorted(self.passed), "last": self.last}))
        new.replace(self._file)  # a crash leaves the old one whole
