# SPDX-License-Identifier: MIT
"""Tests of the package run on the software device without a display, unless told otherwise."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
os.environ.setdefault("LATHE_DEVICE", "software")
os.environ.pop("DISPLAY", None)
os.environ.pop("WAYLAND_DISPLAY", None)


@pytest.fixture
def app():
    """A small headless App without panels."""
    import lathe

    made = lathe.App("test", size=(64, 48), headless=True)
    yield made
    made.close()
