# SPDX-License-Identifier: MIT
"""Memory and events of other processes (B6 of PyCUDA's defects)."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from conftest import script_environment

import lathe.cuda.driver as cuda

CHILD = """
import sys
import numpy as np
import lathe.cuda.driver as cuda
memory_handle, event_handle = (bytes.fromhex(x) for x in sys.argv[1:])
event = cuda.Event.from_ipc_handle(bytearray(event_handle))
event.synchronize()
memory = cuda.IPCMemoryHandle(memory_handle)
x = cuda.from_device(memory, 8, np.int32)
cuda.memcpy_htod(memory, x * 3)
memory.close()
try:
    memory.close()
except cuda.LogicError as error:
    print("closed:", error)
"""


def is_shareable(memory) -> bool:
    return cuda.pointer_get_attribute(
        memory, cuda.pointer_attribute.IS_LEGACY_CUDA_IPC_CAPABLE
    ) and bool(cuda.Device(0).get_attributes().get(cuda.device_attribute.IPC_EVENT_SUPPORTED))


def test_b6_memory_and_events_reach_another_process():
    memory = cuda.to_device(np.arange(8, dtype=np.int32))
    if not is_shareable(memory):
        pytest.skip("this device's memory is one process's")
    event = cuda.Event(cuda.event_flags.INTERPROCESS | cuda.event_flags.DISABLE_TIMING)
    event.record()
    handles = cuda.mem_get_ipc_handle(memory), event.ipc_handle()
    assert all(isinstance(h, bytes) and len(h) == 64 for h in handles)
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *(h.hex() for h in handles)],
        env=script_environment(), capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "closed: IPCMemoryHandle failed" in done.stdout
    np.testing.assert_array_equal(cuda.from_device(memory, 8, np.int32), np.arange(8) * 3)
    with pytest.raises(cuda.LogicError, match="cuIpcOpenMemHandle failed"):
        cuda.IPCMemoryHandle(handles[0])  # of this very process


def test_a_device_that_cannot_share_says_so():
    memory = cuda.mem_alloc(64)
    if is_shareable(memory):
        pytest.skip("this device shares its memory")
    for act, routine in (
        (lambda: cuda.mem_get_ipc_handle(memory), "cuIpcGetMemHandle"),
        (lambda: cuda.IPCMemoryHandle(bytes(64)), "cuIpcOpenMemHandle"),
        (lambda: cuda.IPCMemoryHandle(bytearray(64)), "cuIpcOpenMemHandle"),
        (lambda: cuda.Event(cuda.event_flags.INTERPROCESS | 2), "cuEventCreate"),
        (lambda: cuda.Event().ipc_handle(), "cuIpcGetEventHandle"),
        (lambda: cuda.Event.from_ipc_handle(bytes(64)), "cuIpcOpenEventHandle"),
    ):
        with pytest.raises(cuda.LogicError, match=f"{routine} failed: operation not supported"):
            act()


@pytest.mark.parametrize("make, name", [
    (cuda.IPCMemoryHandle, "IPCMemoryHandle"),
    (cuda.Event.from_ipc_handle, "Event.from_ipc_handle"),
])  # fmt: skip
def test_b6_what_is_no_handle_is_told(make, name):
    for handle, error, words in (
        (bytes(63), ValueError, "must have 64 bytes, got 63"),
        (bytearray(65), ValueError, "must have 64 bytes, got 65"),
        ("0" * 64, TypeError, "must be bytes or a bytearray, got str"),
        (None, TypeError, "must be bytes or a bytearray, got NoneType"),
    ):
        with pytest.raises(error, match=f"{name}: the handle {words}"):
            make(handle)
    with pytest.raises(TypeError, match="devptr must be device memory"):
        cuda.mem_get_ipc_handle("x")
