# SPDX-License-Identifier: MIT
"""Other programs on the software device: they find it as their libcuda.so.1."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lathe.native import native

PROGRAMS = Path(__file__).parent / "programs"


def run(program: str) -> subprocess.CompletedProcess[str]:
    """Runs a program whose libcuda is the software device and whose NVRTC is the one we use."""
    status = native.gpu_status()
    libcuda = Path(status["driver_path"]).resolve().parent / "libcuda"
    assert (libcuda / "libcuda.so.1").exists(), f"{libcuda} has no libcuda.so.1"
    nvrtc = Path(status["nvrtc_path"]).resolve().parent
    env = os.environ | {"LD_LIBRARY_PATH": f"{libcuda}:{nvrtc}"}
    env.pop("PYTHONPATH", None)
    return subprocess.run(
        [sys.executable, PROGRAMS / program], env=env, capture_output=True, text=True, timeout=300
    )


def has_cuda_bindings() -> bool:
    try:
        return importlib.util.find_spec("cuda.bindings") is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.software
@pytest.mark.skipif(not has_cuda_bindings(), reason="cuda-bindings is missing")
def test_a_program_on_cuda_bindings():
    done = run("cuda_bindings_saxpy.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ok on Lathe software CUDA device" in done.stdout
    # What the device lacks answers so and names itself once.
    assert "virtual memory: CUDA_ERROR_NOT_SUPPORTED" in done.stdout
    assert done.stderr.count("cuMemAddressReserve") == 1
