# SPDX-License-Identifier: MIT
"""What frames spend their time on, and who has the device's memory."""

from __future__ import annotations

import os
from dataclasses import dataclass

from lathe._lathe import Studio

__all__ = ["BlockSpan", "FrameProfile", "Profiler", "Zone", "ZoneSum"]


@dataclass(frozen=True, slots=True)
class Zone:
    """A named stretch of a frame.

    Attributes
    ----------
    name : str
        Of the kernel, the thing that is drawn, the panel, or what `App.zone` was given.
    lane : str
        ``"host"``, ``"CUDA"`` or ``"OpenGL"``: who worked. On the lane of a device it is the work
        that the zone of this name gave out on the host.
    depth : int
        Zones of the same lane around it.
    begin, ms : float
        Milliseconds: since the App was opened, and how long it took.
    """

    name: str
    lane: str
    depth: int
    begin: float
    ms: float


@dataclass(frozen=True, slots=True)
class BlockSpan:
    """Blocks of a grid that a worker of the software device ran together.

    Attributes
    ----------
    kernel : str
    worker : int
        From 0; each is a thread of its own.
    first, count : int
        Of the blocks, by their place in the grid: x comes first.
    begin, ms : float
        Milliseconds: since the App was opened, and how long they took.
    """

    kernel: str
    worker: int
    first: int
    count: int
    begin: float
    ms: float


@dataclass(frozen=True, slots=True)
class FrameProfile:
    """A frame that was measured.

    Attributes
    ----------
    index : int
        Of the frame, from 0.
    begin, ms : float
        Milliseconds: since the App was opened, and to the frame's end.
    zones : tuple of Zone
        In the order in which they began on the host.
    blocks : tuple of BlockSpan
        How the blocks of grids lay over the workers of the software device, in the order in which
        they ended; empty on a GPU.
    left_out : int
        Zones, and `blocks`, beyond the 4096 of each that a frame may have.
    """

    index: int
    begin: float
    ms: float
    zones: tuple[Zone, ...]
    blocks: tuple[BlockSpan, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class ZoneSum:
    """All zones of a name on a lane.

    Attributes
    ----------
    name, lane : str
    calls : int
    ms : float
        Milliseconds. A zone within one of the same name does not count again.
    """

    name: str
    lane: str
    calls: int
    ms: float


class Profiler:
    """Measures an App's frames while it is on: ``app.profiler``.

    Kernels, copies between OpenGL and CUDA, things that are drawn, panels, waits and what
    `App.zone` names are zones. CUDA's times are those of events around each launch, OpenGL's those
    of timestamps; a software OpenGL works on the host's time and has no lane. The last 200,000
    zones are kept. Reading waits for the frames that the device has not finished.
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._is_on = False

    @property
    def on(self) -> bool:
        """Whether the script has turned it on; the panel *Profiler* turns it on by itself."""
        return self._is_on

    @on.setter
    def on(self, on: bool) -> None:
        if bool(on) == self._is_on:
            return
        self._is_on = bool(on)
        if on:
            self._studio.profiler.want()
        else:
            self._studio.profiler.unwant()

    @property
    def frames(self) -> list[FrameProfile]:
        """The frames that were measured, oldest first."""
        return [
            FrameProfile(
                index,
                begin,
                ms,
                tuple(Zone(*zone) for zone in zones),
                tuple(BlockSpan(*each) for each in blocks),
                left_out,
            )
            for index, begin, ms, zones, blocks, left_out in self._studio.profiler.rows()
        ]

    def sums(self, frames: int = 60) -> list[ZoneSum]:
        """The zones of the last `frames` frames, those with the most time first."""
        if frames < 1:
            raise ValueError(f"frames is at least 1, got {frames}")
        sums = [ZoneSum(*row) for row in self._studio.profiler.sums(frames)]
        return sorted(sums, key=lambda each: -each.ms)

    @property
    def memory(self) -> dict[str, int]:
        """Bytes of the device's memory by owner: arrays and textures by name, copies that are
        drawn, the history, arrays of no App, the pool, and the rest."""
        return dict(self._studio.memory_use())

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the frames as a trace that chrome://tracing and ui.perfetto.dev open.

        Raises lathe.Error for a file that cannot be written.
        """
        self._studio.profiler.save(os.fspath(file))

    def clear(self) -> None:
        """Forgets the frames that were measured."""
        self._studio.profiler.clear()
