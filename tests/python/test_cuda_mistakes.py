# SPDX-License-Identifier: MIT
"""lathe.cuda: what users get wrong is told with names and values, and breaks nothing."""

from __future__ import annotations

import numpy as np
import pytest

import lathe.cuda.driver as cuda
from lathe.cuda.compiler import SourceModule
from lathe.cuda.compiler import compile as compile_source

SOURCE = """
__global__ void add(float* a, float b, int n) {
    if ((int)threadIdx.x < n) a[threadIdx.x] += b;
}
"""


@pytest.fixture(scope="module")
def module():
    return SourceModule(SOURCE)


MISTAKES = {
    "no block": (lambda f, m: f(m, 1.0, 4), ValueError, "must specify block size"),
    "large block": (
        lambda f, m: f(m, 1.0, 4, block=(64, 64, 1)),
        cuda.LogicError,
        r"cuFuncSetBlockShape failed: .*add runs \d+ threads in a block at most, 64 x 64",
    ),
    "empty grid": (
        lambda f, m: f(m, 1.0, 4, block=(4, 1, 1), grid=(0, 1)),
        ValueError,
        "grid must be",
    ),
    "text": (lambda f, m: f(m, "x", 4, block=(4, 1, 1)), TypeError, r"b \(float\) takes a number"),
    "too many": (
        lambda f, m: f(m, 1.0, 4, 5, block=(4, 1, 1)),
        TypeError,
        "takes 3 arguments, got 4",
    ),
    "too few": (lambda f, m: f(m, 1.0, block=(4, 1, 1)), TypeError, r"n \(int\) is missing"),
    "wrong size": (
        lambda f, m: f(m, np.float64(1), np.int32(4), block=(4, 1, 1)),
        TypeError,
        "parameter 1 .*a value of 4 bytes, got .*float64",
    ),
    "host array": (
        lambda f, m: f(np.zeros(4, np.float32), np.float32(1), np.int32(4), block=(4, 1, 1)),
        TypeError,
        r"parameter 0 .*InOut\(x\)",
    ),
    "unprepared": (
        lambda f, m: f.prepared_call((1, 1), (4, 1, 1), m, 1.0, 4),
        ValueError,
        "was not prepared",
    ),
    "prepared with another size": (
        lambda f, m: f.prepare("Pdi"),
        TypeError,
        "parameter 1 has 4 bytes",
    ),
    "prepared with another count": (
        lambda f, m: f.prepare("Pf"),
        TypeError,
        "3 arguments.*2 types",
    ),
    "attribute": (lambda f, m: f.nothing, AttributeError, "NOTHING"),
    "copy of too much": (
        lambda f, m: cuda.memcpy_htod(m, np.zeros(9, np.float32)),
        cuda.LogicError,
        "cuMemcpyHtoD failed: .*36 bytes in an allocation of 16",
    ),
    "copy to a host array": (
        lambda f, m: cuda.memcpy_htod(np.zeros(4), np.zeros(4)),
        TypeError,
        "dest must be device",
    ),
    "copy to what is read-only": (
        lambda f, m: cuda.memcpy_dtoh(b"0123", m),
        BufferError,
        "not writable",
    ),
    "copy of what has gaps": (
        lambda f, m: cuda.memcpy_htod(m, np.zeros(8)[::2]),
        ValueError,
        "contiguous",
    ),
    "fill of too much": (
        lambda f, m: cuda.memset_d32(m, 0, 5),
        cuda.LogicError,
        "20 bytes in an allocation of 16",
    ),
    "nothing": (lambda f, m: cuda.mem_alloc(0), cuda.LogicError, "0 bytes"),
    "too much memory": (
        lambda f, m: cuda.mem_alloc(1 << 60),
        cuda.MemoryError,
        "cuMemAlloc failed: out of memory",
    ),
    "device": (lambda f, m: cuda.Device(99), cuda.LogicError, "cuDeviceGet failed"),
    "bus": (lambda f, m: cuda.Device("nowhere"), cuda.Error, "nowhere"),
    "flags": (lambda f, m: cuda.init(3), cuda.LogicError, "flags must be 0, got 3"),
    "read-only Out": (
        lambda f, m: cuda.Out(np.broadcast_to(np.float32(1), 4)),
        ValueError,
        "read-only",
    ),
    "nvcc option": (
        lambda f, m: SourceModule("", options=["-gencode", "arch=x"]),
        ValueError,
        "-gencode",
    ),
    "target": (lambda f, m: compile_source("", target="exe"), ValueError, "'ptx' or 'fatbin'"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_told(module, mistake):
    act, error, words = MISTAKES[mistake]
    memory = cuda.to_device(np.zeros(4, np.float32))
    with pytest.raises(error, match=words):
        act(module.get_function("add"), memory)
    module.get_function("add")(memory, 1.0, 4, block=(4, 1, 1))  # and nothing is broken
    np.testing.assert_array_equal(cuda.from_device(memory, 4, np.float32), np.ones(4))


def test_freed_memory_is_told(module):
    memory = cuda.mem_alloc(16)
    memory.free()
    assert memory.nbytes == 0 and "freed" in repr(memory)
    for use in (
        memory.free,
        lambda: int(memory),
        lambda: cuda.memset_d8(memory, 0, 1),
        lambda: module.get_function("add")(memory, 1.0, 4, block=(4, 1, 1)),
    ):
        with pytest.raises(cuda.LogicError, match="it was freed"):
            use()


def test_compile_errors_have_places():
    with pytest.raises(cuda.CompileError) as caught:
        SourceModule("__global__ void f(int* a) {\n    a = ;\n}")
    assert caught.value.diagnostics[0].startswith("kernel.cu:2:9: error")
    assert "expected an expression" in caught.value.stderr
    with pytest.raises(cuda.LogicError, match="kernel nope; the module has add"):
        SourceModule(SOURCE).get_function("nope")
