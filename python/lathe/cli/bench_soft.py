# SPDX-License-Identifier: MIT
"""``lathe bench soft``: the software device beside C++ on this processor, with the targets.

``--checks`` and ``--counters`` print what those cost instead.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lathe.cli.messages import UserError, parse_count

__all__ = ["bench_soft", "table", "table_of_checks", "table_of_counters"]

TWO_THREADS = 1.8
COMPILE_MS, COMPILE_LIBM_MS, CACHED_MS = 15.0, 60.0, 1.0
LAUNCH_US = 3.0
CHECKED_COMPILE_THREADS, CHECKED_COMPILE_WARPS = 1.2, 1.15

Row = dict[str, Any]


def bench_soft(arguments: argparse.Namespace) -> int:
    """Builds the references and prints how the kernels do beside them, for one and two threads."""
    rounds = parse_count("--rounds", arguments.rounds)
    program = _program()
    load, cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
    if load > 0.3 * cores:
        print(
            f"The machine is busy (load {load:.1f}, {cores} cores): what is measured by the clock, "
            "two threads and launches, says little.\n"
        )
    how = [str(rounds), *(["--fast-math"] if arguments.fast_math else [])]
    tables: list[list[str]] = []
    if arguments.checks:
        tables.append(table_of_checks(_measure(program, [*how, "--checks"], workers=1)))
    if arguments.counters:
        tables.append(table_of_counters(_measure(program, [*how, "--counters"], workers=1)))
    if not tables:
        one = _measure(program, [*how, "--compile-times"], workers=1)
        tables.append(table(one, _measure(program, how, workers=2)))
    print("\n\n".join("\n".join(lines) for lines in tables))
    return 0


def _program() -> Path:
    root = Path(__file__).resolve().parents[3]
    build = root / "build"
    program = build / "tests" / "benchmarks" / "bench_soft"
    cmake = shutil.which("cmake")
    if cmake and (build / "CMakeCache.txt").exists():
        done = subprocess.run(
            [cmake, "--build", str(build), "--target", "bench_soft"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise UserError(f"bench_soft could not be built:\n{done.stdout[-2000:]}{done.stderr}")
    if not program.exists():
        raise UserError(
            f"the C++ references are part of the source tree and are not built: {program}; "
            f"this builds them: {root}/tools/build"
        )
    return program


def _measure(program: Path, arguments: list[str], workers: int) -> list[Row]:
    environment = {**os.environ, "LATHE_SOFT_WORKERS": str(workers)}
    done = subprocess.run(
        [str(program), *arguments], capture_output=True, text=True, env=environment, check=False
    )
    if done.returncode:
        raise UserError(f"{program.name}: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def _judged(value: float, goal: float, less: bool = False) -> str:
    met = value <= goal if less else value >= goal
    return f"{value:.2f} of {goal:g} {'met' if met else 'MISSED'}"


def table(one: Iterable[Row], two: Iterable[Row]) -> list[str]:
    """Lines of text from what bench_soft measured with one worker and with two."""
    one = list(one)
    rows = [row for row in one if "name" in row]
    launch = next((row for row in one if "launch" in row), None)
    wall = {row["name"]: row["wall"] for row in two if "name" in row}
    lines = [
        "Processor time in ms. Speeds beside C++ and their targets: above 1 the software device is "
        "faster.",
        f"{'kernel':<22}{'C++':>9}{'best C++':>10}{'warps':>9}{'threads':>9}"
        f"  {'beside C++':<20}{'beside the best':<20}{'two threads':<20}",
    ]
    for row in rows:
        plain = row["plain"] / row["warps"]
        best = row["best"] / row["warps"]
        plain_text = _judged(plain, row["goal_plain"]) if row["goal_plain"] else f"{plain:.2f}"
        best_text = _judged(best, row["goal_best"]) if row["goal_best"] else ""
        if row["best"] and not row["goal_best"]:
            best_text = f"{best:.2f}"
        gain = row["wall"] / wall[row["name"]] if wall.get(row["name"]) else 0.0
        gain_text = _judged(gain, TWO_THREADS) if gain else ""
        best_ms = f"{row['best']:.3f}" if row["best"] else "-"
        lines.append(
            f"{row['name']:<22}{row['plain']:>9.3f}{best_ms:>10}{row['warps']:>9.3f}"
            f"{row['threads']:>9.3f}  {plain_text:<20}{best_text:<20}{gain_text:<20}".rstrip()
        )
    lines += [
        "",
        "PTX to callable, ms: a first launch runs by single threads while warps are compiled.",
        f"{'kernel':<22}{'threads':<20}{'warps':>9}  {'warps from the disk':<20}",
    ]
    for row in rows:
        if "compile_warps" not in row:
            continue
        limit = COMPILE_LIBM_MS if row["name"].startswith("libm") else COMPILE_MS
        lines.append(
            f"{row['name']:<22}{_judged(row['compile_threads'], limit, True):<20}"
            f"{row['compile_warps']:>9.1f}  {_judged(row['cached'], CACHED_MS, True):<20}".rstrip()
        )
    if launch:
        lines += [
            "",
            f"empty launch, us: {_judged(launch['launch'], LAUNCH_US, True)}; "
            f"launched and waited for {launch['launch_and_wait']:.2f}",
        ]
    return lines


def table_of_checks(rows: Iterable[Row]) -> list[str]:
    """Lines of text from what bench_soft --checks measured: exact checks beside those by pages."""
    lines = [
        "Exact checks of accesses beside those by pages: times in ms, then how many times as long, "
        "running and compiling.",
        f"{'kernel':<22}{'pages':>9}{'exact':>9}  {'warps':<20}{'threads':<10}"
        f"{'compile threads':<20}{'compile warps':<20}",
    ]
    for row in rows:
        goal = row["goal_checks"]
        ratio = row["warps_ratio"]
        ratio_text = _judged(ratio, goal, True) if goal else f"{ratio:.2f}"
        threads = row["compile_threads_exact"] / row["compile_threads_pages"]
        warps = row["compile_warps_exact"] / row["compile_warps_pages"]
        lines.append(
            f"{row['name']:<22}{row['warps_pages']:>9.3f}{row['warps_exact']:>9.3f}"
            f"  {ratio_text:<20}{row['threads_ratio']:<10.2f}"
            f"{_judged(threads, CHECKED_COMPILE_THREADS, True):<20}"
            f"{_judged(warps, CHECKED_COMPILE_WARPS, True)}"
        )
    return lines


def table_of_counters(rows: Iterable[Row]) -> list[str]:
    """Lines of text from what bench_soft --counters measured: launches that count and others."""
    lines = [
        "Counters by source line: times in ms by warps without and with them, then how many times "
        "as long.",
        f"{'kernel':<28}{'off':>9}{'on':>9}  {'on / off':<20}",
    ]
    for row in rows:
        goal, ratio = row["goal_counters"], row["ratio"]
        ratio_text = _judged(ratio, goal, True) if goal else f"{ratio:.2f}"
        lines.append(f"{row['name']:<28}{row['off']:>9.3f}{row['on']:>9.3f}  {ratio_text}")
    return lines
