# SPDX-License-Identifier: MIT
"""How this Lathe was installed, and the commands that add to it."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = [
    "EXTRAS", "NILEARN", "NO_DEPENDENCIES", "cuda_packages", "installation", "pip_command",
    "source_tree", "version_of",
]  # fmt: skip

# As in pyproject.toml. Commands name the packages themselves: on an index, the name of ours may be
# another project's.
EXTRAS = {
    "cuda12": ("cuda-toolkit[nvrtc,cudart,cccl]==12.*",),
    "cuda13": ("cuda-toolkit[nvrtc,cudart,crt,cccl]==13.*",),
    "linalg": ("cuda-toolkit[cublas,cusolver]==13.*",),
    "checks": ("scipy>=1.13", "scikit-image>=0.24"),
    "notebook": ("anywidget>=0.9.13", "ipykernel>=6.29"),
    "serve": ("websockets>=13",),
}
NILEARN = "nilearn"
NO_DEPENDENCIES = ("--no-deps",)
"""Of nilearn only a file is read."""


def source_tree() -> Path | None:
    """The clone that this package lies in; None where it is installed."""
    root = Path(__file__).resolve().parents[3]
    return root if (root / "tools" / "build").exists() else None


def installation() -> str:
    """From what, in words: ``source tree ...``, ``wheel ...``."""
    if (tree := source_tree()) is not None:
        return f"source tree {tree}"
    from importlib import metadata  # takes 30 ms

    try:
        package = metadata.distribution("lathe")
    except metadata.PackageNotFoundError:
        return f"files in {Path(__file__).resolve().parents[1]}, which no package manager knows"
    url = json.loads(package.read_text("direct_url.json") or "{}")
    place = str(url.get("url", "")).removeprefix("file://")
    if place.endswith(".whl"):
        return f"wheel {place}"
    if place:
        return f"built by pip from {place}"
    return f"installed by {(package.read_text('INSTALLER') or 'an unknown program').strip()}"


def version_of(package: str) -> str | None:
    """Of an installed package; None where there is none."""
    from importlib import metadata  # takes 30 ms

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def pip_command(*packages: str, options: Sequence[str] = ()) -> str:
    """Installs packages beside this Lathe; can be pasted."""
    return shlex.join([sys.executable, "-m", "pip", "install", *options, *packages])


def cuda_packages(driver_version: str) -> tuple[str, ...]:
    """NVRTC and headers that a driver of this version ("13.0") takes."""
    major = driver_version.partition(".")[0]
    return EXTRAS["cuda12" if major.isdecimal() and int(major) < 13 else "cuda13"]
