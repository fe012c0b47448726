# SPDX-License-Identifier: MIT
"""What became of an App's kernels: PTX and machine code, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from lathe._lathe import Kernel, Studio

__all__ = ["CodeOfKernels", "CodeRow"]


class CodeRow(NamedTuple):
    """A row of PTX or of machine code."""

    line: int
    """The line of the source that it came from, from 1; 0 where nobody knows."""
    text: str


class CodeOfKernels:
    """What an App says of the code of its kernels."""

    _studio: Studio

    @property
    def code_pane(self) -> str:
        """What stands beside the text in the editor: ``"off"``, ``"ptx"`` or ``"machine"``.

        Set it at any time; without panels it stays ``"off"``.

        Raises
        ------
        ValueError
            For another word.
        """
        return self._studio.code_pane

    @code_pane.setter
    def code_pane(self, kind: str) -> None:
        self._studio.code_pane = _kind_of(kind, "off", "ptx", "machine")

    def code_of(self, kernel: Kernel, kind: str = "ptx") -> list[CodeRow]:
        """Read the code of the version that runs, in the order of the compiler.

        Parameters
        ----------
        kernel : Kernel
            One of this App's. Other kernels of its source stand in the same list.
        kind : str
            ``"ptx"``, or ``"machine"``: on the software device the host's instructions, of kernels
            that were launched; on a GPU its SASS, which needs the toolkit's ``nvdisasm``.

        Returns
        -------
        list of CodeRow
            Instructions, labels and declarations. Lines are those of the version that runs.

        Raises
        ------
        ValueError
            For another word, or a kernel that has no live source.
        lathe.Error
            Where there is no such code, with the reason.

        Notes
        -----
        Takes as long as a compile where the version was not compiled to PTX. Launches need not be
        done.
        """
        wanted = _kind_of(kind, "ptx", "machine")
        if kernel.slot is None:
            raise ValueError(f"{kernel!r} is no live kernel of an App")
        return [CodeRow(line, text) for line, text in self._studio.code_of(kernel.slot, wanted)]


def _kind_of(kind: str, *kinds: str) -> str:
    if kind not in kinds:
        raise ValueError(f"the code is one of {', '.join(kinds)}, got {kind!r}")
    return kind
