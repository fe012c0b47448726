# SPDX-License-Identifier: MIT
"""Compiles sources for the cache on disk: ``python -m lathe.tune_worker`` with JSON on its input.

The list has pairs of a text and its options. What does not compile is left to who asked.
"""

from __future__ import annotations

import contextlib
import json
import sys

from lathe.cuda import driver
from lathe.cuda.compiler import SourceModule
from lathe.native import native


def main() -> None:
    """One source after the other."""
    native.keep_freed_memory()
    for text, options in json.load(sys.stdin):
        with contextlib.suppress(driver.Error):
            SourceModule(text, options=options, no_extern_c=True)


if __name__ == "__main__":
    main()
