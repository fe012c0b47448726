# SPDX-License-Identifier: MIT
"""Programs for PyCUDA run unchanged, and end with status 0."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=300)


def test_a_program_runs_unchanged():
    done = run("-m", "lathe.as_pycuda", str(PROGRAMS / "pycuda_hello.py"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("doubled on")
    assert not done.stderr


def test_install_gives_the_same_modules():
    done = run(
        "-c",
        "import lathe.as_pycuda as p; p.install(); p.install();"
        "import pycuda.driver, lathe.cuda.driver;"
        "assert pycuda.driver is lathe.cuda.driver; assert pycuda.VERSION >= (2026, 1);"
        "assert lathe.cuda.driver.__spec__.name == 'lathe.cuda.driver'",
    )
    assert done.returncode == 0, done.stderr


def test_mistakes_are_told(tmp_path):
    assert run("-m", "lathe.as_pycuda").returncode == 2
    missing = run("-m", "lathe.as_pycuda", str(tmp_path / "none.py"))
    assert missing.returncode == 1 and "there is no file" in missing.stderr
    late = run(
        "-c",
        "import sys, types; sys.modules['pycuda'] = types.ModuleType('pycuda');"
        "import lathe.as_pycuda as p; p.install()",
    )
    assert "PyCUDA was imported before" in late.stderr
