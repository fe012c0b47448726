# SPDX-License-Identifier: MIT
"""A window under Xvfb, and a user's mouse and keyboard by xdotool."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

LIMIT_SECONDS = 60.0


@dataclass(frozen=True)
class Hands:
    """Mouse and keys of one display."""

    environment: dict[str, str]

    def do(self, *arguments: str) -> str:
        """One call of xdotool; what it prints."""
        return subprocess.run(
            ["xdotool", *arguments], env=self.environment, check=True, timeout=60,
            capture_output=True, text=True,
        ).stdout  # fmt: skip

    def window(self, title: str) -> str | None:
        """Number of the window that is seen under a title."""
        found = subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", title],
            env=self.environment, capture_output=True, text=True,
        ).stdout.split()  # fmt: skip
        return found[0] if found else None

    def close(self, window: str) -> None:
        """A click on the close button that a window manager would draw (ICCCM 4.2.8.1)."""
        x11 = ctypes.CDLL("libX11.so.6")
        x11.XOpenDisplay.restype = ctypes.c_void_p
        x11.XInternAtom.restype = ctypes.c_ulong
        display = ctypes.c_void_p(x11.XOpenDisplay(self.environment["DISPLAY"].encode()))
        event = _ClientMessage(type=33, window=int(window), format=32)
        event.message_type = x11.XInternAtom(display, b"WM_PROTOCOLS", 0)
        event.data[0] = x11.XInternAtom(display, b"WM_DELETE_WINDOW", 0)
        x11.XSendEvent(display, ctypes.c_ulong(int(window)), 0, 0, ctypes.byref(event))
        x11.XCloseDisplay(display)


class _ClientMessage(ctypes.Structure):
    """XClientMessageEvent of Xlib, as long as an XEvent."""

    _fields_ = (
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p),
        ("window", ctypes.c_ulong),
        ("message_type", ctypes.c_ulong),
        ("format", ctypes.c_int),
        ("data", ctypes.c_long * 5),
        ("rest", ctypes.c_long * 12),
    )


@contextmanager
def display(folder: Path, size: tuple[int, int] = (1280, 720)) -> Iterator[Hands]:
    """A display of its own; programs in its environment keep their state in `folder`."""
    if not shutil.which("Xvfb") or not shutil.which("xdotool"):
        pytest.skip("Xvfb or xdotool is missing")
    read_end, write_end = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write_end), "-screen", "0", f"{size[0]}x{size[1]}x24",
         "-nolisten", "tcp"],
        pass_fds=[write_end], stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write_end)
    with os.fdopen(read_end) as numbers:
        name = ":" + numbers.readline().strip()
    environment = dict(
        os.environ, DISPLAY=name, LATHE_DEVICE="software",
        LATHE_STATE_DIR=str(folder / "state"), LATHE_CACHE_DIR=str(folder / "cache"),
    )  # fmt: skip
    environment.pop("WAYLAND_DISPLAY", None)
    try:
        yield Hands(environment)
    finally:
        server.terminate()
        server.wait()


def wait(what: str, done: Callable[[], object]) -> None:
    """Until `done` gives something true; the test fails where that takes too long."""
    end = time.monotonic() + LIMIT_SECONDS
    while time.monotonic() < end:
        if done():
            return
        time.sleep(0.1)
    pytest.fail(f"{what} did not happen within {LIMIT_SECONDS:.0f} s")
