# SPDX-License-Identifier: MIT
"""The text of kernels' source lines, for reports: files, editors, and texts given as strings."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from pathlib import Path

from lathe._lathe import Kernel

__all__ = ["lines_of", "remember_source", "source_of"]

_given: deque[tuple[str, str]] = deque(maxlen=256)


def remember_source(text: str, file: str | Path = "kernel.cu") -> None:
    """Keeps a source. Compiled code knows the name of its file alone, not the folder."""
    each = (text, str(file))
    if each in _given:
        _given.remove(each)
    _given.append(each)


def source_of(kernel: str, file: str, kernels: Sequence[Kernel] = ()) -> tuple[str, list[str]]:
    """The file that a kernel was compiled from, and its lines; none where nobody has them.

    `kernels` are asked first: a live one may have edits that its file has not.
    """
    name = Path(file).name
    for each in kernels:
        slot = each.slot
        if slot is not None and Path(slot.file).name == name:
            return str(slot.file), slot.source.splitlines()
    word = re.compile(rf"\b{re.escape(kernel.partition('<')[0].rpartition('::')[2])}\b")
    for text, path in reversed(_given):
        if Path(path).name == name and word.search(text):
            return path, text.splitlines()
    lines = lines_of(file)
    return (file, lines) if lines else (name, [])


def lines_of(file: str) -> list[str]:
    """Of a file that can be read; else none."""
    try:
        return Path(file).read_text().splitlines()
    except (OSError, UnicodeDecodeError):
        return []
