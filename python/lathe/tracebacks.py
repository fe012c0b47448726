# SPDX-License-Identifier: MIT
"""Errors of a user's code in words."""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path

from lathe.hidden_modules import hidden_module

__all__ = ["format_error", "words_of"]

_OWN = str(Path(__file__).parent)
_LIBRARIES = {sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")}


def format_error(error: BaseException) -> str:
    """The traceback through the user's code, without Lathe's own frames."""
    told = traceback.TracebackException.from_exception(error)
    _leave_out_own(told)
    text = "".join(told.format()).rstrip()
    why = hidden_module(error)
    return text if why is None or why in text else f"{text}\n{why}"


def words_of(error: BaseException) -> str:
    """What it says; its kind where it says nothing."""
    return str(error) or type(error).__name__


def _leave_out_own(told: traceback.TracebackException) -> None:
    """Lathe's frames, and causes that Lathe has put into words of its own."""
    theirs = [frame for frame in told.stack if not _is_own(frame)]
    if theirs:
        told.stack = traceback.StackSummary.from_list(theirs)
    for each in ("__cause__", "__context__"):
        before: traceback.TracebackException | None = getattr(told, each)
        if before is None:
            continue
        if before.stack and _is_own(before.stack[0]) and all(map(_is_librarys, before.stack)):
            setattr(told, each, None)
        else:
            _leave_out_own(before)


def _is_own(frame: traceback.FrameSummary) -> bool:
    return frame.filename.startswith(_OWN)


def _is_librarys(frame: traceback.FrameSummary) -> bool:
    return frame.filename.startswith((_OWN, "<frozen", *_LIBRARIES))
