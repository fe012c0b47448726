# SPDX-License-Identifier: MIT
"""What completes the array from above: products, transforms, the array API, textures, launches.

A package above says what it provides when it is imported; the array asks when it is used. The first
question imports the package by the name that the root package has for it, so a program that
multiplies no matrices loads no linear algebra, and no module here imports one above.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import lathe

_provided: dict[str, Any] = {}


def register(kind: str, functions: Any) -> None:
    """For packages above: the array finds `functions`, a module, when it needs that kind."""
    _provided[kind] = functions


def provided(kind: str) -> Any:
    """What was registered as a kind that the root package lists in ``_PROVIDERS``."""
    if kind not in _provided:
        import_module(lathe._PROVIDERS[kind])
    return _provided[kind]
