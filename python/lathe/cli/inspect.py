# SPDX-License-Identifier: MIT
"""``lathe inspect``: a script, headless, with the inspector on."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from lathe.cli.list_apps import find_target
from lathe.cli.messages import UserError, choose_device, load_engine, parse_count
from lathe.inspection_findings import KINDS

__all__ = ["inspect_target"]

FRAMES = 2
FRAMES_OF_ROOFLINE = 10


def inspect_target(arguments: argparse.Namespace) -> int:
    """Runs it, prints the report, and writes it where the options say."""
    name, file = find_target(arguments.target)
    fail_on = _kinds(arguments.fail_on)
    frames = FRAMES_OF_ROOFLINE if arguments.roofline else FRAMES
    if arguments.frames:
        frames = parse_count("--frames", arguments.frames)
    if os.environ.get("LATHE_DEVICE") == "hardware":
        raise UserError(
            "the inspector needs the software device, which counts as kernels run, and "
            "LATHE_DEVICE is hardware; unset it, or say LATHE_DEVICE=software"
        )
    if arguments.roofline:  # a first launch is as fast as the others then
        os.environ.setdefault("LATHE_SOFT_MODE", "warp")
    choose_device("software")
    load_engine()
    from lathe.inspection import inspect
    from lathe.native import native
    from lathe.options import RunOptions

    options = RunOptions(
        name=name, script=file, frames=frames, headless=True, assignments=tuple(arguments.set)
    )
    seconds: dict[str, float] = {}
    if arguments.roofline:
        from lathe.rooflines import timed

        with timed() as seconds:
            if code := _run(file, options, arguments.check):
                return code
    inspection = inspect(find=() if arguments.counts_only else KINDS)
    problem: native.Error | None = None
    code = 0
    with inspection as report:
        try:
            code = _run(file, options, arguments.check)
        except native.Error as error:
            problem = error
    if arguments.roofline and problem is None:
        from lathe.rooflines import add_roofline

        add_roofline(report, seconds)
    print(report)
    if arguments.json:
        Path(arguments.json).write_text(report.to_json() + "\n")
        print(f"wrote   {arguments.json}")
    if arguments.html:
        Path(arguments.html).write_text(report.to_html(f"Lathe inspector: {name}"))
        print(f"wrote   {arguments.html}")
    if problem is not None:
        print(f"lathe: {problem}", file=sys.stderr)
        return 1
    bad = [finding for finding in report.findings if finding.kind in fail_on]
    if bad:
        print(f"lathe: {len(bad)} of what --fail-on names were found", file=sys.stderr)
        return 1
    return code


def _kinds(text: str) -> list[str]:
    words = [word for word in text.split(",") if word]
    for word in words:
        if word not in KINDS:
            raise UserError(f"--fail-on {word}: known are {', '.join(KINDS)}, with commas between")
    return words


def _run(file: Path, options: object, check: bool) -> int:
    from lathe.checks import Report as CheckReport
    from lathe.checks import run_check
    from lathe.options import RunOptions
    from lathe.script import run_script
    from lathe.sketch_parts import SketchError
    from lathe.sketch_run import run_sketch
    from lathe.tracebacks import format_error

    assert isinstance(options, RunOptions)
    if check:
        script = file.with_name("check.py")
        if not script.exists():
            raise UserError(f"{options.name} has no check ({script} is missing)")
        settings = dict(text.partition("=")[::2] for text in options.assignments)
        return 0 if run_check(script, CheckReport(settings)) else 1
    from lathe.native import native

    try:
        if file.suffix == ".cu":
            run_sketch(file, options)
        else:
            run_script(file, options)
    except (SketchError, FileNotFoundError) as error:
        raise UserError(str(error)) from None
    except native.Error:
        raise
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    except Exception as error:  # the script's own
        print(format_error(error), file=sys.stderr)
        return 1
    return 0
