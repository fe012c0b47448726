# SPDX-License-Identifier: MIT
"""Functions of arrays are as exact as CUDA's documentation says, on a sample of all numbers."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import script_environment

from lathe.cli import bench_accuracy
from lathe.cli.bench_accuracy import BINARY, BOUNDS, measure
from lathe.cuda import autoprimaryctx  # noqa: F401

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", BOUNDS)
def test_errors_are_within_cudas_bounds(name):
    for dtype, bound in zip((np.float32, np.float64), BOUNDS[name], strict=True):
        found = measure(name, dtype, 4096)
        assert found.wrong == 0, (dtype, found)
        assert found.error <= bound, (dtype, found)


@pytest.mark.parametrize("name", BOUNDS)
def test_float16_is_float32_rounded(name):
    """Computed in float32, which rounds twice: a unit at most, where that function is near."""
    found = measure(name, np.float16, 4096)
    assert found.wrong == 0, found
    assert found.error <= (0 if BOUNDS[name][0] == 0 and name not in BINARY else 1), found


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_neighbours_are_one_apart(dtype):
    x = np.array([1, -1, 0, np.finfo(dtype).max, -np.finfo(dtype).tiny, 3.25], dtype)
    with np.errstate(over="ignore"):
        up = np.nextafter(x, dtype(np.inf))
    apart = bench_accuracy._ordered(up) - bench_accuracy._ordered(x)
    assert apart.tolist() == [1] * len(x)
    zeros = bench_accuracy._ordered(np.array([0.0, -0.0], dtype))
    assert zeros.tolist() == [0, 0]


def test_a_wrong_function_is_found(monkeypatch):
    exact = bench_accuracy._reference
    monkeypatch.setattr(
        bench_accuracy, "_reference",
        lambda name, given, dtype: exact(name, [x * dtype.type(1.00001) for x in given], dtype),
    )  # fmt: skip
    assert measure("exp", np.float32, 4096).error > 10
    monkeypatch.setattr(
        bench_accuracy, "_reference", lambda name, given, dtype: np.abs(exact("log", given, dtype))
    )
    monkeypatch.setattr(bench_accuracy, "BOUNDS", {})
    assert measure("sqrt", np.float64, 256).error > 10**15


def test_the_command_prints_a_table():
    command = [sys.executable, "-m", "lathe", "bench", "accuracy", "--samples", "64"]
    ended = subprocess.run(command, capture_output=True, text=True, env=script_environment())
    assert ended.returncode == 0, ended.stderr
    lines = ended.stdout.splitlines()
    assert [line.split()[0] for line in lines[2:]] == list(BOUNDS)
    assert all("NaN" not in line for line in lines)


def test_the_command_prints_the_table_of_the_page():
    command = [sys.executable, "-m", "lathe", "bench", "accuracy", "--samples", "64", "--markdown"]
    ended = subprocess.run(command, capture_output=True, text=True, env=script_environment())
    assert ended.returncode == 0, ended.stderr
    page = ROOT / "docs/measurements/accuracy.md"
    if not page.exists():
        pytest.skip("no source tree")

    def table(text: str) -> list[str]:
        return [line for line in text.splitlines() if line.startswith("|")]

    printed, written = table(ended.stdout), table(page.read_text())
    assert printed[:2] == written[:2]
    assert [row.split("|")[1] for row in printed] == [row.split("|")[1] for row in written]
