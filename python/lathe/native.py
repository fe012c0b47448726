# SPDX-License-Identifier: MIT
"""The extension module, told where shaders, assets and apps are."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

from lathe import _lathe as native

__all__ = ["native", "resource", "resource_root"]


def resource_root() -> Path:
    """Folder of shaders/, assets/ and apps/: LATHE_ROOT, the installed package, or the source."""
    named = os.environ.get("LATHE_ROOT")
    if named:
        return Path(named)
    package = Path(__file__).resolve().parent
    return package if (package / "apps").is_dir() else package.parent.parent


def resource(relative: str) -> Path:
    """A file that comes with Lathe, such as ``assets/data/solar_system.csv``.

    Raises
    ------
    FileNotFoundError
        Where there is none of that name.
    """
    path = resource_root() / relative
    if not path.exists():
        raise FileNotFoundError(f"{relative} is not among Lathe's files in {resource_root()}")
    return path


def _beside() -> Path:
    """Where pip puts NVIDIA's wheels: beside this package if it is installed, also by --user."""
    package = Path(__file__).resolve().parent
    return package.parent if (package / "apps").is_dir() else Path(sysconfig.get_path("purelib"))


native.set_resource_root(resource_root())
native.set_library_hint(_beside())
