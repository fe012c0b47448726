# SPDX-License-Identifier: MIT
"""A trace of lathe.trace_thread: conditions, marks, steps over calls, and the other lanes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import lathe

COLLATZ = """enum Kind { even, odd };
struct Pair { int n; float half; };
__device__ int next(int n, Pair* pair) {
    Kind kind = n % 2 ? odd : even;
    pair->n = n;
    pair->half = n / 2.0f;
    return kind == even ? n / 2 : 3 * n + 1;
}
__global__ void collatz(int* steps, int first) {
    int n = first + threadIdx.x;
    int last[4] = {0, 0, 0, 0};
    int count = 0;
    Pair pair;
    while (n > 1) {
        n = next(n, &pair);
        last[count % 4] = n;
        count += 1;
    }
    steps[threadIdx.x] = count;
}"""
CALL, STORE, COUNT, END = 15, 16, 17, 19


def path_of(n: int) -> list[int]:
    path = [n]
    while path[-1] > 1:
        path.append(path[-1] // 2 if path[-1] % 2 == 0 else 3 * path[-1] + 1)
    return path


@pytest.fixture(scope="module")
def trace() -> Any:
    kernel = lathe.kernel(COLLATZ)
    with lathe.trace_thread(kernel, thread=6) as trace:
        kernel[1, 40](lathe.zeros(40, "int32"), 1)
    return trace


PATH = path_of(7)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("n % 2 == 1", [n for n in PATH[1:] if n % 2]),
        ("n > 20 && n < 40 || n == 1", [n for n in PATH[1:] if 20 < n < 40 or n == 1]),
        ("!(n & 1) && n / 3 * 3 == n", [n for n in PATH[1:] if n % 2 == 0 and n % 3 == 0]),
        (
            "pair.half * 2 == pair.n && pair.half >= 8.5f",
            [after for n, after in itertools.pairwise(PATH) if n / 2 >= 8.5],
        ),
        ("n << 1 == 0x28", [20]),
        ("max(n, 11) == 11 && min(n, 10) == 10", [n for n in PATH[1:] if n in (10, 11)]),
        ("n % 2 ? n > 9 : false", [n for n in PATH[1:] if n % 2 and n > 9]),
        ("isnan(n / 0.0 - n / 0.0)", PATH[1:]),
        ("n / 0 == 1", []),
        ("", PATH[1:]),
    ],
)
def test_conditions_are_those_of_c(trace: Any, condition: str, expected: list[int]) -> None:
    assert [step.changes["n"] for step in trace.find(condition, line=CALL)] == expected


def test_elements_and_enumerators(trace: Any) -> None:
    found = trace.find("last[0] == 22 && last[3] != 0", line=STORE)
    shown: list[int] = [0, 0, 0, 0]
    expected = 0
    for k, n in enumerate(PATH[1:]):
        shown[k % 4] = n
        expected += shown[0] == 22 and shown[3] != 0
    assert len(found) == expected
    kinds = trace.find("kind == odd", line=7)
    assert [step.values["n"] for step in kinds] == [n for n in PATH[:-1] if n % 2]
    assert not trace.find("last[9] == 0") and not trace.find("last[-1] == 0")


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("n >", "'n >' ends too early"),
        ("n = 3", "'n = 3': '= 3' is not understood"),
        ("(n", "ends too early"),
        ("size(n)", "there is no function 'size' here"),
        ("v == 1", "no line knows a variable 'v'"),
        ("max(n)", "is not understood"),
        ("3n", "is not understood"),
        ("(" * 300, "nested too deep"),
    ],
)
def test_what_is_no_condition_is_named(trace: Any, condition: str, message: str) -> None:
    with pytest.raises(lathe.Error, match=message.replace("(", r"\(").replace(")", r"\)")):
        trace.find(condition)


def test_a_number_that_is_none() -> None:
    kernel = lathe.kernel("""__global__ void root(float* out, float u) {
    for (int k = 0; k < 5; ++k) {
        u = u - 1;
        u = sqrtf(u);
    }
    *out = u;
}""")
    with lathe.trace_thread(kernel) as trace:
        kernel[1, 1](lathe.zeros(1), 9.0)
    u, steps = np.float32(9), []
    with np.errstate(invalid="ignore"):
        for _ in range(5):
            steps.append(u - 1)
            steps.append(np.sqrt(steps[-1]))
            u = steps[-1]
    first = trace.find("isnan(u)")[0]
    made = [step for step in trace if "u" in step.changes and step.line in (3, 4)]
    assert made.index(first) == [bool(np.isnan(each)) for each in steps].index(True)
    assert first.line == 4 and np.isnan(first.changes["u"]) and first.values["u"] < 0


def test_marks_stop_a_run_both_ways(trace: Any) -> None:
    trace.marks.clear()
    assert trace.run() is None
    trace.mark(COUNT)
    trace.mark(STORE, "n == 22")
    stops = []
    step = trace.run()
    while step is not None:
        stops.append(step)
        step = trace.run(step)
    assert [s.line for s in stops].count(COUNT) == len(PATH) - 1
    assert [s.values["n"] for s in stops if s.line == STORE] == [22]
    assert [s.number for s in stops] == sorted(s.number for s in stops)
    back = [trace.run(back=True)]
    while back[-1] is not None:
        back.append(trace.run(back[-1], back=True))
    assert back[:-1] == stops[::-1]
    trace.unmark(COUNT)
    assert trace.run() is stops[1] or trace.run().line == STORE
    trace.marks.clear()
    with pytest.raises(ValueError, match="line is 0"):
        trace.mark(0)


def test_over_what_a_line_calls(trace: Any) -> None:
    call = trace.at(CALL)[0]
    inside = trace.steps[call.number + 1]
    assert inside.depth == 1 and inside.function == "next"
    assert trace.over(call).line == STORE
    assert trace.over(trace.at(STORE)[0], back=True) is call
    assert trace.over(inside).depth == 1
    assert trace.over(trace.steps[-1]) is None and trace.over(trace.steps[0], back=True) is None


def test_other_lanes_have_their_own_values(trace: Any) -> None:
    first = trace.at(10)[0]
    assert trace.lanes(first) == list(range(32))
    for lane in (0, 5, 31):
        step = trace.lane(lane, first)
        assert step.changes["n"] == lane + 1 and step.lane == lane and step.line == 10
    assert trace.lane(6, first) == first
    np.testing.assert_array_equal(trace.across("n", first), np.arange(1, 33))
    assert trace.threads[5] == (5, 0, 0) and len(trace.threads) == 32
    with pytest.raises(ValueError, match="lane is 32"):
        trace.lane(32, first)


def test_lanes_that_have_left_the_loop_are_not_there(trace: Any) -> None:
    """In round k those are in the loop whose path is longer than k."""
    paths = [path_of(n) for n in range(1, 33)]
    for k, step in enumerate(trace.at(CALL)):
        there = [lane for lane, path in enumerate(paths) if len(path) > k + 1]
        assert trace.lanes(step) == there
        after = trace.across("n", step)
        assert after.mask.tolist() == [lane not in there for lane in range(32)]
        assert [after[lane] for lane in there] == [paths[lane][k + 1] for lane in there]
    last = trace.at(CALL)[-1]
    gone = next(lane for lane in range(32) if lane not in trace.lanes(last))
    assert trace.lane(gone, last) is None
    # They wait for the others behind the loop.
    np.testing.assert_array_equal(
        trace.across("count", trace.at(END)[0]), [len(path) - 1 for path in paths]
    )


def test_a_warp_that_is_not_full() -> None:
    kernel = lathe.kernel("""__global__ void put(int* out) {
    int v = threadIdx.x + 10 * threadIdx.y + 100 * blockIdx.x;
    out[v] = v;
}""")
    out = lathe.zeros(400, "int32")
    with lathe.trace_thread(kernel, block=2, thread=(1, 7)) as trace:
        kernel[3, (5, 8)](out)
    (step,) = trace.at(2)
    assert step.changes["v"] == 271 and step.lane == 36 - 32
    assert trace.lanes(step) == list(range(8))  # 40 threads: the second warp has 8
    assert trace.threads == [(k % 5, k // 5, 0) for k in range(32, 40)]
    values = trace.across("v", step)
    assert values[:8].tolist() == [200 + 10 * (k // 5) + k % 5 for k in range(32, 40)]
    assert values.mask[8:].all()


def test_a_thread_that_the_block_has_not_is_none() -> None:
    kernel = lathe.kernel("__global__ void f(int* p) { p[threadIdx.x] = 1; }")
    with lathe.trace_thread(kernel, thread=(40, 0)) as trace:
        kernel[1, (32, 2)](lathe.zeros(64, "int32"))
    assert not trace.steps and trace.threads == []
