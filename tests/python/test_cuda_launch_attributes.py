# SPDX-License-Identifier: MIT
"""Launch attributes as keywords of a call, and how modules are loaded."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from conftest import script_environment

import lathe.cuda.driver as cuda
from lathe.cuda.compiler import SourceModule

P = cuda.access_property


@pytest.fixture(scope="module")
def add():
    return SourceModule("__global__ void add(int* x, int n) { x[threadIdx.x] += n; }").get_function(
        "add"
    )


def accepted(add, memory):
    """What every device takes; values beyond the range of priorities are brought into it."""
    least, greatest = cuda.stream_priorities()
    return [
        {"priority": greatest},
        {"priority": least, "shared": 16},
        {"mem_sync_domain": 0},
        {"preferred_shared_memory_carveout": 50},
        {"preferred_shared_memory_carveout": -1},
        {"access_policy_window": (memory, 32)},
        {"access_policy_window": (memory, 16, 0.5, P.PERSISTING, P.NORMAL)},
        {"priority": 0, "preferred_shared_memory_carveout": 100, "cooperative": True},
    ]


def test_launches_with_attributes_do_the_same(add):
    memory = cuda.to_device(np.zeros(8, np.int32))
    stream = cuda.Stream()
    all_ = accepted(add, memory)
    for attributes in all_:
        add(memory, np.int32(1), block=(8, 1, 1), stream=stream, **attributes)
    stream.synchronize()
    assert cuda.from_device(memory, 8, np.int32).tolist() == [len(all_)] * 8


@pytest.mark.software  # a GPU needs compute capability 9.0 for both
def test_what_newer_gpus_have_changes_nothing(add):
    memory = cuda.to_device(np.zeros(8, np.int32))
    for attributes in ({"programmatic_stream_serialization": True}, {"mem_sync_domain": 1}):
        add(memory, np.int32(1), block=(8, 1, 1), **attributes)
    assert cuda.from_device(memory, 8, np.int32).tolist() == [2] * 8


def test_they_are_captured(add):
    memory = cuda.to_device(np.zeros(8, np.int32))
    with cuda.Graph() as graph:
        add(memory, np.int32(5), block=(8, 1, 1), stream=graph.stream, priority=0)
    graph.launch()
    cuda.Context.synchronize()
    assert cuda.from_device(memory, 8, np.int32).tolist() == [5] * 8


MISTAKES = {
    "priority": ({"priority": "high"}, TypeError, "priority must be an int or None, got 'high'"),
    "priority of 2^40": ({"priority": 1 << 40}, TypeError, f"priority must be.*{1 << 40}"),
    "bool": ({"mem_sync_domain": True}, TypeError, "mem_sync_domain must be an int.*True"),
    "domain": ({"mem_sync_domain": 2}, cuda.LogicError, "mem_sync_domain must be 0 to 1, got 2"),
    "carveout": (
        {"preferred_shared_memory_carveout": 101},
        cuda.LogicError,
        "cuLaunchKernelEx failed: .*preferred_shared_memory_carveout must be -1 to 100, got 101",
    ),
    "window": ({"access_policy_window": 3}, TypeError, "must be a tuple .memory.*got 3"),
    "window of nothing": ({"access_policy_window": ()}, TypeError, r"got \(\)"),
    "window of text": ({"access_policy_window": ("x", 4)}, TypeError, "memory must be device"),
    "window's bytes": ({"access_policy_window": (4096, 0)}, ValueError, "at least 1, got 0"),
    "window's ratio": (
        {"access_policy_window": (4096, 4, 1.5)},
        cuda.LogicError,
        "0 to 1, got 1.5",
    ),
    "window's ratio is text": (
        {"access_policy_window": (4096, 4, "x")},
        TypeError,
        "hit_ratio must be a number, got 'x'",
    ),
    "window's property": (
        {"access_policy_window": (4096, 4, 1.0, 7)},
        ValueError,
        "access_property, got 7",
    ),
    "keyword": ({"prioritty": 3}, TypeError, "prioritty"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_told(add, mistake):
    attributes, error, words = MISTAKES[mistake]
    memory = cuda.to_device(np.zeros(8, np.int32))
    with pytest.raises(error, match=words):
        add(memory, np.int32(1), block=(8, 1, 1), **attributes)
    assert cuda.from_device(memory, 8, np.int32).tolist() == [0] * 8


def test_a_window_longer_than_its_memory_is_told(add):
    memory = cuda.to_device(np.zeros(8, np.int32))
    with pytest.raises(cuda.LogicError, match="33 bytes in an allocation of 32"):
        add(memory, np.int32(1), block=(8, 1, 1), access_policy_window=(memory, 33))


LOADING = """
import sys
import numpy as np
import lathe.cuda.driver as cuda
from lathe.cuda.compiler import SourceModule
M = cuda.module_loading_mode
if sys.argv[1] != "-":
    cuda.module_set_loading_mode(M.names[sys.argv[1]])
print(cuda.module_get_loading_mode())
cuda.module_set_loading_mode(cuda.module_get_loading_mode())
other = M.EAGER if cuda.module_get_loading_mode() is M.LAZY else M.LAZY
try:
    cuda.module_set_loading_mode(other)
except cuda.LogicError as error:
    print(error)
source = "".join(f"__global__ void f{i}(int* x) {{ *x = {i}; }}" for i in range(6))
x = cuda.mem_alloc(4)
SourceModule(source, no_extern_c=False).get_function("f5")(x, block=(1, 1, 1))
print(cuda.from_device(x, 1, np.int32)[0])
"""


@pytest.mark.parametrize(
    ("asked", "variable", "found"),
    [("-", "", "LAZY"), ("EAGER", "", "EAGER"), ("LAZY", "EAGER", "LAZY"), ("-", "EAGER", "EAGER")],
)
def test_modules_are_loaded_as_asked(asked, variable, found):
    done = subprocess.run(
        [sys.executable, "-c", LOADING, asked],
        env=script_environment(CUDA_MODULE_LOADING=variable),
        capture_output=True,
        text=True,
        check=True,
    )
    mode, refused, result = done.stdout.splitlines()
    assert mode == found and result == "5"
    assert f"the driver is open already, and loads modules {found}; set CUDA_MODULE" in refused


def test_a_loading_mode_is_one_of_two():
    for wrong in (3, "LAZY", None):
        with pytest.raises(ValueError, match=f"mode must be of module_loading_mode, got {wrong!r}"):
            cuda.module_set_loading_mode(wrong)
