# SPDX-License-Identifier: MIT
"""lathe.cuda.tools: contexts, memoized functions, types and their names, parameters."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import script_environment

import lathe.cuda.driver as cuda
from lathe.cuda import characterize, tools
from lathe.cuda.compiler import SourceModule
from lathe.cuda.compyte import array as layouts
from lathe.cuda.compyte import dtypes

calls = []


@tools.context_dependent_memoize
def remembered(a, b=0):
    calls.append((a, b))
    return a + b, object()


@pytest.fixture
def no_calls():
    tools.clear_context_caches()
    calls.clear()


def test_results_are_kept_for_each_context(no_calls):
    first = remembered(1, b=2)
    assert remembered(1, b=2) is first and first[0] == 3
    assert remembered(1) is not first and remembered.__name__ == "remembered"
    context = cuda.Device(0).make_context()
    try:
        other = remembered(1, b=2)
        assert other is not first and remembered(1, b=2) is other
    finally:
        context.detach()
    assert remembered(1, b=2) is first
    assert calls == [(1, 2), (1, 0), (1, 2)]
    assert remembered in tools.context_dependent_memoized_functions
    tools.clear_context_caches()
    assert remembered(1, b=2) is not first
    with pytest.raises(TypeError, match="unhashable"):
        remembered([1])


def test_marked_tests_have_a_context_of_their_own():
    before = cuda.Context.get_current()
    seen = []

    @tools.mark_cuda_test
    def inner(value):
        seen.append(cuda.Context.get_current())
        return value

    assert inner(5) == 5
    assert cuda.Context.get_current() == before and seen[0] not in (None, before)

    @tools.mark_cuda_test
    def fails():
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fails()
    assert cuda.Context.get_current() == before
    fixture = tools.init_cuda_context_fixture()
    next(fixture)
    assert cuda.Context.get_current() != before
    assert next(fixture, None) is None
    assert cuda.Context.get_current() == before


def test_the_default_device_is_named_by_the_environment(monkeypatch):
    with pytest.deprecated_call():
        assert tools.get_default_device() == cuda.Device(0)
    monkeypatch.setenv("CUDA_DEVICE", "x")
    with (
        pytest.deprecated_call(),
        pytest.raises(RuntimeError, match="CUDA_DEVICE must be the number of a device, got 'x'"),
    ):
        tools.get_default_device()


def test_b30_an_example_without_a_context_of_its_own_runs():
    """30 of PyCUDA's 42 examples lost the import that made their context."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import lathe.as_pycuda; lathe.as_pycuda.install()\n"
            "import numpy, pycuda.driver as cuda\n"
            "from pycuda.compiler import SourceModule\n"
            "from pycuda.tools import DeviceMemoryPool, make_default_context\n"
            "a = numpy.arange(16).astype(numpy.float32).reshape(4, 4)\n"
            "a_gpu = DeviceMemoryPool().allocate(a.nbytes)\n"
            "cuda.memcpy_htod(a_gpu, a)\n"
            "mod = SourceModule('__global__ void d(float *a) {"
            " a[threadIdx.x + threadIdx.y * 4] *= 2; }')\n"
            "mod.get_function('d')(a_gpu, block=(4, 4, 1))\n"
            "b = numpy.empty_like(a); cuda.memcpy_dtoh(b, a_gpu)\n"
            "assert (b == 2 * a).all()\n",
        ],
        env=script_environment(), capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


NAMES = {
    np.bool_: "bool",
    np.int8: "signed char",
    np.uint8: "unsigned char",
    np.int16: "short",
    np.uint16: "unsigned short",
    np.int32: "int",
    np.uint32: "unsigned int",
    np.int64: "long",
    np.uint64: "unsigned long",
    np.longlong: "long",
    np.float16: "half",
    np.float32: "float",
    np.float64: "double",
    np.complex64: "pycuda::complex<float>",
    np.complex128: "pycuda::complex<double>",
}


def test_types_have_names():
    assert {dtype: tools.dtype_to_ctype(dtype) for dtype in NAMES} == NAMES
    assert tools.dtype_to_ctype(np.float64, with_fp_tex_hack=True) == "fp_tex_double"
    assert tools.dtype_to_ctype(np.complex64, with_fp_tex_hack=True) == "fp_tex_cfloat"
    assert tools.dtype_to_ctype(np.int32, with_fp_tex_hack=True) == "int"
    assert tools.get_or_register_dtype("size_t") == np.uint64
    with pytest.raises(ValueError, match="None"):
        tools.dtype_to_ctype(None)
    with pytest.raises(ValueError, match="unable to map dtype"):
        tools.dtype_to_ctype([("never", "f4"), ("named", "i4")])


def test_sizes_of_names_are_those_of_types():
    """The compiler's word for each name that needs no header."""
    for dtype, name in NAMES.items():
        if "complex" not in name and name != "half":
            assert characterize.sizeof(name) == np.dtype(dtype).itemsize, name
    assert characterize.sizeof("half", "#include <cuda_fp16.h>") == 2


def test_structures_are_registered():
    pair = np.dtype([("key", np.int32), ("value", np.float64)], align=True)
    assert tools.get_or_register_dtype(["tools_pair", "struct_pair"], pair) == pair
    assert tools.dtype_to_ctype(pair) == "tools_pair"
    assert tools.get_or_register_dtype("struct_pair") == pair
    assert tools.get_or_register_dtype("tools_pair", pair) is tools.get_or_register_dtype(
        "tools_pair"
    )
    with pytest.raises(RuntimeError, match="'tools_pair' is the name of"):
        tools.get_or_register_dtype("tools_pair", np.float32)
    with pytest.raises(dtypes.TypeNameNotKnown, match="'nobody'"):
        tools.get_or_register_dtype("nobody")
    with pytest.raises(ValueError, match="names must be"):
        tools.get_or_register_dtype([], pair)
    with pytest.deprecated_call():
        tools.register_dtype(np.dtype([("only", "f4", 7)]), "seven_floats")
    with pytest.deprecated_call(), pytest.raises(RuntimeError, match="registered already"):
        tools.register_dtype(np.float32, "seven_floats")
    assert tools.ScalarArg(pair, "p").struct_char == "16s"
    assert tools.VectorArg(pair, "p").declarator() == "tools_pair *p"
    preamble = "struct tools_pair { int key; double value; };"
    assert characterize.sizeof("tools_pair", preamble) == pair.itemsize


def test_registries_can_be_filled():
    reg = dtypes.DTypeRegistry()
    dtypes.fill_registry_with_c_types(reg, respect_windows=False)
    dtypes.fill_registry_with_c99_stdint_types(reg)
    dtypes.fill_registry_with_c99_complex_types(reg)
    assert reg.get_or_register_dtype("double complex") == np.complex128
    assert reg.dtype_to_ctype("f4") == "float"
    cl = dtypes.DTypeRegistry()
    dtypes.fill_registry_with_opencl_c_types(cl)
    assert cl.dtype_to_ctype(np.uint64) == "ulong"
    assert dtypes.NAME_TO_DTYPE["float"] == np.float32
    assert dtypes.DTYPE_TO_NAME[np.dtype(np.float32)] == "float"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("float *x", tools.VectorArg(np.float32, "x")),
        ("const float* __restrict__ x", tools.VectorArg(np.float32, "x")),
        ("unsigned n", tools.ScalarArg(np.uint32, "n")),
        ("unsigned long long n", tools.ScalarArg(np.uint64, "n")),
        ("  volatile   long int\t*p ", tools.VectorArg(np.int64, "p")),
        ("pycuda::complex<double> *z", tools.VectorArg(np.complex128, "z")),
        ("size_t constant", tools.ScalarArg(np.uint64, "constant")),
        ("uint8_t *bytes", tools.VectorArg(np.uint8, "bytes")),
        ("half h", tools.ScalarArg(np.float16, "h")),
    ],
)
def test_declarations_are_read(text, expected):
    found = tools.parse_c_arg(text)
    assert found == expected and hash(found) == hash(expected)
    assert tools.get_arg_type(text) == expected.struct_char
    assert tools.parse_c_arg(found.declarator()) == expected


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("", ValueError, "cannot read ''"),
        ("float", ValueError, "cannot read 'float'"),
        ("float x[3]", ValueError, "cannot read"),
        ("float **x", ValueError, "pointer to pointers"),
        ("colour *x", dtypes.TypeNameNotKnown, "'colour'"),
        (3, TypeError, "must be a str, got 3"),
    ],
)
def test_what_is_no_declaration_is_told(text, error, words):
    with pytest.raises(error, match=words):
        tools.parse_c_arg(text)


def test_arguments_that_cannot_be_are_told():
    with pytest.raises(ValueError, match="C's names, got '2x'"):
        tools.ScalarArg(np.float32, "2x")
    with pytest.raises(NotImplementedError):
        tools.Argument(np.float32, "x").declarator()
    assert tools.ScalarArg("f4", "x") != tools.VectorArg("f4", "x")
    assert repr(tools.VectorArg("f4", "x")) == "VectorArg('x', float32)"


def test_b37_half_precision_can_be_used():
    """Names, scalars of kernels, prepared calls."""
    module = SourceModule(
        """
        #include <cuda_fp16.h>
        extern "C" __global__ void axpy(half a, const half* x, half* y) {
            y[threadIdx.x] = __hfma(a, x[threadIdx.x], y[threadIdx.x]);
        }""",
        no_extern_c=True,
    )
    x = np.arange(8, dtype=np.float16) / 4
    y = np.ones(8, np.float16)
    expected = (np.float32(0.5) * x.astype("f4") + 1).astype(np.float16)
    axpy = module.get_function("axpy")
    axpy(np.float16(0.5), cuda.In(x), cuda.InOut(y), block=(8, 1, 1))
    np.testing.assert_array_equal(y, expected)
    types = [tools.get_arg_type(each) for each in ("half a", "const half *x", "half *y")]
    assert types == ["e", "P", "P"]
    y[:] = 1
    x_gpu, y_gpu = cuda.to_device(x), cuda.to_device(y)
    axpy.prepare(types).prepared_call((1, 1), (8, 1, 1), np.float16(0.5), x_gpu, y_gpu)
    np.testing.assert_array_equal(cuda.from_device_like(y_gpu, y), expected)


def test_b37_types_of_ml_dtypes_have_names():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert tools.dtype_to_ctype(ml_dtypes.bfloat16) == "__nv_bfloat16"
    assert tools.dtype_to_ctype(ml_dtypes.float8_e4m3fn) == "__nv_fp8_e4m3"
    assert tools.VectorArg(ml_dtypes.bfloat16, "x").declarator() == "__nv_bfloat16 *x"


SHAPES = [(), (5,), (1,), (3, 4), (1, 4), (3, 1), (2, 3, 4), (0, 3), (2, 0)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("order", "CF")
def test_layouts_are_numpys(shape, order):
    a = np.zeros(shape, np.float32, order=order)
    found = layouts.ArrayFlags(a)
    assert found.c_contiguous == a.flags.c_contiguous
    assert found.f_contiguous == a.flags.f_contiguous
    assert found.forc == a.flags.forc
    if a.size:
        make = layouts.c_contiguous_strides if order == "C" else layouts.f_contiguous_strides
        assert make(4, shape) == a.strides
        assert layouts.equal_strides(a.strides, make(4, shape), shape)


def test_layouts_with_gaps():
    a = np.arange(24, dtype=np.int16).reshape(4, 6)
    assert not layouts.ArrayFlags(a[:, ::2]).forc
    assert layouts.is_f_contiguous_strides(a.T.strides, 2, a.T.shape)
    assert not layouts.is_c_contiguous_strides(a.T.strides, 2, a.T.shape)
    np.testing.assert_array_equal(layouts.as_strided(a, (2, 2), (12, 4)), [[0, 2], [6, 8]])
    with pytest.raises(ValueError, match="lengths differ"):
        layouts.equal_strides((4,), (4, 4), (3, 3))
    assert layouts.get_common_dtype(np.zeros(1, "f4"), np.zeros(1, "f8")) == np.float64
    assert layouts.get_common_dtype(np.zeros(1, "f4"), np.zeros(1, "f8"), False) == np.float32


def test_the_device_is_characterized():
    assert characterize.platform_bits() == 64
    assert characterize.has_stack() and characterize.has_double_support()
    assert characterize.sizeof("float4") == 16
    assert characterize.sizeof("odd", "struct odd { double x; char c; };") == 16
    with pytest.raises(cuda.CompileError, match="nothing"):
        characterize.sizeof("nothing")


def run_debug(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lathe.cuda.debug", *arguments],
        env=script_environment(**environment), capture_output=True, text=True, timeout=300,
    )  # fmt: skip


SCRIPT = """
import sys, numpy, pycuda.driver as cuda
from pycuda.compiler import SourceModule
assert cuda.CUDA_DEBUGGING
mod = SourceModule('''
__global__ void put(int* a, int n) {
    int i = threadIdx.x;
    a[i + n] = i;
}''')
a = cuda.mem_alloc(64)
mod.get_function("put")(a, numpy.int32(sys.argv[1]), block=(16, 1, 1))
cuda.Context.synchronize()
print(cuda.from_device(a, 16, numpy.int32).tolist())
"""


def test_scripts_run_with_debugging(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = run_debug("--here", str(script), "0")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(list(range(16)))
    assert run_debug().returncode == 2
    assert "usage" in run_debug("--help").stdout
    missing = run_debug(str(tmp_path / "none.py"))
    assert missing.returncode == 1 and "there is no file" in missing.stderr


@pytest.mark.software
def test_debugging_names_thread_and_line_of_a_fault(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = run_debug(str(script), "3")
    assert done.returncode != 0
    assert "kernel.cu:4" in done.stderr and "thread (13, 0, 0)" in done.stderr, done.stderr


def test_debugging_is_switched():
    assert os.environ.get("CUDA_DEBUGGING") is None and not cuda.CUDA_DEBUGGING
    cuda.set_debugging()
    try:
        assert cuda.CUDA_DEBUGGING
        module = SourceModule("__global__ void f(int* a) { *a = 7; }")
        a = np.zeros(1, np.int32)
        module.get_function("f")(cuda.Out(a), block=(1, 1, 1))
        assert a[0] == 7
    finally:
        cuda.set_debugging(False)
    assert not cuda.CUDA_DEBUGGING
