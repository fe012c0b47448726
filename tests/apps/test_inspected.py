# SPDX-License-Identifier: MIT
"""No hazard in experiments and in the arrays' own kernels. tools/inspect_all runs all of the
experiments; here are those that take a second or two."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from conftest import script_environment

import lathe

pytestmark = pytest.mark.software


@pytest.mark.parametrize("name", ["galaxy", "gray_scott", "nbody"])
def test_an_experiment(name, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "lathe", "inspect", name, "--frames", "1", "--json", "report.json",
         "--fail-on", "races,uninit,barriers,oob"],
        capture_output=True, text=True, env=script_environment(), timeout=300, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["findings"] == [] and len(report["lines"]) > 10


def test_kernels_of_arrays():
    numbers = np.random.default_rng(1).integers(0, 100, 40001).astype(np.int32)
    with lathe.inspect() as report:
        n = lathe.asarray(numbers)
        assert np.array_equal(lathe.array_api.cumulative_sum(n).get(), np.cumsum(numbers))
        assert np.array_equal(n[n > 50].get(), numbers[numbers > 50])
        assert int(n.sum().get()) == numbers.sum()
    assert len(report.rows) > 20
    assert not report.findings, "\n".join(map(str, report.findings))
