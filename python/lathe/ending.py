# SPDX-License-Identifier: MIT
"""How a program ends: an exception of a plain script with a window leaves the window open until the
script is mended, and faults that nobody has waited for are told at last."""

from __future__ import annotations

import atexit
import sys
import types
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING

from lathe import options as run_options
from lathe.script import run_again

if TYPE_CHECKING:
    from lathe.app import App

__all__ = ["watch", "watch_launches"]

_apps: list[weakref.ref[App]] = []
_installed = False


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
