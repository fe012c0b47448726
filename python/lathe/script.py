# SPDX-License-Identifier: MIT
"""Scripts that are executed again when they are saved, while their App lives on.

A reload unwinds the script that runs (`Reload` passes through its loop) and executes the new text;
``lathe.App(...)`` then returns the live App, and its arrays and kernels are found by name.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
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
    """Whether a script or a module beside it changed since the last look; None is never changed."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._stamps = self._read()
        self._looked = time.monotonic()

    def _read(self) -> dict[Path, tuple[int, int]]:
        stamps: dict[Path, tuple[int, int]] = {}
        for file in [] if self.path is None else [self.path, *own_modules(self.path).values()]:
            try:
                status = file.stat()
            except OSError:
                continue  # between a delete and a rename, as editors save
            stamps[file] = status.st_mtime_ns, status.st_size
        return stamps

    def changed(self) -> bool:
        """True once after each change, looking no more often than every `LOOK_EVERY` seconds."""
        now = time.monotonic()
        if self.path is None or now - self._looked < LOOK_EVERY:
            return False
        self._looked = now
        stamps = self._read()
        changed = any(self._stamps.get(file, stamp) != stamp for file, stamp in stamps.items())
        self._stamps |= stamps
        return changed


def own_modules(script: Path) -> dict[str, Path]:
    """Modules by name that were imported from the script's folder: what a reload takes anew."""
    folders = tuple({f"{p.parent}{os.sep}" for p in (script.absolute(), script.resolve())})
    found = {}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if not isinstance(file, str) or not file.startswith(folders) or name == "__main__":
            continue
        path = Path(file)
        installed = any(part in ("site-packages", "dist-packages") for part in path.parts)
        if path.suffix == ".py" and not installed and name.partition(".")[0] != "lathe":
            found[name] = path
    return found


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
                _forget_own_modules(path)
                continue
            except Exception as error:
                app = options.app
                if app is None or app.headless:
                    raise
                app.show_error(error)
                if not app.idle():
                    return
                _forget_own_modules(path)
    finally:
        sys.path.remove(str(path.parent))
        sys.argv = arguments
        run_options.use(run_options.RunOptions())


def run_again(path: Path, options: run_options.RunOptions, app: App) -> None:
    """A reload without a runner above (``python script.py``): this call becomes the runner."""
    options.app = app
    options.script = path
    _forget_own_modules(path)
    run_script(path, options)
    app.close()


def _forget_own_modules(path: Path) -> None:
    for name, file in own_modules(path).items():
        del sys.modules[name]
        # Python knows stale bytecode by whole seconds and size: a quick edit would pass.
        with contextlib.suppress(OSError, NotImplementedError):
            os.unlink(importlib.util.cache_from_source(str(file)))
    importlib.invalidate_caches()


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
