# SPDX-License-Identifier: MIT
"""What PyCUDA 2026.1 gets wrong in reductions and in kernels of snippets; defects by their number
in our list. Those of drivers and modules stand in test_pycuda_defects.py."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lathe.cuda.driver as cuda
from lathe.cuda import gpuarray
from lathe.cuda.elementwise import ElementwiseKernel
from lathe.cuda.reduction import ReductionKernel


@pytest.fixture(autouse=True)
def context():
    primary = cuda.Device(0).retain_primary_context()
    primary.push()
    yield
    cuda.Context.pop()


def test_b13_operands_of_both_orders_are_combined_by_index():
    c = np.arange(12, dtype=np.float32).reshape(3, 4)
    f = np.asfortranarray(c[::-1])
    z = gpuarray.GPUArray((3, 4), np.float32, order="F")
    ElementwiseKernel("float *z, float *x, float *y", "z[i] = x[i] - y[i]")(
        z, gpuarray.to_gpu(c), gpuarray.to_gpu(f)
    )
    assert z.get().tolist() == (c - f).tolist()
    assert float(gpuarray.dot(gpuarray.to_gpu(c), gpuarray.to_gpu(f))) == (c * f).sum()
    products = ReductionKernel(np.float32, "0", "a+b", "x[i]*y[i]", "float *x, float *y")
    assert float(products(gpuarray.to_gpu(c), gpuarray.to_gpu(f))) == (c * f).sum()


def test_b14_shapes_are_compared_before_anything_is_read():
    small, large = gpuarray.zeros((4,), np.float32), gpuarray.zeros((1000,), np.float32)
    copy = ElementwiseKernel("float *z, float *x", "z[i] = x[i]")
    total = ReductionKernel(np.float32, "0", "a+b", "x[i]*y[i]", "float *x, float *y")
    for call in (copy, total, gpuarray.dot):
        with pytest.raises(ValueError, match=r"\(4,\).*\(1000,\)|\(1000,\).*\(4,\)"):
            call(large, small)


def test_b15_arrays_without_elements_are_arrays():
    none = gpuarray.GPUArray((0,), np.float32)
    assert float(gpuarray.sum(none)) == 0
    assert float(gpuarray.dot(none, none)) == 0
    assert bool(gpuarray.all(none)) and not bool(gpuarray.any(none))
    ElementwiseKernel("float *x", "x[i] = 1")(none)
    assert float(ReductionKernel(np.float32, "0", "a+b", arguments="float *x")(none)) == 0
    with pytest.raises(ValueError, match="zero-size array to reduction operation"):
        gpuarray.max(none)


def test_b16_types_of_results_are_numpys():
    small = np.full(1000, 100, np.int8)
    device = gpuarray.to_gpu(small)
    assert device.sum().dtype == np.int64
    assert int(gpuarray.sum(device)) == 100000
    assert device.mean().dtype == np.float64
    assert device.any().dtype == np.bool_


def test_b21_a_dot_says_nothing_and_leaves_nothing(tmp_path: Path):
    code = (
        "import numpy as np, lathe.cuda.autoinit\n"
        "from lathe.cuda import gpuarray\n"
        "a = gpuarray.to_gpu(np.ones(1000, np.float32))\n"
        "assert float(gpuarray.dot(a, a)) == 1000\n"
    )
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    given = {**os.environ, "TMPDIR": str(scratch), "LATHE_CACHE_DIR": str(tmp_path / "cache")}
    ran = subprocess.run(
        [sys.executable, "-c", code], env=given, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    assert not list(scratch.iterdir())


def test_b27_no_step_of_a_reduction_relies_on_lanes_in_step():
    """Warps of a block and blocks in a random order: a missing barrier changes the result."""
    code = (
        "import numpy as np, lathe.cuda.autoinit\n"
        "from lathe.cuda import gpuarray\n"
        "from lathe.cuda.reduction import ReductionKernel\n"
        "host = np.random.default_rng(1).integers(-99, 99, 100003).astype(np.int32)\n"
        "x = gpuarray.to_gpu(host)\n"
        "total = ReductionKernel(np.int32, '0', 'a+b', arguments='const int *x')\n"
        "for _ in range(5):\n"
        "    assert int(total(x)) == int(host.sum()), 'ReductionKernel'\n"
        "    assert int(gpuarray.sum(x)) == int(host.sum()), 'sum'\n"
        "    assert int(gpuarray.max(x)) == int(host.max()), 'max'\n"
        "y = gpuarray.to_gpu(host[:99999].reshape(-1, 3))\n"
        "assert (y.sum(axis=0).get() == host[:99999].reshape(-1, 3).sum(axis=0)).all(), 'axis'\n"
    )
    for seed in (1, 2, 3):
        given = {**os.environ, "LATHE_SOFT_ORDER": f"shuffle:{seed}"}
        ran = subprocess.run(
            [sys.executable, "-c", code], env=given, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stderr


def test_b35_arrays_with_gaps_along_all_axes_are_copied():
    """PyCUDA copied two such axes, and said "'<' not supported" of three."""
    whole = np.arange(5 * 6 * 7 * 8, dtype=np.float32).reshape(5, 6, 7, 8)
    for part in (np.s_[::2, ::3, 1::2], np.s_[::2, ::2, ::2, ::2], np.s_[1::3, ::-2, ::3, ::-3]):
        device = gpuarray.to_gpu(whole)
        assert device[part].get().tolist() == whole[part].tolist()
        changed = whole.copy()
        changed[part] = -whole[part]
        device[part].set(-whole[part])
        assert device.get().tolist() == changed.tolist()
        device[part] = gpuarray.to_gpu(whole[part].copy())
        assert device.get().tolist() == whole.tolist()
