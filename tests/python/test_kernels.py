# SPDX-License-Identifier: MIT
"""Kernels: arguments by the declared types, launches, errors."""

from __future__ import annotations

import numpy as np
import pytest

import lathe
from lathe.cuda.compiler import SourceModule
from lathe.cuda.gpuarray import vec

SOURCE = """
struct Pair { int count; float weight; };
__global__ void collect(double* out, const float* in, int i, unsigned char u, long long w, float f,
                        double d, bool b, float3 v, Pair p)
{
    out[0] = in[0]; out[1] = i; out[2] = u; out[3] = (double)w; out[4] = f; out[5] = d; out[6] = b;
    out[7] = v.x + 10 * v.y + 100 * v.z; out[8] = p.count; out[9] = p.weight;
}
__global__ void where(int* out) {
    out[(blockIdx.y * gridDim.x + blockIdx.x) * 6 + threadIdx.y * 3 + threadIdx.x] += 1;
}
__global__ void sum(const float* x, float* total, int n) {
    extern __shared__ float tile[];
    int i = threadIdx.x;
    tile[i] = i < n ? x[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (i < half) tile[i] += tile[i + half];
        __syncthreads();
    }
    if (i == 0) *total = tile[0];
}
"""


@pytest.fixture(scope="module")
def collect():
    return lathe.kernel(SOURCE, "collect")


def call(kernel, **changes):
    values = {
        "i": -3, "u": 200, "w": -(2**40), "f": 0.5, "d": 1 / 3, "b": True,
        "v": (1, 2, 3), "p": (7, 2.5),
    }  # fmt: skip
    values |= changes
    out, given = lathe.zeros(10, np.float64), lathe.asarray([4.25], np.float32)
    kernel[1, 1](out, given, **values)
    return out.get().tolist()


def test_every_kind_of_argument(collect):
    assert call(collect) == [4.25, -3, 200, -(2.0**40), 0.5, 1 / 3, 1, 321, 7, 2.5]


def test_numpy_scalars(collect):
    got = call(
        collect,
        i=np.int64(5),
        u=np.uint8(9),
        f=np.float64(0.25),
        d=np.float32(2),
        b=np.bool_(False),
    )
    assert got[1:3] + got[4:7] == [5, 9, 0.25, 2, 0]


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"i": 0.5}, TypeError, r"i \(int\) takes an integer, got 0.5 \(float\)"),
        (
            {"i": 2**31},
            ValueError,
            r"i \(int\): 2147483648 does not fit a signed integer of 32 bits",
        ),
        ({"u": 256}, ValueError, r"u \(unsigned char\): 256 does not fit"),
        ({"u": -1}, ValueError, r"u \(unsigned char\): -1 does not fit"),
        ({"f": "x"}, TypeError, r"f \(float\) takes a number, got 'x' \(str\)"),
        ({"f": 1e39}, ValueError, r"f \(float\): 1e\+39 is too large"),
        ({"v": (1, 2)}, ValueError, r"v \(float3\): 2 members given, 3 wanted"),
        ({"q": 1}, TypeError, r"collect\(\) has no parameter q"),
    ],
)
def test_wrong_arguments_name_the_parameter(collect, changes, error, words):
    with pytest.raises(error, match=words):
        call(collect, **changes)


STRUCTURES = """
struct Inner { float at[2]; int id; };
struct Outer { float a[3]; float b; int grid[2][3]; Inner parts[2]; char name[4]; };
__global__ void collect(float* out, Outer s) {
    int k = 0;
    for (float a : s.a) out[k++] = a;
    out[k++] = s.b;
    for (auto& row : s.grid) for (int each : row) out[k++] = each;
    for (auto& part : s.parts) { out[k++] = part.at[0]; out[k++] = part.at[1]; out[k++] = part.id; }
    for (char c : s.name) out[k++] = c;
}
__global__ void plain(float* out, float4 v) { out[0] = v.x + 10 * v.y + 100 * v.z + 1000 * v.w; }
"""
OUTER = np.dtype([
    ("a", "f4", 3), ("b", "f4"), ("grid", "i4", (2, 3)),
    ("parts", [("at", "f4", 2), ("id", "i4")], 2), ("name", "S4"),
])  # fmt: skip
OUTER_VALUE = (
    (1, 2, 3), 4.5, ((5, 6, 7), (8, 9, 10)), [((11, 12), 13), ((14, 15), 16)], b"abc",
)  # fmt: skip


@pytest.mark.parametrize(
    "value",
    [
        OUTER_VALUE,
        ([1, 2, 3], 4.5, range(5, 11), OUTER_VALUE[3], (97, 98, 99, 0)),
        (np.arange(1.0, 4.0), 4.5, np.arange(5, 11).reshape(2, 3), OUTER_VALUE[3], b"abc"),
        np.array(OUTER_VALUE, OUTER)[()],
        np.array(OUTER_VALUE, OUTER),
        np.array(OUTER_VALUE, OUTER).tobytes(),
    ],
    ids=["tuples", "flat", "arrays", "scalar", "no dimension", "bytes"],
)
def test_a_structure_may_have_arrays(value):
    out = lathe.zeros(20, np.float32)
    lathe.kernel(STRUCTURES, "collect")[1, 1](out, value)
    assert out.get().tolist() == [1, 2, 3, 4.5, *range(5, 17), 97, 98, 99, 0]


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({0: (1, 2)}, ValueError, r"a \(float\[\]\): 2 elements given, 3 wanted"),
        ({0: 5}, TypeError, r"a \(float\[\]\) takes a sequence of its elements, .* got 5"),
        ({2: ((1, 2, 3), (4, 5))}, ValueError, r"grid \(int\[\]\): 5 elements given, 6 wanted"),
        ({2: (1, 2, 3, 4, 5, 0.5)}, TypeError, r"grid\[5\] \(int\) takes an integer, got 0.5"),
        ({4: b"abcde"}, ValueError, r"name \(char\[\]\): 5 bytes given, 4 wanted"),
    ],
)
def test_wrong_elements_of_a_structures_arrays(change, error, words):
    value = tuple(change.get(k, each) for k, each in enumerate(OUTER_VALUE))
    with pytest.raises(error, match=words):
        lathe.kernel(STRUCTURES, "collect")[1, 1](lathe.zeros(20, np.float32), value)


def test_a_structure_whose_members_are_not_known():
    kernel = SourceModule(STRUCTURES).get_function("collect")  # knows sizes only
    out = lathe.zeros(20, np.float32)
    for value in (np.array(OUTER_VALUE, OUTER), np.array(OUTER_VALUE, OUTER)[()]):
        out.fill(0)
        kernel(out, value, block=(1, 1, 1))
        assert out.get().tolist() == [1, 2, 3, 4.5, *range(5, 17), 97, 98, 99, 0]
    with pytest.raises(TypeError, match="takes its bytes or a NumPy scalar, because its members"):
        kernel(out, OUTER_VALUE, block=(1, 1, 1))


def test_a_vector_that_is_an_array_without_dimensions():
    out = lathe.zeros(1, np.float32)
    for value in (vec.make_float4(1, 2, 3, 4), vec.make_float4(1, 2, 3, 4)[()]):
        out.fill(0)
        lathe.kernel(STRUCTURES, "plain")[1, 1](out, value)
        assert out.get().tolist() == [4321]
    for wrong in (np.array(1.0), lathe.zeros((), np.float32)):
        with pytest.raises((TypeError, ValueError), match=r"v \(float4\)"):
            lathe.kernel(STRUCTURES, "plain")[1, 1](out, wrong)


def test_wrong_counts(collect):
    with pytest.raises(TypeError, match=r"in \(const float\*\) is missing"):
        collect[1, 1](lathe.zeros(10, np.float64))
    with pytest.raises(TypeError, match="takes 10 arguments, got 11"):
        collect[1, 1](*range(11))
    with pytest.raises(TypeError, match="given twice"):
        collect[1, 1](lathe.zeros(10, np.float64), out=None)


def test_arrays_of_another_type(collect):
    with pytest.raises(TypeError, match=r"out \(double\*\) takes an array of 8-byte floats"):
        collect[1, 1](lathe.zeros(10, np.float32), None, 0, 0, 0, 0, 0, False, (0, 0, 0), (0, 0))
    with pytest.raises(TypeError, match="asarray"):
        collect[1, 1](np.zeros(10), None, 0, 0, 0, 0, 0, False, (0, 0, 0), (0, 0))


def test_parameters_are_those_of_the_source(collect):
    assert [name for name, _ in collect.parameters][:4] == ["out", "in", "i", "u"]
    assert dict(collect.parameters)["p"] == "Pair"


def test_grid_and_block():
    kernel = lathe.kernel(SOURCE, "where")
    out = lathe.zeros(4 * 6, np.int32)
    kernel[(2, 2), (3, 2)](out)
    assert (out.get() == 1).all()
    for wrong in [(0, 1), ((1, 2, 3, 4), 1), (1.5, 1), ((-1,), 1)]:
        with pytest.raises(ValueError, match="grid must be one to three integers"):
            kernel[wrong]
    with pytest.raises(TypeError, match=r"where\[grid, block\]"):
        kernel[3]


def test_too_large_a_block_is_the_drivers_word():
    kernel = lathe.kernel(SOURCE, "where")
    with pytest.raises(lathe.LogicError, match="where"):
        kernel[1, 4096](lathe.zeros(1, np.int32))


def test_over_covers_a_shape_in_numpy_order():
    kernel = lathe.kernel(
        "__global__ void at(int* out, int w, int h) {"
        " int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;"
        " if (x < w && y < h) out[y * w + x] = 1000 * y + x; }"
    )
    out = lathe.zeros((37, 50), np.int32)
    kernel.over((37, 50))(out, 50, 37)
    np.testing.assert_array_equal(out.get(), 1000 * np.arange(37)[:, None] + np.arange(50))


def test_dynamic_shared_memory():
    kernel = lathe.kernel(SOURCE, "sum")
    x, total = lathe.asarray(np.arange(100), np.float32), lathe.zeros(1)
    kernel[1, 128, 128 * 4](x, total, 100)
    assert total.get()[0] == 4950


def test_sibling_and_unknown_names(collect):
    assert collect.sibling("where").name == "where"
    with pytest.raises(lathe.Error, match="no kernel 'nothing'; it has"):
        collect.sibling("nothing")


def test_compile_errors_carry_the_place():
    with pytest.raises(lathe.CompileError) as caught:
        lathe.kernel("__global__ void broken(float* x)\n{\n    x[0] = y;\n}\n")
    error = caught.value
    assert "kernel.cu:3:12" in error.diagnostics[0]
    assert '"y" is undefined' in error.log
    assert isinstance(error, lathe.Error)


@pytest.mark.software
def test_a_fault_names_the_line_and_the_device_goes_on():
    kernel = lathe.kernel("__global__ void far(float* x, long i)\n{\n    x[i] = 1;\n}\n")
    x = lathe.zeros(4)
    with pytest.raises(lathe.LogicError, match="illegal") as caught:
        kernel[1, 1](x, 1 << 40)
        x.get()
    assert "kernel.cu:3" in str(caught.value)
    assert "far" in str(caught.value)
    good = lathe.zeros(4)
    kernel[1, 1](good, 2)
    assert good.get().tolist() == [0, 0, 1, 0]
