# SPDX-License-Identifier: MIT
"""A line on the terminal about a run without a display."""

from __future__ import annotations

import time
from typing import TextIO

__all__ = ["Progress"]

EVERY = 0.5
"""Seconds between two changes of the line."""


class Progress:
    """``frame 12 of 300, 4.1 frames/s``, in place; nothing for runs shorter than `EVERY`."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._began = self._written = time.monotonic()
        self._width = 0

    def update(self, frames: int, limit: int | None) -> None:
        """After each frame."""
        now = time.monotonic()
        if now - self._written < EVERY:
            return
        self._written = now
        of = f" of {limit}" if limit is not None else ""
        text = f"frame {frames}{of}, {frames / (now - self._began):.1f} frames/s"
        self._stream.write("\r" + text.ljust(self._width))
        self._stream.flush()
        self._width = len(text)

    def end(self) -> None:
        """Takes the line away."""
        if self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()
        self._width = 0
