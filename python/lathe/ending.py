# SPDX-License-Identifier: MIT
"""How a program ends: an exception of a plain script with a window leaves the window open until the
script is mended, and faults that nobody has waited for are told at last. SIGTERM and a closed
terminal end it in good order, as Ctrl+C does."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import stat
import sys
import time
import types
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING

from lathe import options as run_options
from lathe.script import run_again

if TYPE_CHECKING:
    from lathe.app import App

__all__ = ["Terminated", "watch", "watch_launches"]

_ONE_REQUEST = 1.0  # seconds: `timeout` sends SIGTERM twice
_apps: list[weakref.ref[App]] = []
_installed = False
_terminated: float | None = None  # when the first signal came
_ends = False


class Terminated(SystemExit):
    """SIGTERM or SIGHUP has come; the exit code is the one that shells know."""

    def __init__(self, number: int) -> None:
        self.exit_code = 128 + number
        super().__init__(self.exit_code)


def watch(app: App) -> None:
    """From now on `app` outlives exceptions, where it has a window and a script to be saved, and
    ends its session in order."""
    global _installed
    _apps[:] = [reference for reference in _apps if reference() is not None]
    _apps.append(weakref.ref(app))
    if not _installed:
        _installed = True
        sys.excepthook = _hook(sys.excepthook)
        atexit.register(_end)
    if app._cell is None:
        _take_signals()


def _take_signals() -> None:
    """Where the program has no ways of its own, and these are not ignored (``nohup``)."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            with contextlib.suppress(ValueError):  # another thread than the main one
                signal.signal(number, _on_signal)


def _on_signal(number: int, _: types.FrameType | None) -> None:
    """The first one ends the program as Ctrl+C does; a later SIGTERM ends it at once.

    A closed terminal's come from the kernel and from the shell, at any time.
    """
    global _terminated
    before, _terminated = _terminated, _terminated or time.monotonic()
    if number == signal.SIGHUP:
        _leave_terminal()
    is_late = before is not None and time.monotonic() - before > _ONE_REQUEST
    has_app = any(reference() is not None for reference in _apps)
    if not has_app or (is_late and number == signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    elif before is None and not _ends:
        raise Terminated(number)


def _leave_terminal() -> None:
    """What is written to a terminal that is gone would be errors."""
    for file in (1, 2):
        with contextlib.suppress(OSError):
            if stat.S_ISCHR(os.fstat(file).st_mode) and not os.isatty(file):
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, file)
                os.close(null)


Hook = Callable[[type[BaseException], BaseException, types.TracebackType | None], object]


def _hook(before: Hook) -> Hook:
    def after_an_exception(
        kind: type[BaseException], error: BaseException, trace: types.TracebackType | None
    ) -> None:
        app = _app_that_stays()
        if app is None or not isinstance(error, Exception):
            before(kind, error, trace)
            return
        source = app._watch.path
        assert source is not None
        app.show_error(error)
        if app.idle():
            run_again(source, app._options, app)
            raise SystemExit(0)  # mended, and ended well

    return after_an_exception


def _app_that_stays() -> App | None:
    """The newest App with an open window, unless a runner looks after the script."""
    if run_options.current().script is not None:
        return None
    for reference in reversed(_apps):
        app = reference()
        if app is not None and not app.headless and not app._steps.is_over and app._watch.path:
            return app
    return None


def _end() -> None:
    from lathe.native import native

    global _ends
    _ends = True
    for reference in _apps:
        app = reference()
        if app is None:
            continue
        fault = app._studio.finish()
        if fault:
            print(f"lathe: after the last frame: {fault}", file=sys.stderr)
    native.note_end_of_program()


def watch_launches() -> None:
    """Faults of kernels without an App are told at the end, if nobody asked before."""
    from lathe.native import native

    def tell() -> None:
        try:
            native.look_after_launches()
        except native.Error as error:
            print(f"lathe: {error}", file=sys.stderr)

    global _launches_watched
    if not _launches_watched:
        _launches_watched = True
        atexit.register(tell)


_launches_watched = False
