# SPDX-License-Identifier: MIT
"""What one launch costs the host, from Python, and a frame of captured kernels.

    export LATHE_DRIVER_LIBRARY=build/tests/benchmarks/libnoop_cuda.so
    python tests/benchmarks/bench_calls.py

With the driver that does nothing the figures are the binding's own; without it those of a loop
that the device keeps up with or not. Beside Lathe: cuLaunchKernel and cuGraphLaunch in loops of
C++, and CuPy, cuda.core and PyCUDA, where they are installed and a GPU is. All take turns.
"""

from __future__ import annotations

import ctypes
import functools
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import lathe
import lathe.cuda.autoprimaryctx  # the context of the others, too
import lathe.cuda.driver as cuda
from lathe.cuda import gpuarray
from lathe.cuda.compiler import SourceModule, compile
from lathe.cuda.tools import DeviceMemoryPool

CALLS = 20_000
FRAME = 10  # captured kernels
ROUNDS = 9
LAUNCH_LOOP = Path(__file__).parents[2] / "build/tests/benchmarks/liblaunch_loop.so"
SOURCE = "__global__ void k(float* a, float* b, float* c, float s, int n) {}"


Loops = tuple[Callable[[int], None], Callable[[], None]]
"""Calls so often, and waits for them."""


def microseconds(loops: dict[str, Loops]) -> dict[str, float]:
    """Median over ROUNDS of one call's share of a loop of CALLS; the loops take turns."""
    rounds: dict[str, list[float]] = {name: [] for name in loops}
    for turn in range(ROUNDS + 1):
        for name, (loop, finish) in loops.items():
            begin = time.perf_counter()
            loop(CALLS)
            finish()
            if turn > 0:
                rounds[name].append(1e6 * (time.perf_counter() - begin) / CALLS)
    return {name: statistics.median(each) for name, each in rounds.items()}


@functools.cache
def cpp_loops() -> tuple[Loops, Loops, Loops]:
    """In this process and context, by tests/benchmarks/launch_loop.cpp: calls, and frames.

    Two graphs of the same kernels: what they differ by says nothing.
    """
    library = ctypes.CDLL(str(LAUNCH_LOOP))
    driver = os.environ.get("LATHE_DRIVER_LIBRARY", "libcuda.so.1").encode()

    def call(name: str, *args: object) -> None:
        if code := getattr(library, f"launch_loop_{name}")(*args):
            raise RuntimeError(f"launch_loop_{name} gives {code}")

    call("open", driver, compile(SOURCE))
    for number in range(2):
        call("capture", FRAME, number)
    return (
        (lambda count: call("run", count), cuda.Context.synchronize),
        (lambda count: call("run_graph", count, 0), cuda.Context.synchronize),
        (lambda count: call("run_graph", count, 1), cuda.Context.synchronize),
    )


def lathe_loops() -> dict[str, Callable[[int], None]]:
    function = SourceModule(SOURCE).get_function("k")
    a, b, c = (cuda.mem_alloc(1024) for _ in range(3))
    s, n = np.float32(2), np.int32(256)
    block, grid = (256, 1, 1), (1, 1)
    function(a, b, c, 2.0, 256, block=block, grid=grid)  # asks for the types

    def empty(count: int) -> None:
        for _ in range(count):
            pass

    def numbers(count: int) -> None:
        for _ in range(count):
            function(a, b, c, 2.0, 256, block=block, grid=grid)

    def scalars(count: int) -> None:
        for _ in range(count):
            function(a, b, c, s, n, block=block, grid=grid)

    function.prepare("PPPfi")
    stream = cuda.Stream(cuda.stream_flags.NON_BLOCKING)

    def prepared(x: Any, y: Any, z: Any) -> Callable[[int], None]:
        call = function.prepared_call

        def loop(count: int) -> None:
            for _ in range(count):
                call(grid, block, x, y, z, 2.0, 256)

        return loop

    def prepared_async(x: Any, y: Any, z: Any) -> Callable[[int], None]:
        call = function.prepared_async_call

        def loop(count: int) -> None:
            for _ in range(count):
                call(grid, block, stream, x, y, z, 2.0, 256)

        return loop

    kernel = lathe.kernel(SOURCE)
    x, y, z = (lathe.zeros(256) for _ in range(3))
    kernel[grid, block](x, y, z, 2.0, 256)

    def by_grid(count: int) -> None:
        for _ in range(count):
            kernel[grid, block](x, y, z, 2.0, 256)

    def over(count: int) -> None:
        for _ in range(count):
            kernel.over((256,))(x, y, z, 2.0, 256)

    def named(count: int) -> None:
        for _ in range(count):
            kernel[grid, block](x, y, z, s=2.0, n=256)

    pool = DeviceMemoryPool()
    of_pool = [pool.allocate(1024) for _ in range(3)]
    of_arrays = [gpuarray.empty(256, np.float32).gpudata for _ in range(3)]

    def captured() -> Callable[[int], None]:
        with cuda.Graph(stream) as graph:
            for _ in range(FRAME):
                function(a, b, c, s, n, block=block, grid=grid, stream=stream)

        def frames(count: int) -> None:
            for _ in range(count):
                graph.launch(stream)

        return frames

    return {
        "an empty loop": empty,
        "function(..., 2.0, 256, block=, grid=)": numbers,
        "function(..., float32, int32, block=, grid=)": scalars,
        "kernel[grid, block](..., 2.0, 256)": by_grid,
        "kernel[grid, block](..., s=2.0, n=256)": named,
        "kernel.over(shape)(..., 2.0, 256)": over,
        **live_loops(),
        "prepared_call(grid, block, ...), allocations": prepared(a, b, c),
        "the same, addresses as int": prepared(int(a), int(b), int(c)),
        "the same, blocks of a pool": prepared(*of_pool),
        "the same, gpudata of arrays": prepared(*of_arrays),
        "prepared_async_call(...), allocations": prepared_async(a, b, c),
        "the same, gpudata of arrays on a stream": prepared_async(*of_arrays),
        f"graph.launch(stream), {FRAME} kernels": captured(),
        "another graph of them": captured(),
    }


def live_loops() -> dict[str, Callable[[int], None]]:
    """Kernels of an App, with arrays that it draws, and with a slider."""
    if os.environ.get("LATHE_DRIVER_LIBRARY"):
        return {}  # no frame without a device
    app = lathe.App("bench", headless=True)
    live = app.kernel(SOURCE.replace("float s,", "float s, //@ 0..4 =2\n"))
    a, b, c = (app.zeros(256) for _ in range(3))
    grid, block = (1, 1), (256, 1, 1)

    def plain(count: int) -> None:
        for _ in range(count):
            live[grid, block](a, b, c, 2.0, 256)

    def slider(count: int) -> None:
        for _ in range(count):
            live[grid, block](a, b, c, n=256)

    return {"live[grid, block](..., 2.0, 256)": plain, "live[grid, block](..., n=256)": slider}


def cupy_loop() -> Loops:
    import cupy

    kernel = cupy.RawKernel('extern "C" ' + SOURCE, "k")
    a, b, c = (cupy.zeros(256, cupy.float32) for _ in range(3))
    s, n = np.float32(2), np.int32(256)

    def loop(count: int) -> None:
        for _ in range(count):
            kernel((1,), (256,), (a, b, c, s, n))

    return loop, cupy.cuda.Device().synchronize


def cuda_core_loop() -> Loops:
    try:
        from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch
    except ImportError:
        from cuda.core.experimental import Device, LaunchConfig, Program, ProgramOptions, launch

    device = Device()
    device.set_current()
    stream = device.create_stream()
    arch = "".join(str(part) for part in device.compute_capability)
    options = ProgramOptions(std="c++17", arch=f"sm_{arch}")
    program = Program('extern "C" ' + SOURCE, code_type="c++", options=options)
    kernel = program.compile("cubin").get_kernel("k")
    config = LaunchConfig(grid=1, block=256)
    a, b, c = (int(cuda.mem_alloc(1024)) for _ in range(3))
    s, n = np.float32(2), np.int32(256)

    def loop(count: int) -> None:
        for _ in range(count):
            launch(stream, config, kernel, a, b, c, s, n)

    return loop, stream.sync


def pycuda_loops() -> tuple[Loops, Loops]:
    """As lathe_loops() has them: with numbers that have their types, and prepared."""
    import pycuda.autoprimaryctx  # noqa: F401
    import pycuda.driver as theirs
    from pycuda.compiler import SourceModule as Module

    kernel, prepared_kernel = (Module(SOURCE).get_function("k") for _ in range(2))
    prepared_kernel.prepare("PPPfi")
    a, b, c = (theirs.mem_alloc(1024) for _ in range(3))
    s, n = np.float32(2), np.int32(256)
    block, grid = (256, 1, 1), (1, 1)

    def loop(count: int) -> None:
        for _ in range(count):
            kernel(a, b, c, s, n, block=block, grid=grid)

    prepared_call = prepared_kernel.prepared_call

    def prepared(count: int) -> None:
        for _ in range(count):
            prepared_call(grid, block, a, b, c, 2.0, 256)

    return (loop, theirs.Context.synchronize), (prepared, theirs.Context.synchronize)


def main() -> None:
    print(f"{cuda.Device(0).name()}; microseconds a call, median of {ROUNDS} loops of {CALLS}")
    loops = {name: (loop, cuda.Context.synchronize) for name, loop in lathe_loops().items()}
    others: list[tuple[str, Callable[[], Loops]]] = [
        ("C++: cuLaunchKernel alone", lambda: cpp_loops()[0]),
        ("C++: cuGraphLaunch alone", lambda: cpp_loops()[1]),
        ("C++: another graph of them", lambda: cpp_loops()[2]),
    ]
    if not os.environ.get("LATHE_DRIVER_LIBRARY"):
        others += [
            ("CuPy RawKernel", cupy_loop),
            ("cuda.core launch", cuda_core_loop),
            ("PyCUDA function(...)", lambda: pycuda_loops()[0]),
            ("PyCUDA prepared_call(...)", lambda: pycuda_loops()[1]),
        ]
    for name, make in others:
        try:
            loops[name] = make()
        except Exception as why:
            print(f"  {name:<46} not measured: {type(why).__name__}: {why}")
    for name, took in microseconds(loops).items():
        print(f"  {name:<46} {took:7.3f}")


if __name__ == "__main__":
    main()
