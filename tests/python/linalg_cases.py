# SPDX-License-Identifier: MIT
"""Who computes in the tests of linear algebra, and comparisons by rounding errors.

On the software device it is NumPy, and then libraries with the names of cuBLAS and cuSOLVER that
compute naively on the host: with them the way is that of a GPU. On hardware it is the real ones.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lathe.cuda.gpuarray import to_gpu
from lathe.native import native

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "tests/gpu/libraries"
IS_SOFTWARE = os.environ["LATHE_DEVICE"] == "software"


@pytest.fixture(scope="session")
def fake_libraries(tmp_path_factory):
    compiler = shutil.which("c++") or shutil.which("g++")
    wheels = Path(sys.prefix).glob("lib/python3*/site-packages/nvidia/cu1?/include")
    named = [os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH")] + ["/usr/local/cuda"]
    toolkits = [Path(folder) / "include" for folder in named if folder]
    headers = [path for path in [*toolkits, *wheels] if (path / "cuda.h").exists()]
    if not compiler or not SOURCES.is_dir() or not headers:
        pytest.skip("a C++ compiler, cuda.h and the tests' sources are needed")
    folder = tmp_path_factory.mktemp("libraries")
    made = {}
    for name in ("cublas", "cusolver"):
        made[name] = folder / f"libfake_{name}.so"
        command = [compiler, "-std=c++20", "-O1", "-shared", "-fPIC", f"-I{ROOT}"]
        command += [f"-I{headers[0]}"]
        subprocess.run([*command, SOURCES / f"fake_{name}.cpp", "-o", made[name]], check=True)
    return made


@pytest.fixture(params=["NumPy", "library"] if IS_SOFTWARE else ["hardware"])
def backend(request, monkeypatch):
    if request.param == "library":
        made = request.getfixturevalue("fake_libraries")
        monkeypatch.setenv("LATHE_CUBLAS", str(made["cublas"]))
        monkeypatch.setenv("LATHE_CUSOLVER", str(made["cusolver"]))
    elif request.param == "NumPy":
        monkeypatch.delenv("LATHE_CUBLAS", raising=False)
        monkeypatch.delenv("LATHE_CUSOLVER", raising=False)
    assert native.host_does_the_work("LATHE_CUBLAS") == (request.param == "NumPy")
    return request.param


FACTORED = ["f", "d", "F", "D"]


def random_values(shape, dtype="d", seed=0):
    random = np.random.default_rng(seed)
    made = random.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        made = made + 1j * random.standard_normal(shape)
    return made.astype(dtype)


def tolerance(dtype, size=1):
    """Some rounding errors of numbers about `size`."""
    return 200 * float(np.finfo(dtype).eps) * max(size, 1)


def assert_near(ours, theirs, size=1, dtype=None):
    """Shapes and types are NumPy's, values near them."""
    theirs = np.asarray(theirs)
    assert ours.shape == theirs.shape
    assert ours.dtype == (theirs.dtype if dtype is None else dtype)
    largest = float(np.abs(theirs).max()) if theirs.size else 1.0
    kind = ours.dtype if ours.dtype.kind in "fc" else np.dtype("d")
    np.testing.assert_allclose(ours.get(), theirs, rtol=0, atol=tolerance(kind, size * largest))


SQUARE = [(1, 1), (4, 4), (7, 7), (3, 5, 5), (2, 3, 4, 4), (0, 4, 4), (0, 0), (2, 0, 0)]
ANY = [(5, 3), (3, 5), (4, 4), (1, 6), (2, 5, 3), (2, 2, 3, 5), (0, 3), (3, 0), (2, 0, 3)]


def well_conditioned(shape, dtype, seed=0):
    return random_values(shape, dtype, seed) + 4 * np.eye(shape[-1], dtype=dtype)


def hermitian(shape, dtype, seed=0):
    made = random_values(shape, dtype, seed)
    return made + made.conj().swapaxes(-1, -2)


def definite(shape, dtype, seed=0):
    made = random_values(shape, dtype, seed)
    return made @ made.conj().swapaxes(-1, -2) + np.eye(shape[-1], dtype=dtype)


def in_other_orders(host):
    yield to_gpu(host)
    yield to_gpu(np.asfortranarray(host))
    yield to_gpu(host.swapaxes(-1, -2).copy()).swapaxes(-1, -2)
    if host.ndim == 2 and host.size:
        yield to_gpu(np.repeat(host, 2, axis=1))[:, ::2]
        yield to_gpu(host[::-1, ::-1].copy())[::-1, ::-1]
