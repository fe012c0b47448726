# SPDX-License-Identifier: MIT
"""lathe.cuda.driver and .compiler under PyCUDA's names: what its users write."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import numpy as np
import pytest

import lathe.cuda.driver as cuda
from lathe.cuda import argument_types, nvcc_options
from lathe.cuda.compiler import SourceModule
from lathe.cuda.compiler import compile as compile_source

SOURCE = """
__global__ void multiply(float* to, const float* a, const float* b) {
    to[threadIdx.x] = a[threadIdx.x] * b[threadIdx.x];
}
__global__ void add(float* a, float b, int n) {
    if ((int)threadIdx.x < n) a[threadIdx.x] += b;
}
struct Pair { char tag; double value; };
__global__ void take(double* to, char tag, Pair pair) { *to = pair.value + pair.tag + tag; }
__constant__ float table[8];
__global__ void copy_table(float* to) { to[threadIdx.x] = table[threadIdx.x]; }
"""


@pytest.fixture(scope="module")
def module():
    return SourceModule(SOURCE)


def test_in_and_out_arguments(module):
    a, b = np.random.default_rng(1).random((2, 400)).astype(np.float32)
    to = np.zeros_like(a)
    assert (
        module.get_function("multiply")(cuda.Out(to), cuda.In(a), cuda.In(b), block=(400, 1, 1))
        is None
    )
    np.testing.assert_array_equal(to, a * b)


def test_in_and_out_follow_the_order_of_a_stream(module):
    stream = cuda.Stream()
    a = np.arange(8, dtype=np.float32)
    add = module.get_function("add")
    for _ in range(3):
        add(cuda.InOut(a), np.float32(1), np.int32(8), block=(8, 1, 1), stream=stream)
        stream.synchronize()
    np.testing.assert_array_equal(a, np.arange(8) + 3)


def test_memory_is_copied_and_filled():
    a = np.arange(12, dtype=np.int32).reshape(3, 4)
    memory = cuda.to_device(a)
    assert memory.nbytes == a.nbytes
    np.testing.assert_array_equal(cuda.from_device_like(memory, a), a)
    np.testing.assert_array_equal(cuda.from_device(memory, 12, np.int32), a.ravel())
    other = cuda.mem_alloc_like(a)
    cuda.memcpy_dtod(other, int(memory) + 4, 44)
    cuda.memset_d32(int(other) + 44, 7, 1)
    np.testing.assert_array_equal(cuda.from_device(other, 12, np.int32), [*range(1, 12), 7])
    stream = cuda.Stream()
    cuda.memset_d8_async(other, 1, 48, stream)
    back = np.empty(12, np.uint32)
    cuda.memcpy_dtoh_async(back, other, stream)
    stream.synchronize()
    assert set(back) == {0x01010101}


def test_numbers_take_the_types_of_the_source(module):
    memory = cuda.to_device(np.zeros(4, np.float32))
    module.get_function("add")(memory, 2, 3, block=(4, 1, 1))
    module.get_function("add")(memory, 0.5, np.int32(4), block=4, grid=1)
    np.testing.assert_array_equal(cuda.from_device(memory, 4, np.float32), [2.5, 2.5, 2.5, 0.5])


def test_structures_are_aligned_as_the_kernel_wants_them(module):
    pair = np.zeros((), np.dtype([("tag", "i1"), ("value", "f8")], align=True))
    pair["tag"], pair["value"] = 3, 0.25
    memory = cuda.mem_alloc(8)
    module.get_function("take")(memory, np.int8(10), pair, block=(1, 1, 1))
    assert cuda.from_device(memory, 1, np.float64) == 13.25


def test_a_pointer_holder_stands_for_memory(module):
    class Holder(cuda.PointerHolderBase):
        def __init__(self, memory):
            super().__init__()
            self.memory = memory

        def get_pointer(self):
            return int(self.memory)

    holder = Holder(cuda.to_device(np.zeros(4, np.float32)))
    module.get_function("add")(holder, 1.0, 4, block=(4, 1, 1))
    np.testing.assert_array_equal(cuda.from_device(holder, 4, np.float32), np.ones(4))
    assert int(holder) == holder.__index__() == int(holder.memory)


def test_variables_of_a_module(module):
    address, size = module.get_global("table")
    assert size == 32
    cuda.memcpy_htod(address, np.arange(8, dtype=np.float32))
    to = np.empty(8, np.float32)
    module.get_function("copy_table")(cuda.Out(to), block=(8, 1, 1))
    np.testing.assert_array_equal(to, np.arange(8))


def test_prepared_calls(module):
    memory = cuda.to_device(np.zeros(8, np.float32))
    add = module.get_function("add")
    assert add.prepare("Pfi") is add
    add.prepared_call((1, 1), (8, 1, 1), memory, 1.5, 8)
    seconds = add.prepared_timed_call((1, 1), (8, 1, 1), memory, 1.5, 8)()
    assert 0 <= seconds < 60
    add.prepare([np.intp, np.float32, np.dtype("i4")])
    stream = cuda.Stream()
    add.prepared_async_call((1, 1), (8, 1, 1), stream, int(memory), 1.0, 4)
    stream.synchronize()
    np.testing.assert_array_equal(cuda.from_device(memory, 8, np.float32), [4.0] * 4 + [3.0] * 4)


def test_instances_of_templates_by_name():
    module = SourceModule(
        "template <class T> __global__ void scale(T* x, T by) { x[threadIdx.x] *= by; }",
        no_extern_c=True,
    )
    for dtype in (np.float32, np.float64, np.int32):
        x = np.arange(4).astype(dtype)
        name = {"f4": "float", "f8": "double", "i4": "int"}[np.dtype(dtype).str[1:]]
        module.get_function(f"scale<{name}>")(cuda.InOut(x), 3, block=(4, 1, 1))
        np.testing.assert_array_equal(x, np.arange(4) * 3)


def test_events_and_streams():
    first, last, stream = cuda.Event(), cuda.Event(), cuda.Stream()
    assert first.record(stream) is first
    stream.wait_for_event(first)
    assert last.record(stream).synchronize() is last
    assert last.query() and stream.is_done()
    assert last.time_since(first) == first.time_till(last) >= 0
    assert stream.__cuda_stream__() == (0, stream.handle)


def test_devices():
    device = cuda.Device(0)
    assert cuda.Device.count() >= 1
    assert device == cuda.Device(device.pci_bus_id()) and hash(device) == hash(cuda.Device(0))
    assert device.warp_size == device.get_attribute(cuda.device_attribute.WARP_SIZE) == 32
    assert device.compute_mode is cuda.compute_mode.DEFAULT
    assert device.compute_capability() >= (5, 0) and device.total_memory() > 1 << 28
    with pytest.raises(AttributeError, match="NOTHING"):
        _ = device.nothing
    free, total = cuda.mem_get_info()
    assert 0 < free <= total


def test_contexts_are_a_stack():
    before = cuda.Context.get_current()
    context = cuda.Device(0).make_context()
    assert cuda.Context.get_current() == context != before
    memory = cuda.mem_alloc(64)
    cuda.Context.pop()
    assert cuda.Context.get_current() == before
    context.push()
    context.detach()
    assert cuda.Context.get_current() == before
    with pytest.raises(cuda.LogicError, match="destroyed before"):
        context.detach()
    del memory  # what lived in it is gone already


def test_a_thread_without_a_context_gets_the_primary_one(module):
    found = []

    def work():
        memory = cuda.to_device(np.ones(4, np.float32))
        module.get_function("add")(memory, 1.0, 4, block=(4, 1, 1))
        found.append(cuda.from_device(memory, 4, np.float32))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    np.testing.assert_array_equal(found[0], np.full(4, 2))


def test_images_are_loaded_from_bytes_and_files(tmp_path):
    ptx = compile_source(SOURCE, target="ptx")
    file = tmp_path / "kernels.ptx"
    file.write_bytes(ptx)
    for module in (cuda.module_from_buffer(ptx), cuda.module_from_file(file)):
        memory = cuda.to_device(np.zeros(4, np.float32))
        module.get_function("add")(memory, np.float32(2), np.int32(4), block=(4, 1, 1))
        np.testing.assert_array_equal(cuda.from_device(memory, 4, np.float32), np.full(4, 2))
        with pytest.raises(TypeError, match=r"add: parameter 1 .*numpy\.int32"):
            module.get_function("add")(memory, 2, 4, block=(4, 1, 1))


def test_types_of_prepared_arguments():
    assert argument_types.parse("P2f q") == [("pointer", 8), ("float", 4), ("float", 4), ("int", 8)]
    assert argument_types.parse("12s?N") == [("bytes", 12), ("bool", 1), ("unsigned", 8)]
    assert argument_types.parse([np.uint8, "P", np.complex64]) == [
        ("unsigned", 1),
        ("pointer", 8),
        ("bytes", 8),
    ]
    with pytest.raises(TypeError, match="'!'"):
        argument_types.parse("P!")


def test_options_of_nvcc():
    given = [
        "-O3",
        "-Xcompiler",
        "-fPIC",
        "-DN=4",
        "-D",
        "M=5",
        "--use_fast_math",
        "-I",
        "here",
        "-lineinfo",
        "-lm",
    ]
    assert nvcc_options.translate(given) == [
        "-DN=4",
        "--define-macro=M=5",
        "--use_fast_math",
        "--include-path=here",
        "-lineinfo",
    ]


def test_constants_are_those_of_the_header():
    header = next((p for p in map(Path, ("/usr/local/cuda/include/cuda.h",)) if p.exists()), None)
    if header is None:
        pytest.skip("no toolkit's cuda.h")
    numbers = dict(re.findall(r"\b(CU_DEVICE_ATTRIBUTE_\w+)\s*=\s*(\d+)", header.read_text()))
    wrong = {
        name: int(value)
        for name, value in cuda.device_attribute.names.items()
        if int(numbers.get(f"CU_DEVICE_ATTRIBUTE_{name}", value)) != value
    }
    assert not wrong
    assert len(cuda.device_attribute.names) >= 107
    assert str(cuda.ctx_flags.SCHED_SPIN) == "SCHED_SPIN"
    assert cuda.ctx_flags.BLOCKING_SYNC is cuda.ctx_flags.SCHED_BLOCKING_SYNC
    assert type(cuda.ctx_flags.SCHED_AUTO | cuda.ctx_flags.MAP_HOST) is int
