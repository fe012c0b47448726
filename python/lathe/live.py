# SPDX-License-Identifier: MIT
"""The live kernels of an App: one slot a file or source, found again by a reloaded script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lathe._lathe import Kernel, KernelSlot, Studio
from lathe.native import native

__all__ = ["LiveKernels"]


@dataclass(slots=True)
class _Kept:
    kernel: Kernel
    entry: str
    slot: KernelSlot
    text: str | None  # of a source given as text


class LiveKernels:
    """Kernels by file or by name; sources without a name by their number."""

    def __init__(self, studio: Studio, script: Path | None) -> None:
        self._studio = studio
        self._script = script
        self._kept: dict[tuple[str, tuple[str, ...]], _Kept] = {}
        self._unnamed = 0

    def get(
        self, file_or_source: str | Path, entry: str, options: Sequence[str], name: str | None
    ) -> Kernel:
        """The kernel `entry` of the slot of this file or source, which is made where it is new."""
        text = str(file_or_source)
        is_source = not isinstance(file_or_source, Path) and ("\n" in text or "{" in text)
        if is_source:
            if name is None:
                name = "kernel.cu" if self._unnamed == 0 else f"kernel_{self._unnamed}.cu"
                self._unnamed += 1
            key = (name, tuple(options))
        else:
            path = self._find(Path(file_or_source))
            text = str(path)
            key = (text, tuple(options))
        kept = self._kept.get(key)
        if kept is None:
            kernel = self._studio.add_kernel(text, entry, list(options), name or "")
            slot = kernel.slot
            assert slot is not None
            self._kept[key] = _Kept(kernel, entry, slot, text if is_source else None)
            self._check(slot)
            return kernel
        if is_source and kept.text != text:  # the script has another source now
            kept.text = text
            kept.slot.source = text
            kept.slot.compile_now()
            kept.slot.wait()
            self._check(kept.slot)
        return kept.kernel if kept.entry == entry else kept.kernel.sibling(entry)

    def begin_reload(self) -> None:
        """Numbers sources without a name from the start again."""
        self._unnamed = 0

    def generations(self) -> list[int]:
        """Changes whenever a kernel was swapped."""
        return [kept.slot.generation for kept in self._kept.values()]

    def require_running(self) -> None:
        """Raises the fault of a kernel that has no older version to go on with."""
        for kept in self._kept.values():
            slot = kept.slot
            if slot.state == "faulted" and not slot.ready:
                raise native.LogicError(
                    f"{slot.diagnostics[-1]}\n"
                    f"correct {slot.name} and run it again: "
                    "no version of it has run without a fault"
                )

    def _find(self, path: Path) -> Path:
        beside = [self._script.parent / path] if self._script is not None else []
        for candidate in [*beside, Path.cwd() / path]:
            if candidate.is_file():
                return candidate.resolve()
        folders = dict.fromkeys(str(p.parent) for p in [*beside, Path.cwd() / path])
        places = " or ".join(folders)
        raise FileNotFoundError(f"kernel file {path} is not in {places}")

    def _check(self, slot: KernelSlot) -> None:
        if slot.ready or not self._studio.headless:
            return
        errors = [d for d in slot.diagnostics if "error" in d] or [f"{slot.name} does not compile"]
        raised = native.CompileError("\n".join(errors))
        raised.command_line = ""
        raised.log = slot.log
        raised.diagnostics = slot.diagnostics
        raise raised
