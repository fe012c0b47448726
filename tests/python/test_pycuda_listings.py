# SPDX-License-Identifier: MIT
"""Programs as courses on PyCUDA have them: each is run as its own script, by lathe.as_pycuda."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HELLO = """
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule('''
#include <stdio.h>
__global__ void hello() { printf("Hello from thread %d, %d!\\\\n", threadIdx.x, threadIdx.y); }
''')
module.get_function("hello")(block=(2, 2, 1))
cuda.Context.synchronize()
"""

DOUBLE = """
import numpy
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

a = numpy.random.randn(4, 4).astype(numpy.float32)
a_gpu = cuda.mem_alloc(a.nbytes)
cuda.memcpy_htod(a_gpu, a)
module = SourceModule('''
__global__ void doublify(float *a) {
    int idx = threadIdx.x + threadIdx.y * 4;
    a[idx] *= 2;
}
''')
module.get_function("doublify")(a_gpu, block=(4, 4, 1))
doubled = numpy.empty_like(a)
cuda.memcpy_dtoh(doubled, a_gpu)
print(numpy.array_equal(doubled, 2 * a))
"""

MATMUL = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

template = '''
#define TILE %(TILE)d
__global__ void matmul(const double *a, const double *b, double *c, int n) {
    __shared__ double as[TILE][TILE], bs[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    double sum = 0;
    for (int tile = 0; tile < n / TILE; ++tile) {
        as[threadIdx.y][threadIdx.x] = a[row * n + tile * TILE + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(tile * TILE + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
'''
n = 64
random = np.random.default_rng(1)
a, b = random.random((n, n)), random.random((n, n))
a_gpu, b_gpu, c_gpu = (cuda.mem_alloc(a.nbytes) for _ in range(3))
cuda.memcpy_htod(a_gpu, a)
cuda.memcpy_htod(b_gpu, b)
for tile in (8, 16, 32):
    matmul = SourceModule(template % {"TILE": tile}).get_function("matmul")
    matmul.prepare("PPPi")
    start, end = cuda.Event(), cuda.Event()
    start.record()
    matmul.prepared_call((n // tile, n // tile), (tile, tile, 1), a_gpu, b_gpu, c_gpu, n)
    end.record()
    end.synchronize()
    seconds = start.time_till(end) * 1e-3
    c = np.empty_like(a)
    cuda.memcpy_dtoh(c, c_gpu)
    print(tile, np.allclose(c, a @ b, rtol=1e-13), seconds > 0)
"""

WRONG_BLOCK = """
import numpy
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule("__global__ void nothing(float *a) { }")
a = numpy.zeros(1, numpy.float32)
try:
    module.get_function("nothing")(cuda.InOut(a), block=(32, 64, 1))
except cuda.LogicError as error:
    print(error)
"""


def run(folder: Path, text: str) -> str:
    script = folder / "listing.py"
    script.write_text(text)
    result = subprocess.run(
        [sys.executable, "-m", "lathe.as_pycuda", str(script)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_hello_world(tmp_path):
    lines = run(tmp_path, HELLO).splitlines()
    assert sorted(lines) == [f"Hello from thread {x}, {y}!" for x in (0, 1) for y in (0, 1)]


def test_doubling_an_array(tmp_path):
    assert run(tmp_path, DOUBLE) == "True\n"


def test_tiled_matrices_with_templated_constants_and_prepared_calls(tmp_path):
    assert run(tmp_path, MATMUL).splitlines() == [f"{t} True True" for t in (8, 16, 32)]


def test_a_block_too_large(tmp_path):
    text = run(tmp_path, WRONG_BLOCK)
    assert text.startswith("cuFuncSetBlockShape failed: invalid argument")
    assert "2048" in text and "1024" in text


@pytest.mark.parametrize("text", [HELLO, WRONG_BLOCK])
def test_no_context_is_needed(tmp_path, text):
    """Many published programs have lost their `import pycuda.autoinit` (B30)."""
    assert run(tmp_path, text.replace("import pycuda.autoinit\n", ""))
