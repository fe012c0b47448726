# SPDX-License-Identifier: MIT
"""Runs the code blocks of a page in order, as a reader would: `python documents.py PAGE FOLDER`.

Blocks share one Python namespace and one working folder. `python` blocks are executed, `bash`
blocks run with a `lathe` that ends after two small frames and leaves the check of a page's own
experiment to tests/apps/test_apps.py, `cuda` blocks are compiled, and those with `//@` directives
run as sketches. `cpp` and `cmake` blocks are those of a program that a test of its own builds and
runs. A comment on the line before a block changes this:

    <!-- file: NAME -->       the block is written to this file of the folder, and not run
    <!-- not run: REASON -->  the block is left out
    <!-- fails -->            the block must fail; its message counts as its output
    <!-- prints -->           of a `text` block: what the block before it printed; `...` is anything

A `text` block without `prints` is left alone.
"""

from __future__ import annotations

import contextlib
import ctypes
import doctest
import os
import re
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = ("python", "bash", "cuda", "cpp", "cmake", "text")
BASH_SECONDS = 120
# A `lathe` whose runs are short: two small frames show as much as three hundred large ones. The
# check of the page's own experiment takes long, and runs as a test by itself, by this command.
SHORT_RUNS = """import os, sys
words = sys.argv[1:]
if words == ["run", "@CHECKED@", "--check"]:
    sys.exit()
if words[:1] == ["run"] and "--check" not in words and "--help" not in words:
    if "--frames" in words:
        words[words.index("--frames") + 1] = "2"
    else:
        words += ["--frames", "2"]
    words += [] if "--size" in words else ["--size", "320x180"]
os.execv(sys.executable, [sys.executable, "-m", "lathe", *words])
"""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, the number of its first line, the comment before it."""

    language: str
    line: int
    text: str
    marker: str


class Broken(Exception):
    """A block that does not do what its page says."""


def user_pages() -> list[Path]:
    """Pages for users: README, what lies directly in docs/, and the experiments' own."""
    pages = [*sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "apps").glob("*/README.md"))]
    return [ROOT / "README.md", *pages]


def blocks_of(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page."""
    marker = ""
    lines = enumerate(page.read_text().splitlines(), 1)
    for number, line in lines:
        if comment := re.fullmatch(r"\s*<!-- (.*) -->\s*", line):
            marker = comment[1]
        elif fence := re.fullmatch(r"(\s*)```(\w*)\s*", line):
            indent = len(fence[1])
            inside: list[str] = []
            for _, each in lines:
                if each.strip() == "```":
                    break
                inside.append(each[indent:])
            yield Block(fence[2], number, "\n".join(inside) + "\n", marker)
            marker = ""
        elif line.strip():
            marker = ""


@contextlib.contextmanager
def captured() -> Iterator[list[str]]:
    """What is written to standard output, by kernels' printf, too; the list gets one text."""
    got: list[str] = []
    with tempfile.TemporaryFile() as file:
        sys.stdout.flush()
        before = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            yield got
        finally:
            sys.stdout.flush()
            ctypes.CDLL(None).fflush(None)
            os.dup2(before, 1)
            os.close(before)
            file.seek(0)
            got.append(file.read().decode(errors="replace"))


def commands(folder: Path, page: Path) -> dict[str, str]:
    """The environment of bash blocks: `lathe`, `./run` and `python` as a reader has them."""
    binaries = folder / ".venv" / "bin"
    binaries.mkdir(parents=True)
    lathe = binaries / "lathe"
    checked = page.parent.name if page.with_name("check.py").exists() else "none"
    (binaries / "short_runs.py").write_text(SHORT_RUNS.replace("@CHECKED@", checked))
    lathe.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$(dirname "$0")/short_runs.py" "$@"\n')
    (folder / "run").write_text('#!/usr/bin/env bash\nexec lathe run "${@:-gray_scott}"\n')
    for name in ("python", "python3"):
        (binaries / name).symlink_to(sys.executable)
    for program in (lathe, folder / "run"):
        program.chmod(0o755)
    path = [os.environ.get("LATHE_PACKAGE_FOLDER") or str(ROOT / "python")]
    return {
        **os.environ,
        "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([*path, os.environ.get("PYTHONPATH", "")]).strip(os.pathsep),
    }


def own_cache(folder: Path) -> None:
    """Keeps compiled kernels for the next run, and nothing else: no tuned variants, no texts."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lathe"
    before = Path(os.environ.get("LATHE_CACHE_DIR") or base)
    cache = folder / ".cache"
    cache.mkdir()
    for part in ("kernels", "objects"):
        (before / part).mkdir(parents=True, exist_ok=True)
        (cache / part).symlink_to(before / part)
    os.environ["LATHE_CACHE_DIR"] = str(cache)


def run_python(block: Block, page: Path, names: dict[str, Any]) -> str:
    """Executes the block; returns what it printed. Line numbers of errors are the page's."""
    code = compile("\n" * block.line + block.text, str(page), "exec")
    error = None
    with captured() as got:
        try:
            exec(code, names)
        except Exception as raised:
            error = raised
    if block.marker == "fails":
        if error is None:
            raise Broken("must fail and does not")
        return got[0] + "".join(traceback.format_exception_only(error))
    if error is not None:
        raise error
    return got[0]


def run_bash(block: Block, folder: Path, environment: dict[str, str]) -> str:
    """Runs the block; returns what it printed, errors included."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.text],
        cwd=folder, env=environment, timeout=BASH_SECONDS, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    if (done.returncode != 0) != (block.marker == "fails"):
        raise Broken(f"ends with {done.returncode}:\n{done.stdout}")
    return done.stdout


def run_cuda(block: Block, folder: Path, environment: dict[str, str]) -> str:
    """Runs the block as a sketch, or compiles it."""
    if "//@ launch" in block.text:
        (folder / "block.cu").write_text(block.text)
        command = Block("bash", block.line, "lathe run block.cu", block.marker)
        return run_bash(command, folder, environment)
    import lathe

    lathe.kernel(block.text)
    return ""


def find_in_programs(block: Block) -> None:
    """Raises where no program that is built and run has the text."""
    kind = "apps/*/*.cpp" if block.language == "cpp" else "tests/consumer/*/CMakeLists.txt"
    if not any(block.text.strip() in each.read_text() for each in ROOT.glob(kind)):
        raise Broken(f"no file {kind} has this text")


def compare(wanted: str, got: str) -> None:
    """Raises where `got` is not what the page shows."""
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    if not doctest.OutputChecker().check_output(wanted, got, options):
        raise Broken(f"the page shows\n{wanted}\nbut the block printed\n{got}")


def run_page(page: Path, folder: Path) -> list[str]:
    """What is wrong, a text a block that does not do what the page says."""
    names: dict[str, Any] = {"__name__": "__main__"}
    environment = commands(folder, page)
    printed = ""
    for block in blocks_of(page):
        try:
            if block.language not in LANGUAGES:
                raise Broken(f"language {block.language!r}; known are {', '.join(LANGUAGES)}")
            if block.marker.startswith("not run: "):
                continue
            if block.marker.startswith("file: "):
                (folder / block.marker.removeprefix("file: ")).write_text(block.text)
            elif block.language == "python":
                printed = run_python(block, page, names)
            elif block.language == "bash":
                printed = run_bash(block, folder, environment)
            elif block.language in ("cpp", "cmake"):
                find_in_programs(block)
            elif block.language == "cuda":
                printed = run_cuda(block, folder, environment)
            elif block.marker == "prints":
                compare(block.text, printed)
        except Exception as error:  # later blocks build on this one
            trace = "" if isinstance(error, Broken) else traceback.format_exc()
            return [f"{page.name}:{block.line}: {trace or error}"]
    return []


def main() -> int:
    page, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    os.chdir(folder)
    own_cache(folder)
    problems = run_page(page, folder)
    print("\n".join(problems), file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
