# SPDX-License-Identifier: MIT
"""``lathe report``: a run without a window, as one page of HTML."""

from __future__ import annotations

import argparse
import ast
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from lathe.cli.list_apps import find_target
from lathe.cli.messages import UserError, choose_device, load_engine, parse_count, parse_size
from lathe.cli.run import check, device_line, execute, settings_of
from lathe.cli.tables import percentile
from lathe.options import RunOptions
from lathe.progress import Progress

if TYPE_CHECKING:
    from lathe.app import App

__all__ = ["report"]

FRAMES = 120


def report(arguments: argparse.Namespace) -> int:
    """Runs it, and its check if asked to, and writes the page."""
    name, file = find_target(arguments.target)
    settings = settings_of(arguments.set)
    out = Path(arguments.out or f"{name}.html")
    if not out.absolute().parent.is_dir():
        raise UserError(f"--out {out}: there is no folder {out.absolute().parent}")
    size = parse_size(arguments.size) if arguments.size else None
    frames = parse_count("--frames", arguments.frames) if arguments.frames else FRAMES
    choose_device(arguments.device)
    load_engine()
    from lathe.run_page import RunPage

    progress = Progress(sys.stderr) if sys.stderr.isatty() else None
    options = RunOptions(
        name=name, script=file, frames=frames, size=size, headless=True,
        assignments=tuple(arguments.set), progress=progress,
    )  # fmt: skip
    code = execute(file, options)
    app = options.app
    if code:
        return code
    if app is None:
        raise UserError(f"{file} opened no lathe.App: there is nothing to show")
    page = RunPage(
        title=app._title,
        picture=_png(app),
        facts=_facts(app, arguments.command_line),
        sliders=_sliders(app.preset_code()),
        settings=app.preset_code(),
        sources=_sources(app, file),
    )
    if arguments.check:
        page.checks = check(name, file, settings).results
    out.write_text(page.html())
    print(f"wrote   {out}")
    return 0 if all(result.passed for result in page.checks) else 1


def _png(app: App) -> bytes:
    from lathe.native import native

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "picture.png"
        native.save_png(file, app.screenshot())
        return file.read_bytes()


def _facts(app: App, command: str) -> list[tuple[str, str]]:
    times = app.frame_times[1:] or app.frame_times
    facts = [
        ("command", command),
        ("device", device_line()),
        ("OpenGL", f"{app.gl['renderer']}, OpenGL {app.gl['version']}"),
        ("picture", f"{app.size[0]} x {app.size[1]} pixels, after {app.frames} frames"),
    ]
    if times:
        middle, slow = percentile(times, 0.5), percentile(times, 0.95)
        facts.append(("a frame", f"{middle:.1f} ms p50, {slow:.1f} ms p95"))
    return facts


def _sliders(settings: str) -> list[tuple[str, str]]:
    """Those that have an effect, as the settings name them."""
    call = ast.parse(f"preset({settings})", mode="eval").body
    assert isinstance(call, ast.Call)
    return [(each.arg or "", ast.unparse(each.value).strip("'\"()")) for each in call.keywords]


def _sources(app: App, file: Path) -> list[tuple[str, str]]:
    """Kernels as they run, then the script; each file once."""
    texts: dict[str, str] = {}
    for slot in app._studio.kernels:
        path = Path(slot.file) if str(slot.file) else None
        texts.setdefault(path.name if path else slot.name, slot.source)
    if file.name not in texts:
        texts[file.name] = file.read_text()
    return list(texts.items())
