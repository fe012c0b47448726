# SPDX-License-Identifier: MIT
"""Streams of lathe.cuda.driver: callbacks, other libraries' streams, memory in their order."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import Gate, script_environment

import lathe.cuda.driver as cuda
from lathe.cuda.compiler import SourceModule
from lathe.native import native

CUDA_ERROR_NOT_READY = 600


@pytest.fixture(scope="module")
def add():
    return SourceModule("__global__ void add(int* x, int n) { x[threadIdx.x] += n; }").get_function(
        "add"
    )


class Foreign:
    """A stream of a library that knows only the protocol."""

    def __init__(self):
        self.stream = cuda.Stream(cuda.stream_flags.NON_BLOCKING)

    def __cuda_stream__(self):
        return 0, self.stream.handle


def test_priorities_and_flags():
    least, greatest = cuda.stream_priorities()
    assert greatest <= 0 <= least
    assert cuda.Stream(priority=greatest - 100).priority == greatest
    assert cuda.Stream(priority=least + 100).priority == least
    assert cuda.Stream(1).flags == cuda.stream_flags.NON_BLOCKING
    assert cuda.Stream().flags == cuda.stream_flags.DEFAULT
    with pytest.raises(cuda.LogicError, match="flags must be 0 or 1, got 6"):
        cuda.Stream(6)


def test_default_streams_have_names(add):
    for stream in (cuda.LEGACY_DEFAULT_STREAM, cuda.PER_THREAD_DEFAULT_STREAM):
        memory = cuda.to_device(np.zeros(4, np.int32))
        add(memory, np.int32(2), block=(4, 1, 1), stream=stream)
        stream.synchronize()
        assert stream.is_done()
        assert cuda.from_device(memory, 4, np.int32).tolist() == [2] * 4
    assert cuda.LEGACY_DEFAULT_STREAM.__cuda_stream__() == (0, 1)
    assert cuda.PER_THREAD_DEFAULT_STREAM.__cuda_stream__() == (0, 2)


def test_other_libraries_streams_are_taken_wherever_a_stream_is(add):
    foreign = Foreign()
    memory = cuda.mem_alloc(16)
    cuda.memset_d32_async(memory, 1, 4, foreign)
    add(memory, np.int32(4), block=(4, 1, 1), stream=foreign)
    add.prepare("Pi").prepared_async_call((1, 1), (4, 1, 1), foreign, memory, 5)
    event = cuda.Event().record(foreign)
    cuda.Stream().wait_for_event(event)
    back = np.empty(4, np.int32)
    cuda.memcpy_dtoh_async(back, memory, stream=foreign)
    foreign.stream.synchronize()
    assert back.tolist() == [10] * 4
    ordered = cuda.mem_alloc_async(64, foreign)
    ordered.free_async(foreign)
    wrapped = cuda.Stream(foreign)
    assert wrapped == foreign.stream and hash(wrapped) == hash(foreign.stream)
    assert wrapped == cuda.Stream.from_handle(wrapped.handle)
    del foreign
    gc.collect()
    wrapped.synchronize()  # it keeps the other library's


@pytest.mark.parametrize("wrong", [0, "stream", object(), [1]])
def test_what_is_no_stream_is_told(add, wrong):
    memory = cuda.mem_alloc(16)
    with pytest.raises(TypeError):
        cuda.memset_d32_async(memory, 1, 4, wrong)
    with pytest.raises(TypeError):
        add(memory, np.int32(4), block=(4, 1, 1), stream=wrong)


@pytest.mark.parametrize("given", [(1, 5), (0,), (0, "x"), 7])
def test_a_protocol_that_is_not_followed_is_told(given):
    class Wrong:
        def __cuda_stream__(self):
            return given

    with pytest.raises(TypeError, match=r"__cuda_stream__\(\) must give \(0, handle\), got"):
        cuda.Stream(Wrong())


def test_callbacks_run_in_the_stream_s_order(add):
    stream, seen = cuda.Stream(), []
    x = cuda.pagelocked_zeros(4, np.int32)
    memory = cuda.mem_alloc(16)
    cuda.memset_d32_async(memory, 0, 4, stream)
    for k in range(5):
        add(memory, np.int32(1), block=(4, 1, 1), stream=stream)
        cuda.memcpy_dtoh_async(x, memory, stream)
        stream.add_callback(lambda k=k: seen.append((k, int(x[0]))))
    stream.synchronize()
    assert seen == [(k, k + 1) for k in range(5)]
    stream.add_callback(seen.extend, "ab")
    stream.synchronize()
    assert seen[5:] == ["a", "b"]


def test_later_work_waits_for_a_callback():
    stream, order = cuda.Stream(), []
    opened = threading.Event()

    def slow():
        opened.wait(60)
        order.append("slow")

    stream.add_callback(slow)
    stream.add_callback(order.append, "next")
    assert not stream.is_done() and order == []
    opened.set()
    stream.synchronize()
    assert order == ["slow", "next"]


def test_what_a_callback_raises_goes_to_the_hook(monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    stream = cuda.Stream()

    def wrong():
        raise ValueError("on purpose")

    stream.add_callback(wrong)
    after = []
    stream.add_callback(after.append, 1)
    stream.synchronize()
    assert [str(t.exc_value) for t in told] == ["on purpose"] and told[0].object is wrong
    assert after == [1]
    with pytest.raises(TypeError, match="must be callable, got 7"):
        stream.add_callback(7)


def test_calls_that_wait_hold_no_lock_that_a_callback_needs(capfd):
    """The stream's functions need Python's lock: nobody who waits for the stream may have it."""
    stream = cuda.Stream(cuda.stream_flags.NON_BLOCKING)
    memory, other = cuda.mem_alloc(64), cuda.mem_alloc(64)
    pinned = cuda.pagelocked_zeros(64, np.uint8)
    registered = cuda.register_host_memory(np.zeros(4096, np.uint8))
    module = SourceModule("__global__ void f() {}")
    seen, gates = [], []

    def add_one(to):
        """Python's lock stays here from before the callback may run until the next call waits."""
        gates.append(Gate(to))  # giving one back would wait, too
        to.add_callback(seen.append, 1)
        gates[-1].open()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(30)  # nor does this thread give it up before that call
    try:
        for wait in (
            stream.synchronize,
            cuda.Context.synchronize,
            memory.free,
            lambda: cuda.memcpy_htod(other, np.zeros(64, np.uint8)),
            lambda s=stream: cuda.Event().record(s).synchronize(),
            registered.base.unregister,
            pinned.base.free,
            other.free,
        ):
            add_one(stream)
            wait()
        add_one(stream)
        del module
        add_one(stream)
        del stream
        for _ in range(6000):
            if len(seen) == 10:
                break
            time.sleep(0.01)
    finally:
        sys.setswitchinterval(interval)
    assert len(seen) == 10
    assert "left out" not in capfd.readouterr().err


def test_a_callback_that_python_never_let_in_is_an_error_and_never_runs_late(capfd):
    """Somebody holds Python's lock for longer than a stream has patience."""
    stream = cuda.Stream(cuda.stream_flags.NON_BLOCKING)
    seen = []
    # Calls that keep the lock: the driver's, and one that lets other threads have the processor.
    query = ctypes.PyDLL(native.gpu_status()["driver_path"]).cuStreamQuery
    pause = ctypes.PyDLL(None).usleep
    interval = sys.getswitchinterval()
    native.set_host_function_patience(0.1)
    sys.setswitchinterval(30)  # nor does this thread give it up before that call
    try:
        with Gate(stream) as gate:
            stream.add_callback(seen.append, 1)
            gate.open()
            limit = time.monotonic() + 30
            while query(ctypes.c_void_p(stream.handle)) == CUDA_ERROR_NOT_READY:
                assert time.monotonic() < limit, "the stream waits on"
                pause(1000)
        with pytest.raises(cuda.LaunchError, match="1 host function was left out"):
            stream.synchronize()
        stream.synchronize()  # told once
        assert seen == []
    finally:
        sys.setswitchinterval(interval)
        native.set_host_function_patience(10)
    stream.add_callback(seen.append, 2)
    stream.synchronize()
    assert seen == [2]
    assert "left out" in capfd.readouterr().err


def test_a_callback_that_waits_for_the_device_is_told(monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    stream = cuda.Stream()
    event = cuda.Event().record(stream)
    for wait in (stream.synchronize, cuda.Context.synchronize, event.synchronize):
        stream.add_callback(wait)
    stream.synchronize()
    assert len(told) == 3
    assert all("must not wait for the device" in str(t.exc_value) for t in told)


def test_callbacks_of_many_threads():
    seen, lock = [], threading.Lock()

    def note(k):
        with lock:
            seen.append(k)

    def work(first):
        stream = cuda.Stream()
        for k in range(first, first + 50):
            stream.add_callback(note, k)
        stream.synchronize()

    threads = [threading.Thread(target=work, args=(n * 50,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == list(range(200))
    for n in range(4):
        assert [k for k in seen if k // 50 == n] == list(range(n * 50, n * 50 + 50))


def test_memory_in_a_stream_s_order(add):
    stream = cuda.Stream()
    memory = cuda.mem_alloc_async(16, stream)
    assert isinstance(memory, cuda.DeviceAllocation) and memory.nbytes == 16
    cuda.memset_d32_async(memory, 3, 4, stream)
    add(memory, np.int32(4), block=(4, 1, 1), stream=stream)
    back = np.empty(4, np.int32)
    cuda.memcpy_dtoh_async(back, memory, stream)
    memory.free_async(stream)
    stream.synchronize()
    assert back.tolist() == [7] * 4
    with pytest.raises(cuda.LogicError, match="it was freed"):
        memory.free_async(stream)
    with pytest.raises(cuda.LogicError, match=r"cuMemAllocAsync failed.*0 bytes"):
        cuda.mem_alloc_async(0, stream)
    with pytest.raises(cuda.MemoryError, match="cuMemAllocAsync failed: out of memory"):
        cuda.mem_alloc_async(1 << 60, stream)
    late = cuda.mem_alloc_async(64, stream)
    del stream
    gc.collect()
    late.free()
    kept = cuda.mem_alloc_async(64, cuda.Stream())
    del kept


EXITS = {
    "a callback that has run": "stream.add_callback(print, 'ran'); stream.synchronize()",
    "callbacks that wait": "[stream.add_callback(time.sleep, 0.2) for _ in range(20)]",
    "a callback that never ends": "stream.add_callback(threading.Event().wait)",
    "memory in order": "m = cuda.mem_alloc_async(64, stream)",
    "a graph": "g = cuda.Graph(); g.add_host(print, 'ran'); g.launch(); g.launch(stream)",
    "a capture that is not ended": "g = cuda.Graph(); g.__enter__()",
    "registered memory": "a = cuda.register_host_memory(np.zeros(5000))",
    "a link that is not ended": "l = cuda.Linker()",
    "a context that is not popped": "c = cuda.Device(0).make_context(); m = cuda.mem_alloc(4)",
    "a thread that calls": """
works = threading.Event()
def work():
    while True: stream.add_callback(int); stream.synchronize(); works.set()
threading.Thread(target=work, daemon=True).start(); works.wait()""",
}


@pytest.mark.parametrize("what", EXITS)
def test_programs_end_well_with(what, tmp_path):
    script = tmp_path / "exits.py"
    script.write_text(
        "import threading, time\nimport numpy as np\nimport lathe.cuda.driver as cuda\n"
        f"stream = cuda.Stream()\n{EXITS[what]}\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)],
        env=script_environment(), capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_a_callback_that_raises_does_not_end_those_after_it():
    """With the interpreter's own hook, which takes no object but its own kind."""
    script = """
import lathe.cuda.driver as cuda
stream = cuda.Stream()
for _ in range(3):
    stream.add_callback(lambda: 1 / 0)
stream.add_callback(lambda: print("after"))
stream.synchronize()
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=script_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "after\n"
    assert done.stderr.count("ZeroDivisionError: division by zero") == 3
    assert "in the host function of a stream: <function <lambda>" in done.stderr
