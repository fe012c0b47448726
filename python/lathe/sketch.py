# SPDX-License-Identifier: MIT
"""A `.cu` file without host code: its directives read. docs/sketch.md is the reference."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from lathe.native import native
from lathe.options import LARGEST, SMALLEST
from lathe.sketch_parts import Buffer, Drawing, Launch, Sketch, SketchError

__all__ = ["Sketch", "SketchError", "parse"]

# Types of buffers: dtype and elements a cell.
_TYPES: dict[str, tuple[str, int]] = {
    "float": ("float32", 1), "double": ("float64", 1), "int": ("int32", 1), "uint": ("uint32", 1),
    "uchar": ("uint8", 1), "uchar3": ("uint8", 3), "uchar4": ("uint8", 4), "float2": ("float32", 2),
    "float3": ("float32", 3), "float4": ("float32", 4), "half": ("float16", 1),
}  # fmt: skip
_NUMPY_NAMES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
                "float16", "float32", "float64")  # fmt: skip
LARGEST_GRID = 2**31 - 1


class _Line:
    """One directive while it is read; every complaint names its place."""

    def __init__(self, file: str, number: int, text: str) -> None:
        self.file, self.number = file, number
        try:
            self.words = shlex.split(text, posix=False)
        except ValueError as error:
            self.fail(str(error))
        self.rest = text.split(maxsplit=1)[1].strip() if len(self.words) > 1 else ""

    def fail(self, message: str) -> Any:
        raise SketchError(f"{self.file}:{self.number}: {message}")

    def numbers(
        self, text: str, separator: str, what: str, count: int | None = None
    ) -> list[float]:
        try:
            found = [float(x) for x in text.split(separator)]
        except ValueError:
            found = []
        if not found or (count is not None and len(found) != count):
            self.fail(f"{what} is not understood: {text}")
        return found

    def sizes(self, text: str, what: str) -> tuple[int, ...]:
        if not re.fullmatch(r"\d+([xX]\d+)*", text):
            self.fail(f"{what} is numbers parted by x, such as 512x512; got {text}")
        sizes = tuple(int(n) for n in re.split("[xX]", text))
        if len(sizes) > 3 or min(sizes) < 1:
            self.fail(f"{what} has one to three sizes of at least 1; got {text}")
        return sizes

    def options(self, words: list[str], known: dict[str, str]) -> dict[str, str]:
        """``name=value`` and bare names, which must be among `known` ("=" or "bare")."""
        found: dict[str, str] = {}
        for word in words:
            name, equals, value = word.partition("=")
            if known.get(name) != ("=" if equals else "bare"):
                names = ", ".join(n + ("=" if kind == "=" else "") for n, kind in known.items())
                self.fail(f"'{word}' is not understood; known here: {names}")
            found[name] = value
        return found


def parse(text: str, file: str = "sketch.cu") -> Sketch:
    """Reads the directives of a source.

    Raises
    ------
    SketchError
        Naming file, line, what was received and what is known.
    """
    sketch = Sketch(title=Path(file).stem.replace("_", " "))
    lines = text.split("\n")
    for number, directive in native.free_directives(text):
        if lines[number - 1].lstrip().startswith("//@"):
            _read(sketch, _Line(file, number, directive))
    for number, column, problem in native.directive_problems(text):
        raise SketchError(f"{file}:{number}:{column}: {problem}")
    if not sketch.launches:
        raise SketchError(
            f"{file}:1: nothing to run: a sketch has at least one line such as\n"
            "  //@ launch KERNEL grid=512x512\n"
            "and `//@ buffer`, `//@ image`; docs/sketch.md has them all"
        )
    for launch in sketch.launches:
        for name in (n for pair in launch.swaps for n in pair):
            _check_buffer(sketch, name, file, launch.line)
    for drawing in sketch.drawings:
        buffer = _check_buffer(sketch, drawing.buffer, file, drawing.line)
        problem = _drawing_problem(drawing, buffer)
        if drawing.values is not None:
            values = _check_buffer(sketch, drawing.values, file, drawing.line)
            if not problem and (values.dtype, values.cells) != ("float32", buffer.cells):
                problem = (
                    f"values are a float buffer of {buffer.cells} elements, one a point; "
                    f"'{values.name}' is {values.dtype}{list(values.shape)}"
                )
        if problem:
            raise SketchError(f"{file}:{drawing.line}: {problem}")
    return sketch


def _check_buffer(sketch: Sketch, name: str, file: str, line: int) -> Buffer:
    if name not in sketch.buffers:
        known = ", ".join(sketch.buffers) or "none"
        raise SketchError(f"{file}:{line}: there is no buffer '{name}'; there are: {known}")
    return sketch.buffers[name]


def _drawing_problem(drawing: Drawing, buffer: Buffer) -> str:
    """Why a buffer cannot be drawn so; empty where it can."""
    shape, has = buffer.shape, f"'{buffer.name}' is {buffer.dtype}{list(buffer.shape)}"
    if drawing.method == "image":
        if len(shape) not in (2, 3) or (len(shape) == 3 and shape[2] > 4):
            return f"a picture is [rows,columns] or [rows,columns,1 to 4]; {has}"
        if buffer.dtype in ("float64", "float16", "int64", "uint64"):
            return f"a picture is of float, or of integers of up to 4 bytes; {has}"
    elif buffer.dtype != "float32" or len(shape) < 2 or shape[-1] not in (2, 3, 4):
        return f"{drawing.method} are positions: float2, float3 or float4; {has}"
    colormap = drawing.arguments.get("colormap", "viridis")
    if not native.is_colormap(colormap):
        return f"there is no colormap '{colormap}'; there are {', '.join(native.colormap_names())}"
    blend = drawing.arguments.get("blend", "alpha")
    if blend not in ("opaque", "alpha", "additive"):
        return f"blend is opaque, alpha or additive; got {blend}"
    return ""


def _read(sketch: Sketch, line: _Line) -> None:
    readers: dict[str, Callable[[Sketch, _Line], None]] = {
        "title": _read_title,
        "size": _read_size,
        "background": _read_background,
        "camera": _read_camera,
        "buffer": _read_buffer,
        "launch": _read_launch,
        "image": _read_drawing,
        "points": _read_drawing,
        "lines": _read_drawing,
    }
    keyword = line.words[0] if line.words else ""
    reader = readers.get(keyword)
    if reader is None:
        line.fail(f"'{keyword}' is no directive; there are {', '.join(readers)}")
        return
    if len(line.words) < 2:
        line.fail(f"'{keyword}' wants more; docs/sketch.md shows it")
    reader(sketch, line)


def _read_title(sketch: Sketch, line: _Line) -> None:
    sketch.title = line.rest.strip('"')


def _read_size(sketch: Sketch, line: _Line) -> None:
    match = re.fullmatch(r"(\d+)[xX](\d+)", line.rest)
    if not match:
        line.fail(f"size is WIDTHxHEIGHT, such as 1280x720; got {line.rest}")
        return
    size = int(match[1]), int(match[2])
    if not all(SMALLEST <= n <= LARGEST for n in size):
        line.fail(f"size {line.rest} is impossible: {SMALLEST} to {LARGEST} pixels each")
    sketch.size = size


def _read_background(sketch: Sketch, line: _Line) -> None:
    r, g, b = line.numbers(line.rest.replace(" ", ""), ",", "background R,G,B", 3)
    sketch.background = (r, g, b)


def _read_camera(sketch: Sketch, line: _Line) -> None:
    if line.words[1] not in ("orbit", "trackball", "fly", "pan_zoom"):
        line.fail(f"camera is orbit, trackball, fly or pan_zoom; got {line.words[1]}")
    sketch.camera = line.words[1]


def _read_buffer(sketch: Sketch, line: _Line) -> None:
    match = re.fullmatch(r"(\w+)\s+(\w+)\s*\[([\d,\s]+)\]\s*(?:=\s*(.+))?", line.rest)
    if not match:
        line.fail(f"a buffer is NAME TYPE[SIZES] = CONTENT; got {line.rest}")
        return
    name, kind, sizes, content = match[1], match[2], match[3], (match[4] or "zeros").strip()
    if kind in _TYPES:
        dtype, elements = _TYPES[kind]
    elif kind in _NUMPY_NAMES:
        dtype, elements = kind, 1
    else:
        line.fail(f"type {kind} is not known; known are {', '.join(_TYPES)} and NumPy's names")
        return
    shape = tuple(int(n) for n in sizes.split(",") if n.strip())
    if not shape or min(shape) < 1:
        line.fail(f"sizes of a buffer are at least 1; got [{sizes}]")
    if elements > 1:
        shape = (*shape, elements)
    number = r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?"
    pattern = rf"zeros|ones|random(\({number},\s*{number}\))?|noise\({number}\)|{number}"
    if not re.fullmatch(pattern, content):
        line.fail(
            f"contents are zeros, ones, a number, random, random(a,b), noise(a); got {content}"
        )
    if name in sketch.buffers:
        line.fail(f"there is a buffer '{name}' already")
    buffer = Buffer(name, shape, dtype, content.replace(" ", ""), line.number, elements > 1)
    _check_content(buffer, line)
    sketch.buffers[name] = buffer


def _check_content(buffer: Buffer, line: _Line) -> None:
    """Integers neither wrap nor lose what is behind the point."""
    if np.dtype(buffer.dtype).kind not in "iu" or buffer.content.startswith("noise"):
        return
    limits = np.iinfo(buffer.dtype)
    numbers = [float(x) for x in re.findall(r"[-+.\deE]*\d[-+.\deE]*", buffer.content)]
    for number in numbers:
        if not limits.min <= number <= limits.max:
            line.fail(f"{number:g} does not fit {buffer.dtype}: {limits.min} to {limits.max}")
        if "(" not in buffer.content and number != int(number):
            line.fail(f"{number:g} is no whole number, as {buffer.dtype} wants")


def _read_launch(sketch: Sketch, line: _Line) -> None:
    known = {"grid": "=", "block": "=", "times": "=", "swap": "=", "once": "bare"}
    options = line.options(line.words[2:], known)
    if "grid" not in options:
        line.fail("a launch wants grid=XxY, one thread for each")
    times = options.get("times", "1")
    if not times.isdecimal() or int(times) < 1:
        line.fail(f"times is a number of at least 1; got {times}")
    swaps = []
    for pair in options["swap"].split(",") if "swap" in options else []:
        a, colon, b = pair.partition(":")
        if not colon:
            line.fail(f"swap is a:b, or a:b,c:d; got {options['swap']}")
        swaps.append((a, b))
    grid = line.sizes(options["grid"], "grid")
    if max(grid) > LARGEST_GRID:
        line.fail(f"grid counts threads, at most {LARGEST_GRID} a side; got {options['grid']}")
    block = line.sizes(options["block"], "block") if "block" in options else None
    if block is not None and (np.prod(block, dtype=object) > 1024 or block[2:] > (64,)):
        line.fail(
            f"a block has at most 1024 threads, 1024x1024x64 a side; got block={options['block']}"
        )
    sketch.launches.append(
        Launch(
            kernel=line.words[1],
            grid=grid,
            block=block,
            times=int(times),
            swaps=tuple(swaps),
            once="once" in options,
            line=line.number,
        )
    )


_DRAWING_OPTIONS = {
    "image": {"colormap": "=", "range": "=", "gamma": "=", "smooth": "bare", "y_up": "bare"},
    "points": {"size": "=", "colormap": "=", "range": "=", "values": "=", "blend": "="},
    "lines": {"closed": "bare", "fade": "="},
}


def _read_drawing(sketch: Sketch, line: _Line) -> None:
    method = line.words[0]
    given = line.options(line.words[2:], _DRAWING_OPTIONS[method])
    arguments: dict[str, Any] = {}
    for name, value in given.items():
        if name in ("smooth", "y_up", "closed"):
            arguments[name] = True
        elif name in ("gamma", "size", "fade"):
            arguments[name] = line.numbers(value, ",", name, 1)[0]
        elif name == "range" and value != "auto":
            low, dots, high = value.partition("..")
            if not dots:
                line.fail(f"range is a..b or auto; got {value}")
            arguments[name] = (
                line.numbers(low, ",", "range", 1)[0],
                line.numbers(high, ",", "range", 1)[0],
            )
        elif name != "values":
            arguments[name] = value
    sketch.drawings.append(
        Drawing(method, line.words[1], arguments, given.get("values"), line.number)
    )
