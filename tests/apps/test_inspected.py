# SPDX-License-Identifier: MIT
"""The inspector finds no hazard in experiments, sketches and the right solutions of the course.
Here is one frame of each; tools/inspect_all runs more, and the experiments' checks. Kernels of
arrays are in tests/python/test_inspected_arrays.py."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from conftest import script_environment

from lathe.cli.list_apps import apps
from lathe.learn import Grading, lessons

pytestmark = pytest.mark.software


@pytest.mark.parametrize("name", apps())
def test_an_experiment(name, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "lathe", "inspect", name, "--frames", "1", "--json", "report.json",
         "--fail-on", "races,uninit,barriers,oob"],
        capture_output=True, text=True, env=script_environment(), timeout=300, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["findings"] == [] and len(report["lines"]) > 10


class Watched(Grading):
    """Keeps the reports of its launches."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.reports = []

    def launch(self, *arguments):
        self.reports.append(super().launch(*arguments))
        return self.reports[-1]


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_a_right_solution(lesson):
    check = lesson.check()
    grading = Watched(lesson.solution.read_text(), check.KERNEL)
    grading.compile()
    check.grade(grading)
    assert grading.reports and all(report.rows for report in grading.reports)
    found = [finding for report in grading.reports for finding in report.findings]
    assert not found, "\n".join(map(str, found))
