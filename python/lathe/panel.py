# SPDX-License-Identifier: MIT
"""A panel of the program's own, beside those of the studio."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from lathe.native import native

__all__ = ["Panel"]

Function = TypeVar("Function", bound=Callable[[], Any])


class Panel:
    """What `App.panel` gives: an open panel within ``with``, or a decorator of what draws it."""

    def __init__(self, title: str, register: Callable[[str, Callable[[], Any]], None]) -> None:
        self._title = title
        self._register = register

    def __call__(self, function: Function) -> Function:
        self._register(self._title, function)
        return function

    def __enter__(self) -> bool:
        return native.widgets.begin(self._title)

    def __exit__(self, error: object, *_: object) -> None:
        native.widgets.end(error is not None)
