# SPDX-License-Identifier: MIT
"""The stub says what the extension module has, and the examples in docstrings are true."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lathe
import lathe.app
import lathe.plotted

# What pybind11 adds to every class, its enums, and the submodule, which a stub file has as a class.
OF_PYBIND11 = re.compile(
    r"metaclass differs|__init__ is inconsistent, stub does not have \*args|InteropMode\."
    r"|widgets is not a type"
)


def test_the_stub_fits_the_module():
    pytest.importorskip("mypy.stubtest")
    package = str(Path(lathe.__file__).resolve().parent.parent)
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "lathe._lathe", "--concise"],
        capture_output=True, text=True, cwd=package,
        env={**os.environ, "MYPYPATH": package, "PYTHONPATH": package},
    )  # fmt: skip
    wrong = [line for line in done.stdout.splitlines() if not OF_PYBIND11.search(line)]
    assert not wrong, "\n".join(wrong)
    assert "lathe._lathe" in done.stdout or done.returncode == 0, done.stderr


@pytest.mark.parametrize("module", [lathe, lathe.app, lathe.plotted])
def test_examples(module):
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def test_public_names_are_all_there():
    for name in lathe.__all__:
        assert getattr(lathe, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = lathe.nothing
