# SPDX-License-Identifier: MIT
"""lathe.trace_thread and shared memory, beside NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lathe

SUM = """__global__ void sum(float* out, const float* in) {
    __shared__ float part[64];
    const int t = threadIdx.x;
    part[t] = in[t];
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        *out = part[0];
}"""


def sums(data: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """The array after each round of the reduction."""
    part, rounds = data.copy(), []
    for half in (32, 16, 8, 4, 2, 1):
        part[:half] += part[half : 2 * half]
        rounds.append(part.copy())
    return rounds


@pytest.mark.parametrize("thread", [0, 5, 31, 40])
def test_a_reduction_has_the_shared_array_of_each_round(thread: int) -> None:
    kernel = lathe.kernel(SUM)
    data = np.arange(64, dtype=np.float32) ** 2
    out = lathe.zeros(1)
    with lathe.trace_thread(kernel, thread=thread) as trace:
        kernel[1, 64](out, lathe.asarray(data))
    rounds = sums(data)
    barriers = trace.at(9)
    assert len(barriers) == len(rounds)
    for step, expected in zip(barriers, rounds, strict=True):
        part = step.after["part"]
        assert part.shape == (64,) and part.dtype == np.float32
        np.testing.assert_array_equal(part, expected)
        assert not part.flags.writeable
    (begin,) = trace.at(5)
    np.testing.assert_array_equal(begin.after["part"], data)
    adds = trace.at(8)
    halves = [half for half in (32, 16, 8, 4, 2, 1) if thread < half]
    assert [sorted(step.reads["part"]) for step in adds] == [[thread, thread + k] for k in halves]
    assert [step.writes["part"] for step in adds] == [[thread]] * len(halves)
    assert out.get()[0] == data.sum()


def test_the_text_names_some_of_the_elements_that_a_line_changes() -> None:
    kernel = lathe.kernel("""__device__ void fill(float* x, int n) {
    for (int k = 0; k < n; ++k)
        x[k] = 0.5f * k + 1;
}
__global__ void both() {
    __shared__ float part[8], grid[2][3];
    fill(part, 8);
    grid[1][2] = 4;
}""")
    with lathe.trace_thread(kernel) as trace:
        kernel[1, 1]()
    text = str(trace).splitlines()
    call = next(line for line in text if "fill(part, 8)" in line)
    assert call.endswith("part[0] = 1.0, part[1] = 1.5, part[2] = 2.0, 5 more of part")
    assert any(line.endswith("grid[1][2] = 4.0") for line in text)


KINDS = """struct Cell { float u; int count; };
__shared__ int of_file[3];
template <int N> __device__ float turned(float x) {
    __shared__ float inner[N][2];
    inner[threadIdx.x][1] = x;
    __syncthreads();
    return inner[N - 1 - threadIdx.x][1];
}
__global__ void kinds(float* out) {
    __shared__ Cell cells[4];
    __shared__ double one;
    __shared__ unsigned char bytes[5], more[2][3];
    extern __shared__ short dynamic[];
    const int t = threadIdx.x;
    if (t < 3) of_file[t] = 10 * t;
    if (t == 0) one = 0.25, more[1][2] = 7;
    cells[t].u = 0.5f * t;
    cells[t].count = -t;
    bytes[t] = 250 + t;
    dynamic[2 * t + 1] = -5 * t;
    __syncthreads();
    out[t] = bytes[t];
    {
        __shared__ int bytes[4];
        bytes[t] = t;
        __syncthreads();
        out[t] = bytes[3 - t];
    }
    out[t] += turned<4>(t);
}"""


def test_all_kinds_of_variables() -> None:
    kernel = lathe.kernel(KINDS)
    out = lathe.zeros(4)
    with lathe.trace_thread(kernel, thread=2) as trace:
        kernel[1, 4, 32](out)
    t = np.arange(4)
    after = trace.at(22)[0].values  # behind the barrier
    assert after["cells"].dtype.names == ("u", "count")
    np.testing.assert_array_equal(after["cells"]["u"], 0.5 * t)
    np.testing.assert_array_equal(after["cells"]["count"], -t)
    assert after["one"] == 0.25 and type(after["one"]) is float
    np.testing.assert_array_equal(after["bytes"][:4], [250, 251, 252, 253])
    assert after["bytes"].shape == (5,)
    assert after["more"].shape == (2, 3) and after["more"][1, 2] == 7
    np.testing.assert_array_equal(after["of_file"], [0, 10, 20])
    assert after["dynamic"].dtype == np.int16 and after["dynamic"].shape == (16,)
    np.testing.assert_array_equal(after["dynamic"][1:8:2], -5 * t)
    inner = trace.at(27)[0].values["bytes"]  # hides the other one
    np.testing.assert_array_equal(inner, t)
    (turned,) = trace.at(7)
    assert turned.function == "turned<4>" and turned.depth == 1
    assert turned.values["inner"].shape == (4, 2)
    np.testing.assert_array_equal(turned.values["inner"][:, 1], out.get()[::-1] - t)
    assert turned.reads == {"inner": [(1, 1)]}
    (write,) = trace.at(5)
    assert write.writes == {"inner": [(2, 1)]}


def test_a_variable_that_a_macro_declares_has_the_type_of_its_accesses() -> None:
    kernel = lathe.kernel("""#define TILE(name) __shared__ float name[32]
__global__ void copy(float* out) {
    TILE(tile);
    tile[threadIdx.x] = 0.5f * threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[31 - threadIdx.x];
}""")
    with lathe.trace_thread(kernel, thread=3) as trace:
        kernel[1, 32](lathe.zeros(32))
    tile = trace.at(5)[0].after["tile"]
    assert tile.shape == (32,) and tile.nbytes == 128
    np.testing.assert_array_equal(tile.view(np.float32), 0.5 * np.arange(32))


def test_a_source_that_takes_no_pointers_is_followed_all_the_same() -> None:
    # The declaration is not understood: there is no name to point at.
    kernel = lathe.kernel("""__global__ void odd(int* out) {
    __shared__ int (plain)[4];
    plain[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = plain[3 - threadIdx.x];
}""")
    out = lathe.zeros(4, "int32")
    with lathe.trace_thread(kernel, thread=1) as trace:
        kernel[1, 4](out)
    assert out.get().tolist() == [3, 2, 1, 0]
    assert trace.at(4)[0].after["plain"].tolist() == [0, 1, 2, 3]


def test_pointers_stand_in_no_list_of_variables() -> None:
    kernel = lathe.kernel(SUM)
    with lathe.trace_thread(kernel) as trace:
        kernel[1, 64](lathe.zeros(1), lathe.zeros(64))
    assert set().union(*(step.after for step in trace)) == {"out", "in", "t", "half", "part"}
    assert [step.line for step in trace][:4] == [1, 3, 4, 5]  # the declaration needs no code


def test_what_another_warp_writes_is_seen_by_who_waits_for_it() -> None:
    kernel = lathe.kernel("""__global__ void flag(int* out) {
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 32) ready = 7;
    while (threadIdx.x < 32 && ready == 0)
        __nanosleep(10);
    out[threadIdx.x] = ready;
}""")
    out = lathe.zeros(64, "int32")
    with lathe.trace_thread(kernel, thread=4) as trace:
        kernel[1, 64](out)
    assert out.get()[4] == 7
    assert trace.at(8)[0].values["ready"] == 7


def test_many_values_are_cut() -> None:
    kernel = lathe.kernel("""__global__ void fill(int n) {
    __shared__ int all[8192];
    for (int round = 1; round <= n; ++round) {
        for (int k = threadIdx.x; k < 8192; k += 32)
            all[k] = round;
        __syncthreads();
    }
}""")
    with lathe.trace_thread(kernel) as trace:
        kernel[1, 32](3)
    assert not trace.is_cut
    assert [int(step.after["all"].sum()) for step in trace.at(6)] == [8192, 16384, 24576]
    with lathe.trace_thread(kernel) as trace:
        kernel[1, 32](1000)
    assert trace.is_cut
    assert all(step.after["all"][0] <= 1000 for step in trace.at(6))


def test_barriers_of_some_threads_are_left_as_they_are() -> None:
    """Who only arrives does not wait: a second barrier would wait for ever."""
    kernel = lathe.kernel("""__global__ void hand(int* out) {
    __shared__ int given[32];
    if (threadIdx.x < 32) {
        given[threadIdx.x] = 5 * threadIdx.x;
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[threadIdx.x - 32] = given[63 - threadIdx.x];
    }
}""")
    out = lathe.zeros(32, "int32")
    with lathe.trace_thread(kernel, thread=40) as trace:
        kernel[1, 64](out)
    assert out.get().tolist() == [5 * k for k in range(31, -1, -1)]
    assert trace.at(8)[0].values["given"].tolist() == [5 * k for k in range(32)]
    assert trace.at(8)[0].reads == {"given": [23]}


def test_barriers_that_count_and_threads_that_have_left() -> None:
    kernel = lathe.kernel("""__global__ void votes(int* out, int n) {
    __shared__ int seen[64];
    const int t = threadIdx.x;
    if (t >= n) return;
    seen[t] = t * t;
    int odd = __syncthreads_count(seen[t] % 2);
    __syncthreads();
    out[t] = odd + seen[n - 1 - t];
}""")
    out = lathe.zeros(64, "int32")
    with lathe.trace_thread(kernel, thread=3) as trace:
        kernel[1, 64](out, 50)
    t = np.arange(50)
    np.testing.assert_array_equal(out.get()[:50], 25 + (49 - t) ** 2)
    np.testing.assert_array_equal(trace.at(8)[0].values["seen"][:50], t * t)
    assert trace.at(8)[0].values["odd"] == 25
