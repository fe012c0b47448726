# SPDX-License-Identifier: MIT
"""Every public function and method of lathe.cuda's driver, compiler, tools and gl, with each
argument wrong in turn: it is taken, or refused by a documented kind of exception that says what
came, and the right call does what it did before. cuda_calls_table.py has the right calls."""

from __future__ import annotations

import contextlib
import inspect
import re

import cuda_calls_table as table
import numpy as np
import pytest

import lathe.cuda.compiler as compiler
import lathe.cuda.driver as cuda
import lathe.cuda.tools as tools
from lathe.cuda import gl
from lathe.cuda.flags import Flags

pytestmark = pytest.mark.software  # a GPU's driver follows handles that nobody can check

REFUSED = (TypeError, ValueError, BufferError, OSError, MemoryError, cuda.Error)

#: Public, and not in the table: without arguments, or with a reason.
NO_ARGUMENTS = [
    "get_driver_version", "get_version", "gl_init", "have_gl_ext", "mem_get_info",
    "module_get_loading_mode", "start_profiler", "stop_profiler", "stream_priorities",
    "get_nvcc_version", "clear_context_caches", "get_default_device",
    "init_cuda_context_fixture", "gl.init", "Context.attach", "Context.detach", "Context.push",
    "Context.pop", "Context.get_current", "Context.get_device", "Context.synchronize",
    "Context.get_api_version", "Context.get_cache_config", "Context.get_shared_config",
    "Device.count", "Device.name", "Device.pci_bus_id", "Device.compute_capability",
    "Device.total_memory", "Device.get_attributes", "Device.retain_primary_context",
    "Stream.synchronize", "Stream.is_done", "Stream.is_capturing", "Event.synchronize",
    "Event.query", "Event.ipc_handle", "DeviceAllocation.free", "PooledDeviceAllocation.free",
    "PooledHostAllocation.free", "PooledHostAllocation.get_device_pointer",
    "AlignedHostAllocation.free", "HostAllocation.free", "HostAllocation.get_flags",
    "HostPointer.get_device_pointer", "ManagedAllocation.get_device_pointer",
    "RegisteredHostMemory.unregister", "IPCMemoryHandle.get_pointer", "IPCMemoryHandle.close",
    "Function.launch", "Linker.link_module", "Array.free", "Array.get_descriptor",
    "Array.get_descriptor_3d", "MipmappedArray.free", "MipmappedArray.get_descriptor_3d",
    "TextureObject.free", "SurfaceObject.free", "SurfaceReference.get_array",
    "TextureReference.get_array", "TextureReference.get_address",
    "TextureReference.get_filter_mode", "TextureReference.get_format",
    "TextureReference.get_flags", "PointerHolderBase.get_pointer", "DeviceMemoryPool.free_held",
    "DeviceMemoryPool.stop_holding",
    "ArgumentHandler.get_device_alloc",
    "Argument.declarator", "ScalarArg.declarator", "VectorArg.declarator",
    "RegisteredObject.gl_handle", "RegisteredObject.unregister",
    "RegisteredMapping.device_ptr_and_size", "BufferObject.handle", "BufferObject.unregister",
    "BufferObjectMapping.unmap", "BufferObjectMapping.device_ptr", "BufferObjectMapping.size",
]  # fmt: skip
REASONS = {
    "initialize_profiler": "always raises",
    "set_debugging": "a flag for all sources of the process",
    "compile_plain": "compile, without its defaults",
    "mark_cuda_test": "takes any function",
    "context_dependent_memoize": "takes any function",
    "register_dtype": "writes to a table of the process",
    "get_or_register_dtype": "the same",
    "make_default_context": "takes any function",
    "Device.make_context": "test_cuda_context.py: flags make contexts",
    "ArgumentHandler.pre_call": "Function.__call__ calls it",
    "Function.over": "test_one_kernel.py tries it",
    "Function.sibling": "test_one_kernel.py tries it",
    "Function.trace_next": "test_thread_trace.py tries it",
    "Function.trace_warp_next": "test_warp_trace.py tries it",
    "Function.values_next": "test_line_values.py tries it",
    "Function.observe_no_more": "test_thread_trace.py tries it",
    "ArgumentHandler.post_call": "the same",
    "In.pre_call": "the same",
    "Out.post_call": "the same",
    "DeviceAllocation.free_async": "test_cuda_streams.py: it ends its object",
    "DebugMemoryPool": "DeviceMemoryPool that prints",
    "DebugMemoryPool.allocate": "the same",
    "DeviceData.coalesce": "PyCUDA's, of devices before compute capability 2",
    "Argument": "the base of ScalarArg and VectorArg",
    "RegisteredObject.map": "test_cuda_gl.py: it needs OpenGL, as the next ones",
    "RegisteredMapping.unmap": "the same",
    "RegisteredMapping.array": "the same",
    "BufferObject.map": "the same",
    **dict.fromkeys(
        ("AlignedHostAllocation", "ArrayDescriptor", "ArrayDescriptor3D", "DeviceMemoryPool",
         "HostAllocation", "ManagedAllocation", "RegisteredHostMemory", "PageLockedMemoryPool",
         "Memcpy2D", "Memcpy3D", "Memcpy3DPeer", "PointerHolderBase", "TextureReference",
         "SurfaceReference"),
        "made without arguments, or by the functions of the table",
    ),
    **dict.fromkeys(
        ("Context", "DeviceAllocation", "Function", "GraphNode", "HostPointer", "Module",
         "PooledDeviceAllocation", "PooledHostAllocation", "RegisteredMapping", "RegisteredObject",
         "BufferObjectMapping"),
        "not made by programs",
    ),
}  # fmt: skip


def public_callables():
    for module in (cuda, compiler, tools, gl):
        for name in getattr(module, "__all__", vars(module)):
            value = getattr(module, name)
            kind = isinstance(value, type)
            home = str(getattr(value, "__module__", ""))
            if name.startswith("_") or not callable(value) or not home.startswith("lathe"):
                continue
            if (
                module in (compiler, gl)
                and not hasattr(module, "__all__")
                and home not in (module.__name__, "lathe._lathe")
            ):
                continue
            if kind and issubclass(value, (Flags, BaseException)):
                continue
            if kind and name in ("ManagedAllocationOrStub", "PagelockedHostAllocation"):
                continue  # second names
            prefix = "gl." if module is gl and not kind else ""
            yield prefix + name
            for method, member in vars(value).items() if kind else ():
                if isinstance(member, property) or not callable(getattr(value, method, None)):
                    continue
                if method == "__call__" or not method.startswith("_"):
                    yield f"{name}.{method}"


def test_every_public_callable_is_tried():
    known = {*table.CALLS, *NO_ARGUMENTS, *REASONS}
    assert sorted({*public_callables()} - known) == []


@pytest.fixture(scope="module")
def bench():
    made = table.bench()
    made.pitched = cuda.mem_alloc(4096)
    made.managed_base, made.pinned_base = made.managed.base, made.pinned.base
    made.native_module = made.module
    made.holder = type(
        "Holder", (cuda.PointerHolderBase,), {"get_pointer": lambda _: int(made.other)}
    )()
    yield made
    table.end(made)


@pytest.fixture(scope="module")
def wrong():
    """By what is wrong."""
    freed, array = cuda.mem_alloc(16), cuda.Array(table.line())
    freed.free()
    array.free()
    context = cuda.Device(0).make_context()
    lost, stream, event = cuda.mem_alloc(64), cuda.Stream(), cuda.Event()
    context.detach()
    other = cuda.Device(0).make_context()
    live = {
        "another context's memory": cuda.mem_alloc(64), "its stream": cuda.Stream(),
        "its event": cuda.Event(), "its array": cuda.Array(table.line()),
        "its module": table.compiler.SourceModule(table.SOURCE, no_extern_c=True),
        "its pool's block": table.tools.DeviceMemoryPool().allocate(64), "another context": other,
    }  # fmt: skip
    live["its function"] = live["its module"].get_function("add")
    cuda.Context.pop()
    yield {
        "no type": object(), "text": "nonsense", "None": None, "negative": -1, "huge": 1 << 70,
        "fraction": 1.5, "shape": np.zeros((6, 2))[::2, ::2], "nothing": (), "list": [3, "x"],
        "freed memory": freed, "freed array": array, "detached context": context,
        "memory of a detached context": lost, "stream of one": stream, "event of one": event,
        **live,
    }  # fmt: skip
    other.detach()


def function_of(name, bench):
    owner, _, method = name.rpartition(".")
    if owner == "gl":
        return getattr(gl, method)
    if not owner:
        return next(getattr(m, name) for m in (cuda, compiler, tools, gl) if hasattr(m, name))
    if method == "from_handle":
        return getattr(getattr(cuda, owner), method)
    used = getattr(bench, table.OWNERS[owner])
    if name.startswith("Function.prepared"):
        used = bench.prepared
    return used if method == "__call__" else getattr(used, method)


#: What is wrong without a value, or said of a handle instead of it, or of a size in bytes.
STATES = ("freed", "destroyed", "detached", "another context", "stands for nothing", "not enabled",
          "no OpenGL context", "there is one device", "must specify block size",
          "none was given", "SURFACE_LDST",
          "bytes in an allocation of", "bytes asked for", "illegal memory access")  # fmt: skip
#: NumPy's and Python's own words for sizes, shapes and types, which their users know.
NOT_OURS = re.compile(
    "only (0-dimensional|integer scalar) arrays can be|truth value of an array|"
    "negative dimensions are not|Maximum allowed dimension|Unable to allocate|"
    "Cannot construct a dtype|Tuple must have size|'<' not supported between|"
    "object cannot be interpreted as an integer"
)


def forms_of(value):
    """What of a value may stand in a message."""
    yield from (type(value).__name__, repr(value), str(value))
    if isinstance(value, np.ndarray):
        yield from (str(value.shape), str(value.dtype), repr(value[0]), str(value.nbytes))
    elif isinstance(value, (list, tuple, str)):
        yield from (f"({len(value)},)", f"{len(value)} members", *(f"{each!r}" for each in value))
        yield from (type(each).__name__ for each in value)
        yield str(np.asarray(value).dtype)
    elif value is None:
        yield str(np.dtype(None))
    else:
        yield f"{getattr(value, 'nbytes', '-')} bytes"
        yield "dtype 'object'"
        with contextlib.suppress(TypeError, ValueError, cuda.Error):
            yield from (str(int(value)), f"{int(value):#x}")


def is_told(value, error):
    """Whether the message says what came; compilers quote the source instead."""
    text = str(error)
    told = any(form in text for form in forms_of(value)) or any(word in text for word in STATES)
    return told or NOT_OURS.search(text) or isinstance(error, cuda.CompileError)


def value_of(value, bench):
    if isinstance(value, table.Of):
        return getattr(bench, value)
    return value() if getattr(value, "__name__", "") == "<lambda>" else value


def outcome(call):
    """What a call gives, or its error; contexts that it made are popped."""
    before = cuda.Context.get_current()
    try:
        call()
    except BaseException as error:
        return error
    finally:
        while cuda.Context.get_current() != before:
            cuda.Context.pop()
    return None


@pytest.mark.parametrize("name", table.CALLS)
@pytest.mark.filterwarnings("ignore")
def test_wrong_arguments_are_told(name, bench, wrong):
    positional, keywords = table.CALLS[name]

    def call(place=None, value=None):
        args = [value_of(each, bench) for each in positional]
        named = {key: value_of(each, bench) for key, each in keywords.items()}
        if place is not None:
            (args if isinstance(place, int) else named)[place] = value
        return function_of(name, bench)(*args, **named)

    right = outcome(call)
    assert right is None or isinstance(right, cuda.Error)
    for place in (*range(len(positional)), *keywords):
        for what, value in wrong.items():
            error = outcome(lambda place=place, value=value: call(place, value))
            where = f"{name}, argument {place}, {what}: {error!r}"
            assert error is None or isinstance(error, REFUSED), where
            assert error is None or is_told(value, error), where
    with contextlib.suppress(cuda.Error):
        cuda.Context.synchronize()
    assert type(outcome(call)) is type(right)


def test_the_table_has_no_others():
    names = {*public_callables()}
    assert inspect.isfunction(cuda.init) and sorted({*NO_ARGUMENTS, *REASONS} - names) == []
