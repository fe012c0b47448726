# SPDX-License-Identifier: MIT
"""DeviceData and OccupancyRecord against the toolkit's occupancy calculator and the driver's."""

from __future__ import annotations

import ctypes

import pytest

import lathe.cuda.driver as cuda
from lathe.cuda.tools import DeviceData, OccupancyRecord, _exact_div, _int_ceiling, _int_floor
from lathe.native import native

# Threads, bytes of shared memory, registers a thread.
BLOCKS = [
    (32, 0, 16), (96, 1000, 24), (128, 0, 40), (192, 3000, 33), (256, 0, 64),
    (256, 12000, 32), (512, 16384, 48), (1024, 0, 32), (384, 49152, 20), (64, 6000, 128),
]  # fmt: skip
# What cudaOccMaxActiveBlocksPerMultiprocessor of CUDA 13.0 (cuda_occupancy.h) says of them, with
# the programming guide's limits of each compute capability.
EXPECTED = {
    (5, 0): (32, 21, 12, 8, 4, 5, 2, 2, 1, 8),
    (5, 2): (32, 21, 12, 8, 4, 8, 2, 2, 2, 8),
    (5, 3): (32, 21, 12, 8, 4, 5, 2, 2, 1, 8),
    (6, 0): (32, 21, 12, 8, 4, 5, 2, 2, 1, 8),
    (6, 1): (32, 21, 12, 8, 4, 8, 2, 2, 2, 8),
    (6, 2): (32, 21, 12, 8, 4, 5, 2, 2, 1, 8),
    (7, 0): (32, 21, 12, 8, 4, 8, 2, 2, 2, 8),
    (7, 2): (32, 21, 12, 8, 4, 8, 2, 2, 2, 8),
    (7, 5): (16, 10, 8, 5, 4, 4, 2, 1, 1, 8),
    (8, 0): (32, 21, 12, 8, 4, 8, 2, 2, 3, 8),
    (8, 6): (16, 16, 12, 8, 4, 6, 2, 1, 2, 8),
    (8, 7): (16, 16, 12, 8, 4, 6, 2, 1, 3, 8),
    (8, 9): (24, 16, 12, 8, 4, 6, 2, 1, 2, 8),
    (9, 0): (32, 21, 12, 8, 4, 8, 2, 2, 4, 8),
    (10, 0): (32, 21, 12, 8, 4, 8, 2, 2, 4, 8),
    (10, 3): (32, 21, 12, 8, 4, 8, 2, 2, 4, 8),
    (11, 0): (24, 16, 12, 8, 4, 6, 2, 1, 4, 8),
    (12, 0): (24, 16, 12, 8, 4, 6, 2, 1, 2, 8),
    (12, 1): (24, 16, 12, 8, 4, 6, 2, 1, 2, 8),
}


@pytest.mark.parametrize("capability", EXPECTED)
def test_b39_occupancy_of_every_compute_capability(capability):
    """PyCUDA's tables end at 3.0."""
    data = DeviceData(capability)
    found = tuple(OccupancyRecord(data, *block).tb_per_mp for block in BLOCKS)
    assert found == EXPECTED[capability]


class DriverFunction:
    """A kernel asked through the driver's own calculator, which lathe.cuda has no name for."""

    def __init__(self, source: str, name: str) -> None:
        cuda.mem_get_info()  # there is a context
        self.library = ctypes.CDLL(native.gpu_status()["driver_path"])
        self.image = native.compile_image(source) + b"\0"
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), self.image)
        self.call("cuModuleGetFunction", ctypes.byref(self.function), module, name.encode())

    def call(self, routine: str, *arguments: object) -> None:
        assert getattr(self.library, routine)(*arguments) == 0, routine

    def registers(self) -> int:
        value = ctypes.c_int()
        which = int(cuda.function_attribute.NUM_REGS)
        self.call("cuFuncGetAttribute", ctypes.byref(value), which, self.function)
        return value.value

    def blocks(self, threads: int, shared: int) -> int:
        value = ctypes.c_int()
        self.call(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor",
            ctypes.byref(value),
            self.function,
            threads,
            ctypes.c_size_t(shared),
        )
        return value.value


KERNEL = """
extern "C" __global__ void __launch_bounds__(%d) work(float* x, int n) {
    float a[%d];
    for (int k = 0; k < %d; ++k) a[k] = x[threadIdx.x * n + k];
    for (int i = 0; i < n; ++i)
        #pragma unroll
        for (int k = 0; k < %d; ++k) a[k] = a[k] * a[(k + 1) %% %d] + x[i];
    for (int k = 0; k < %d; ++k) x[threadIdx.x * n + k] = a[k];
}
"""


@pytest.mark.parametrize("live", [1, 8, 30, 60])
@pytest.mark.parametrize("bound", [64, 256, 1024])
def test_b39_occupancy_is_what_the_driver_says(live, bound):
    function = DriverFunction(KERNEL % (bound, *[live] * 5), "work")
    data = DeviceData()
    # The software device has no registers, so none limit it.
    registers = 0 if native.gpu_status()["is_software"] else function.registers()
    for threads in (32, 64, 96, 192, 256, 512, 1024):
        if threads > bound:
            continue
        for shared in (0, 100, 1000, 4096, 16384, 40000):
            record = OccupancyRecord(data, threads, shared, registers)
            told = function.blocks(threads, shared)
            assert record.tb_per_mp == told, (threads, shared, registers)


def test_the_table_is_the_drivers():
    """Of the device that there is; the software device has limits of its own for 7.5."""
    device = cuda.Device(0)
    table, asked = DeviceData(device.compute_capability()), DeviceData(device)
    names = (
        "max_threads", "warp_size", "warps_per_mp", "thread_blocks_per_mp", "registers",
        "registers_per_mp", "shared_memory", "shared_memory_optin", "shared_memory_per_mp",
        "shared_memory_reserved",
    )  # fmt: skip
    assert {n: getattr(table, n) for n in names} == {n: getattr(asked, n) for n in names}
    assert DeviceData().warps_per_mp == asked.warps_per_mp


def test_what_limits_is_named():
    data = DeviceData((9, 0))
    assert OccupancyRecord(data, 32).limited_by == "device"
    assert OccupancyRecord(data, 1024).limited_by == "warps"
    assert OccupancyRecord(data, 256, registers=128).limited_by == "regs"
    record = OccupancyRecord(data, 256, shared_mem=100_000)
    assert record.limited_by == "smem" and record.tb_per_mp == 2
    assert record.warps_per_mp == 16 and record.occupancy == 0.25
    assert (2, "smem") in record.tb_per_mp_limits
    assert "25%" in repr(record)


def test_alignment():
    data = DeviceData((8, 0))
    assert [data.align_bytes(n) for n in (4, 8, 16)] == [64, 128, 128]
    assert (data.align(1), data.align(64), data.align(65), data.align(129, 8)) == (64, 64, 128, 256)
    assert (data.align_words(4), data.align_words(16)) == (16, 8)
    assert data.align_dtype(17, 4) == 32 and data.align_dtype(16, 8) == 16
    assert data.coalesce(1) == 32 and data.coalesce(64) == 64
    assert [data.make_valid_tex_channel_count(n) for n in (1, 2, 3, 4)] == [1, 2, 4, 4]
    assert (_int_ceiling(7, 4), _int_floor(7, 4), _exact_div(8, 4)) == (8, 4, 2)


MISTAKES = {
    "threads": (lambda d: OccupancyRecord(d, 2000), "too many threads: 2000, at most 1024"),
    "registers": (lambda d: OccupancyRecord(d, 1024, 0, 128), "too many registers: 128"),
    "smem": (lambda d: OccupancyRecord(d, 32, 300_000), "too much smem: 300000"),
    "nothing": (lambda d: OccupancyRecord(d, 0), "0 threads"),
    "capability": (lambda d: DeviceData((3, 0)), r"at least 5.0, got \(3, 0\)"),
    "word": (lambda d: d.align_bytes(3), "word_size must be 4, 8 or 16, got 3"),
    "channels": (lambda d: d.make_valid_tex_channel_count(5), "1 to 4 channels, got 5"),
    "rest": (lambda d: _exact_div(7, 4), "7 is no multiple of 4"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_told(mistake):
    act, words = MISTAKES[mistake]
    with pytest.raises(ValueError, match=words):
        act(DeviceData((8, 0)))
    with pytest.raises(TypeError, match="a Device or a compute capability"):
        DeviceData("gpu")
