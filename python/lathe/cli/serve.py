# SPDX-License-Identifier: MIT
"""``lathe serve``."""

from __future__ import annotations

import argparse
import sys

from lathe.cli.list_apps import find_target
from lathe.cli.messages import UserError, choose_device, load_engine, parse_count, parse_size
from lathe.cli.run import execute, settings_of
from lathe.cli.serve_program import program_of, run_program
from lathe.options import RunOptions

__all__ = ["serve"]

_LARGEST_PORT = 65535


def serve(arguments: argparse.Namespace) -> int:
    """Runs an experiment, a script, a sketch or a program, whose window is a page."""
    program = program_of(arguments.target)
    name, file = (program.name, program) if program else find_target(arguments.target)
    port = _port(arguments.port)
    size = parse_size(arguments.size) if arguments.size else None
    frames = parse_count("--frames", arguments.frames) if arguments.frames else None
    settings_of(arguments.set)
    choose_device(arguments.device)
    load_engine()
    try:
        from lathe.broadcast.server import PageServer, PortError
    except ModuleNotFoundError as error:
        raise UserError(f"lathe serve needs another package: pip install {error.name}") from None
    from lathe.native import native

    native.keep_freed_memory()  # this program compiles at each edit
    broadcast = native.Broadcast(arguments.codec)
    options = RunOptions(
        name=name,
        script=file,
        frames=frames,
        size=size,
        headless=False,
        ui=False if arguments.no_ui else None,
        assignments=tuple(arguments.set),
        reload=True,
        fresh=arguments.fresh,
        inspecting=arguments.inspecting,
        display=broadcast,
    )
    try:
        server = PageServer(
            broadcast, arguments.host, port, arguments.token or None, arguments.origin
        )
    except PortError as error:
        raise UserError(str(error.args[1])) from None
    with server:
        print(f"{name} is at {server.url}")
        if arguments.host == "127.0.0.1":
            print(
                f"from another machine: ssh -L {server.port}:localhost:{server.port} "
                "USER@THIS-MACHINE, then the same address there"
            )
        sys.stdout.flush()
        if program:
            return run_program(program, arguments, broadcast)
        return execute(file, options)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > _LARGEST_PORT:
        raise UserError(f"--port {text} is no port: 0 (a free one) to {_LARGEST_PORT}")
    return int(text)
