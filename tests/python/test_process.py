# SPDX-License-Identifier: MIT
"""What Lathe does to the process that imports it, and what it leaves alone."""

from __future__ import annotations

import subprocess
import sys

import pytest
from conftest import script_environment

# Asks the C library for 128 MiB of its heap, and prints how many MiB of it the system got back.
GIVEN_BACK = """
import ctypes
libc = ctypes.CDLL(None)
libc.sbrk.restype = libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes, libc.free.argtypes = [ctypes.c_size_t], [ctypes.c_void_p]
pieces = (ctypes.c_void_p * 2048)()  # made before, so that nothing of ours comes between or above
for k in range(2048):
    pieces[k] = libc.malloc(65536)
top = libc.sbrk(0)
for k in range(2048):
    libc.free(pieces[k])
print((top - libc.sbrk(0)) >> 20)
"""
COMPILE = """
import lathe, lathe.cuda.autoinit
from lathe.cuda.compiler import SourceModule
SourceModule('__global__ void twice(float* x) { x[threadIdx.x] *= 2; }').get_function('twice')
"""
KEEP = "from lathe.native import native; native.keep_freed_memory()\n"


def given_back(before: str, folder: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", before + GIVEN_BACK],
        env=script_environment(LATHE_CACHE_DIR=folder),  # empty: a kernel is compiled
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.parametrize("before", ["", "import lathe\n", COMPILE])
def test_the_c_library_gives_memory_back_as_without_lathe(tmp_path, before):
    """Settings of malloc are of the whole process, so only programs of ours change them."""
    assert given_back(before, str(tmp_path)) >= 64


def test_programs_of_ours_keep_it(tmp_path):
    assert given_back(COMPILE + KEEP, str(tmp_path)) == 0
