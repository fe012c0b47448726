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


def run_python(program: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], env=script_environment(**environment),
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def given_back(before: str, folder: str) -> int:
    # The folder is empty: a kernel is compiled.
    return int(run_python(before + GIVEN_BACK, LATHE_CACHE_DIR=folder))


@pytest.mark.parametrize("before", ["", "import lathe\n", COMPILE])
def test_the_c_library_gives_memory_back_as_without_lathe(tmp_path, before):
    """Settings of malloc are of the whole process, so only programs of ours change them."""
    assert given_back(before, str(tmp_path)) >= 64


# Takes 128 MiB of the heap in small pieces, gives back all but each hundredth, and prints how many
# MiB of it are in memory before and after pages are returned.
RETURNED = """
import ctypes, pathlib
from lathe.native import native
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
resident = lambda: int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096
native.keep_freed_memory()
before = resident()
pieces = [libc.malloc(1024) for _ in range(131072)]
for piece in pieces:
    ctypes.memset(piece, 1, 1024)
for k, piece in enumerate(pieces):
    if k % 100:
        libc.free(piece)
del pieces
held = resident() - before
native.return_freed_memory()
print(held >> 20, (resident() - before) >> 20)
"""


def test_a_reload_can_return_the_pages_between_what_is_kept():
    held, after = map(int, run_python(RETURNED).split())
    assert held > 120
    assert after < 30


def test_programs_of_ours_keep_it(tmp_path):
    assert given_back(COMPILE + KEEP, str(tmp_path)) == 0
