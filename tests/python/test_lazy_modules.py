# SPDX-License-Identifier: MIT
"""After ``import lathe`` alone its modules are there, and none is loaded before it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

import lathe
import lathe.cuda


def run(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_lathe_loads_nothing_else():
    code = "import sys; import lathe; print(*sorted(m for m in sys.modules if m in %r))"
    heavy = ["numpy", "scipy", "lathe.cuda", "lathe._lathe", "lathe.random", "importlib.resources"]
    assert run(code % (heavy,)) == ""


@pytest.mark.parametrize(
    "expression",
    [
        "lathe.random.default_rng", "lathe.linalg.solve", "lathe.fft.fft", "lathe.sparse.csr_array",
        "lathe.tune.tune", "lathe.cuda.driver.Device", "lathe.cuda.gpuarray.zeros",
        "lathe.cuda.compiler.SourceModule", "lathe.cuda.elementwise.ElementwiseKernel",
        "lathe.cuda.tools.DeviceMemoryPool", "lathe.array_api.asarray", "lathe.cuda.VERSION",
    ],
)  # fmt: skip
def test_modules_are_reached_by_attribute(expression):
    assert run(f"import lathe; print({expression} is not None)") == "True"


def test_they_are_the_modules_that_an_import_gives():
    assert run("import lathe, lathe.random as m; print(lathe.random is m)") == "True"
    code = "import lathe; d = lathe.cuda.driver; import lathe.cuda.driver as m; print(d is m)"
    assert run(code) == "True"
    code = "import lathe.as_pycuda as a; a.install(); import pycuda; import lathe; "
    assert run(code + "print(pycuda.driver is lathe.cuda.driver)") == "True"


def test_modules_that_act_wait_for_their_import():
    """`autoinit` makes a context: asking for the name must not."""
    for name in ("autoinit", "autoprimaryctx", "debug"):
        code = f"import lathe; print(hasattr(lathe.cuda, {name!r}))"
        assert run(code) == "False"
    code = "import lathe.cuda.autoinit; print(lathe.cuda.autoinit.context is not None)"
    assert run(code) == "True"


def test_names_are_listed():
    assert {"random", "linalg", "fft", "sparse", "tune", "cuda"} <= set(dir(lathe))
    assert {"driver", "gpuarray", "compiler", "VERSION"} <= set(dir(lathe.cuda))
    with pytest.raises(AttributeError, match=r"'lathe\.cuda' has no attribute 'nothing'"):
        _ = lathe.cuda.nothing
