# SPDX-License-Identifier: MIT
"""What traces of a launch share: the next one is followed, and its steps come afterwards."""

from __future__ import annotations

import types
from collections.abc import Iterator, Sequence
from typing import Any, Generic, Self, TypeVar

import numpy as np

from lathe._lathe import Kernel
from lathe.inspection_sources import lines_of

__all__ = ["Index", "LaunchTrace", "Place", "SourceTexts", "triple"]

Index = int | Sequence[int]
Place = tuple[int, int, int]
StepType = TypeVar("StepType")


class LaunchTrace(Generic[StepType]):
    """A context manager: the first launch within it gives the steps."""

    _function = ""
    """Its name in messages."""

    def __init__(self, kernel: Kernel, block: Place, thread: Place) -> None:
        if not isinstance(kernel, Kernel):
            raise TypeError(f"{self._function} takes a kernel, not {type(kernel).__name__}")
        self.kernel = kernel
        self.block, self.thread = block, thread
        self.steps: list[StepType] = []
        """In the order in which they ran."""
        self.is_cut = False
        """There were more steps than there is room for: these are the first."""
        self._tracer: Any = None
        self._name = kernel.name

    def _follow(self) -> Any:
        """The engine's tracer of the next launch."""
        raise NotImplementedError

    def _steps_of(self, records: Any, source: list[str]) -> list[StepType]:
        """Of what the tracer has, and the lines of the kernel's source."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        self._tracer = self._follow()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: types.TracebackType | None,
    ) -> None:
        self.kernel.observe_no_more()
        records = self._tracer.steps
        if records is not None:
            self._name = self.kernel.name
            self.is_cut = self._tracer.is_cut
            self.steps = self._steps_of(records, self._tracer.source.splitlines())
        self._tracer = None

    def __iter__(self) -> Iterator[StepType]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)


class SourceTexts:
    """Lines of files; of the kernel's own, `file`, those of `source`."""

    def __init__(self, file: str, source: list[str]) -> None:
        self._texts = {file: source}

    def line(self, file: str, line: int) -> str:
        """Empty where the file is not known, or has no such line."""
        if file not in self._texts:
            self._texts[file] = lines_of(file)
        text = self._texts[file]
        return text[line - 1] if 0 < line <= len(text) else ""


def triple(index: Index, name: str) -> tuple[int, int, int]:
    """x, y, z of one to three numbers from 0 on."""
    numbers = [index] if isinstance(index, int | np.integer) else list(index)
    if not 1 <= len(numbers) <= 3 or any(int(n) < 0 for n in numbers):
        raise ValueError(f"{name} is {index!r}: one to three numbers from 0 on, x first")
    x, y, z = [*map(int, numbers), 0, 0][:3]
    return x, y, z
