# SPDX-License-Identifier: MIT
"""How `lathe.fft` calls cuFFT: by a library that stands for it and computes on the software
device's memory (tests/gpu/libraries/fake_cufft.cpp)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, script_environment

pytestmark = pytest.mark.software
COMPILER = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if COMPILER is None:
        pytest.skip("no C++ compiler")
    made = tmp_path_factory.mktemp("cufft") / "libcufft.so"
    source = ROOT / "tests/gpu/libraries/fake_cufft.cpp"
    subprocess.run(
        [COMPILER, "-std=c++20", "-O1", "-shared", "-fPIC", str(source), "-o", str(made), "-ldl"],
        check=True,
    )
    return made


def run(code: str, library: str) -> subprocess.CompletedProcess[str]:
    head = (
        "import ctypes, os, numpy as np\n"
        "from lathe import fft\n"
        "from lathe.cuda import driver\n"
        "from lathe.cuda.gpuarray import to_gpu\n"
        "from lathe.native import native\n"
        "a = to_gpu(np.arange(24, dtype=np.complex64).reshape(2, 3, 4))\n"
    )
    return subprocess.run(
        [sys.executable, "-c", head + code], capture_output=True, text=True,
        env=script_environment(LATHE_CUFFT=library),
    )  # fmt: skip


def test_all_of_test_fft(library: Path):
    here = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(here / "test_fft.py")],
        capture_output=True, text=True, cwd=ROOT, env=script_environment(LATHE_CUFFT=str(library)),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
    assert "passed" in done.stdout and "skipped" not in done.stdout


def test_plans_are_kept_and_the_oldest_go(library: Path):
    code = """
made = ctypes.CDLL(os.environ["LATHE_CUFFT"])
count = lambda: (native.fft_plan_count(), made.fake_cufft_plans())
fft.fft(a); print(count())
fft.fft(a); fft.ifft(a); print(count())        # both directions are one plan
fft.fft(a, axis=1); print(count())             # two calls by one plan, for two parts
fft.fftn(a); print(count())                    # three axes at once
stream = driver.Stream()
fft.fft(a, stream=stream); print(count())      # streams have their own
fft.rfft(a.real); fft.irfft(a); print(count())
for n in range(1, 200): fft.fft(a, n)
print(count())
fft.fft(a, 199); print(count())
"""
    done = run(code, str(library))
    counts = ["(1, 1)", "(1, 1)", "(2, 2)", "(3, 3)", "(4, 4)", "(6, 6)", "(64, 64)", "(64, 64)"]
    assert done.stdout.splitlines() == counts, done.stderr


def test_what_the_library_says_is_told(library: Path):
    code = """
from lathe.cuda.gpuarray import GPUArray
try: native.run_fft(a, a, (0,), (1, 4, 1, 4), 6, False)
except native.Error as error: print(error)
try: native.run_fft(a, a, (1, 2, 3, 4), (1, 4, 1, 4), 1, False)
except native.Error as error: print(error)
try: native.run_fft(a, GPUArray(24, np.float64), (4,), (1, 4, 1, 4), 6, False)
except TypeError as error: print(error)
print(native.fft_plan_count())
"""
    done = run(code, str(library))
    lines = done.stdout.splitlines()
    assert lines[0].startswith("cufftMakePlanMany64 failed: CUFFT_INVALID_SIZE - 6 transforms of 0")
    assert lines[1:] == [
        "cuFFT transforms 1 to 3 axes at once, got 4",
        "no Fourier transform goes from complex64 to float64",
        "0",
    ], done.stderr


def test_without_the_library_the_error_names_it(tmp_path: Path):
    done = run(
        "try: fft.fft(a)\nexcept ImportError as error: print(error)\n", str(tmp_path / "none.so")
    )
    assert done.stdout.startswith("cuFFT was not found"), done.stderr
    assert "none.so" in done.stdout
