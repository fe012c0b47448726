# SPDX-License-Identifier: MIT
"""``lathe bench soft``: the software device beside C++ on this processor, with the targets.

``--checks``, ``--counters`` and ``--hazards`` print what those cost instead.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from pathlib import Path

from lathe.cli.messages import parse_count
from lathe.cli.programs import Row, built, rows_of
from lathe.cli.tables import Table, as_markdown, as_text, where_and_when

__all__ = ["bench_soft", "table_of_checks", "table_of_counters", "tables"]

TWO_THREADS = 1.8
COMPILE_MS, COMPILE_LIBM_MS, CACHED_MS = 15.0, 60.0, 1.0
LAUNCH_US = 3.0
CHECKED_COMPILE_THREADS, CHECKED_COMPILE_WARPS = 1.2, 1.15


def bench_soft(arguments: argparse.Namespace) -> int:
    """Builds the references and prints how the kernels do beside them, for one and two threads."""
    rounds = parse_count("--rounds", arguments.rounds or "7")
    program = _program()
    load, cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
    if load > 0.3 * cores:
        print(
            f"The machine is busy (load {load:.1f}, {cores} cores): what is measured by the clock, "
            "two threads and launches, says little.\n"
        )
    if arguments.markdown:
        print(where_and_when(arguments.command_line) + "\n")
    how = [str(rounds), *(["--fast-math"] if arguments.fast_math else [])]
    made: list[Table] = []
    if arguments.checks:
        made.append(table_of_checks(_measure(program, [*how, "--checks"], workers=1)))
    if arguments.counters:
        made.append(table_of_counters(_measure(program, [*how, "--counters"], workers=1)))
    if arguments.hazards:
        rows = _measure(program, [*how, "--hazards"], workers=1)
        made.append(table_of_counters(rows, "The search for races and unwritten memory"))
    if not made:
        one = _measure(program, [*how, "--compile-times"], workers=1)
        made = tables(one, _measure(program, how, workers=2))
    shape = as_markdown if arguments.markdown else as_text
    print("\n\n".join("\n".join(shape(table)) for table in made))
    return 0


def _program() -> Path:
    return built("bench_soft")


def _measure(program: Path, arguments: list[str], workers: int) -> list[Row]:
    return rows_of(program, arguments, {"LATHE_SOFT_WORKERS": str(workers)})


def _judged(value: float, goal: float, less: bool = False) -> str:
    met = value <= goal if less else value >= goal
    return f"{value:.2f} of {goal:g} {'met' if met else 'MISSED'}"


def tables(one: Iterable[Row], two: Iterable[Row]) -> list[Table]:
    """Speeds and compiles, from what bench_soft measured with one worker and with two."""
    one = list(one)
    rows = [row for row in one if "name" in row]
    wall = {row["name"]: row["wall"] for row in two if "name" in row}
    speeds = Table(
        "Processor time in ms. Speeds beside C++ and their targets: above 1 the software device is "
        "faster.",
        ("kernel", "C++", "best C++", "warps", "threads", "beside C++", "beside the best",
         "two threads"),
    )  # fmt: skip
    for row in rows:
        gain = row["wall"] / wall[row["name"]] if wall.get(row["name"]) else 0.0
        best = f"{row['best']:.3f}" if row["best"] else "-"
        speeds.rows.append(
            (row["name"], f"{row['plain']:.3f}", best, f"{row['warps']:.3f}",
             f"{row['threads']:.3f}", _speed(row, "plain"), _speed(row, "best"),
             _judged(gain, TWO_THREADS) if gain else "")
        )  # fmt: skip
    compiles = Table(
        "PTX to callable, ms: a first launch runs single threads while warps are compiled.",
        ("kernel", "first launch", "threads", "warps", "warps from the disk"),
    )
    for row in rows:
        if "compile_warps" not in row:
            continue
        limit = COMPILE_LIBM_MS if row["name"].startswith("libm") else COMPILE_MS
        compiles.rows.append(
            (row["name"], _judged(row["compile_first"], limit, True),
             f"{row['compile_threads']:.1f}", f"{row['compile_warps']:.1f}",
             _judged(row["cached"], CACHED_MS, True))
        )  # fmt: skip
    launch = next((row for row in one if "launch" in row), None)
    if launch:
        compiles.note = (
            f"empty launch, us: {_judged(launch['launch'], LAUNCH_US, True)}; "
            f"launched and waited for {launch['launch_and_wait']:.2f}"
        )
    return [speeds, compiles]


def _speed(row: Row, beside: str) -> str:
    """The speed beside plain or the best C++, with its target if there is one."""
    if not row[beside]:
        return ""
    speed, goal = row[beside] / row["warps"], row[f"goal_{beside}"]
    return _judged(speed, goal) if goal else f"{speed:.2f}"


def table_of_checks(rows: Iterable[Row]) -> Table:
    """What bench_soft --checks measured: exact checks beside those by pages."""
    made = Table(
        "Exact checks of accesses beside those by pages: times in ms, then how many times as long, "
        "running and compiling.",
        ("kernel", "pages", "exact", "warps", "threads", "compile threads", "compile warps"),
    )
    for row in rows:
        goal, ratio = row["goal_checks"], row["warps_ratio"]
        threads = row["compile_threads_exact"] / row["compile_threads_pages"]
        warps = row["compile_warps_exact"] / row["compile_warps_pages"]
        made.rows.append(
            (row["name"], f"{row['warps_pages']:.3f}", f"{row['warps_exact']:.3f}",
             _judged(ratio, goal, True) if goal else f"{ratio:.2f}", f"{row['threads_ratio']:.2f}",
             _judged(threads, CHECKED_COMPILE_THREADS, True),
             _judged(warps, CHECKED_COMPILE_WARPS, True))
        )  # fmt: skip
    return made


def table_of_counters(rows: Iterable[Row], what: str = "Counters by source line") -> Table:
    """What bench_soft --counters or --hazards measured: launches with them and without."""
    made = Table(
        f"{what}: times in ms by warps without and with it, then how many times as long.",
        ("kernel", "off", "on", "on / off"),
    )
    for row in rows:
        goal, ratio = row["goal_counters"], row["ratio"]
        made.rows.append(
            (row["name"], f"{row['off']:.3f}", f"{row['on']:.3f}",
             _judged(ratio, goal, True) if goal else f"{ratio:.2f}")
        )  # fmt: skip
    return made
