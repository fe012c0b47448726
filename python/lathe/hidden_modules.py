# SPDX-License-Identifier: MIT
"""Files that hide modules of Python's own: a numbers.py beside a script is what NumPy imports."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

__all__ = ["hidden_module"]


def hidden_module(error: BaseException) -> str | None:
    """The sentence that names the file at fault, if an import failed since it hides a module.

    A file is at fault if it was imported, in the error's traceback or before, by the name of one of
    Python's own modules. Only errors that such an import causes are looked at: ImportError,
    AttributeError and RecursionError.
    """
    if not isinstance(error, ImportError | AttributeError | RecursionError):
        return None
    for name, file in _imported(error):
        if name in sys.stdlib_module_names and not _is_installed(file):
            return (
                f"{file} hides Python's own module {name}, which other modules import; "
                "give the file another name"
            )
    return None


def _is_installed(file: Path) -> bool:
    """A module of Python's own, or one that a package brings in its place (distutils)."""
    own = {Path(sysconfig.get_path(kind)).resolve() for kind in ("stdlib", "platstdlib")}
    return not own.isdisjoint(file.parents) or not {"site-packages", "dist-packages"}.isdisjoint(
        file.parts
    )


def _imported(error: BaseException) -> Iterator[tuple[str, Path]]:
    """Names and files of modules: those whose code is in a traceback, then all imported ones."""
    cause: BaseException | None = error
    while cause is not None:
        place: TracebackType | None = cause.__traceback__
        while place is not None:
            known = place.tb_frame.f_globals
            if isinstance(file := known.get("__file__"), str):
                yield str(known.get("__name__")), Path(file).resolve()
            place = place.tb_next
        cause = cause.__cause__ or cause.__context__
    for name in sys.stdlib_module_names & sys.modules.keys():
        if isinstance(file := getattr(sys.modules[name], "__file__", None), str):
            yield name, Path(file).resolve()
