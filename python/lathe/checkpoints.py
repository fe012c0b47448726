# SPDX-License-Identifier: MIT
"""A run's state in a file, and back: `App.checkpoint`, `App.restore`."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from lathe.native import native
from lathe.stored_values import decode, encode
from lathe.tracebacks import words_of

if TYPE_CHECKING:
    from lathe.app import App

__all__ = ["Checkpoints"]

_VERSION = 1
_HEAD = "lathe"  # the entry with all that is no array, as JSON


@dataclass(frozen=True, slots=True)
class _Saved:
    """What a file holds, once it is known to fit."""

    head: dict[str, Any]
    memories: list[tuple[Any, NDArray[Any]]]
    values: dict[str, Any]


class Checkpoints:
    """What an App does with files of its state."""

    def checkpoint(self, file: str | Path) -> None:
        """Saves the state of the run: `restore` goes on from there, also in another process.

        Parameters
        ----------
        file : str or Path
            A NumPy archive, ``.npz``. It has the arrays and textures of this App under their names,
            ``#0``, ``#1`` and so on of those without one, and an entry ``lathe``, JSON, with the
            step, its time, the sliders and the values of `state`. A file that is there is replaced
            as a whole; where writing fails it stays.

        Notes
        -----
        It has the arrays as they are now, and `restore` goes on with the next step: within a frame
        function, call it last. Waits for the device. Variables of the script, and ``__device__``
        variables of kernels, are not part of it.

        Raises
        ------
        lathe.Error
            Where the file cannot be written.
        """
        path = Path(file)
        if path.suffix != ".npz":
            raise native.Error(f"a checkpoint is an .npz file, got {path}")
        _write(cast("App", self), path)

    def restore(self, file: str | Path) -> None:
        """Goes on from a `checkpoint`: the next step is the one after that of the file.

        On the same kind of device it is the same to the last bit, and on another one as far as its
        arithmetic is. Make the arrays first: what `init` does is done before, if it was not yet.

        Parameters
        ----------
        file : str or Path

        Notes
        -----
        Within a frame function, call it last. The history begins anew. Sliders get their values; if
        a kernel has another text now, the console says so.

        Raises
        ------
        lathe.Error
            Where the file cannot be read, is no checkpoint, or has other arrays than the program:
            other names, shapes or types. Nothing has changed then.
        """
        app = cast("App", self)
        app._steps.start_simulation()
        _put_back(app, _read(app, Path(file)))


def _write(app: App, path: Path) -> None:
    memories = app._studio.memories()
    arrays: dict[str, NDArray[Any]] = {name: memory.get() for name, memory in memories}
    values = app._kept_state().copy()
    steps = app._steps
    head = {
        "version": _VERSION,
        "step": None if steps.index < 0 else steps.index,
        "time": steps.time,
        "dt": steps.dt,
        "sliders": app._studio.parameters.texts(),
        "kernels": _kernels(app),
        "state": encode({} if values is None else values[0], arrays, memories),
    }
    arrays[_HEAD] = np.array(json.dumps(head))
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("wb") as out:
            _write_arrays(out, arrays)
            out.flush()
            os.fsync(out.fileno())
        beside.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise native.Error(f"{path} was not written: {error.strerror or error}") from error


def _write_arrays(out: IO[bytes], arrays: dict[str, NDArray[Any]]) -> None:
    """As numpy.savez(), which takes no array that is called "file"."""
    with zipfile.ZipFile(out, "w") as archive:
        for name, values in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, values, allow_pickle=False)


def _read(app: App, path: Path) -> _Saved:
    memories = dict(app._studio.memories())
    try:
        with np.load(path, allow_pickle=False) as entries:
            found = {name: entries[name] for name in entries.files}
        head = json.loads(str(found.pop(_HEAD)))
        version = head["version"]
        values: dict[str, Any] = {}
        if version == _VERSION:
            values = decode(head["state"], found, memories)
            _check_head(head, values)
    except OSError as error:
        raise native.Error(f"{path} was not read: {error.strerror or error}") from error
    except Exception as error:  # of damaged bytes NumPy and zipfile raise nearly anything
        raise native.Error(f"{path} is no checkpoint: {words_of(error)}") from error
    if version != _VERSION:
        raise native.Error(f"{path} is a checkpoint of version {version}; this reads {_VERSION}")
    problems = [f"the program has no array {name}" for name in found.keys() - memories.keys()]
    for name, memory in memories.items():
        if name not in found:
            problems.append(f"the file has no array {name}")
        elif _form(found[name]) != _form(memory):
            problems.append(
                f"{name} is {_form(found[name])} in the file, {_form(memory)} in the program"
            )
    if problems:
        raise native.Error(f"{path} does not fit: " + "; ".join(sorted(problems)))
    return _Saved(head, [(memories[name], found[name]) for name in memories], values)


def _check_head(head: dict[str, Any], values: Any) -> None:
    """Raises ValueError for what `_write` does not give, so that nothing is put back by halves."""
    step, tables = head["step"], (head["sliders"], head["kernels"])
    fits = (
        (step is None or (isinstance(step, int) and 0 <= step < 1 << 63))
        and isinstance(head["time"], float)
        and isinstance(head["dt"], float)
        and all(isinstance(table, dict) for table in tables)
        and all(isinstance(text, str) for table in tables for text in table.values())
        and isinstance(values, dict)
        and all(isinstance(name, str) and not name.startswith("_") for name in values)
    )
    if not fits:
        raise ValueError(f"its entry {_HEAD} has values of other types")


def _put_back(app: App, saved: _Saved) -> None:
    for memory, values in saved.memories:
        memory.set(values)
    app._kept_state().put_back(saved.values)
    head = saved.head
    app._studio.parameters.restore(head["sliders"])
    app._steps.resume(head["step"], head["time"], head["dt"])
    now = _kernels(app)
    for name, text in head["kernels"].items():
        if now.get(name, text) != text:
            app.log(f"{name} has another text than when the checkpoint was made")


def _form(memory: Any) -> str:
    return f"{memory.dtype} {tuple(memory.shape)}"


def _kernels(app: App) -> dict[str, str]:
    """Digests of the sources, by the names of their tabs."""
    return {
        name: hashlib.sha256(kernel.slot.source.encode()).hexdigest()
        for (name, _), kernel in app._launchable.items()
        if kernel.slot is not None
    }
