# SPDX-License-Identifier: MIT
"""``lathe serve`` for a program of another language: it runs in a process of its own, and what its
window would show comes over a socket."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from lathe.cli.list_apps import apps
from lathe.cli.messages import UserError

if TYPE_CHECKING:
    from lathe._lathe import Broadcast

__all__ = ["program_of", "run_program"]


def program_of(target: str) -> Path | None:
    """The file, where it is one that the system executes and no script of ours."""
    path = Path(target)
    if path.suffix in (".py", ".cu") or target in apps():
        return None
    return path.resolve() if path.is_file() and os.access(path, os.X_OK) else None


def run_program(program: Path, arguments: argparse.Namespace, broadcast: Broadcast) -> int:
    """Runs it to its end, as a window of `broadcast`; its exit code."""
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            try:
                process = subprocess.Popen(
                    [str(program), *_options(arguments)],
                    env={**os.environ, "LATHE_DISPLAY": str(theirs.fileno())},
                    pass_fds=[theirs.fileno()],
                )
            except OSError as error:
                raise UserError(f"{program} cannot be started: {error.strerror}") from None
        carrier = threading.Thread(target=broadcast.carry, args=[ours.fileno()], daemon=True)
        carrier.start()
        try:
            code = process.wait()
        except KeyboardInterrupt:  # a terminal's Ctrl+C goes to the program, too
            process.send_signal(signal.SIGTERM)
            _wait(process)
            raise
        finally:
            ours.shutdown(socket.SHUT_RDWR)
            carrier.join()
    return code if code >= 0 else 128 - code


def _wait(process: subprocess.Popen[bytes]) -> None:
    """To its end, which a second Ctrl+C brings about."""
    try:
        process.wait()
    except KeyboardInterrupt:
        process.kill()
        process.wait()


def _options(arguments: argparse.Namespace) -> list[str]:
    """Those of ours that `lathe::App{argc, argv, ...}` reads, too."""
    words: list[str] = []
    for name, value in (("--size", arguments.size), ("--frames", arguments.frames)):
        if value:
            words += [name, value]
    for assignment in arguments.set:
        words += ["--set", assignment]
    if arguments.no_ui:
        words.append("--no-ui")
    if arguments.fresh:
        words.append("--fresh")
    if arguments.inspecting != "off":
        words.append("--inspect" if arguments.inspecting == "costs" else "--inspect-hazards")
    return words
