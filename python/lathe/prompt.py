# SPDX-License-Identifier: MIT
"""Lines of Python that are typed into a running program: they run between its frames."""

from __future__ import annotations

import code
import contextlib
import io
import re
import rlcompleter
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import lathe

if TYPE_CHECKING:
    from lathe.loop import Loop

__all__ = ["Prompt"]

_LAST_NAME = re.compile(r"[\w.]*$")


class Prompt:
    """The prompt below the studio's console.

    Lines run in the names of the script, which are its module's, and have `app`, `lathe` and `np`
    where it does not use these names for something else. What they print and the values of
    expressions go to the console.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._more = False
        self._interpreter = code.InteractiveConsole(filename="<prompt>")
        self.more_names: Callable[[], dict[str, Any]] = dict
        """Of more names that lines know, unless the script has them."""
        self._given: dict[str, Any] = {}

    def take(self, line: str) -> None:
        """A line was entered."""
        self._lines.append(line)

    def wants_more(self) -> bool:
        """The lines so far are the beginning of a statement, which an empty line ends."""
        return self._more

    def is_waiting(self) -> bool:
        """There are lines that have not run yet."""
        return bool(self._lines)

    def complete(self, text: str, app: Loop) -> list[str]:
        """What a text may be continued to, at most fifty."""
        name = _LAST_NAME.search(text)
        assert name is not None
        completer = rlcompleter.Completer(self._namespace(app))
        found: list[str] = []
        with contextlib.suppress(Exception):  # of an attribute that is looked at
            while len(found) < 50:
                end = completer.complete(name[0], len(found))
                if end is None:
                    break
                found.append(text[: name.start()] + end)
        return found

    def run(self, app: Loop) -> None:
        """Runs the lines that were entered: between frames."""
        console = app._studio.console
        lines, self._lines = self._lines, []
        for line in lines:
            console.write(f"{'...' if self._more else '>>>'} {line}")
            self._interpreter.locals = self._namespace(app)
            printed, mistakes = io.StringIO(), io.StringIO()
            try:
                with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(mistakes):
                    self._more = self._interpreter.push(line)
            except SystemExit:
                self._more = False
                app.close()
            for text, is_error in ((printed.getvalue(), False), (mistakes.getvalue(), True)):
                if text:
                    console.write(text.rstrip("\n"), error=is_error)

    def _namespace(self, app: Loop) -> dict[str, Any]:
        names = vars(sys.modules["__main__"])
        for name, value in {"app": app, "lathe": lathe, "np": np, **self.more_names()}.items():
            if name not in names or names[name] is self._given.get(name):
                names[name] = self._given[name] = value
        return names
