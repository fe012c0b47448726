# SPDX-License-Identifier: MIT
"""What the documents list is what the code knows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import lathe.native
from lathe import sketch_run

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="no source tree")
def test_every_environment_variable_is_described():
    read = set()
    for folder in ("engine", "gl", "gpu", "python"):
        for file in [*(ROOT / folder).rglob("*.cpp"), *(ROOT / folder).rglob("*.py")]:
            read |= set(re.findall(r'"(LATHE_[A-Z_]+)"', file.read_text()))
    assert len(read) > 15
    described = re.findall(r"^\| `(LATHE_\w+)`", (ROOT / "docs/environment.md").read_text(), re.M)
    assert sorted(described) == sorted(read)


def test_what_a_sketch_sets_is_what_gets_no_slider(tmp_path):
    names = set(lathe.native.native.program_parameters())
    app = lathe.App("names", (64, 48), headless=True)
    runner = sketch_run._Runner.__new__(sketch_run._Runner)
    runner.app = app
    launch = sketch_run.Launch("f", (4,), None, 1, (), False, 1)
    assert set(runner.program_values(launch)) == names


@pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="no source tree")
def test_the_sketch_page_names_what_the_program_sets():
    text = (ROOT / "docs/sketch.md").read_text()
    for name in lathe.native.native.program_parameters():
        assert f"`{name}`" in text
