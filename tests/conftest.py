# SPDX-License-Identifier: MIT
"""Tests of the package run on the software device without a display, unless told otherwise."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, os.environ.get("LATHE_PACKAGE_FOLDER") or str(ROOT / "python"))
os.environ.setdefault("LATHE_DEVICE", "software")
os.environ.pop("DISPLAY", None)
os.environ.pop("WAYLAND_DISPLAY", None)
# A job that a shell started in the background ignores Ctrl+C, and hands that on to its programs.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# So do programs below `nohup`, and some machines that test, with the end of the terminal.
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_configure(config):
    config.addinivalue_line("markers", "software: of the software device alone, as faults are")
    config.addinivalue_line("markers", "misuses_imgui: misuses Dear ImGui on purpose")


def pytest_collection_modifyitems(items):
    if os.environ["LATHE_DEVICE"] == "software":
        return
    for item in items:
        if item.get_closest_marker("software"):
            item.add_marker(pytest.mark.skip(reason="of the software device alone"))


def script_environment(**more: str) -> dict[str, str]:
    """Of a script that finds the package under test, as these tests do, and no display."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **more}


class Gate:
    """Holds a stream from here until it is opened, at the latest where the block ends."""

    def __init__(self, stream):
        import numpy as np

        import lathe.cuda.driver as cuda
        from lathe.cuda.compiler import SourceModule

        self._flag = cuda.pagelocked_zeros(1, np.uint32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
        source = "__global__ void hold(volatile unsigned* flag) { while (*flag == 0) { } }"
        self._hold = SourceModule(source).get_function("hold").prepare("P")  # unloading waits
        pointer = self._flag.base.get_device_pointer()
        self._hold.prepared_async_call((1, 1), (1, 1, 1), stream, pointer)

    def open(self):
        """Never gives up Python's lock."""
        self._flag[0] = 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.open()


@pytest.fixture
def copied_bytes_are_right():
    """A function: none in this test, unless this GL cannot share memory with this CUDA device."""
    from lathe.native import native

    before = native.bytes_copied()
    return lambda: native.bytes_copied() == before or native.interop_mode().name != "zero_copy"


@pytest.fixture(autouse=True)
def dear_imgui_is_used_well(request):
    """No test leaves a misuse of Dear ImGui behind it, but those that are marked."""
    from lathe.native import native

    before = native.widgets.errors()
    yield
    if request.node.get_closest_marker("misuses_imgui") is None:
        assert native.widgets.errors() == before, "Dear ImGui was misused; the log says where"


@pytest.fixture(scope="module")
def cuda_context():
    """The primary context, current while the tests of a file run."""
    from lathe.cuda import driver

    context = driver.Device(0).retain_primary_context()
    context.push()
    yield context
    driver.Context.pop()


@pytest.fixture
def app():
    """A small headless App without panels."""
    import lathe

    made = lathe.App("test", size=(64, 48), headless=True)
    yield made
    made.close()
