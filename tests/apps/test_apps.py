# SPDX-License-Identifier: MIT
"""Every experiment runs headless for three frames; every check passes, and fails when it should."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from conftest import script_environment

from lathe.checks import Report, run_check
from lathe.cli.list_apps import apps
from lathe.options import RunOptions
from lathe.script import run_script
from lathe.sketch_run import run_sketch

CHECKED = [name for name, file in apps().items() if file.with_name("check.py").exists()]


@pytest.mark.parametrize("name", apps())
def test_three_frames(name, tmp_path, copied_bytes_are_right):
    file = apps()[name]
    options = RunOptions(
        name=name, script=file, frames=3, size=(320, 180), headless=True, out=tmp_path
    )
    (run_sketch if file.suffix == ".cu" else run_script)(file, options)
    app = options.app
    assert app.frames == 3
    picture = app.screenshot()
    assert picture.shape == (180, 320, 3)
    assert np.unique(picture.reshape(-1, 3), axis=0).shape[0] > 20  # there is something to see
    assert copied_bytes_are_right()
    assert all(path.exists() for path in app._steps.written)
    assert app._steps.written


def check_in_process(folder, **settings):
    report = Report({k: str(v) for k, v in settings.items()}, quiet=True)
    try:
        run_check(folder / "check.py", report)
    finally:
        sys.modules.pop(folder.name, None)  # the next folder has a module of the same name
    return report


def test_the_experiments_have_checks():
    assert set(CHECKED) >= {
        "brain", "cavity", "galaxy", "gray_scott", "nbody", "image_lab", "ocean",
        "pendulum", "sph", "swarm",
    }  # fmt: skip


def check_by_command(name):
    """What `lathe run NAME --check` prints, and how it ends."""
    done = subprocess.run(
        [sys.executable, "-m", "lathe", "run", name, "--check"],
        capture_output=True, text=True, env=script_environment(),
    )  # fmt: skip
    return done.stdout, done.returncode


@pytest.mark.parametrize("name", CHECKED)
def test_checks_pass(name):
    """By the command that the experiment's page has."""
    page = apps()[name].with_name("README.md").read_text()
    assert f"run {name} --check\n" in page
    printed, code = check_by_command(name)
    assert code == 0, printed
    verdicts = [line.split()[0] for line in printed.splitlines() if line.startswith("  ")]
    assert verdicts.count("PASS") >= 5 and "FAIL" not in verdicts, printed
    assert printed.rstrip().endswith(f"{name}: PASS")


def test_the_first_edit_is_in_the_kernel():
    """What docs/first-hour.md and the experiment's page tell to change stands there once."""
    script = apps()["gray_scott"]
    kernel = script.with_suffix(".cu").read_text()
    pages = (script.parents[2] / "docs" / "first-hour.md", script.with_name("README.md"))
    edit = re.compile(r"`([^`]+)`(?: →|\s+and\s+make\s+it)\s+`([^`]+)`")
    told = [edit.findall(page.read_text()) for page in pages]
    assert told[0] == told[1] and len(told[0]) == 1, told
    assert kernel.count(told[0][0][0]) == 1


SABOTAGE = {  # a small mistake in the kernel, and what must notice
    "brain": ("here / (here - there)", "0.5f", "sphere of radius 35 mm"),
    "cavity": ("(jx * jy - pxy)", "(jx * jy - 0.99f * pxy)", "Taylor and Green"),
    "galaxy": ("(b.mass * inverse)", "(b.mass * inverse * real(1.0001))", "pulls of 257"),
    "gray_scott": ("- 4 * a;", "- real(3.9999) * a;", "float64 u"),
    "nbody": ("LIGHT_SPEED  299792.458", "LIGHT_SPEED  599584.916", "mercury"),
    "ocean": ("sqrt(double(G) * k)", "sqrt(double(G) * k * 1.00001)", "omega^2"),
    "pendulum": ("-law.damping * p.parting", "-law.damping * p.apart", "small swing"),
    "sph": ("mine + pressure", "mine + 0.999f * pressure", "a step"),
    "swarm": ("if (d2 < 1)", "if (d2 < 1.01f)", "birds that see others"),
    "image_lab": ("2 * n - 1 - i", "2 * n - 2 - i", "blur"),
}


@pytest.mark.parametrize("name", CHECKED)
def test_checks_notice_a_wrong_kernel(name, tmp_path):
    folder = tmp_path / name
    shutil.copytree(apps()[name].parent, folder, ignore=shutil.ignore_patterns("__pycache__"))
    source = folder / f"{name}.cu"
    right, wrong, noticed = SABOTAGE[name]
    text = source.read_text()
    assert right in text
    source.write_text(text.replace(right, wrong))
    printed, code = check_by_command(str(folder / f"{name}.py"))
    assert code == 1, printed
    assert any("FAIL" in line and noticed in line for line in printed.splitlines()), printed
    assert printed.rstrip().endswith(f"{name}: FAIL")


def test_checks_notice_missing_physics():
    folder = apps()["nbody"].parent
    without = check_in_process(folder, relativity=False)
    assert {r.what.split()[0] for r in without.results if not r.passed} >= {
        "mercury",
        "venus",
        "earth",
    }
    without = check_in_process(folder, oblateness=False)
    assert [r.what for r in without.results if not r.passed] == ["moon around the earth misses by"]
