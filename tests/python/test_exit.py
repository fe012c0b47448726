# SPDX-License-Identifier: MIT
"""Programs that end while the software device still compiles a kernel for warps."""

from __future__ import annotations

import subprocess
import sys

import pytest
from conftest import script_environment

pytestmark = pytest.mark.software

SCRIPT = """
import sys
import lathe
x = lathe.zeros(64)
k = lathe.kernel('''__global__ void k(float* x, int n) {
    for (int i = 0; i < n; ++i) x[threadIdx.x] += sinf(x[threadIdx.x] + i) * %s.0f; }''')
k[1, 64](x, 30000)  # long enough for a compile to begin when it is over
x.get()
"""


@pytest.mark.parametrize("number", range(6))
def test_a_program_ends_well_beside_its_background_compile(tmp_path, number):
    script = tmp_path / "short.py"
    script.write_text(SCRIPT % number)
    # The second run finds single threads' code, so that nothing but the background uses LLVM.
    for mode in ({"LATHE_SOFT_MODE": "scalar"}, {}):
        done = subprocess.run(
            [sys.executable, str(script)],
            env=script_environment(LATHE_CACHE_DIR=str(tmp_path / "cache"), **mode),
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
