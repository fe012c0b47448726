# SPDX-License-Identifier: MIT
"""Scripts written for PyCUDA: ``python -m lathe.as_pycuda script.py [arguments]``.

`install()` does the same for the rest of a program: ``import pycuda.driver`` then gives
`lathe.cuda.driver`. An installed PyCUDA is left alone; it is just not found.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Answers for `pycuda` and what is below it with the modules of `lathe.cuda`."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        package, _, rest = fullname.partition(".")
        if package != "pycuda":
            return None
        name = "lathe.cuda" + ("." + rest if rest else "")
        if importlib.util.find_spec(name) is None:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=not rest)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        module = importlib.import_module("lathe.cuda" + spec.name.removeprefix("pycuda"))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """It was executed under its own name, and keeps it."""
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state


def install() -> None:
    """From now on ``import pycuda`` gives `lathe.cuda`. Calling it again does nothing.

    Raises
    ------
    ImportError
        Where PyCUDA itself was imported before.
    """
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    present = sys.modules.get("pycuda")
    if present is not None:
        raise ImportError("PyCUDA was imported before lathe.as_pycuda.install()")
    sys.meta_path.insert(0, _Finder())


def main(arguments: Sequence[str]) -> int:
    """Runs a script with `pycuda` standing for `lathe.cuda`."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print("usage: python -m lathe.as_pycuda script.py [arguments]")
        return 0 if arguments else 2
    if not Path(arguments[0]).is_file():
        print(f"lathe.as_pycuda: there is no file {arguments[0]}", file=sys.stderr)
        return 1
    install()
    sys.argv = list(arguments)
    sys.path[0] = str(Path(arguments[0]).resolve().parent)
    runpy.run_path(arguments[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
