# SPDX-License-Identifier: MIT
"""Where the experiments and lessons lie; loads no engine."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["apps_folder", "lessons_folder"]


def apps_folder() -> Path:
    """Folder apps/ of the installed package or the source tree."""
    named = os.environ.get("LATHE_ROOT")
    package = Path(__file__).resolve().parent
    roots = [Path(named)] if named else [package, package.parents[1]]
    return next((root / "apps" for root in roots if (root / "apps").is_dir()), roots[-1] / "apps")


def lessons_folder() -> Path:
    """LATHE_LESSONS, else apps/lessons of the installed package or the source tree."""
    if named := os.environ.get("LATHE_LESSONS"):
        return Path(named)
    return apps_folder() / "lessons"
