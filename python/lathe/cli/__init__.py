# SPDX-License-Identifier: MIT
"""The command ``lathe``: run, serve, new, report, inspect, learn, list, doctor, bench, completion.

A user's mistake ends with one message that names the cause and what mends it, and exit code 1.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence

from lathe import __version__
from lathe.cli.messages import UserError

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    options.command_line = shlex.join(
        ["lathe", *(sys.argv[1:] if arguments is None else arguments)]
    )
    try:
        code = _dispatch(options)
        sys.stdout.flush()
        return code
    except UserError as error:
        print(f"lathe: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output went away
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130


def _dispatch(options: argparse.Namespace) -> int:
    if options.command == "run":
        from lathe.cli.run import run

        return run(options)
    if options.command == "serve":
        from lathe.cli.serve import serve

        return serve(options)
    if options.command == "report":
        from lathe.cli.report import report

        return report(options)
    if options.command == "inspect":
        from lathe.cli.inspect import inspect_target

        return inspect_target(options)
    if options.command == "learn":
        from lathe.cli.learn import learn

        return learn(options)
    if options.command == "new":
        from lathe.cli.new import new

        return new(options)
    if options.command == "list":
        from lathe.cli.list_apps import list_apps

        return list_apps(options.json)
    if options.command == "doctor":
        from lathe.cli.doctor import doctor

        return doctor(options.json)
    if options.command == "completion":
        from lathe.cli.completion import completion

        print(completion(_parser(), options.shell), end="")
        return 0
    if options.suite == "soft":
        from lathe.cli.bench_soft import bench_soft

        return bench_soft(options)
    if options.suite == "scene":
        from lathe.cli.bench_scene import bench_scene

        return bench_scene(options)
    if options.suite == "accuracy":
        from lathe.cli.bench_accuracy import bench_accuracy

        return bench_accuracy(options)
    if options.suite == "stream":
        from lathe.cli.bench_stream import bench_stream

        return bench_stream(options)
    if options.suite == "drag":
        from lathe.cli.bench_drag import bench_drag

        return bench_drag(options)
    from lathe.cli.bench import bench

    return bench(options)


class _Parser(argparse.ArgumentParser):
    """Wrong arguments are a user's mistake like any other: exit code 1."""

    def error(self, message: str) -> None:  # type: ignore[override]
        self.exit(1, f"lathe: {message}\n{self.format_usage()}")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="lathe", description="Live CUDA on the screen, with or without a GPU.")
    parser.add_argument("--version", action="version", version=f"lathe {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    run = commands.add_parser(
        "run", help="run an experiment, a script, or a .cu file without host code"
    )
    run.add_argument("target", metavar="NAME|FILE.py|FILE.cu")
    run.add_argument("--frames", metavar="N", help="end after N frames (300 without a display)")
    run.add_argument("--size", metavar="WxH", help="of the window or the picture, in pixels")
    run.add_argument(
        "--out", metavar="DIR", help="write PNG and MP4 there (out/NAME without a display)"
    )
    run.add_argument("--headless", action="store_true", help="no window, also with a display")
    run.add_argument(
        "--ui", action="store_true", help="panels without a window, too; the PNG shows them"
    )
    run.add_argument(
        "--check", action="store_true", help="compare with the experiment's reference instead"
    )
    _add_inspecting(run)
    run.add_argument(
        "--profile", metavar="FILE.json",
        help="leave a trace of the last frames there, for chrome://tracing or ui.perfetto.dev",
    )  # fmt: skip
    _add_device(run)
    _add_sliders(run)
    run.add_argument(
        "--restore", metavar="FILE.npz", help="go on from a checkpoint (App.checkpoint)"
    )

    serve = commands.add_parser(
        "serve", help="run it with a web page for a window, on this machine or over SSH"
    )
    serve.add_argument("target", metavar="NAME|FILE.py|FILE.cu|PROGRAM")
    serve.add_argument(
        "--port", default="8765", metavar="PORT", help="8765 unless given; 0: a free one"
    )
    serve.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS",
        help="listen there, and not for this machine only; whoever has the token may steer",
    )  # fmt: skip
    serve.add_argument(
        "--token", default="", metavar="WORD", help="in the page's address, random unless given"
    )
    serve.add_argument(
        "--origin", action="append", default=[], metavar="URL",
        help="of another site's page that may show it, as https://lab.example.org; repeatable",
    )  # fmt: skip
    serve.add_argument(
        "--codec", default="auto", choices=["auto", "jpeg", "h264"],
        help="of moving pictures; auto: JPEG, and H.264 by ffmpeg where the line is short of room",
    )  # fmt: skip
    serve.add_argument("--size", metavar="WxH", help="until a page tells its own, in pixels")
    serve.add_argument("--frames", metavar="N", help="end after N frames")
    serve.add_argument("--no-ui", action="store_true", help="the picture alone, without panels")
    _add_inspecting(serve)
    _add_device(serve)
    _add_sliders(serve)

    new = commands.add_parser(
        "new", help="make a folder with a script, a kernel, a check and a README, which all work"
    )
    new.add_argument("name", metavar="FOLDER", help="of the folder; its last part names the files")
    new.add_argument("--json", action="store_true", help="print the files as JSON")

    report = commands.add_parser(
        "report", help="run it without a window, and write one page: picture, sliders, code, checks"
    )
    report.add_argument("target", metavar="NAME|FILE.py|FILE.cu")
    report.add_argument(
        "--frames", metavar="N", help="until the picture is taken, 120 unless given"
    )
    report.add_argument("--size", metavar="WxH", help="of the picture, in pixels")
    report.add_argument("--out", metavar="FILE", help="the page (NAME.html)")
    report.add_argument("--check", action="store_true", help="the experiment's check, too")
    _add_device(report)
    report.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="of a slider; repeatable"
    )

    inspect = commands.add_parser(
        "inspect", help="run it on the software device, and tell what its kernels do, line by line"
    )
    inspect.add_argument("target", metavar="NAME|FILE.py|FILE.cu")
    inspect.add_argument("--frames", metavar="N", help="of an App, 2 unless given")
    inspect.add_argument("--check", action="store_true", help="inspect the experiment's check")
    inspect.add_argument(
        "--fail-on", metavar="KINDS", default="",
        help="exit code 1 if any is found: races, uninit, barriers, oob, with commas between",
    )  # fmt: skip
    inspect.add_argument("--counts-only", action="store_true", help="look for no hazards: faster")
    inspect.add_argument(
        "--roofline", action="store_true",
        help="run it once more without counting, and tell how fast its kernels are",
    )  # fmt: skip
    inspect.add_argument("--json", metavar="FILE", help="write the report there, as JSON")
    inspect.add_argument("--html", metavar="FILE", help="write it there, as a page")
    inspect.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="of a slider; repeatable"
    )

    learn = commands.add_parser("learn", help="a course: lessons with a kernel to finish")
    learn.add_argument("lesson", metavar="LESSON", nargs="?", help="name or number to begin with")
    learn.add_argument("--list", action="store_true", help="the lessons, and which are done")
    learn.add_argument(
        "--grade", nargs=2, metavar=("LESSON", "FILE"),
        help="grade a kernel without a window; exit code 1 if it does not pass",
    )  # fmt: skip
    learn.add_argument("--json", action="store_true", help="of --list and --grade: as JSON")
    _add_device(learn)

    listing = commands.add_parser("list", help="the experiments that come with Lathe")
    listing.add_argument("--json", action="store_true", help="names, files and what they are")

    doctor = commands.add_parser("doctor", help="driver, NVRTC, GL, and what brings the missing")
    doctor.add_argument("--json", action="store_true", help="what is found and missing, as JSON")

    completion = commands.add_parser(
        "completion", help="print what completes the words of this command in a shell"
    )
    completion.add_argument("shell", choices=["bash", "zsh", "fish"])

    bench = commands.add_parser("bench", help="measure")
    bench.add_argument(
        "suite", choices=["first-light", "drag", "scene", "soft", "accuracy", "stream"]
    )
    bench.add_argument("--frames", metavar="N", default="200")
    bench.add_argument("--edits", metavar="N", default="50")
    bench.add_argument("--keys", metavar="N", default="40", help="of stream: keys pressed")
    bench.add_argument("--size", metavar="WxH", help="of stream: 1500x1200 unless given")
    bench.add_argument(
        "--codec", default="auto", choices=["auto", "jpeg", "h264"],
        help="of stream: what the viewer gets; auto unless given",
    )  # fmt: skip
    bench.add_argument(
        "--line", default="", metavar="MBIT", help="of stream: what the line carries a second"
    )
    bench.add_argument("--drags", metavar="N", default="200", help="of drag: moves of a number")
    bench.add_argument(
        "--inspect", action="store_true", help="of drag: with what each line costs beside it"
    )
    bench.add_argument("--rounds", metavar="N", help="of soft (7), scene (25)")
    bench.add_argument(
        "--sizes", choices=["auto", "small", "full"], default="auto",
        help="of scene: full on a GPU, small on a software OpenGL",
    )  # fmt: skip
    bench.add_argument("--json", action="store_true", help="of scene: a JSON object a line")
    bench.add_argument("--samples", metavar="N", default="262144", help="of accuracy")
    bench.add_argument(
        "--markdown",
        action="store_true",
        help="of scene, soft, accuracy, stream: as docs/measurements has it",
    )
    bench.add_argument("--checks", action="store_true", help="of soft: what exact checks cost")
    bench.add_argument("--counters", action="store_true", help="of soft: what counters cost")
    bench.add_argument("--hazards", action="store_true", help="of soft: what the search costs")
    bench.add_argument("--fast-math", action="store_true", help="of soft: by --use_fast_math")
    _add_device(bench)
    return parser


def _add_inspecting(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--inspect", dest="inspecting", action="store_const", const="costs", default="off",
        help="what each line costs, beside the source (software device)",
    )  # fmt: skip
    command.add_argument(
        "--inspect-hazards", dest="inspecting", action="store_const", const="hazards",
        help="and races, unwritten reads and barriers apart",
    )  # fmt: skip


def _add_sliders(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="of a slider; repeatable"
    )
    command.add_argument(
        "--fresh", action="store_true",
        help="sliders as the program has them, not as the last run left them",
    )  # fmt: skip


def _add_device(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--device",
        choices=["auto", "hardware", "software"],
        help="a GPU, the software CUDA device, or what is there (LATHE_DEVICE)",
    )
