# SPDX-License-Identifier: MIT
"""lathe.cuda.driver: devices, contexts, what the driver knows of an address, profilers."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from conftest import script_environment

import lathe
import lathe.cuda.driver as cuda
from lathe.cuda.compiler import SourceModule

SOURCE = """
__global__ void add(float* a, float b, int n) {
    __shared__ float kept[16];
    kept[threadIdx.x % 16] = b;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += kept[threadIdx.x % 16];
}
__global__ void nothing() {}
"""


@pytest.fixture(scope="module")
def module():
    return SourceModule(SOURCE)


@pytest.fixture
def other_context():
    """A context beside the one that is current before and after."""
    before = cuda.mem_alloc(4)  # so that there is one
    context = cuda.Device(0).make_context()
    cuda.Context.pop()
    yield context
    del before
    if context.handle:
        try:
            context.detach()
        except cuda.LogicError as error:
            assert "destroyed before" in str(error)


def test_all_attributes_of_a_device():
    device = cuda.Device(0)
    all_ = device.get_attributes()
    assert all_[cuda.device_attribute.WARP_SIZE] == 32
    assert all_[cuda.device_attribute.COMPUTE_MODE] is cuda.compute_mode.DEFAULT
    major, minor = device.compute_capability()
    assert all_[cuda.device_attribute.COMPUTE_CAPABILITY_MAJOR] == major
    assert all_[cuda.device_attribute.COMPUTE_CAPABILITY_MINOR] == minor
    assert len(all_) > 80 and all(isinstance(k, cuda.device_attribute) for k in all_)
    assert device.cooperative_launch in (0, 1) and device.cluster_launch in (0, 1)


def test_configurations_of_a_context():
    before = cuda.Context.get_shared_config()
    cuda.Context.set_shared_config(cuda.shared_config.FOUR_BYTE_BANK_SIZE)
    assert isinstance(cuda.Context.get_shared_config(), cuda.shared_config)
    cuda.Context.set_shared_config(before)
    with pytest.raises(cuda.LogicError, match=r"cuCtxSetSharedMemConfig failed: .*17"):
        cuda.Context.set_shared_config(17)


def test_peers(other_context):
    device = cuda.Device(0)
    assert not device.can_access_peer(device)
    with pytest.raises(cuda.LogicError, match="cuCtxEnablePeerAccess failed"):
        cuda.Context.enable_peer_access(other_context)
    with pytest.raises(cuda.LogicError, match=r"cuCtxEnablePeerAccess failed.*flags 5"):
        cuda.Context.enable_peer_access(other_context, 5)
    with pytest.raises(cuda.LogicError, match="cuCtxDisablePeerAccess failed"):
        cuda.Context.disable_peer_access(other_context, flags=0)
    with pytest.raises(cuda.LogicError, match="flags must be 0, got 1"):
        cuda.Context.disable_peer_access(other_context, 1)
    with pytest.raises(TypeError):
        cuda.Context.enable_peer_access(device)
    other_context.detach()
    with pytest.raises(cuda.LogicError, match="the peer was destroyed"):
        cuda.Context.enable_peer_access(other_context)


def test_an_attached_context_takes_one_detach_more(other_context):
    other_context.push()
    assert cuda.Context.attach() == other_context
    other_context.detach()
    assert cuda.Context.get_current() == other_context
    memory = cuda.to_device(np.arange(4))
    np.testing.assert_array_equal(cuda.from_device(memory, 4, np.int64), np.arange(4))
    other_context.detach()
    assert cuda.Context.get_current() != other_context
    with pytest.raises(cuda.LogicError, match="destroyed before"):
        other_context.detach()
    with pytest.raises(cuda.LogicError, match="flags must be 0, got 2"):
        cuda.Context.attach(2)


def test_addresses_and_what_they_lie_in():
    memory = cuda.mem_alloc(1000)
    begin, size = cuda.mem_get_address_range(int(memory) + 100)
    assert begin == int(memory) and size >= 1000
    ask, which = cuda.pointer_get_attribute, cuda.pointer_attribute
    assert ask(memory, which.MEMORY_TYPE) is cuda.memory_type.DEVICE
    assert ask(memory, which.CONTEXT) == cuda.Context.get_current()
    assert ask(memory, which.DEVICE_ORDINAL) == 0
    assert ask(memory, which.IS_MANAGED) is False
    assert ask(int(memory) + 8, which.RANGE_START_ADDR) == int(memory)
    assert ask(int(memory) + 8, which.RANGE_SIZE) >= 1000
    managed = cuda.managed_empty(16, np.float32)
    assert ask(managed, which.IS_MANAGED) is True
    pinned = cuda.pagelocked_empty(16, np.float32)
    assert ask(pinned.ctypes.data, which.MEMORY_TYPE) is cuda.memory_type.HOST
    with pytest.raises(cuda.LogicError, match=r"cuPointerGetAttribute failed.*attribute 2 of 0x10"):
        ask(0x10, which.MEMORY_TYPE)
    with pytest.raises(cuda.LogicError, match=r"cuPointerGetAttribute failed.*attribute 999"):
        ask(memory, 999)
    with pytest.raises(cuda.LogicError, match=r"cuMemGetAddressRange failed.*0x10"):
        cuda.mem_get_address_range(0x10)
    with pytest.raises(TypeError, match=r"ptr must be device memory.*got str"):
        ask("here", which.CONTEXT)
    with pytest.raises(TypeError, match=r"ptr must be device memory.*got list"):
        cuda.mem_get_address_range([])


def test_a_pointer_holder_must_define_get_pointer():
    class Nowhere(cuda.PointerHolderBase):
        pass

    with pytest.raises(NotImplementedError, match=r"Nowhere must define get_pointer"):
        Nowhere().get_pointer()
    with pytest.raises(NotImplementedError, match="Nowhere"):
        cuda.memset_d8(Nowhere(), 0, 1)

    class Part(cuda.PointerHolderBase):
        def __init__(self, memory, offset):
            super().__init__()
            self.memory, self.offset = memory, offset

        def get_pointer(self):
            return int(self.memory) + self.offset

    part = Part(cuda.to_device(np.arange(8, dtype=np.int32)), 16)
    cuda.memset_d32(part, 9, 2)
    assert cuda.from_device(part, 4, np.int32).tolist() == [9, 9, 6, 7]
    assert cuda.mem_get_address_range(part)[0] == int(part.memory)
    to = cuda.mem_alloc(16)
    cuda.memcpy_dtod(to, part, 16)
    assert cuda.from_device(to, 4, np.int32).tolist() == [9, 9, 6, 7]


def test_profilers():
    cuda.start_profiler()
    cuda.stop_profiler()
    with pytest.raises(cuda.LogicError, match=r"cuProfilerInitialize failed.*Nsight"):
        cuda.initialize_profiler("in", "out", cuda.profiler_output_mode.CSV)


def test_debugging_compiles_for_debuggers():
    from lathe.cuda import compiler

    assert not cuda.CUDA_DEBUGGING
    cuda.set_debugging()
    try:
        ptx = compiler.compile("__global__ void f() {}", target="ptx")
    finally:
        cuda.set_debugging(False)
    assert b"debug" in ptx.split(b".visible")[0] and not cuda.CUDA_DEBUGGING


def test_attributes_of_functions(module):
    add, nothing = module.get_function("add"), module.get_function("nothing")
    assert add.shared_size_bytes == 64 and nothing.shared_size_bytes == 0
    for function in (add, nothing):
        assert function.num_regs == function.get_attribute(cuda.function_attribute.NUM_REGS)
        assert function.local_size_bytes >= 0


def test_b3_set_shared_config_is_bound(module):
    add = module.get_function("add")
    add.set_shared_config(cuda.shared_config.DEFAULT_BANK_SIZE)
    with pytest.raises(TypeError):
        add.set_shared_config("four")


def test_b4_functions_keep_the_state_of_their_launches(module):
    add = module.get_function("add")
    memory = cuda.to_device(np.zeros(64, np.float32))
    add.set_block_shape(8, 1, 1)
    add.set_shared_size(0)
    add.param_set(memory, np.float32(2), np.int32(64))
    add.launch()
    expected = np.zeros(64, np.float32)
    expected[:8] = 2
    np.testing.assert_array_equal(cuda.from_device(memory, 64, np.float32), expected)
    add.param_setf(8, 0.5)
    add.param_seti(12, 20)
    add.launch_grid(4, 1)
    expected[:20] += 0.5
    np.testing.assert_array_equal(cuda.from_device(memory, 64, np.float32), expected)
    stream = cuda.Stream()
    add.launch_grid_async(8, 1, stream)
    stream.synchronize()
    expected[:20] += 0.5
    np.testing.assert_array_equal(cuda.from_device(memory, 64, np.float32), expected)


def test_b4_state_that_is_missing_or_wrong_is_told():
    add = SourceModule(SOURCE).get_function("add")
    with pytest.raises(cuda.LogicError, match="set_block_shape"):
        add.launch()
    with pytest.raises(cuda.LogicError, match=r"cuFuncSetBlockShape.*2000 x 1 x 1"):
        add.set_block_shape(2000, 1, 1)
    add.set_block_shape(1, 1, 1)
    with pytest.raises(cuda.LogicError, match="parameter 0 has 8 bytes from 0 on, 0 bytes"):
        add.launch()
    add.param_set_size(12)
    with pytest.raises(cuda.LogicError, match="parameter 2 has 4 bytes from 12 on, 12 bytes"):
        add.launch_grid(1, 1)
    with pytest.raises(TypeError, match=r"takes 3 arguments, got 4|parameter 1"):
        add.param_set(0, 1, 2, 3)
    with pytest.raises(ValueError, match=r"got \(0, 1\)"):
        add.launch_grid(0, 1)
    with pytest.raises(ValueError, match="4294967296 does not fit 32 bits"):
        add.param_seti(0, 1 << 32)
    with pytest.raises(cuda.LogicError, match="cuParamSet failed"):
        add.param_setf(1 << 40, 1.0)


def test_b31_an_error_in_a_dead_context_is_told_once(other_context, capfd):
    """What lived in a context that is gone is left alone, without a word."""
    other_context.push()
    objects = [cuda.mem_alloc(64) for _ in range(20)]
    objects += [cuda.Stream(), cuda.Event(), SourceModule(SOURCE), cuda.pagelocked_empty(4, "f4")]
    other_context.detach()
    objects.clear()
    told = capfd.readouterr()
    assert told.out == told.err == ""


FAULT = """
import numpy as np
import lathe.cuda.driver as cuda
from lathe.cuda.compiler import SourceModule
objects = [cuda.mem_alloc(64) for _ in range(20)] + [cuda.Stream(), cuda.Event(), cuda.Graph()]
module = SourceModule("__global__ void f(int* x) { *x = 1; }")
objects += [module, cuda.pagelocked_empty(4, "f4"), cuda.register_host_memory(np.zeros(999))]
try:
    module.get_function("f")(np.uint64(16), block=(1, 1, 1))
    cuda.Context.synchronize()
except cuda.Error as error:
    print("told:", error)
objects.clear()
"""


@pytest.mark.software  # a fault costs a GPU its context
def test_b31_a_fault_is_told_once():
    done = subprocess.run(
        [sys.executable, "-c", FAULT],
        env=script_environment(), capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "told: " in done.stdout and "illegal memory access" in done.stdout
    assert len(done.stderr.splitlines()) <= 1, done.stderr


def test_b40_memory_of_a_context_that_is_gone_is_refused_by_launches(module, other_context):
    add = module.get_function("add")
    other_context.push()
    theirs = cuda.to_device(np.zeros(4, np.float32))
    cuda.Context.pop()
    add(theirs, np.float32(1), np.int32(4), block=(4, 1, 1))  # of the same device
    np.testing.assert_array_equal(cuda.from_device(theirs, 4, np.float32), np.ones(4))
    address = int(theirs)
    other_context.detach()
    with pytest.raises(cuda.LogicError, match=rf"cuLaunchKernel failed.*{address:#x} was detached"):
        add(theirs, np.float32(1), np.int32(4), block=(4, 1, 1))


def test_b40_memory_of_another_device_is_refused_by_launches(module):
    if cuda.Device.count() < 2:
        pytest.skip("one device")
    there = cuda.Device(1).make_context()
    theirs = cuda.to_device(np.zeros(4, np.float32))
    cuda.Context.pop()
    add = module.get_function("add")
    with pytest.raises(cuda.LogicError, match=r"is device 1's, to which device 0 .*no access"):
        add(theirs, np.float32(1), np.int32(4), block=(4, 1, 1))
    if cuda.Device(0).can_access_peer(cuda.Device(1)):
        cuda.Context.enable_peer_access(there)
        add(theirs, np.float32(1), np.int32(4), block=(4, 1, 1))
        np.testing.assert_array_equal(cuda.from_device(theirs, 4, np.float32), np.ones(4))
        cuda.Context.disable_peer_access(there)
    there.detach()


def test_b40_managed_memory_is_every_context_s(module, other_context):
    a = cuda.managed_zeros(4, np.float32)
    other_context.push()
    here = SourceModule(SOURCE).get_function("add")
    here(a, np.float32(1), np.int32(4), block=(4, 1, 1))
    cuda.Context.synchronize()
    cuda.Context.pop()
    np.testing.assert_array_equal(a, np.ones(4))


def test_b40_a_function_of_another_context_is_refused(module, other_context):
    other_context.push()
    here = cuda.to_device(np.zeros(4, np.float32))
    with pytest.raises(cuda.LogicError, match=r"cuLaunchKernel failed.*add"):
        module.get_function("add")(here, np.float32(1), np.int32(4), block=(4, 1, 1))
    del here
    cuda.Context.pop()


def test_a_kernel_of_lathes_own_belongs_to_the_current_context():
    """One of two on a device: it was loaded into the primary one, and its launch refused."""
    context = cuda.Device(0).make_context()
    try:
        double = lathe.kernel("__global__ void twice(float* x) { x[threadIdx.x] *= 2; }")
        x = cuda.to_device(np.arange(4, dtype=np.float32))
        double[1, 4](x)
        assert cuda.from_device(x, (4,), np.float32).tolist() == [0, 2, 4, 6]
        x.free()
    finally:
        context.pop()
        context.detach()
