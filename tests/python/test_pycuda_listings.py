# SPDX-License-Identifier: MIT
"""Programs as courses on PyCUDA have them: each is run as its own script, by lathe.as_pycuda.

`PROGRAMS` has one for each topic of the examples in PyCUDA's documentation. They are our own, and
compare their results with NumPy themselves.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "programs"
PROGRAMS = (
    "compile_errors", "convolution", "dynamic", "elementwise", "gpuarray", "hello", "host_memory",
    "images", "pools", "properties", "random", "reduction_scan", "sparse_solve", "streams",
    "structs", "textures", "threads",
)  # fmt: skip
LACKING = 77  # the status of a program that lacks something of the machine, and says what

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

# What PyCUDA's example matrixmul_tiled does: uint, GPUArrays, sizes in the source alone.
TILED = """
import numpy as np
from pycuda import compiler, driver, gpuarray, tools
import pycuda.autoinit

template = '''
__global__ void multiply(float *a, float *b, float *c) {
    const uint side = %(SIDE)s, tile = %(TILE)s;
    const uint first_row = side * tile * blockIdx.y, first_column = tile * blockIdx.x;
    float sum = 0;
    for (int i = first_row, j = first_column; i < first_row + side; i += tile, j += tile * side) {
        __shared__ float left[%(TILE)s][%(TILE)s];
        __shared__ float right[%(TILE)s][%(TILE)s];
        left[threadIdx.y][threadIdx.x] = a[i + side * threadIdx.y + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[j + side * threadIdx.y + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < tile; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        __syncthreads();
    }
    c[first_row + first_column + side * threadIdx.y + threadIdx.x] = sum;
}
'''
for SIDE, TILE in ((4, 2), (96, 16)):
    a, b = (np.random.randn(SIDE, SIDE).astype(np.float32) for _ in range(2))
    a_gpu, b_gpu = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    c_gpu = gpuarray.empty((SIDE, SIDE), np.float32)
    module = compiler.SourceModule(template % {"SIDE": SIDE, "TILE": TILE})
    multiply = module.get_function("multiply")
    multiply(a_gpu, b_gpu, c_gpu, grid=(SIDE // TILE, SIDE // TILE), block=(TILE, TILE, 1))
    wanted = a.astype(np.float64) @ b
    print(np.linalg.norm(wanted - c_gpu.get()) < 1e-5 * np.linalg.norm(wanted))
"""

# What PyCUDA's example gpu_scalar_mult does: a x + b y with a and b on the device, once through
# texture references and once through pointers, by what the modules have inside.
SCALARS = """
import numpy
import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.curandom import rand
from pycuda.elementwise import (
    ScalarArg, VectorArg, get_elwise_module, get_linear_combination_kernel)
from pycuda.tools import context_dependent_memoize, dtype_to_ctype

dtype = DTYPE


@context_dependent_memoize
def by_pointers(count):
    arguments, first, terms = [], [], []
    for k in range(count):
        arguments += [VectorArg(dtype, "from%d" % k), VectorArg(dtype, "x%d" % k)]
        first.append("%s a%d = *from%d" % (dtype_to_ctype(dtype), k, k))
        terms.append("a%d*x%d[i]" % (k, k))
    arguments += [VectorArg(dtype, "z"), ScalarArg(numpy.uintp, "n")]
    module = get_elwise_module(
        arguments, "z[i] = " + " + ".join(terms), "combine", loop_prep=";\\n".join(first))
    function = module.get_function("combine")
    function.prepare("".join(each.struct_char for each in arguments))
    return function


by_textures, references = get_linear_combination_kernel(((True, dtype, dtype),) * 2, dtype)
a, b = (gpuarray.to_gpu(numpy.array(value, dtype=dtype)) for value in (5, 7))
for exponent in range(10, 17, 3):
    x, y = (rand(1 << exponent, dtype=dtype) for _ in range(2))
    wanted = 5 * x.get() + 7 * y.get()
    start, stop = drv.Event(), drv.Event()
    start.record()
    z = gpuarray.zeros_like(x)
    a.bind_to_texref_ext(references[0], allow_double_hack=True)
    b.bind_to_texref_ext(references[1], allow_double_hack=True)
    by_textures.prepared_call(x._grid, x._block, x.gpudata, y.gpudata, z.gpudata, x.mem_size)
    right = numpy.allclose(z.get(), wanted, rtol=1e-6)
    z.fill(0)
    by_pointers(2).prepared_call(
        x._grid, x._block, a.gpudata, x.gpudata, b.gpudata, y.gpudata, z.gpudata, x.mem_size)
    stop.record()
    stop.synchronize()
    print(exponent, right, numpy.allclose(z.get(), wanted, rtol=1e-6), stop.time_since(start) > 0)
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


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program(name):
    done = subprocess.run(
        [sys.executable, "-m", "lathe.as_pycuda", str(FOLDER / f"pycuda_{name}.py")],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    if done.returncode == LACKING:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stderr
    assert done.stdout and not done.stderr


def test_all_programs_are_listed():
    assert sorted(FOLDER.glob("pycuda_*.py")) == [FOLDER / f"pycuda_{n}.py" for n in PROGRAMS]


def test_hello_world(tmp_path):
    lines = run(tmp_path, HELLO).splitlines()
    assert sorted(lines) == [f"Hello from thread {x}, {y}!" for x in (0, 1) for y in (0, 1)]


def test_doubling_an_array(tmp_path):
    assert run(tmp_path, DOUBLE) == "True\n"


def test_tiled_matrices_with_templated_constants_and_prepared_calls(tmp_path):
    assert run(tmp_path, MATMUL).splitlines() == [f"{t} True True" for t in (8, 16, 32)]


def test_tiled_matrices_of_gpuarrays(tmp_path):
    assert run(tmp_path, TILED).splitlines() == ["True", "True"]


@pytest.mark.parametrize("dtype", ["numpy.float32", "numpy.float64"])
def test_scalars_on_the_device(tmp_path, dtype):
    text = run(tmp_path, SCALARS.replace("DTYPE", dtype))
    assert text.splitlines() == [f"{exponent} True True True" for exponent in (10, 13, 16)]


def test_a_block_too_large(tmp_path):
    text = run(tmp_path, WRONG_BLOCK)
    assert text.startswith("cuFuncSetBlockShape failed: invalid argument")
    assert "2048" in text and "1024" in text


@pytest.mark.parametrize("text", [HELLO, WRONG_BLOCK])
def test_no_context_is_needed(tmp_path, text):
    """Many published programs have lost their `import pycuda.autoinit` (B30)."""
    assert run(tmp_path, text.replace("import pycuda.autoinit\n", ""))
