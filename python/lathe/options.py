# SPDX-License-Identifier: MIT
"""What the command line asks of the App that a script makes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lathe.app import App
    from lathe.progress import Progress

__all__ = ["DEFAULT_FRAMES", "LARGEST", "SMALLEST", "RunOptions", "current", "use"]

DEFAULT_FRAMES = 300
"""Frames of a run without a display, unless given."""
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
        Frames to run; without a display `DEFAULT_FRAMES`.
    size : (int, int) or None
        Width and height in pixels.
    out : Path or None
        Folder for the picture and the movie; None writes nothing.
    assignments : tuple of str
        ``name=value`` for sliders.
    progress : Progress or None
        Told of each frame of a run without a display.
    app : App or None
        Set by the App once it is open.
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
    progress: Progress | None = None
    app: App | None = None
    written: list[Path] = field(default_factory=list)


_current = RunOptions()


def current() -> RunOptions:
    """The options of the run under way; all unset in a plain ``python script.py``."""
    return _current


def use(options: RunOptions) -> None:
    """Makes `options` those of the next App."""
    global _current
    _current = options
