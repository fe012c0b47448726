# SPDX-License-Identifier: MIT
"""What an App measures of its frames."""

from __future__ import annotations

from dataclasses import dataclass

from lathe._lathe import Studio

__all__ = ["Stats"]


@dataclass(frozen=True, slots=True)
class Stats:
    """Times of the last 240 frames in milliseconds, and what crossed the host.

    Attributes
    ----------
    frames : int
        Frames shown since the start.
    frames_per_second : float
    frame_ms_p50, frame_ms_p95 : float
        From one frame's begin to the next one's.
    work_ms_p50 : float
        Without waiting for the display.
    bytes_copied : int
        Bytes of shared arrays that went through the host since the start; 0 where GL and CUDA share
        their memory.
    bytes_drawn_in_place : int
        Bytes of arrays that steps have drawn from where they lie.
    bytes_drawn_by_copy : int
        Bytes that were copied once on the device, to be drawn.
    bytes_uploaded : int
        Bytes that were copied once from the host, to be drawn.
    """

    frames: int
    frames_per_second: float
    frame_ms_p50: float
    frame_ms_p95: float
    work_ms_p50: float
    bytes_copied: int
    bytes_drawn_in_place: int
    bytes_drawn_by_copy: int
    bytes_uploaded: int

    @classmethod
    def of(cls, studio: Studio) -> Stats:
        """What this Studio has measured up to now."""
        s = studio.stats
        return cls(
            frames=s["frames"],
            frames_per_second=s["frames_per_second"],
            frame_ms_p50=s["frame_ms"]["p50"],
            frame_ms_p95=s["frame_ms"]["p95"],
            work_ms_p50=s["work_ms"]["p50"],
            bytes_copied=s["bytes_copied"],
            bytes_drawn_in_place=s["bytes_drawn_in_place"],
            bytes_drawn_by_copy=s["bytes_drawn_by_copy"],
            bytes_uploaded=s["bytes_uploaded"],
        )
