# SPDX-License-Identifier: MIT
"""The movie of a run: which frames it has, what it costs, when it is written."""

from __future__ import annotations

import time
from pathlib import Path

from lathe._lathe import Recorder, Studio
from lathe.native import native

__all__ = ["LARGEST", "Movie"]

LARGEST = 7680 * 4320
"""Pixels of a frame up to which runs without a display are recorded."""

SETTLED = 3
"""Frames until the layout of the panels stands."""


class Movie:
    """Records the frames of a Studio from the moment it is asked for."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._recorder: Recorder | None = None
        self._wanted: tuple[Path, float] | None = None
        self.seconds = 0.0
        """Spent on it: handing frames over, waiting for the encoder."""
        self.frames = 0
        """In it, once it is written."""

    def begin(self, file: Path, frames_per_second: float) -> None:
        """Every frame from the next one."""
        self._wanted = file, frames_per_second

    def add_frame(self, shown: int, limit: int | None) -> None:
        """Adds the frame, the `shown`-th; with panels from the time on when they have found their
        sizes. A run that ends before, after `limit` frames, shows its last frame."""
        began = time.perf_counter()
        settled = SETTLED + 1 if self._studio.has_ui else 1
        if limit is not None:
            settled = min(settled, max(limit, 1))
        if self._wanted is not None and shown >= settled:
            self._recorder = native.Recorder(self._studio, *self._wanted)
            self._wanted = None
        if self._recorder is not None:
            self._recorder.add()
        self.seconds += time.perf_counter() - began

    def finish(self) -> Path | None:
        """Waits for the encoder. The file, or the folder of pictures; None where there is none."""
        if self._recorder is None:
            return None
        began = time.perf_counter()
        recorder, self._recorder = self._recorder, None
        recorder.finish()
        self.seconds += time.perf_counter() - began
        self.frames = recorder.frames
        return Path(recorder.output)
