# SPDX-License-Identifier: MIT
"""What a window manager and other programs tell a window: a click on its close button, and files
that are dropped (XDND 5, freedesktop.org/wiki/Specifications/XDND)."""

from __future__ import annotations

import ctypes
import time
from pathlib import Path

LIMIT_SECONDS = 30.0
SELECTION_REQUEST, SELECTION_NOTIFY, CLIENT_MESSAGE = 30, 31, 33


class Event(ctypes.Structure):
    """XEvent of Xlib: what all kinds have, and the longs that each uses in its own way."""

    _fields_ = (
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p),
        ("longs", ctypes.c_long * 20),
    )


def click_close_button(display_name: str, window: int) -> None:
    """The one that a window manager would draw (ICCCM 4.2.8.1)."""
    client = _Client(display_name)
    client.send(window, "WM_PROTOCOLS", client.atom("WM_DELETE_WINDOW"))
    client.close()


def drop(display_name: str, window: int, files: list[Path], place: tuple[int, int]) -> bool:
    """Drops files at a place of the screen; whether the window's program has taken them."""
    client = _Client(display_name)
    client.own("XdndSelection")

    def tell(kind: str, *values: int) -> None:
        client.send(window, kind, client.window, *values)

    try:
        tell("XdndEnter", 5 << 24, client.atom("text/uri-list"))
        tell("XdndPosition", 0, place[0] << 16 | place[1], 0, client.atom("XdndActionCopy"))
        if not client.answer("XdndStatus")[1] & 1:
            tell("XdndLeave")
            return False
        tell("XdndDrop")
        client.give("".join(f"{file.absolute().as_uri()}\r\n" for file in files).encode())
        return bool(client.answer("XdndFinished")[1] & 1)
    finally:
        client.close()


class _Client:
    """A program with a window that is not seen."""

    def __init__(self, display_name: str) -> None:
        self._x11 = ctypes.CDLL("libX11.so.6")
        self._x11.XOpenDisplay.restype = ctypes.c_void_p
        for name in ("XInternAtom", "XDefaultRootWindow", "XCreateSimpleWindow"):
            getattr(self._x11, name).restype = ctypes.c_ulong
        self._display = ctypes.c_void_p(self._x11.XOpenDisplay(display_name.encode()))
        root = ctypes.c_ulong(self._x11.XDefaultRootWindow(self._display))
        none = ctypes.c_ulong(0)
        self.window = int(
            self._x11.XCreateSimpleWindow(self._display, root, 0, 0, 1, 1, 0, none, none)
        )

    def own(self, selection: str) -> None:
        self._x11.XSetSelectionOwner(
            self._display, ctypes.c_ulong(self.atom(selection)), ctypes.c_ulong(self.window),
            ctypes.c_ulong(0),
        )  # fmt: skip

    def atom(self, name: str) -> int:
        return int(self._x11.XInternAtom(self._display, name.encode(), 0))

    def send(self, target: int, kind: str, *values: int) -> None:
        event = Event(type=CLIENT_MESSAGE)
        event.longs[:3] = target, self.atom(kind), 32  # bits of each value
        event.longs[3 : 3 + len(values)] = values
        self._send(target, event)

    def answer(self, kind: str) -> list[int]:
        """The data of the target's message."""
        while True:
            event = self._next()
            if event.type == CLIENT_MESSAGE and event.longs[1] == self.atom(kind):
                return list(event.longs[3:8])

    def give(self, data: bytes) -> None:
        """To who asks for the selection."""
        while (request := self._next()).type != SELECTION_REQUEST:
            pass
        _, requestor, selection, target, prop, when = request.longs[:6]
        self._x11.XChangeProperty(
            self._display, ctypes.c_ulong(requestor), ctypes.c_ulong(prop),
            ctypes.c_ulong(target), 8, 0, data, len(data),
        )  # fmt: skip
        event = Event(type=SELECTION_NOTIFY)
        event.longs[:5] = requestor, selection, target, prop, when
        self._send(requestor, event)

    def close(self) -> None:
        self._x11.XCloseDisplay(self._display)

    def _send(self, window: int, event: Event) -> None:
        self._x11.XSendEvent(
            self._display, ctypes.c_ulong(window), 0, ctypes.c_long(0), ctypes.byref(event)
        )
        self._x11.XFlush(self._display)

    def _next(self) -> Event:
        event = Event()
        end = time.monotonic() + LIMIT_SECONDS
        while not self._x11.XPending(self._display):
            if time.monotonic() > end:
                raise TimeoutError("the window's program does not answer")
            time.sleep(0.01)
        self._x11.XNextEvent(self._display, ctypes.byref(event))
        return event
