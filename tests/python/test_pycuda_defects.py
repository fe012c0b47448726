# SPDX-License-Identifier: MIT
"""What PyCUDA 2026.1 gets wrong, and what is right instead; defects by their number in our list.

Those of arrays, pools, tools and the rest stand with the tests of these."""

from __future__ import annotations

import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
from conftest import Gate

import lathe.cuda.driver as cuda
from lathe.cuda.compiler import SourceModule

ADD = "__global__ void add(float* a, float b) { a[threadIdx.x] += b; }"


def test_b10_vectors_and_structures_lie_where_the_kernel_reads_them():
    """Of alignment 16, 8 and 1, between a pointer and a char."""
    source = """
    struct Mixed { char tag; double value; short rest; };
    __global__ void take(double* to, char c, int4 four, char d, double2 two, Mixed mixed) {
        to[0] = four.x; to[1] = four.w; to[2] = two.x; to[3] = two.y;
        to[4] = mixed.tag; to[5] = mixed.value; to[6] = mixed.rest; to[7] = c; to[8] = d;
    }"""
    mixed = np.zeros((), np.dtype("i1, f8, i2", align=True))
    mixed["f0"], mixed["f1"], mixed["f2"] = 7, 2.5, -9
    four = np.array([(1, 2, 3, 4)], "i4,i4,i4,i4")[0]
    two = np.array([(0.5, -0.25)], "f8,f8")[0]
    to = np.zeros(9)
    SourceModule(source).get_function("take")(
        cuda.Out(to), np.int8(5), four, np.int8(6), two, mixed[()], block=(1, 1, 1)
    )
    assert to.tolist() == [1, 4, 0.5, -0.25, 7, 2.5, -9, 5, 6]


def test_b11_arrays_are_never_an_argument_by_their_bytes():
    add = SourceModule(ADD).get_function("add")
    for array in (np.zeros(1, np.float64), np.zeros(8, np.float32)):
        with pytest.raises(TypeError, match=r"In\(x\)|on the device"):
            add(array, np.float32(1), block=(1, 1, 1))
    managed = cuda.managed_zeros(8, np.float32, mem_flags=cuda.mem_attach_flags.GLOBAL)
    for part in (managed[2:], managed.reshape(2, 4)[1]):
        add(part, np.float32(1), block=(1, 1, 1))
    cuda.Context.synchronize()
    assert managed.tolist() == [0, 0, 1, 0, 1, 0, 0, 0]


def compile_with_cache(folder: Path) -> subprocess.CompletedProcess[str]:
    code = (
        "import warnings; warnings.simplefilter('error')\n"
        "import os\n"
        f"os.environ['LATHE_CACHE_DIR'] = {str(folder)!r}\n"
        "import lathe.cuda.autoinit\n"
        "from lathe.cuda.compiler import SourceModule\n"
        f"SourceModule({ADD!r}).get_function('add')\n"
        "print('done')\n"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)


def test_b22_the_cache_is_made_quietly_and_shared_by_processes(tmp_path):
    folder = tmp_path / "not" / "there" / "yet"
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(compile_with_cache(folder)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.append(compile_with_cache(folder))
    for result in results:
        assert (result.returncode, result.stdout) == (0, "done\n"), result.stderr
        assert "arning" not in result.stderr
    assert any(folder.rglob("*")), "nothing was cached"


def test_b22_a_damaged_cache_is_compiled_over(tmp_path):
    assert compile_with_cache(tmp_path).stdout == "done\n"
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    for path in files:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    result = compile_with_cache(tmp_path)
    assert (result.returncode, result.stdout) == (0, "done\n"), result.stderr


def test_b29_a_prepared_call_without_a_block_says_so():
    memory = cuda.to_device(np.zeros(4, np.float32))
    function = SourceModule(ADD).get_function("add").prepare("Pf")
    for call in (
        lambda: function.prepared_call((1, 1), memory, 1.0),
        lambda: function.prepared_async_call((1, 1), None, memory, 1.0),
    ):
        with pytest.raises((TypeError, ValueError), match=r"block|grid"):
            call()


def test_b38_in_and_out_follow_their_stream():
    """The copies are queued on it: behind what runs there, and nobody waits for them."""
    module = SourceModule("__global__ void add(float* a, float b) { a[threadIdx.x] += b; }")
    a = cuda.pagelocked_zeros(4, np.float32)
    argument = cuda.InOut(a)  # freeing its device memory would wait for the kernels
    add = module.get_function("add")
    add(argument, np.float32(1), block=(4, 1, 1))
    assert a.tolist() == [1, 1, 1, 1]
    stream = cuda.Stream(1)  # non-blocking: beside the default one
    with Gate(stream):
        add(argument, np.float32(2), block=(4, 1, 1), stream=stream)
        assert a.tolist() == [1, 1, 1, 1]
        assert not stream.is_done()
    stream.synchronize()
    assert a.tolist() == [3, 3, 3, 3]


def test_errors_are_warnings_of_nobody():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        memory = cuda.mem_alloc(64)
        del memory
        SourceModule(ADD)
