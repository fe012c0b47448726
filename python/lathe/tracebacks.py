# SPDX-License-Identifier: MIT
"""Errors of a user's code in words."""

from __future__ import annotations

import traceback
from pathlib import Path

from lathe.hidden_modules import hidden_module

__all__ = ["format_error"]


def format_error(error: BaseException) -> str:
    """The traceback through the user's code, without Lathe's own frames."""
    own = str(Path(__file__).parent)
    told = traceback.TracebackException.from_exception(error)
    theirs = [frame for frame in told.stack if not frame.filename.startswith(own)]
    if theirs:
        told.stack = traceback.StackSummary.from_list(theirs)
    text = "".join(told.format()).rstrip()
    why = hidden_module(error)
    return text if why is None or why in text else f"{text}\n{why}"
