# SPDX-License-Identifier: MIT
"""What kernels cost before they run: compiled anew, and from the cache on disk.

    python tests/benchmarks/bench_start.py

A small kernel with a constant that no cache has seen, beside NVRTC alone by turns in this process.
Then ten kernels of arrays, and ten of sources, in processes of their own that find them in the
cache: from the first call on, with the context made before.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROUNDS = 15
SOURCE = """
__global__ void doublify(float* a, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= {0}.0f;
}}
"""


def milliseconds(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - begin)


class Nvrtc:
    """The library that is loaded in this process, called as its manual shows."""

    def __init__(self) -> None:
        maps = Path("/proc/self/maps").read_text().split()
        names = [each for each in maps if Path(each).name.startswith("libnvrtc.so")]
        self.library = ctypes.CDLL(names[0])

    def __call__(self, name: str, *args: object) -> None:
        if code := getattr(self.library, f"nvrtc{name}")(*args):
            raise RuntimeError(f"nvrtc{name} gives {code}")

    def cubin(self, source: str, options: list[str]) -> bytes:
        program, size = ctypes.c_void_p(), ctypes.c_size_t()
        text = f'extern "C" {{{source}}}'.encode()
        self("CreateProgram", ctypes.byref(program), text, b"kernel.cu", 0, None, None)
        words = [each.encode() for each in options]
        self("CompileProgram", program, len(words), (ctypes.c_char_p * len(words))(*words))
        self("GetCUBINSize", program, ctypes.byref(size))
        image = ctypes.create_string_buffer(size.value)
        self("GetCUBIN", program, image)
        self("DestroyProgram", ctypes.byref(program))
        return image.raw


def compiles() -> None:
    import lathe.cuda.autoinit
    from lathe.cuda.compiler import SourceModule, compile

    major, minor = lathe.cuda.autoinit.device.compute_capability()
    arch = f"sm_{major}{minor}"
    compile(SOURCE.format(2), arch=arch)  # loads NVRTC
    nvrtc = Nvrtc()
    # Other floats each time: NVRTC's own cache knows code again, whatever its text.
    unique = map(SOURCE.format, itertools.count(time.time_ns() % 10_000_000))
    calls: dict[str, Callable[[], object]] = {
        "NVRTC alone": lambda: nvrtc.cubin(next(unique), [f"-arch={arch}"]),
        "NVRTC alone, without its cache": lambda: nvrtc.cubin(
            next(unique), [f"-arch={arch}", "--no-cache"]
        ),
        "compile(source)": lambda: compile(next(unique), arch=arch),
        "SourceModule(source).get_function()": lambda: SourceModule(next(unique)).get_function(
            "doublify"
        ),
    }
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            times[name].append(milliseconds(call))
    print(f"a small kernel, ms, median (least) of {ROUNDS}")
    for name, each in times.items():
        print(f"  {name:<40} {statistics.median(each):7.2f} ({min(each):.2f})")


def arrays() -> list[Callable[[], object]]:
    import numpy as np

    from lathe.cuda import cumath, gpuarray

    a = gpuarray.to_gpu(np.linspace(0, 1, 1000, dtype=np.float32))
    b = gpuarray.to_gpu(np.linspace(1, 2, 1000, dtype=np.float32))
    return [
        lambda: a + b,
        lambda: a * b,
        lambda: a / b,
        lambda: a - 2,
        lambda: abs(a),
        lambda: a > b,
        lambda: cumath.sin(a),
        lambda: cumath.exp(a),
        lambda: gpuarray.sum(a),
        lambda: gpuarray.dot(a, b),
    ]


def sources() -> list[Callable[[], object]]:
    from lathe.cuda.compiler import SourceModule

    return [lambda k=k: SourceModule(SOURCE.format(k)).get_function("doublify") for k in range(10)]


def child(kind: str) -> None:
    import lathe.cuda.autoinit  # noqa: F401
    from lathe.cuda import driver

    calls = {"arrays": arrays, "sources": sources}[kind]()

    def all_of_them() -> None:
        for call in calls:
            call()
        driver.Context.synchronize()

    print(milliseconds(all_of_them))


def starts(kind: str) -> None:
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "LATHE_CACHE_DIR": cache}
        command = [sys.executable, __file__, kind]
        took = [
            float(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
            for _ in range(ROUNDS)
        ]
    first, *rest = took
    print(
        f"ten kernels of {kind}: {first:.1f} ms, then from the cache {statistics.median(rest):.2f}"
        f" ({min(rest):.2f} to {max(rest):.2f})"
    )


def main() -> None:
    if sys.argv[1:]:
        child(sys.argv[1])
        return
    compiles()
    starts("arrays")
    starts("sources")


if __name__ == "__main__":
    main()
