# SPDX-License-Identifier: MIT
"""The inspector of an App: what its kernels cost line by line, while they run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lathe.inspection_findings import finding_of
from lathe.inspection_report import Report, line_of
from lathe.thread_trace import Step, steps_of

if TYPE_CHECKING:
    from lathe._lathe import Studio

__all__ = ["Inspected", "mode_of"]

MODES = ("off", "costs", "hazards")


class Inspected:
    """What an App says of its kernels while they run."""

    _studio: Studio

    @property
    def inspecting(self) -> str:
        """What is watched: ``"off"``, ``"costs"`` or ``"hazards"``; set it at any time.

        With ``"costs"`` launches of the App's kernels are counted in about every fourth frame,
        line by line; the editor shows the numbers beside the lines. ``"hazards"`` also searches
        data races, reads of memory that nothing has written and barriers apart, in the launches of
        few frames, since that is slow. True is ``"costs"``, False ``"off"``.

        On a GPU launches are repeated on the software device, beside the frames that follow: of
        each kernel the first launch of a frame, now and then.

        Raises
        ------
        ValueError
            For another word.
        lathe.Error
            On a GPU, where there is no software device to replay launches.
        """
        return self._studio.inspecting

    @inspecting.setter
    def inspecting(self, mode: bool | str) -> None:
        self._studio.inspecting = mode_of(mode)

    @property
    def inspected(self) -> Report:
        """What is known by now: of each line the launches counted last, and the hazards.

        Lines are those of the present texts. Empty while nothing is inspected. Does not wait: a
        frame counts when it ends, on a GPU some frames later.
        """
        slots = self._studio.inspected()
        texts = {slot["name"]: slot["text"].splitlines() for slot in slots}
        report = Report()
        report.add(
            [line_of(row, {}) for slot in slots for row in slot["lines"]],
            [finding_of(row, row["count"]) for slot in slots for row in slot["findings"]],
            lambda kernel, file: (file, texts.get(file, [])),
        )
        return report

    @property
    def followed(self) -> list[Step]:
        """The steps that the studio's panel *Thread* shows: of the launch that it followed last.

        Empty while there is none. `lathe.trace_thread` follows a launch of the script's choice.
        """
        records, source = self._studio.followed()
        return steps_of(records, source.splitlines())


def mode_of(mode: bool | str) -> str:
    """``"off"``, ``"costs"`` or ``"hazards"`` for what a script writes."""
    if isinstance(mode, bool):
        return "costs" if mode else "off"
    if mode not in MODES:
        raise ValueError(f"inspecting is one of {', '.join(MODES)}, True or False, got {mode!r}")
    return mode
