# SPDX-License-Identifier: MIT
"""Widgets: ``speed = ui.slider("speed", speed, 0, 2)``.

To be called in the frame function or in an `App.panel`. Each returns the new value; where no
panels are drawn it is the value given, so the same script runs without a display.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from lathe.native import native

__all__ = [
    "button", "checkbox", "color", "combo", "drag", "hint", "input_text", "markdown",
    "plot", "progress", "same_line", "scroll_to_top", "separator", "slider", "text",
]  # fmt: skip

_widgets = native.widgets


def text(value: object) -> None:
    """A line of text."""
    _widgets.text(str(value))


def hint(value: object) -> None:
    """Dimmed, wrapped text: an explanation."""
    _widgets.hint(str(value))


def scroll_to_top() -> None:
    """The panel shows its beginning, as after a change of its text."""
    _widgets.scroll_to_top()


def markdown(text: str) -> None:
    """Wrapped text: headings, paragraphs, lists, **bold**, ``code``, and blocks of code.

    Parameters
    ----------
    text : str
        Of Markdown's marks those that begin a line: ``#``, ``##``, ``-``, ``1.`` and three
        backticks around code; within a line ``**bold**`` and single backticks. A list item that
        begins with ``[x]``, ``[!]`` or ``[ ]`` has a green tick, a red cross or an empty box.
    """
    _widgets.markdown(text)


def separator(title: str = "") -> None:
    """A rule, with a title if given."""
    _widgets.separator(title)


def same_line() -> None:
    """The next widget goes on the same row."""
    _widgets.same_line()


def button(label: str) -> bool:
    """Whether it was pressed in this frame."""
    return _widgets.button(label)


def checkbox(label: str, value: bool) -> bool:
    """A tick."""
    return _widgets.checkbox(label, value)


@overload
def slider(label: str, value: int, min: int, max: int) -> int: ...
@overload
def slider(
    label: str, value: float, min: float, max: float, *, format: str = ..., log: bool = ...
) -> float: ...
def slider(
    label: str,
    value: float,
    min: float,
    max: float,
    *,
    format: str = "%.3f",
    log: bool = False,
) -> float:
    """A slider: of integers where `value`, `min` and `max` are integers.

    Parameters
    ----------
    label : str
        Also names the widget within its panel; what follows ``##`` is not shown.
    value, min, max : int or float
    format : str
        As C's printf shows the number.
    log : bool
        Logarithmic.
    """
    if isinstance(value, int) and isinstance(min, int) and isinstance(max, int):
        return _widgets.slider_int(label, value, min, max)
    return _widgets.slider_float(label, value, min, max, format, log)


def drag(label: str, value: float, speed: float = 0.01) -> float:
    """A number without limits, changed by dragging; `speed` is the change a pixel."""
    return _widgets.drag_float(label, value, speed)


def input_text(label: str, value: str) -> str:
    """A line to type in."""
    return _widgets.input_text(label, value)


def combo(label: str, index: int, items: Sequence[str]) -> int:
    """Index of the item chosen."""
    return _widgets.combo(label, index, list(items))


def color(label: str, rgba: Sequence[float]) -> tuple[float, float, float, float]:
    """A colour picker; red, green, blue, alpha in 0 to 1."""
    r, g, b, a = _widgets.color(label, (rgba[0], rgba[1], rgba[2], rgba[3]))
    return r, g, b, a


def plot(label: str, values: Sequence[float], height: float = 80.0) -> None:
    """A curve over the width of the panel; `height` in pixels at scale 1."""
    _widgets.plot_line(label, list(values), height)


def progress(fraction: float, text: str = "") -> None:
    """A bar, filled by a fraction of 0 to 1."""
    _widgets.progress(fraction, text)
