# SPDX-License-Identifier: MIT
"""Scripts that are executed again when they are saved, while their App lives on.

A reload unwinds the script that runs (`Reload` passes through its loop) and executes the new text;
``lathe.App(...)`` then returns the live App, and its arrays and kernels are found by name.
"""

from __future__ import annotations

import os
import sys
import time
import types
from pathlib import Path
from typing import TYPE_CHECKING

from lathe import options as run_options

if TYPE_CHECKING:
    from lathe.app import App

__all__ = ["Reload", "ScriptWatch", "run_again", "run_script"]

LOOK_EVERY = 0.1
"""Seconds between two looks at the file."""


class Reload(BaseException):
    """The script was saved; not an Exception, so that scripts do not catch it by accident."""


class ScriptWatch:
    """Whether a file changed since the last look; None is never changed."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._stamp = self._read()
        self._looked = time.monotonic()

    def _read(self) -> tuple[int, int] | None:
        if self.path is None:
            return None
        try:
            status = self.path.stat()
        except OSError:
            return None  # between a delete and a rename, as editors save
        return status.st_mtime_ns, status.st_size

    def changed(self) -> bool:
        """True once after each change, looking no more often than every `LOOK_EVERY` seconds."""
        now = time.monotonic()
        if self.path is None or now - self._looked < LOOK_EVERY:
            return False
        self._looked = now
        stamp = self._read()
        if stamp is None or stamp == self._stamp:
            return False
        self._stamp = stamp
        return True


def run_script(path: Path, options: run_options.RunOptions) -> None:
    """Executes a script, and again each time it is saved, until it ends.

    An exception of a script whose window is open is shown in the console panel, and the window
    waits for the next save; otherwise it is raised.
    """
    run_options.use(options)
    arguments, sys.argv = sys.argv, [str(path)]
    sys.path.insert(0, str(path.parent))
    try:
        while True:
            try:
                _execute(path)
                return
            except Reload:
                continue
            except Exception as error:
                app = options.app
                if app is None or app.headless:
                    raise
                app.show_error(error)
                if not app.idle():
                    return
    finally:
        sys.path.remove(str(path.parent))
        sys.argv = arguments
        run_options.use(run_options.RunOptions())


def run_again(path: Path, options: run_options.RunOptions, app: App) -> None:
    """A reload without a runner above (``python script.py``): this call becomes the runner."""
    options.app = app
    options.script = path
    run_script(path, options)
    app.close()


def _execute(path: Path) -> None:
    code = compile(path.read_text(), str(path), "exec")
    module = types.ModuleType("__main__")
    module.__file__ = os.fspath(path)
    previous = sys.modules.get("__main__")
    sys.modules["__main__"] = module
    try:
        exec(code, module.__dict__)
    finally:
        if previous is not None:
            sys.modules["__main__"] = previous
