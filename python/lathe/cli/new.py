# SPDX-License-Identifier: MIT
"""``lathe new``: a folder with a script, a kernel, a check and a page, which all work."""

from __future__ import annotations

import argparse
import json
import keyword
import os
import re
import shlex
import sys
from pathlib import Path

from lathe.cli.list_apps import apps
from lathe.cli.messages import UserError
from lathe.places import apps_folder

__all__ = ["new"]

_TAKEN = {"check", "cupy", "lathe", "numpy", "pycuda", "scipy"}
"""Modules that a script of the same name would hide from itself or from its check."""


def new(arguments: argparse.Namespace) -> int:
    """Writes the folder and says how it is run."""
    folder = Path(arguments.name)
    name = folder.name
    _check_name(arguments.name, name)
    _check_place(folder)
    files = _write(folder, name)
    if arguments.json:
        print(json.dumps({"folder": str(folder), "files": [str(file) for file in files]}))
        return 0
    for file in files:
        print(f"wrote {file}")
    target = shlex.quote(str(folder))
    print(f"\nlathe run {target}          # runs it\nlathe run {target} --check  # checks it")
    return 0


def _check_name(text: str, name: str) -> None:
    problem = ""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        problem = "a name has letters, digits and _, and begins with no digit"
    elif len(name) > 100:
        problem = "a name has at most 100 characters"
    elif keyword.iskeyword(name):
        problem = f"{name} is a word of Python's"
    elif name in sys.stdlib_module_names or name in _TAKEN:
        problem = f"{name} is a module that the script itself needs"
    elif name in apps():
        problem = f"{name} is one of Lathe's experiments (lathe run {name})"
    if problem:
        raise UserError(f"'{text}' cannot be the name: {problem}; an example: lathe new my_waves")


def _check_place(folder: Path) -> None:
    parent = folder.absolute().parent
    try:
        if folder.exists() and not folder.is_dir():
            raise UserError(f"{folder} exists, and is no folder; choose another name")
        if folder.is_dir() and any(folder.iterdir()):
            raise UserError(f"{folder} exists, and is not empty; choose another name")
        if not parent.is_dir():
            raise UserError(f"there is no folder {parent}; make it first, or name another")
    except OSError as error:
        raise UserError(f"{folder} cannot be read: {error.strerror}; name another place") from None
    place = folder if folder.is_dir() else parent
    if not os.access(place, os.W_OK | os.X_OK):
        raise UserError(f"{place} may not be written; name another place, such as ~/{folder.name}")


def _write(folder: Path, name: str) -> list[Path]:
    """The files of apps/starter, in which ``starter`` becomes the name."""
    source = apps_folder() / "starter"
    written: list[Path] = []
    is_new = not folder.exists()
    try:
        folder.mkdir(exist_ok=True)
        for old, own in (
            ("script.py", f"{name}.py"),
            ("kernel.cu", f"{name}.cu"),
            ("check.py", "check.py"),
            ("page.md", "README.md"),
        ):
            file = folder / own
            text = re.sub(r"\bstarter\b", name, (source / old).read_text())
            with file.open("x") as out:
                written.append(file)
                out.write(text)
    except OSError as error:
        for file in written:
            file.unlink(missing_ok=True)
        if is_new and folder.is_dir():
            folder.rmdir()
        raise UserError(
            f"{error.filename or folder} cannot be written: {error.strerror}; name another place"
        ) from None
    return written
