# SPDX-License-Identifier: MIT
"""lathe.trace_warp beside closed forms and the inspector's counts."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest

import lathe

SOURCE = """__global__ void work(float* out, const float* in, int stride) {
    __shared__ volatile float s[2048];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x * stride] = in[i * stride];
    __syncthreads();
    if (threadIdx.x % 3 == 0)
        out[i] = s[threadIdx.x * stride];
    for (int k = 0; k < i % 4; ++k)
        atomicAdd(&out[k], 1.0f);
}"""
STORE, BARRIER, BRANCH, ATOMIC = 4, 5, 7, 9


@pytest.fixture(scope="module")
def kernel():
    return lathe.kernel(SOURCE)


def trace(kernel, stride, block=0, thread=0):
    with lathe.trace_warp(kernel, block=block, thread=thread) as trace:
        kernel[2, 64](lathe.zeros(4096), lathe.zeros(4096), stride)
    return trace


@pytest.mark.parametrize("stride", [1, 2, 4, 5, 8, 16, 32])
def test_sectors_and_turns_are_closed_forms(kernel, stride):
    found = trace(kernel, stride, block=1, thread=40)
    (read,) = [step for step in found.at(STORE) if step.event == "read"]
    assert read.memory == "global" and read.bytes == 4 and read.mask == 0xFFFFFFFF
    assert read.sectors == (32 if stride >= 8 else 1 + 31 * stride // 8)
    assert read.ideal_sectors == 4
    first = read.addresses[0]
    assert all(read.addresses[lane] == first + 4 * stride * lane for lane in range(32))
    (write,) = [step for step in found.at(STORE) if step.event == "write"]
    assert write.memory == "shared" and write.turns == math.gcd(stride, 32)


@pytest.mark.software
def test_counts_are_those_of_the_inspector(kernel):
    with lathe.inspect(kernel, find=()) as report:
        kernel[1, 32](lathe.zeros(4096), lathe.zeros(4096), 4)
    with lathe.trace_warp(kernel) as found:
        kernel[1, 32](lathe.zeros(4096), lathe.zeros(4096), 4)
    for line in (STORE, BRANCH):
        steps = [step for step in found.at(line) if step.memory]
        row = report.line(line)
        assert sum(step.sectors for step in steps) == row.sectors
        assert sum(step.turns for step in steps) == row.bank_conflict_degree
    assert sum(step.event == "atomic" for step in found.steps) == report.line(ATOMIC).atomics


def test_lanes_over_time(kernel):
    found = trace(kernel, 1)
    assert found.steps[0].lanes == list(range(32))
    writes = [step for step in found.at(BRANCH) if step.event == "write"]
    assert [step.lanes for step in writes] == [list(range(0, 32, 3))]
    updates = [step.lanes for step in found.steps if step.event == "atomic"]
    assert updates == [[lane for lane in range(32) if lane % 4 > k] for k in range(3)]
    (barrier,) = [step for step in found.steps if step.event == "barrier"]
    assert barrier.line == BARRIER and barrier.mask == 0xFFFFFFFF
    assert [step.line for step in found.accesses] == sorted(step.line for step in found.accesses)


def test_the_launch_does_its_work_and_the_next_is_as_usual(kernel):
    data = np.arange(4096, dtype=np.float32)
    for _ in range(2):
        out = lathe.zeros(4096)
        with lathe.trace_warp(kernel, block=1) as found:
            kernel[2, 64](out, lathe.asarray(data), 2)
        assert found.steps
        kernel[2, 64](again := lathe.zeros(4096), lathe.asarray(data), 2)
        # The atomics of the first three elements meet what another block stores there.
        assert np.array_equal(out.get()[3:], again.get()[3:])
    assert out.get()[64 + 30] == data[2 * (64 + 30)]


def test_as_text(kernel):
    lines = str(trace(kernel, 8)).splitlines()
    assert lines[0] == "work, block (0, 0, 0), the warp of thread (0, 0, 0)"
    row = next(line for line in lines if "read, global" in line)
    assert row == f"    {STORE}  {'█' * 32}    read, global, 4 bytes: 32/4 sectors"
    third = "".join("█" if lane % 3 == 0 else "·" for lane in range(32))
    assert any(third in line and "write, global" in line for line in lines)
    assert any(line.endswith("write, shared, 4 bytes: 8 turns") for line in lines)


def test_what_is_refused_and_what_is_not_there(kernel):
    with pytest.raises(TypeError, match="takes a kernel, not int"):
        lathe.trace_warp(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="block is -1"):
        lathe.trace_warp(kernel, block=-1)
    found = trace(kernel, 1, block=7)
    assert found.steps == [] and "no launch had such a warp" in str(found)
    with lathe.trace_warp(kernel) as found:
        pass
    assert len(found) == 0


def test_a_launch_of_many_steps_is_cut():
    kernel = lathe.kernel("""__global__ void spin(volatile int* x, int n) {
        for (int i = 0; i < n; ++i)
            x[threadIdx.x] = i; }""")
    begin = time.monotonic()
    with lathe.trace_warp(kernel) as found:
        kernel[1, 32](lathe.zeros(32, "int32"), 100_000)
    assert found.is_cut and "more steps than there was room for" in str(found)
    assert time.monotonic() - begin < 60
