# SPDX-License-Identifier: MIT
"""The C++ programs that ``lathe bench`` runs. A source tree has them, a wheel does not."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lathe.cli.messages import UserError

__all__ = ["Row", "built", "rows_of"]

Row = dict[str, Any]


def built(name: str) -> Path:
    """A program of tests/benchmarks, built now if it is older than its sources."""
    root = Path(__file__).resolve().parents[3]
    if not (root / "tests" / "benchmarks").is_dir():
        raise UserError(
            f"{name} is a C++ program that is built in a source tree of Lathe, and this Lathe is "
            "installed without one. In a clone, ./run builds Lathe, and .venv/bin/lathe bench "
            "measures; here, lathe bench first-light does."
        )
    build = root / "build"
    program = build / "tests" / "benchmarks" / name
    cmake = shutil.which("cmake")
    if cmake and (build / "CMakeCache.txt").exists():
        done = subprocess.run(
            [cmake, "--build", str(build), "--target", name],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise UserError(f"{name} could not be built:\n{done.stdout[-2000:]}{done.stderr}")
    if not program.exists():
        command = shlex.quote(str(root / "tools" / "build"))
        raise UserError(
            f"{name} is part of the source tree and is not built: {program}; "
            f"this builds it: {command}"
        )
    return program


def rows_of(
    program: Path, arguments: Sequence[str], environment: Mapping[str, str] | None = None
) -> list[Row]:
    """What the program prints, a JSON object a line."""
    done = subprocess.run(
        [str(program), *arguments],
        capture_output=True, text=True, env={**os.environ, **(environment or {})}, check=False,
    )  # fmt: skip
    if done.returncode:
        raise UserError(f"{program.name}: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
