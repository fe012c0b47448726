# SPDX-License-Identifier: MIT
"""All names that PyCUDA documents are there, or pycuda_missing.txt says: not yet."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gl_calls

import lathe.cuda.driver as cuda
from lathe.cuda import tools
from lathe.cuda.compiler import SourceModule
from lathe.native import native

HERE = Path(__file__).parent


def lines(file: str) -> list[str]:
    text = (HERE / file).read_text()
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def an_error() -> cuda.CompileError:
    try:
        SourceModule("not C++")
    except cuda.CompileError as error:
        return error
    raise AssertionError("that compiled")


# Classes whose attributes only instances have.
MADE: dict[type, Callable[[], object]] = {
    cuda.CompileError: an_error,
    tools.DeviceData: tools.DeviceData,
    tools.OccupancyRecord: lambda: tools.OccupancyRecord(tools.DeviceData(), 32),
}


def is_there(name: str) -> bool:
    """Modules first, then what is in them."""
    parts = name.replace("pycuda", "lathe.cuda", 1).split(".")
    found: Any = importlib.import_module("lathe.cuda")
    for k, part in enumerate(parts[2:], 2):
        if isinstance(found, type) and found in MADE:
            found = MADE[found]()
        if not hasattr(found, part):
            try:
                found = importlib.import_module(".".join(parts[: k + 1]))
                continue
            except ImportError:
                return False
        found = getattr(found, part)
    return True


def test_what_is_missing_is_known():
    names = lines("pycuda_names.txt")
    before = cuda.Context.get_current()
    gl_context = gl_calls.Context()  # pycuda.gl.autoinit asks for one
    if native.gl_sharing_problem():
        names = [name for name in names if "gl.autoinit" not in name]
    assert len(names) == len(set(names)) > 600
    missing = {name for name in names if not is_there(name)}
    while cuda.Context.get_current() not in (None, before):
        cuda.Context.pop()  # those of the modules that make one
    gl_context.destroy()
    known = set(lines("pycuda_missing.txt"))
    assert not missing - known, "these are gone"
    assert not known - missing, "these are there by now: take them out of pycuda_missing.txt"
