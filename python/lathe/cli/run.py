# SPDX-License-Identifier: MIT
"""``lathe run``."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lathe.cli.installation import EXTRAS, NILEARN, NO_DEPENDENCIES, pip_command
from lathe.cli.list_apps import find_target
from lathe.cli.messages import UserError, choose_device, load_engine, parse_count, parse_size
from lathe.cli.tables import percentile
from lathe.options import RunOptions
from lathe.progress import Progress

if TYPE_CHECKING:
    from lathe.checks import Report

__all__ = ["check", "device_line", "execute", "run", "settings_of"]


def run(arguments: argparse.Namespace) -> int:
    """Runs an experiment, a script or a sketch, or its check."""
    name, file = find_target(arguments.target)
    size = parse_size(arguments.size) if arguments.size else None
    frames = parse_count("--frames", arguments.frames) if arguments.frames else None
    settings = settings_of(arguments.set)
    choose_device(arguments.device)
    load_engine()
    from lathe.native import native

    native.keep_freed_memory()  # this program compiles at each edit
    if arguments.check:
        return 0 if check(name, file, settings).passed else 1
    headless = arguments.headless or not native.display_is_available()
    out = Path(arguments.out) if arguments.out else Path("out") / name
    options = RunOptions(
        name=name,
        script=file,
        frames=frames,
        size=size,
        out=_out_folder(out) if headless or arguments.out else None,
        headless=headless,
        ui=True if arguments.ui else None,
        assignments=tuple(arguments.set),
        reload=not headless,
        fresh=arguments.fresh,
        restore=Path(arguments.restore) if arguments.restore else None,
        inspecting=arguments.inspecting,
        profile=Path(arguments.profile).resolve() if arguments.profile else None,
        progress=Progress(sys.stderr) if headless and sys.stderr.isatty() else None,
    )
    return execute(file, options)


def settings_of(assignments: list[str]) -> dict[str, str]:
    """Of --set."""
    for text in assignments:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise UserError(f"--set {text} is not NAME=VALUE; an example: --set feed=0.04")
    return {t.partition("=")[0].strip(): t.partition("=")[2].strip() for t in assignments}


def _out_folder(folder: Path) -> Path:
    """The folder, which is made when the first file is written; checked as far as it exists."""
    there = next(p for p in (folder, *folder.absolute().parents) if p.exists())
    problem = ""
    if not there.is_dir():
        problem = f"{there} is not a folder"
    elif not os.access(there, os.W_OK | os.X_OK):
        problem = f"{there} may not be written"
    if problem:
        raise UserError(
            f"--out {folder} cannot be used: {problem}; name another folder with --out DIR"
        )
    return folder


def check(name: str, file: Path, settings: dict[str, str]) -> Report:
    """Runs the check of an experiment, and prints what it finds."""
    from lathe.checks import Report, run_check
    from lathe.native import native

    script = file.with_name("check.py")
    if not script.exists():
        raise UserError(f"{name} has no check ({script} is missing)")
    report = Report(settings)
    try:
        print(f"{name}: checking on {device_line()}")
        run_check(script, report)
    except native.Error as error:
        raise UserError(str(error)) from None
    except ValueError as error:
        if str(error).startswith("--set"):
            raise UserError(str(error)) from None
        raise
    except ModuleNotFoundError as error:
        raise UserError(
            f"the check of {name} needs {error.name}; this brings it: {_brings(error.name)}"
        ) from None
    return report


def _brings(package: str | None) -> str:
    """The command for a package that an experiment needs."""
    if package == "nilearn":
        return pip_command(NILEARN, options=NO_DEPENDENCIES)
    return pip_command(*EXTRAS["checks"])


def device_line() -> str:
    """The device, in words. Raises UserError where there is none."""
    from lathe.native import native

    status = native.gpu_status()
    if not status["driver_ok"]:
        what, mend = next(iter(status["shortcomings"]), ("there is no CUDA driver", "lathe doctor"))
        raise UserError(f"{what}; {mend}")
    device = status["devices"][0]["name"] if status["devices"] else "no device"
    return f"{device} ({status['driver_kind']}, CUDA {status['driver_version']})"


def execute(file: Path, options: RunOptions) -> int:
    """Runs a script or a sketch; the exit code."""
    from lathe.ending import Terminated
    from lathe.native import native
    from lathe.script import run_script
    from lathe.sketch_parts import SketchError
    from lathe.sketch_run import run_sketch
    from lathe.tracebacks import format_error

    try:
        if file.suffix == ".cu":
            run_sketch(file, options)
        else:
            run_script(file, options)
    except (native.Error, SketchError, FileNotFoundError) as error:
        raise UserError(str(error)) from None
    except ModuleNotFoundError as error:
        if error.name in ("scipy", "skimage", "nilearn"):
            raise UserError(
                f"{options.name} needs {error.name}; this brings it: {_brings(error.name)}"
            ) from None
        print(format_error(error), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        _interrupted(options)
        return 130
    except Terminated as end:
        _interrupted(options)
        return end.exit_code
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    except Exception as error:  # the script's own
        print(format_error(error), file=sys.stderr)
        return 1
    if options.app is not None and options.out is not None:
        _print_summary(options)
        if options.app._steps.unwritten:
            return 1
    return 0


def _interrupted(options: RunOptions) -> None:
    """Ctrl+C and its like: what there is so far is written and summed up. A second Ctrl+C ends at
    once."""
    from lathe.native import native

    app = options.app
    if app is None or options.out is None:
        return
    try:
        app.interrupt()
    except native.Error as error:
        print(f"lathe: {error}", file=sys.stderr)
    print(f"interrupted after {app.frames} frames")
    _print_summary(options)


def _print_summary(options: RunOptions) -> None:
    app = options.app
    assert app is not None
    app._steps.write_results()
    times = app.frame_times[1:] or app.frame_times
    if times:
        p50, p95 = percentile(times, 0.5), percentile(times, 0.95)
        mean = sum(times) / len(times)
        print(
            f"{app.frames} frames: {p50:.1f} ms p50, {p95:.1f} ms p95, "
            f"{1000 / mean:.1f} frames/s (simulation and drawing)"
        )
    steps = app._steps
    if steps.movie_frames:
        print(
            f"movie:  {steps.movie_seconds * 1e3 / steps.movie_frames:.1f} ms a frame besides; its "
            "encoder shares the processor with the above"
        )
    print(f"device: {device_line()}")
    print(f"GL:     {app.gl['renderer']}, OpenGL {app.gl['version']} ({app.gl['window']})")
    print(f"host:   {app.stats.bytes_copied} bytes of shared arrays copied through it")
    for path in steps.written:
        print(f"wrote   {path}")
