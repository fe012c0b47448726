# SPDX-License-Identifier: MIT
"""What `lathe.imgui`, `lathe.implot` and `lathe.imguizmo` take from the module lathe._imgui."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from lathe.native import native

__all__ = ["ImVec2Like", "ImVec4Like", "begins_frame", "names_of"]

try:
    _bindings = import_module("lathe._imgui")
except ModuleNotFoundError as error:
    raise ImportError(
        "the bindings of Dear ImGui are not built: `LATHE_BUILD=_imgui tools/build` builds them"
    ) from error

native.widgets.open_idle()

_imgui = _bindings.imgui
ImVec2Like = _imgui.ImVec2 | tuple[float, float] | list[float]
ImVec4Like = _imgui.ImVec4 | tuple[float, float, float, float] | list[float]

# The App makes the contexts, and begins and ends their frames.
_APPS = {
    "imgui": ("create_context", "destroy_context", "set_current_context", "new_frame", "end_frame",
              "render"),
    "implot": ("create_context", "destroy_context", "set_current_context", "set_imgui_context"),
}  # fmt: skip


def names_of(module: str) -> dict[str, Any]:
    """The public names of a module of lathe._imgui."""
    names = {
        name: value
        for name, value in vars(getattr(_bindings, module)).items()
        if not name.startswith("__")
    }
    for name in _APPS.get(module, ()):
        names[name] = _refusal(f"{module}.{name}")
    return names


_begun: tuple[Any, int] | None = None


def begins_frame() -> bool:
    """True the first time in a frame of an App's panels."""
    global _begun
    frame = (_imgui.get_current_context(), _imgui.get_frame_count())
    is_new = _begun is None or frame[0] is not _begun[0] or frame[1] != _begun[1]
    _begun = frame
    return is_new


def _refusal(name: str) -> Callable[..., None]:
    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError(f"{name}() is the App's: it has one context, and frames of its own")

    return refuse
