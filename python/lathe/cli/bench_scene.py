# SPDX-License-Identifier: MIT
"""``lathe bench scene``: what things cost to draw, beside the same draw in plain OpenGL."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path

from lathe.cli.messages import choose_device, parse_count
from lathe.cli.programs import Row, built, rows_of
from lathe.cli.tables import Table, as_markdown, as_text, where_and_when

__all__ = ["bench_scene", "table"]


def bench_scene(arguments: argparse.Namespace) -> int:
    """Builds the program, runs it, and prints its figures."""
    frames = parse_count("--rounds", arguments.rounds or "25")
    choose_device(arguments.device)
    sizes = [] if arguments.sizes == "auto" else [arguments.sizes]
    rows = _measure(_program(), [str(frames), *sizes])
    if arguments.json:
        print("\n".join(json.dumps(row) for row in rows))
        return 0
    if arguments.markdown:
        print(where_and_when(arguments.command_line) + "\n")
    print("\n".join((as_markdown if arguments.markdown else as_text)(table(rows))))
    return 0


def _program() -> Path:
    return built("bench_scene")


def _measure(program: Path, arguments: list[str]) -> list[Row]:
    return rows_of(program, arguments)


def table(rows: Iterable[Row]) -> Table:
    """What bench_scene measured: a row that says where, and one for each thing."""
    where, *things = rows
    made = Table(
        f"Frames of 1280 x 720 without a window, medians of {where['frames']}: CUDA on "
        f"{where['device']}, {where['gl']}.",
        ("thing", "ms", "frames/s", "plain GL, ms", "ratio", "bytes through the host"),
        note="Ratio: Lathe's time by that of the same draw with a small program of its own, from "
        "the same buffer, by turns. Below 1 Lathe is faster.",
    )
    for row in things:
        ours, plain = row["ours"], row["plain"]
        made.rows.append(
            (row["name"], f"{ours:.3f}", f"{1e3 / ours:.1f}", f"{plain:.3f}" if plain else "",
             f"{ours / plain:.3f}" if plain else "", str(row["host"]))
        )  # fmt: skip
    return made
