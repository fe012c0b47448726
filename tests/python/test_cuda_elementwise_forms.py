# SPDX-License-Identifier: MIT
"""ElementwiseKernel with several elements of a thread: the same results as NumPy's, whatever arrays
and snippets it is given. Here arrays of any size count as large, which they do on no device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lathe.cuda import elementwise as ew
from lathe.cuda import gpuarray
from lathe.cuda.elementwise import ElementwiseKernel
from lathe.cuda.elementwise_forms import Form, Snippet
from lathe.cuda.independence import is_always_set, is_independent, is_long, is_value_only
from lathe.cuda.tools import get_or_register_dtype

pytestmark = pytest.mark.usefixtures("cuda_context", "forms")

SIZES = [1, 3, 4, 5, 7, 255, 1023, 1024, 1025, 4099]


@pytest.fixture
def forms(monkeypatch: pytest.MonkeyPatch) -> list[Form]:
    """The forms that launches had; each array is large."""
    seen: list[Form] = []
    own = Snippet.kernel

    def kernel(self: Snippet, form: Form) -> Any:
        seen.append(form)
        return own(self, form)

    monkeypatch.setattr(ew, "_busy_threads", lambda: 0)
    monkeypatch.setattr(Snippet, "kernel", kernel)
    return seen


def numbers(count: int, dtype: Any = np.float32, seed: int = 1) -> Any:
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        return rng.integers(0, 100, count).astype(dtype)
    made = rng.standard_normal(count)
    return (made + 1j * rng.standard_normal(count) if np.dtype(dtype).kind == "c" else made).astype(
        dtype
    )


@pytest.mark.parametrize("count", SIZES)
def test_every_element_and_none_beyond(forms: list[Form], count: int) -> None:
    kernel = ElementwiseKernel(
        "float *z, float a, const float *x, float b, const float *y", "z[i] = a * x[i] + b * y[i]"
    )
    x, y = numbers(count), numbers(count, seed=2)
    room = gpuarray.to_gpu(np.full(count + 64, 7, np.float32))
    kernel(room[:count], 2, gpuarray.to_gpu(x), 4, gpuarray.to_gpu(y))
    assert forms[-1] == Form(4, False, (0, 1, 2, 3, 4))
    got = room.get()
    np.testing.assert_allclose(got[:count], 2 * x + 4 * y, rtol=1e-6, atol=1e-6)
    assert (got[count:] == 7).all()


@pytest.mark.parametrize(
    ("dtype", "ctype", "many"),
    [
        (np.float64, "double", 2),
        (np.complex64, "pycuda::complex<float>", 2),
        (np.complex128, "pycuda::complex<double>", 1),
        (np.float16, "half", 8),
        (np.int16, "short", 8),
        (np.uint8, "unsigned char", 16),
        (np.int64, "long long", 2),
    ],
)
@pytest.mark.parametrize("count", [1, 17, 1000])
def test_types(forms: list[Form], dtype: Any, ctype: str, many: int, count: int) -> None:
    kernel = ElementwiseKernel(f"{ctype} *z, {ctype} *x, {ctype} *y", "z[i] = x[i] + y[i]")
    x, y = numbers(count, dtype), numbers(count, dtype, 2)
    z = gpuarray.GPUArray(count, dtype)
    kernel(z, gpuarray.to_gpu(x), gpuarray.to_gpu(y))
    assert forms[-1].many == many
    np.testing.assert_array_equal(z.get(), x + y)


def test_arrays_of_two_types_and_structures(forms: list[Form]) -> None:
    x, y = numbers(1001), numbers(1001, np.float64)
    z = gpuarray.GPUArray(1001, np.float64)
    kernel = ElementwiseKernel("double *z, float *x, double *y", "z[i] = x[i] + y[i]")
    kernel(z, gpuarray.to_gpu(x), gpuarray.to_gpu(y))
    assert forms[-1] == Form(2, False, (0, 1, 2))
    np.testing.assert_array_equal(z.get(), x.astype(np.float64) + y)

    pair = np.dtype([("low", np.int32), ("high", np.int32)])
    get_or_register_dtype("form_pair", pair)
    host = np.zeros(1001, pair)
    host["low"], host["high"] = np.arange(1001), -np.arange(1001)
    pairs = gpuarray.to_gpu(host)
    swap = ElementwiseKernel(
        "form_pair *p", "int high = p[i].high; p[i].high = p[i].low; p[i].low = high",
        preamble="struct form_pair { int low, high; };",
    )  # fmt: skip
    swap(pairs)
    assert forms[-1].many == 2
    np.testing.assert_array_equal(pairs.get()["low"], host["high"])
    np.testing.assert_array_equal(pairs.get()["high"], host["low"])


def test_a_structure_of_three_bytes_is_taken_a_block_s_width_apart(forms: list[Form]) -> None:
    three = np.dtype([("of", np.uint8, 3)])
    get_or_register_dtype("form_three", three)
    host = np.zeros(1000, three)
    host["of"] = np.arange(3000).reshape(1000, 3) % 251
    pixels = gpuarray.to_gpu(host)
    kernel = ElementwiseKernel(
        "form_three *p", "p[i].of[1] = 255 - p[i].of[1]",
        preamble="struct form_three { unsigned char of[3]; };",
    )  # fmt: skip
    kernel(pixels)
    assert forms[-1].apart or forms[-1].many == 1
    host["of"][:, 1] = 255 - host["of"][:, 1]
    np.testing.assert_array_equal(pixels.get(), host)


@pytest.mark.parametrize(("first", "second"), [(1, 0), (0, 3), (1, 1), (2, 2), (4, 8)])
@pytest.mark.parametrize("count", [1, 700, 1300])
def test_slices_that_begin_anywhere(forms: list[Form], first: int, second: int, count: int) -> None:
    x, y = numbers(count + 8), np.full(count + 16, 7, np.float32)
    there, to = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    kernel = ElementwiseKernel("float *z, float *x", "z[i] = 2 * x[i]")
    kernel(to[second : second + count], there[first : first + count])
    assert forms[-1].apart == (first % 4 != 0 or second % 4 != 0)
    y[second : second + count] = 2 * x[first : first + count]
    np.testing.assert_array_equal(to.get(), y)


def test_one_array_by_two_names(forms: list[Form]) -> None:
    x, y = numbers(1003), numbers(1003, seed=2)
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    kernel = ElementwiseKernel(
        "float *z, const float *x, float *y", "z[i] = 2 * x[i]; y[i] = x[i] + y[i]"
    )
    kernel(a, a, b)  # what is written as z is read as x
    assert forms[-1] == Form(4, False, (0, 0, 2))
    np.testing.assert_array_equal(a.get(), 2 * x)
    np.testing.assert_array_equal(b.get(), 2 * x + y)
    kernel = ElementwiseKernel("const float *x, float *z", "z[i] = x[i] + 1")
    kernel(a, a)  # the name that is written is the second one
    np.testing.assert_array_equal(a.get(), 2 * x + 1)


def test_views_that_share_memory_have_one_element_a_thread(forms: list[Form]) -> None:
    host = numbers(2000)
    base = gpuarray.to_gpu(host)
    kernel = ElementwiseKernel("float *z, float *x", "z[i] = 2 * x[i]")
    kernel(base[4:1004], base[:1000])
    assert forms[-1] == Form()
    kernel(base[1000:], base[:1000])  # side by side
    assert forms[-1].many == 4
    kernel(base.view(np.int32)[:1000].view(np.float32), base[:1000])
    assert forms[-1] == Form(4, False, (0, 0))
    # What is only read may share memory.
    add = ElementwiseKernel("float *z, float *x, float *y", "z[i] = x[i] + y[i]")
    z = gpuarray.GPUArray(1000, np.float32)
    there = gpuarray.to_gpu(host)
    add(z, there[:1000], there[4:1004])
    assert forms[-1].many == 4
    np.testing.assert_array_equal(z.get(), host[:1000] + host[4:1004])
    # Not where it could be written by another name.
    add = ElementwiseKernel(
        "float *z, float *x, float *y", "z[i] = sum(x[i], y[i])",
        preamble="__device__ float sum(float& a, float b) { a += b; return a; }",
    )  # fmt: skip
    add(z, there[:1000], there[4:1004])
    assert forms[-1] == Form()


def test_an_address_instead_of_an_array(forms: list[Form]) -> None:
    z, x = gpuarray.zeros(100, np.float32), gpuarray.to_gpu(numbers(100))
    kernel = ElementwiseKernel("float *z, float *x", "z[i] = x[i]")
    kernel(z, int(x.ptr))
    assert forms[-1] == Form()
    np.testing.assert_array_equal(z.get(), x.get())


def test_neighbours_tables_and_sums(forms: list[Form]) -> None:
    x = numbers(1001)
    z, there = gpuarray.GPUArray(1001, np.float32), gpuarray.to_gpu(x)
    ElementwiseKernel("float *z, float *x", "z[i] = x[i] + x[i + 1 < n ? i + 1 : 0]")(z, there)
    assert forms[-1].many == 4
    np.testing.assert_array_equal(z.get(), x + np.roll(x, -1))

    keys = numbers(1001, np.int32) % 10
    table = numbers(10, seed=3)
    ElementwiseKernel("float *z, float *table, int *key", "z[i] = table[key[i]]")(
        z, gpuarray.to_gpu(table), gpuarray.to_gpu(keys)
    )
    assert forms[-1].many == 4
    np.testing.assert_array_equal(z.get(), table[keys])

    counts = gpuarray.zeros(10, np.int32)
    ElementwiseKernel("int *count, int *key", "atomicAdd(&count[key[i]], 1)")(
        counts, gpuarray.to_gpu(keys)
    )
    assert forms[-1].many == 4
    np.testing.assert_array_equal(counts.get(), np.bincount(keys, minlength=10))

    order = np.random.default_rng(5).permutation(1001).astype(np.int32)
    ElementwiseKernel("float *z, float *x, int *to", "z[to[i]] = x[i]")(
        z, there, gpuarray.to_gpu(order)
    )
    assert forms[-1].many == 4
    np.testing.assert_array_equal(z.get()[order], x)


def test_an_element_that_reads_what_it_wrote(forms: list[Form]) -> None:
    x, y = numbers(1001), numbers(1001, seed=2)
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    ElementwiseKernel("float *x, float *y", "x[i] += y[i]; y[i] = x[i]; x[i] = 2 * y[i]")(a, b)
    assert forms[-1].many == 4
    np.testing.assert_array_equal(b.get(), x + y)
    np.testing.assert_array_equal(a.get(), 2 * (x + y))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("if (x[i] < 0) continue; z[i] = x[i]", lambda x: np.where(x < 0, 0, x)),
        ("if (x[i] < 0) return; z[i] = x[i]", lambda x: np.where(x < 0, 0, x)),
        ("if (x[i] < 0) break; z[i] = x[i]", lambda x: np.where(x < 0, 0, x)),
        ("for (int k = 0; k < 9; ++k) { if (k > 4) break; z[i] += x[i]; }", lambda x: sum([x] * 5)),
        ("float s = 0; for (int i = 0; i < 3; ++i) s += i; z[i] = s", lambda x: 0 * x + 3),
        ("z[i] = tid", lambda x: np.arange(x.size) % 256),
        ("z[i] = total_threads >= n && cta_start <= i", lambda x: 0 * x + 1),
        ("{ size_t j = i; i = n - 1 - i; z[i] = x[j]; i = j; }", lambda x: x[::-1]),
        ("float *p = z + i; *p = x[i]", lambda x: x),
        ("float &v = z[i]; v = x[i]; v += z[i]", lambda x: 2 * x),
        ("if (x[i] > 0) z[i] = x[i]", lambda x: np.where(x > 0, x, 0)),
        ("z[i] = x[i]; z[i] *= 2; z[i] += z[i]", lambda x: 4 * x),
        ("z[i] = x[i]; if (x[i] < 0) z[i] = 0", lambda x: np.maximum(x, 0)),
        ("x[i] > 0 && (z[i] = x[i])", lambda x: np.where(x > 0, x, 0)),
        ("float v = z[i]; z[i] = x[i] + v", lambda x: x),
        ("z[i] = z[i] + x[i]", lambda x: x),
        ("z[i] = i & 1 ? x[i] : n", lambda x: np.where(np.arange(x.size) % 2, x, x.size)),
    ],
)
def test_snippets_of_every_kind(text: str, expected: Any) -> None:
    x = numbers(1001)
    z = gpuarray.zeros(1001, np.float32)
    ElementwiseKernel("float *z, float *x", text)(z, gpuarray.to_gpu(x))
    np.testing.assert_allclose(z.get(), expected(x).astype(np.float32), rtol=1e-6)


def test_variables_of_the_module_are_one(forms: list[Form]) -> None:
    z = gpuarray.zeros(100, np.int32)
    count = ElementwiseKernel(
        "int *z", "z[i] = atomicAdd(&calls, 1)", preamble="__device__ int calls = 0;"
    )
    for first in (0, 100):
        count(z)
        np.testing.assert_array_equal(np.sort(z.get()), np.arange(100) + first)
    assert not forms  # the kernel with a loop


def test_an_element_that_is_work_enough_has_a_thread(forms: list[Form]) -> None:
    x = numbers(1001)
    z = gpuarray.zeros(1001, np.float32)
    cube = "__device__ float cube(float v) { float p = 1; int k = 0; while (k++ < 3) p *= v; "
    kernel = ElementwiseKernel(
        "float *z, float *x", "z[i] = cube(x[i])", preamble=cube + "return p; }"
    )
    kernel(z, gpuarray.to_gpu(x))
    assert forms[-1] == Form()
    np.testing.assert_allclose(z.get(), x**3, rtol=1e-6)


def test_a_short_loop_is_not_work_enough(forms: list[Form]) -> None:
    x = numbers(1001)
    z = gpuarray.zeros(1001, np.float32)
    cube = "__device__ float cube(float v) { float p = 1; for (int k = 0; k < 3; ++k) p *= v; "
    kernel = ElementwiseKernel(
        "float *z, float *x", "for (int k = 1; k <= 4; k++) z[i] += k * cube(x[i])",
        preamble=cube + "return p; }",
    )  # fmt: skip
    kernel(z, gpuarray.to_gpu(x))
    assert forms[-1].many == 4
    np.testing.assert_allclose(z.get(), 10 * x**3, rtol=1e-5)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (False, "z[i] = x[i]"),
        (False, "for (int k = 0; k < 64; ++k) z[i] += x[i]"),
        (False, "for (unsigned int k = 2; k < 9; k++) z[i] += x[i]"),
        (False, "for (int k = 1; k <= 64; ++k) z[i] += x[i]"),
        (True, "for (int k = 0; k <= 64; ++k) z[i] += x[i]"),
        (True, "for (int k = 0; k < 10; ++k) for (int j = 0; j < 10; ++j) z[i] += x[j]"),
        (True, "for (int k = 0; k < m; ++k) z[i] += x[i]"),
        (True, "for (int k = 0; k < 9; k += step) z[i] += x[i]"),
        (True, "for (int k = 0; k < 9; ++j) z[i] += x[i]"),
        (True, "for (;;) z[i] += x[i]"),
        (True, "for (int k = 0; k < 9; ++k) while (z[i] < x[i]) z[i] += 1"),
        (True, "do z[i] += 1; while (z[i] < x[i])"),
    ],
)
def test_work_enough_for_a_thread(answer: bool, text: str) -> None:
    assert is_long(text) is answer


def test_ranges_keep_their_loop(forms: list[Form]) -> None:
    z = gpuarray.zeros(50, np.int32)
    ElementwiseKernel("int *z", "z[i] = i")(z, slice=slice(3, None, 5))
    assert not forms
    expected = np.zeros(50, np.int32)
    expected[3::5] = np.arange(50)[3::5]
    np.testing.assert_array_equal(z.get(), expected)


@pytest.mark.parametrize(
    ("answer", "text", "preamble"),
    [
        (True, "z[i] = a * x[i]", ""),
        (True, "z[i] = f(x[i])", "__device__ float f(float v) { return v * v; }"),
        (True, "z[i] = SQUARE(x[i])", "#define SQUARE(v) ((v) * (v))"),
        (True, "z[i] = x[i + 1] == x[i] && i > 2", "#include <cuda_fp16.h>"),
        (False, "z[i] = x[i]; __syncthreads()", ""),
        (False, "z[i] = __shfl_sync(~0u, x[i], 0)", ""),
        (False, "z[i] = f()", "__device__ int f() { return threadIdx.x; }"),
        (False, "z[i] = NEXT", "#define NEXT \\\n  x[i++]"),
        (False, "SKIP; z[i] = x[i]", "#define SKIP if (x[i] < 0) return"),
        (False, "z[i] = x[i]", '#include "mine.h"'),
        (False, "z[i] = ((float*)address)[i]", ""),
        (False, "z[i] = list->value[i]", ""),
        (False, "z[i] = kept[i]", "__device__ float* kept;"),
        (False, "z += 1; z[i] = x[i]", ""),
        (False, "++z; z[i] = x[i]", ""),
        (False, "z[i] = x[i++]", ""),
        (False, "z[i] = x[i]; i += 2", ""),
        (False, "g(&i); z[i] = x[i]", ""),
        (False, "for (long i = 0; i < 3; ++i) z[i] = x[i]", ""),
        (True, "++z[i]; z[i] = i == 3 ? x[i] : 0", ""),
        (True, "z[i] = x[i] != i && i", ""),
    ],
)
def test_what_counts_as_independent(answer: bool, text: str, preamble: str) -> None:
    assert is_independent(text, preamble, ["z", "x"]) == answer


@pytest.mark.parametrize(
    ("values", "is_set", "text", "preamble"),
    [
        (True, True, "z[i] = x[i]", ""),
        (True, True, "float v = x[ i ]; z[i] = v; z[i] += x[i]", ""),
        (True, False, "if (x[i] > 0) z[i] = x[i]", ""),
        (True, False, "x[i] > 0 && (z[i] = x[i])", ""),
        (True, False, "z[i] = z[i] + x[i]", ""),
        (True, False, "z[i] += x[i]", ""),
        (True, False, "z[i] == x[i]", ""),
        (True, False, "z[i] = x[i]; z[i + 1] = x[i]", ""),
        (True, False, "z[i] = x[i]; atomicAdd(&z[i], 1)", ""),
        (True, False, "z[i] = x[i]; TWICE", "#define TWICE z[i] *= 2"),
        (True, False, "switch (k) { case 1: z[i] = x[i]; }", ""),
        (False, True, "z[i] = x[i + 1]", ""),
        (False, True, "z[i] = *x", ""),
        (False, True, "z[i] = f(x)", ""),
        (False, True, "z[i] = x[i]++", ""),
        (False, True, "z[i] = f(x[i])", "__device__ float f(float& v) { return v; }"),
        (True, True, "z[i] = f(x[i])", "__device__ float f(const float& v) { return v; }"),
        (False, True, "z[i] = OTHER + x[i]", "#define OTHER x[0]"),
        (False, False, "long i = 3; z[i] = x[i]", ""),
        (False, False, "z[i] = x[i]", '#include "mine.h"'),
    ],
)
def test_what_is_loaded_before_and_stored_behind(
    values: bool, is_set: bool, text: str, preamble: str
) -> None:
    assert is_value_only("x", text, preamble) == values
    assert is_always_set("z", text, preamble) == is_set


def test_elements_that_are_not_set_stay(forms: list[Form]) -> None:
    x, y = numbers(1001), numbers(1001, seed=2)
    z = gpuarray.to_gpu(y)
    kernel = ElementwiseKernel("float *z, float *x", "if (x[i] > 0) z[i] = x[i]")
    kernel(z, gpuarray.to_gpu(x))
    assert forms[-1].many == 4
    np.testing.assert_array_equal(z.get(), np.where(x > 0, x, y))
