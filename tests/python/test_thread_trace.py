# SPDX-License-Identifier: MIT
"""lathe.trace_thread against Python that does the same."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import lathe
from lathe.cuda import driver
from lathe.cuda.compiler import compile_plain

COLLATZ = """enum Kind { even, odd };
struct Pair { int n; Kind kind; float half; };
__constant__ int most = 1000;
__device__ int rounds = 0;

__device__ int next(int n) {
    Pair pair;
    pair.n = n;
    pair.kind = n % 2 ? odd : even;
    pair.half = n / 2.0f;
    return pair.kind == even ? n / 2 : 3 * n + 1;
}
__global__ void collatz(unsigned* steps, int first) {
    int n = first + blockIdx.x * blockDim.x + threadIdx.x;
    int seen[4] = {n, n, n, n};
    unsigned count = 0;
    while (n > 1 && count < most) {
        seen[count % 4] = n;
        n = next(n);
        count += 1;
    }
    steps[n == 1 ? threadIdx.x : 0] = count;
    atomicAdd(&rounds, 1);
}
"""


@pytest.fixture(scope="module")
def module() -> Any:
    return lathe.cuda.compiler.SourceModule(COLLATZ, no_extern_c=True)


def collatz(n: int) -> list[int]:
    path = [n]
    while path[-1] > 1:
        path.append(path[-1] // 2 if path[-1] % 2 == 0 else 3 * path[-1] + 1)
    return path


def test_lines_and_values_are_those_of_the_thread(module: Any) -> None:
    kernel = module.get_function("collatz")
    steps = lathe.zeros(8, "uint32")
    with lathe.trace_thread(kernel, block=(1,), thread=2) as trace:
        kernel(steps, np.int32(1), block=(8, 1, 1), grid=(2, 1))
    path = collatz(11)
    assert [step.changes["n"] for step in trace.at(19)] == path[1:]
    assert [step.values["n"] for step in trace.at(19)] == path[:-1]
    assert [step.changes["count"] for step in trace.at(20)] == list(range(1, len(path)))
    calls = [step for step in trace if step.function == "next"]
    assert {step.depth for step in calls} == {1}
    pairs = [step.values["pair"] for step in trace.at(11)]
    for n, pair in zip(path[:-1], pairs, strict=True):
        assert pair["n"] == n and pair["kind"] == ("odd" if n % 2 else "even")
        assert pair["half"] == np.float32(n / 2)
    seen = trace.at(22)[0].values["seen"]
    expected = [11] * 4
    for k, n in enumerate(path[:-1]):
        expected[k % 4] = n
    assert seen == expected
    first = trace.steps[0]
    assert first.changes["first"] == 1 and first.changes["steps"] == int(steps.gpudata)
    assert not trace.is_cut


def test_the_launch_is_the_real_one(module: Any) -> None:
    kernel = module.get_function("collatz")
    most, size = module.get_global("most")
    rounds, _ = module.get_global("rounds")
    assert size == 4
    before = np.zeros(1, np.int32)
    driver.memcpy_dtoh(before, rounds)
    driver.memcpy_htod(most, np.int32(3))
    try:
        steps = lathe.zeros(8, "uint32")
        with lathe.trace_thread(kernel, thread=6) as trace:
            kernel(steps, np.int32(1), block=(8, 1, 1))
            kernel(steps, np.int32(1), block=(8, 1, 1))  # as usual
        assert [step.changes["n"] for step in trace.at(19)] == collatz(7)[1:4]
        after = np.zeros(1, np.int32)
        driver.memcpy_dtoh(after, rounds)
        assert after[0] == before[0] + 16
        assert steps.get()[1] == 1  # 2 takes one step, before the three
    finally:
        driver.memcpy_htod(most, np.int32(1000))


def test_text_has_lines_and_what_they_change() -> None:
    kernel = lathe.kernel("""__global__ void halve(int* out, int n) {
    int rounds = 0;
    while (n > 1) {
        n /= 2;
        rounds += 1;
    }
    out[threadIdx.x] = rounds; }""")
    out = lathe.zeros(4, "int32")
    with lathe.trace_thread(kernel, thread=3) as trace:
        kernel[1, 4](out, 5)
    text = str(trace)
    assert text.startswith("halve, block (0, 0, 0), thread (3, 0, 0)\n")
    assert "    4  n /= 2;" in text and "n = 2\n" in text and "rounds = 2\n" in text
    assert out.get().tolist() == [2] * 4
    assert trace.at(5)[0].text.strip() == "rounds += 1;"


TYPES = [
    ("bool", "true", True),
    ("signed char", "-5", -5),
    ("unsigned char", "250", 250),
    ("short", "-300", -300),
    ("unsigned short", "65535", 65535),
    ("int", "-70000", -70000),
    ("unsigned", "4000000000u", 4000000000),
    ("long long", "-5000000000ll", -5000000000),
    ("unsigned long long", "18446744073709551615ull", 18446744073709551615),
    ("float", "0.1f", np.float32(0.1)),
    ("double", "0.1", 0.1),
    ("float2", "make_float2(1, 2)", {"x": 1.0, "y": 2.0}),
]


def test_values_of_all_types() -> None:
    lines = [f"    {type_} v{k} = {value};" for k, (type_, value, _) in enumerate(TYPES)]
    uses = " + ".join(f"sizeof(v{k})" for k in range(len(TYPES)))
    kernel = lathe.kernel(
        "__global__ void all(int* out) {\n" + "\n".join(lines) + f"\n    *out = {uses};\n}}"
    )
    with lathe.trace_thread(kernel) as trace:
        kernel[1, 1](lathe.zeros(1, "int32"))
    values = trace.at(2 + len(TYPES))[0].values
    for k, (type_, _, expected) in enumerate(TYPES):
        assert values[f"v{k}"] == expected, type_


def test_a_sum_has_the_bits_of_the_hosts() -> None:
    kernel = lathe.kernel("""__global__ void sum(float* out, const float* x) {
    float total = 0;
    for (int k = 0; k < 5; ++k)
        total += x[k];
    *out = total;
}""")
    x = np.array([1e8, 1, -1e8, np.nan, 3], np.float32)
    out, there = lathe.zeros(1), lathe.asarray(x)
    with lathe.trace_thread(kernel) as trace:
        kernel[1, 1](out, there)
    total, expected = np.float32(0), []
    for each in x:
        total = np.float32(total + each)
        expected.append(total)
    made = [step.changes.get("total", step.values["total"]) for step in trace.at(4)]
    np.testing.assert_array_equal(made, expected)


def test_a_live_kernel_is_followed_as_it_is_edited() -> None:
    app = lathe.App("trace", size=(16, 16), headless=True)
    x = app.zeros(8)
    kernel = app.kernel("__global__ void fill(float* x, float by) {\n"
                        "    float y = by * 2;\n"
                        "    x[threadIdx.x] = y;\n}")  # fmt: skip
    seen = []
    for edit in ("* 2", "* 5"):
        kernel.slot.source = kernel.slot.source.replace("* 2", edit)
        kernel.slot.wait()
        assert app.frame()
        with lathe.trace_thread(kernel, thread=4) as trace:
            kernel[1, 8](x, 3.0)
        seen.append(trace.at(2)[0].changes["y"])
    assert seen == [6, 15]
    assert x.get().tolist() == [15] * 8


def test_bad_input_is_named() -> None:
    kernel = lathe.kernel("__global__ void f(int* p) { *p = 1; }")
    with pytest.raises(ValueError, match=r"block is .*-1.*: one to three numbers from 0 on"):
        lathe.trace_thread(kernel, block=-1)
    with pytest.raises(ValueError, match="thread is"):
        lathe.trace_thread(kernel, thread=(0, 0, 0, 0))
    with pytest.raises(TypeError, match="takes a kernel, not int"):
        lathe.trace_thread(3)  # type: ignore[arg-type]
    with lathe.trace_thread(kernel, thread=5) as trace:
        kernel[1, 2](lathe.zeros(1, "int32"))
    assert not trace.steps and "no step" in str(trace)
    with lathe.trace_thread(kernel) as trace:
        pass
    assert not trace.steps
    kernel[1, 1](lathe.zeros(1, "int32"))  # as usual


def test_code_without_a_source_is_refused() -> None:
    made = compile_plain(
        'extern "C" __global__ void f(int* p) { *p = 1; }', ["-arch=compute_75"], target="ptx"
    )
    kernel = driver.module_from_buffer(made).get_function("f")
    trace = lathe.trace_thread(kernel)
    with pytest.raises(lathe.Error, match="f: its source is not known"), trace:
        pass


def test_a_template_and_a_2d_block() -> None:
    module = lathe.cuda.compiler.SourceModule(
        "template <class T> __global__ void put(T* p) {\n"
        "    T value = T(threadIdx.x + 10 * threadIdx.y + 100 * blockIdx.y);\n"
        "    p[0] = value;\n}",
        no_extern_c=True,
    )
    kernel = module.get_function("put<double>")
    with lathe.trace_thread(kernel, block=(0, 3), thread=(2, 1)) as trace:
        kernel(lathe.zeros(1, "float64"), block=(4, 4, 1), grid=(1, 4))
    assert trace.at(2)[0].changes["value"] == 312.0
    assert type(trace.at(3)[0].values["value"]) is float


def test_f7_follows_the_thread_of_what_is_under_the_mouse():
    app = lathe.App("followed", size=(1280, 720), headless=True, ui=True)
    kernel = app.kernel(
        """__global__ void ramp(float* u, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int i = 0; i <= x; ++i)
        sum += 0.5f;
    u[y * width + x] = sum + y; }""",
        name="ramp.cu",
    )
    u = app.zeros((48, 64), "float32")

    def frame():
        assert app.frame()
        kernel.over(u.shape)(u, 64, 48)
        app.image(u, range=(0, 100), name="u")

    app.input.move_mouse(450, 250)
    for _ in range(4):
        frame()
    row, column = app.picked.index
    assert app.followed == []
    app.input.press_key("f7")
    deadline = time.monotonic() + 60
    while not app.followed and time.monotonic() < deadline:
        frame()
    steps = app.followed
    assert [step.changes["sum"] for step in steps if step.text.strip() == "sum += 0.5f;"] == [
        0.5 * (i + 1) for i in range(column + 1)
    ]
    assert (steps[-1].values["x"], steps[-1].values["y"]) == (column, row)
    assert u.get()[row, column] == 0.5 * (column + 1) + row
    assert any("lathe.trace_thread(ramp, block=(" in text for _, _, text in app.console)
