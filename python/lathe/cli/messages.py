# SPDX-License-Identifier: MIT
"""Mistakes of a user and the words for them."""

from __future__ import annotations

import os
import re
import shlex
import sys

from lathe.cli.installation import source_tree
from lathe.hidden_modules import hidden_module
from lathe.options import LARGEST, SMALLEST

__all__ = ["UserError", "choose_device", "load_engine", "parse_count", "parse_size"]


class UserError(Exception):
    """Shown as one message, without a traceback."""


def parse_size(text: str) -> tuple[int, int]:
    """``1280x720`` as (1280, 720)."""
    match = re.fullmatch(r"(\d+)[xX](\d+)", text)
    if not match:
        raise UserError(f"--size {text} is not WIDTHxHEIGHT; an example: --size 1280x720")
    width, height = int(match[1]), int(match[2])
    if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST):
        raise UserError(
            f"--size {text} is impossible: width and height are {SMALLEST} to {LARGEST} pixels; "
            "an example: --size 1280x720"
        )
    return width, height


def parse_count(option: str, text: str) -> int:
    """A number of at least 1."""
    if not text.isdecimal() or int(text) < 1 or int(text) > 10**9:
        raise UserError(f"{option} {text}: a whole number of at least 1 is wanted")
    return int(text)


def choose_device(name: str | None) -> None:
    """``--device`` as the environment variable that the driver table reads."""
    if name is not None:
        os.environ["LATHE_DEVICE"] = name


def load_engine() -> None:
    """Imports the extension module, with a plain message where it is not built."""
    try:
        from lathe import native  # noqa: F401
    except (ImportError, AttributeError) as error:
        if (why := hidden_module(error)) is not None:
            raise UserError(why) from None
        if isinstance(error, AttributeError):
            raise
        if (tree := source_tree()) is not None:
            mend = f"this builds it: {shlex.quote(str(tree / 'tools' / 'build'))}"
        else:
            running = f"{sys.version_info.major}.{sys.version_info.minor}"
            mend = f"install a wheel of Lathe for Python {running} (docs/install.md)"
        raise UserError(f"the engine could not be loaded ({error}); {mend}") from None
