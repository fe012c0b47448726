# SPDX-License-Identifier: MIT
"""Lessons as folders: how they are found and read."""

from __future__ import annotations

import difflib
import importlib.util
import types
from dataclasses import dataclass
from pathlib import Path

from lathe.places import lessons_folder

__all__ = ["Lesson", "find_lesson", "lessons", "lessons_folder"]

_PARTS = ("lesson.md", "kernel.cu", "solution.cu", "check.py")


@dataclass(frozen=True, slots=True)
class Lesson:
    """One folder: ``lesson.md``, ``kernel.cu``, ``solution.cu`` and ``check.py``."""

    folder: Path

    @property
    def name(self) -> str:
        """Of the folder, such as ``01-which-thread``."""
        return self.folder.name

    @property
    def title(self) -> str:
        """The first heading of the text."""
        return self._page().split("\n", 1)[0].lstrip("# ").strip()

    @property
    def text(self) -> str:
        """Markdown, without the hints."""
        return self._page().partition("\n## Hints")[0].strip()

    @property
    def hints(self) -> list[str]:
        """In the order in which they are shown; each an item below the heading ``Hints``."""
        items: list[str] = []
        for line in self._page().partition("\n## Hints")[2].split("\n"):
            if line.startswith("- "):
                items.append(line[2:].strip())
            elif items and line.strip():
                items[-1] += " " + line.strip()
        return items

    @property
    def starter(self) -> Path:
        """The kernel that a student begins with."""
        return self.folder / "kernel.cu"

    @property
    def solution(self) -> Path:
        """A kernel that passes."""
        return self.folder / "solution.cu"

    def check(self) -> types.ModuleType:
        """Runs ``check.py``: its ``KERNEL``, ``grade`` and ``picture``."""
        name = f"lathe_lesson_{self.name.replace('-', '_')}"
        spec = importlib.util.spec_from_file_location(name, self.folder / "check.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def _page(self) -> str:
        return (self.folder / "lesson.md").read_text()


def lessons() -> list[Lesson]:
    """All lessons, sorted by their folders' names."""
    folders = sorted(lessons_folder().glob("*/"))
    return [Lesson(f) for f in folders if all((f / part).is_file() for part in _PARTS)]


def find_lesson(text: str) -> Lesson:
    """A lesson by its folder's path, its name, its number, or its name without the number.

    Raises
    ------
    ValueError
        Where there is none.
    """
    folder = Path(text)
    if all((folder / part).is_file() for part in _PARTS):
        return Lesson(folder.resolve())
    found = lessons()
    for lesson in found:
        number, _, name = lesson.name.partition("-")
        if text in (lesson.name, name) or (text.isdecimal() and int(text) == int(number)):
            return lesson
    names = [lesson.name for lesson in found]
    near = difflib.get_close_matches(text, names, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
    raise ValueError(f"there is no lesson '{text}'; {hint}")
