# SPDX-License-Identifier: MIT
"""The experiments that come with Lathe, and how a name given by hand is found among them."""

from __future__ import annotations

import ast
import difflib
import json
import shlex
from pathlib import Path

from lathe.cli.messages import UserError
from lathe.places import apps_folder

__all__ = ["apps", "find_target", "list_apps"]


def apps() -> dict[str, Path]:
    """Names and main files, sorted: apps/NAME/NAME.py and apps/sketches/*.cu."""
    folder = apps_folder()
    found = {f.parent.name: f for f in folder.glob("*/*.py") if f.stem == f.parent.name}
    found |= {f.stem: f for f in (folder / "sketches").glob("*.cu")}
    return dict(sorted(found.items()))


def summary(file: Path) -> str:
    """First line of what the file says about itself."""
    text = file.read_text(errors="replace")
    if file.suffix == ".py":
        return (ast.get_docstring(ast.parse(text)) or "").split("\n")[0]
    lines = (line[2:].strip() for line in text.splitlines() if line.startswith("//"))
    return next((line for line in lines if line and not line.startswith(("SPDX", "@"))), "")


def list_apps(as_json: bool = False) -> int:
    """Prints names and what they are."""
    found = apps()
    if as_json:
        rows = [{"name": n, "file": str(f), "about": summary(f)} for n, f in found.items()]
        print(json.dumps(rows, indent=2))
        return 0 if found else 1
    width = max((len(name) for name in found), default=0)
    for name, file in found.items():
        print(f"{name:<{width}}  {summary(file)}")
    return 0 if found else 1


def find_target(text: str) -> tuple[str, Path]:
    """Name and file of NAME, FILE.py or FILE.cu."""
    path = Path(text)
    is_name = text in (found := apps())
    if path.is_dir() and not is_name:  # of `lathe new`
        folder, path = path, path / f"{path.resolve().name}.py"
        if not path.is_file():
            raise UserError(f"{folder} is a folder; name a .py or .cu file")
    if path.suffix in (".py", ".cu"):
        if not path.exists():
            raise UserError(f"there is no file {text}; `lathe list` shows the experiments by name")
        try:
            path.read_text()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not text"
            raise UserError(
                f"{text} cannot be read: {reason}; try: ls -l {shlex.quote(text)}"
            ) from None
        return path.stem, path.resolve()
    if is_name:
        return text, found[text]
    if path.exists() or path.suffix:
        raise UserError(f"{text} is neither a .py nor a .cu file, which is what lathe runs")
    near = difflib.get_close_matches(text, found, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(found)}."
    raise UserError(f"there is no experiment '{text}'; {hint} `lathe list` says what they are.")
