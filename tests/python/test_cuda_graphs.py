# SPDX-License-Identifier: MIT
"""Graphs of lathe.cuda.driver: captured, made node by node, changed and launched again."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest

import lathe.cuda.driver as cuda
from lathe.cuda.compiler import SourceModule

SOURCE = """
__global__ void add(int* x, int n) { x[threadIdx.x] += n; }
__global__ void times(int* x, int n) { x[threadIdx.x] *= n; }
"""
kinds = cuda.graph_node_type


@pytest.fixture(scope="module")
def module():
    return SourceModule(SOURCE)


@pytest.fixture(scope="module")
def add(module):
    return module.get_function("add")


@pytest.fixture(scope="module")
def times(module):
    return module.get_function("times")


def zeros(n=8):
    return cuda.to_device(np.zeros(n, np.int32))


def values(memory, n=8):
    return cuda.from_device(memory, n, np.int32).tolist()


def test_a_capture_is_launched_again_and_again(add, times):
    x, stream = zeros(), cuda.Stream()
    with cuda.Graph() as graph:
        assert graph.stream.is_capturing()
        add(x, np.int32(1), block=(8, 1, 1), stream=graph.stream)
        times(x, np.int32(2), block=(8, 1, 1), stream=graph.stream)
    assert not graph.stream.is_capturing()
    assert values(x) == [0] * 8, "a capture runs nothing"
    expected = 0
    for _ in range(4):
        graph.launch(stream)
        expected = (expected + 1) * 2
    stream.synchronize()
    assert values(x) == [expected] * 8
    assert [n.type for n in graph.nodes] == [kinds.KERNEL, kinds.KERNEL]
    graph.launch()
    cuda.Context.synchronize()
    assert values(x) == [(expected + 1) * 2] * 8


def test_copies_fills_and_callbacks_are_captured(add):
    x = zeros()
    host, seen = cuda.pagelocked_zeros(8, np.int32), []
    with cuda.Graph() as graph:
        s = graph.stream
        cuda.memset_d32_async(x, 5, 8, s)
        add(x, np.int32(1), block=(8, 1, 1), stream=s)
        cuda.memcpy_dtoh_async(host, x, s)
        s.add_callback(lambda: seen.append(host.tolist()))
        cuda.memset_d32_async(x, 0, 8, s)
    for _ in range(3):
        graph.launch()
    cuda.Context.synchronize()
    assert seen == [[6] * 8] * 3
    assert values(x) == [0] * 8
    assert sorted(n.type for n in graph.nodes) == [0, 1, 2, 2, 3]


def test_a_capture_anew_updates_the_graph(add, times):
    x = zeros()
    graph = cuda.Graph()
    for n in (3, 10):
        with graph:
            add(x, np.int32(n), block=(8, 1, 1), stream=graph.stream)
        graph.launch()
    cuda.Context.synchronize()
    assert values(x) == [13] * 8
    with graph:  # of another shape
        times(x, np.int32(2), block=(8, 1, 1), stream=graph.stream)
        times(x, np.int32(2), block=(4, 1, 1), stream=graph.stream)
    graph.launch()
    cuda.Context.synchronize()
    assert values(x) == [52] * 4 + [26] * 4


def test_a_stream_of_ones_own_is_captured(add):
    x, stream = zeros(), cuda.Stream(cuda.stream_flags.NON_BLOCKING)
    other = cuda.Stream(cuda.stream_flags.NON_BLOCKING)
    with cuda.Graph(stream) as graph:
        assert graph.stream is stream
        fork = cuda.Event(cuda.event_flags.DISABLE_TIMING).record(stream)
        other.wait_for_event(fork)
        add(x, np.int32(1), block=(4, 1, 1), stream=stream)
        add(int(x) + 16, np.int32(2), block=(4, 1, 1), stream=other)
        stream.wait_for_event(cuda.Event(cuda.event_flags.DISABLE_TIMING).record(other))
    graph.launch(stream)
    stream.synchronize()
    assert values(x) == [1] * 4 + [2] * 4


def test_a_capture_that_fails_leaves_the_graph_as_it_was(add):
    x = zeros()
    graph = cuda.Graph()
    with graph:
        add(x, np.int32(1), block=(8, 1, 1), stream=graph.stream)
    with pytest.raises(ZeroDivisionError), graph:
        add(x, np.int32(100), block=(8, 1, 1), stream=graph.stream)
        raise ZeroDivisionError
    graph.launch()
    with pytest.raises(cuda.LogicError, match="cuStreamSynchronize failed"), graph:
        graph.stream.synchronize()
    with pytest.raises(cuda.LogicError, match="captures already"), graph, graph:
        pass
    graph.launch()
    cuda.Context.synchronize()
    assert values(x) == [2] * 8


def test_work_that_forgets_the_stream_is_told(add):
    x = zeros()
    with pytest.raises(cuda.LogicError, match=r"cu\w+ failed"), cuda.Graph() as graph:
        add(x, np.int32(1), block=(8, 1, 1))
    assert graph.nodes == []
    add(x, np.int32(1), block=(8, 1, 1))
    assert values(x) == [1] * 8


def test_nodes_run_in_the_order_of_their_edges(add, times):
    x, order = zeros(), []
    graph = cuda.Graph()
    first = graph.add_memset(x, 1, 8)
    left = graph.add_kernel(times, x, np.int32(3), block=(4, 1, 1), after=first)
    right = graph.add_kernel(times, int(x) + 16, np.int32(5), block=4, after=[first])
    join = graph.add_empty(after=(left, right))
    last = graph.add_kernel(add, x, np.int32(1), block=(8, 1, 1), after=join)
    back = np.zeros(8, np.int32)
    copy = graph.add_memcpy(back, x, after=last)
    graph.add_host(order.append, "end", after=copy)
    assert sorted(n.type for n in graph.nodes) == [0, 0, 0, 1, 2, 3, 5]
    assert first in graph.nodes and len({*graph.nodes, first}) == 7
    for _ in range(2):
        graph.launch()
    cuda.Context.synchronize()
    assert back.tolist() == [4] * 4 + [6] * 4
    assert order == ["end", "end"]


def test_copies_between_all_kinds_of_memory():
    a, b = cuda.mem_alloc(32), cuda.mem_alloc(32)
    source, to = np.arange(8, dtype=np.int32), bytearray(32)
    graph = cuda.Graph()
    up = graph.add_memcpy(a, source)
    over = graph.add_memcpy(b, a, after=up)
    graph.add_memcpy(to, b, 16, after=over)
    graph.launch()
    cuda.Context.synchronize()
    assert np.frombuffer(to, np.int32).tolist() == [0, 1, 2, 3, 0, 0, 0, 0]
    source += 10  # is read at each launch
    graph.launch()
    cuda.Context.synchronize()
    assert np.frombuffer(to, np.int32)[:4].tolist() == [10, 11, 12, 13]


def test_what_nodes_do_is_changed_between_launches(add, times):
    x, y, seen = zeros(), zeros(), []
    graph = cuda.Graph()
    fill = graph.add_memset(x, 2, 8)
    kernel = graph.add_kernel(add, x, np.int32(1), block=(8, 1, 1), after=fill)
    copy = graph.add_memcpy(y, x, 32, after=kernel)
    host = graph.add_host(seen.append, 1, after=copy)
    graph.launch()
    cuda.Context.synchronize()
    assert values(y) == [3] * 8
    graph.set_memset(fill, x, 0x04040404, 8)
    graph.set_kernel(kernel, times, x, np.int32(2), block=(4, 1, 1))
    graph.set_memcpy(copy, y, int(x), 16)
    graph.set_host(host, seen.extend, "ab")
    graph.launch()
    cuda.Context.synchronize()
    assert values(y) == [0x04040404 * 2] * 4 + [3] * 4 and seen == [1, "a", "b"]
    graph.set_enabled(kernel, False)
    graph.launch()
    cuda.Context.synchronize()
    assert values(y)[:4] == [0x04040404] * 4
    graph.add_memset(y, 0, 1, after=host)  # made ready anew: as its nodes were set, all of them on
    graph.launch()
    cuda.Context.synchronize()
    assert values(y) == [0] + [0x04040404 * 2] * 3 + [3] * 4


def test_a_graph_takes_over_what_another_one_does(add, times):
    x = zeros()

    def made(function, n, count=1):
        graph = cuda.Graph()
        for _ in range(count):
            graph.add_kernel(function, x, np.int32(n), block=(8, 1, 1))
        return graph

    graph = made(add, 1)
    graph.launch()
    assert graph.update(made(times, 50))
    graph.launch()
    cuda.Context.synchronize()
    assert values(x) == [50] * 8
    assert not graph.update(made(add, 1, 2))
    graph.launch()
    cuda.Context.synchronize()
    assert values(x) == [2500] * 8


def test_a_graph_is_a_node_of_another(add):
    x = zeros()
    inner = cuda.Graph()
    inner.add_kernel(add, x, np.int32(1), block=(8, 1, 1))
    outer = cuda.Graph()
    first = outer.add_graph(inner)
    outer.add_graph(inner, after=first)
    del inner
    outer.launch()
    cuda.Context.synchronize()
    assert values(x) == [2] * 8
    with pytest.raises(ValueError, match="no node of itself"):
        outer.add_graph(outer)


class Box:
    def __call__(self):
        pass


def test_a_graph_keeps_what_it_names_and_lets_go_of_it(add):
    box, seen = Box(), []
    ended = weakref.ref(box)
    graph = cuda.Graph()
    memory = zeros()
    node = graph.add_kernel(
        SourceModule(SOURCE).get_function("add"), memory, np.int32(1), block=(8, 1, 1)
    )
    graph.add_memcpy(memory, np.full(8, 5, np.int32), after=graph.add_host(box, after=node))
    graph.add_host(seen.append, 1)
    del box, node
    gc.collect()
    for _ in range(5):
        graph.launch()
    del graph  # while it runs
    cuda.Context.synchronize()
    assert values(memory) == [5] * 8 and seen == [1] * 5
    for _ in range(1000):
        gc.collect()
        cuda.Stream().add_callback(int)  # takes along what other threads left
        cuda.Context.synchronize()
        if ended() is None:
            break
    assert ended() is None


def test_a_capture_keeps_its_kernels_and_memory():
    back = cuda.pagelocked_zeros(8, np.int32)
    x = zeros()
    with cuda.Graph() as graph:
        SourceModule(SOURCE).get_function("add")(
            x, np.int32(4), block=(8, 1, 1), stream=graph.stream
        )
        cuda.memcpy_dtoh_async(back, x, graph.stream)
    del x
    gc.collect()
    others = [zeros() for _ in range(4)]
    graph.launch()
    assert values(others[0]) == [0] * 8
    cuda.Context.synchronize()
    assert back.tolist() == [4] * 8


def overwrite(count=20):
    """What was freed gets other contents."""
    gc.collect()
    return [cuda.to_device(np.full(8, -1, np.int32)) for _ in range(count)]


def test_a_capture_keeps_the_memory_of_its_copies_and_fills(add):
    x, y, result = zeros(), zeros(), np.zeros(8, np.int32)
    pool = cuda.DeviceMemoryPool()
    block = pool.allocate(32)
    rows, pitch = cuda.mem_alloc_pitch(32, 1, 4)
    source, back = bytearray(np.arange(8, dtype=np.int32).tobytes()), np.zeros(8, np.int32)
    box = cuda.Memcpy2D()
    box.set_src_device(y)
    box.set_dst_device(rows)
    box.src_pitch = box.width_in_bytes = 32
    box.dst_pitch, box.height = pitch, 1
    ended = [weakref.ref(each) for each in (x, y, rows)]
    with cuda.Graph() as graph:
        s = graph.stream
        cuda.memcpy_htod_async(x, source, s)
        cuda.memcpy_dtod_async(block, x, 32, s)
        cuda.memcpy_dtod_async(y, block, 32, s)
        box(s)
        add(rows, np.int32(1), block=(8, 1, 1), stream=s)
        cuda.memcpy_dtoh_async(back, rows, s)
        cuda.memset_d32_async(y, 7, 8, s)
        cuda.memset_d2d32_async(x, 32, 9, 8, 1, s)
    with pytest.raises(BufferError):
        source.extend(bytes(1 << 20))  # else it would lie somewhere else
    result, seen = back, weakref.ref(back)
    del x, y, block, rows, source, box, back
    others = overwrite()
    assert pool.active_blocks == 1
    for _ in range(2):
        graph.launch()
        cuda.Context.synchronize()
        assert result.tolist() == list(range(1, 9))
        result[:] = 0
    assert all(values(each) == [-1] * 8 for each in others)
    graph.launch()
    del result, graph
    gc.collect()
    assert pool.active_blocks == 0 and seen() is None and not any(each() for each in ended)


def test_a_graph_that_ends_while_it_runs_keeps_host_memory_until_then(add):
    x, opened = zeros(), threading.Event()
    back = cuda.pagelocked_zeros(8, np.int32)  # for others the launch itself would wait on a GPU
    seen = weakref.ref(back)
    with cuda.Graph() as graph:
        graph.stream.add_callback(lambda: opened.wait(60))
        add(x, np.int32(3), block=(8, 1, 1), stream=graph.stream)
        cuda.memcpy_dtoh_async(back, x, graph.stream)
    del back
    graph.launch()
    threading.Timer(0.05, opened.set).start()
    del graph  # waits
    gc.collect()
    assert opened.is_set() and seen() is None
    assert values(x) == [3] * 8


def test_graphs_are_captured_and_launched_by_threads(add):
    found = []
    together = threading.Barrier(4)  # the default stream's copies are an error while one captures

    def work(n):
        x = zeros()
        together.wait(60)
        with cuda.Graph() as graph:
            add(x, np.int32(n), block=(8, 1, 1), stream=graph.stream)
        together.wait(60)
        stream = cuda.Stream()
        for _ in range(20):
            graph.launch(stream)
        stream.synchronize()
        found.append((n, values(x)))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [(n, [n * 20] * 8) for n in range(1, 5)]


def test_what_graphs_do_not_take_is_told(add):
    x, graph, other = zeros(), cuda.Graph(), cuda.Graph()
    node, foreign = graph.add_empty(), other.add_empty()
    read_only = np.zeros(8, np.int32)
    read_only.flags.writeable = False
    for act, error, words in (
        (lambda: graph.add_empty(after=foreign), ValueError, "not of this graph"),
        (lambda: graph.add_empty(after=[node, 3]), TypeError, "must hold GraphNodes, got 3"),
        (lambda: graph.add_empty(after=3), TypeError, "must be a GraphNode or a sequence.*got int"),
        (lambda: graph.add_kernel(add, x, np.int32(1)), ValueError, "must specify block size"),
        (lambda: graph.add_kernel(add, x, block=1), TypeError, "is missing"),
        (lambda: graph.add_kernel(len, x, block=1), TypeError, "add_kernel"),
        (
            lambda: graph.add_kernel(add, x, np.int32(1), block=(4096, 1, 1)),
            cuda.LogicError,
            "cuFuncSetBlockShape failed.*4096 x 1 x 1",
        ),
        (lambda: graph.add_memcpy(x, object()), TypeError, "src must be device memory or a buffer"),
        (lambda: graph.add_memcpy(x, np.zeros(16)[::2]), ValueError, "src must be contiguous"),
        (lambda: graph.add_memcpy(read_only, x), ValueError, "dest is read-only"),
        (lambda: graph.add_memcpy(x, np.zeros(9, "i4")), cuda.LogicError, "36 bytes, one side has"),
        (lambda: graph.add_memcpy(x, x, 33), cuda.LogicError, "33 bytes, one side has 32"),
        (lambda: graph.add_memcpy(int(x), int(x)), ValueError, "size must be given"),
        (lambda: graph.add_memset(x, 1, 9), cuda.LogicError, "36 bytes in an allocation of 32"),
        (lambda: graph.add_memset(x, 1, 1, itemsize=3), ValueError, "1, 2 or 4, got 3"),
        (lambda: graph.add_memset(x, 256, 1, itemsize=1), ValueError, "256 does not fit 1 bytes"),
        (lambda: graph.add_memset("x", 0, 1), TypeError, "dest must be device memory"),
        (lambda: graph.add_host(3), TypeError, "must be callable, got 3"),
        (lambda: graph.set_host(node, int), ValueError, r"not made by add_host\(\)"),
        (
            lambda: graph.set_memset(node, x, 0, 1),
            cuda.LogicError,
            "cuGraphMemsetNodeSetParams failed",
        ),
        (lambda: graph.set_enabled(foreign, True), ValueError, "not of this graph"),
        (lambda: graph.set_enabled(node, True), cuda.LogicError, "cuGraphNodeSetEnabled failed"),
        (lambda: cuda.Graph(3), TypeError, "stream must be a Stream or None, got int"),
        (lambda: graph.launch(3), TypeError, "launch"),
        (lambda: graph.update(3), TypeError, "update"),
    ):
        with pytest.raises(error, match=words):
            act()
    with graph:
        with pytest.raises(cuda.LogicError, match="captured at present"):
            graph.add_empty()
        with pytest.raises(cuda.LogicError, match="captured at present"):
            graph.launch()
    with pytest.raises(ValueError, match="captured anew"):
        graph.add_empty(after=node)
    del other
    with pytest.raises(ValueError, match="graph has ended"):
        _ = foreign.type
