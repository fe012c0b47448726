# SPDX-License-Identifier: MIT
"""A window under Xvfb, and a user's mouse and keyboard by xdotool."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import x_messages

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
        """A click on its close button."""
        x_messages.click_close_button(self.environment["DISPLAY"], int(window))

    def drop(self, window: str, files: list[Path], place: tuple[int, int]) -> bool:
        """Files from another program at a place of the screen; whether they were taken."""
        return x_messages.drop(self.environment["DISPLAY"], int(window), files, place)


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
