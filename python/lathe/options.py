# SPDX-License-Identifier: MIT
"""What the command line asks of the App that a script makes."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lathe._lathe import Broadcast
    from lathe.app import App
    from lathe.progress import Progress

__all__ = ["LARGEST", "SMALLEST", "RunOptions", "current", "use"]

SMALLEST, LARGEST = 16, 16384
"""Pixels that a window or a picture may have a side."""


@dataclass(slots=True)
class RunOptions:
    """Unset fields leave the decision to the script.

    Attributes
    ----------
    name : str
        Of the session and of the files written.
    script : Path or None
        Watched; kernels named by a relative path are looked for beside it.
    frames : int or None
        Frames to run; without a display 300 unless given.
    size : (int, int) or None
        Width and height in pixels.
    out : Path or None
        Folder for the picture and the movie; None writes nothing.
    assignments : tuple of str
        ``name=value`` for sliders.
    fresh : bool
        Sliders are as the program has them, not as the last run with a window left them.
    restore : Path or None
        A checkpoint that the run goes on from.
    inspecting : str
        As `App.inspecting`.
    session : bool
        A window keeps its layout, and edits that were not saved, until the next run.
    display : Broadcast or None
        Where the first App that opens is seen instead of a window of this machine.
    profile : Path or None
        Where the run leaves a trace of its frames.
    progress : Progress or None
        Told of each frame of a run without a display.
    app : App or None
        The App that a script opened last, where a runner executes the script. Otherwise an App
        is its program's alone, and ends with the last reference to it.
    """

    name: str = ""
    script: Path | None = None
    frames: int | None = None
    size: tuple[int, int] | None = None
    out: Path | None = None
    headless: bool | None = None
    ui: bool | None = None
    assignments: tuple[str, ...] = ()
    reload: bool = False
    fresh: bool = False
    restore: Path | None = None
    inspecting: str = "off"
    session: bool = True
    display: Broadcast | None = None
    profile: Path | None = None
    progress: Progress | None = None
    app: App | None = None
    _apps: list[weakref.ref[App]] = field(default_factory=list)
    _reloading: list[App] = field(default_factory=list)

    def add(self, app: App) -> None:
        """An App was opened."""
        if self.script is not None:
            self.app = app
        self._apps = [known for known in self._apps if known() is not None]
        self._apps.append(weakref.ref(app))

    def take_display(self) -> Broadcast | None:
        """The display, for the first App that asks."""
        display, self.display = self.display, None
        return display

    def begin_reload(self) -> None:
        """The script is executed again: it finds its Apps by `take_reloading`."""
        self._reloading = [app for known in self._apps if (app := known()) is not None]
        for app in self._reloading:
            app._reloading = True

    def take_reloading(self, title: str) -> App | None:
        """The App of this title, or the one opened first, that the script has not found yet."""
        waiting = [app for app in self._reloading if app._reloading]
        if not waiting:
            return None
        app = next((app for app in waiting if app._title == title), waiting[0])
        self._reloading.remove(app)
        return app


_current = RunOptions()


def current() -> RunOptions:
    """The options of the run under way; all unset in a plain ``python script.py``."""
    return _current


def use(options: RunOptions) -> None:
    """Makes `options` those of the next App."""
    global _current
    _current = options
