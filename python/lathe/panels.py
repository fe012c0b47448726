# SPDX-License-Identifier: MIT
"""The panels around an App's picture: where they stand, which are shown, their colours."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from lathe._lathe import Studio

__all__ = ["PanelsOfWindow"]


class PanelsOfWindow:
    """What an App says of its window's panels. Without panels nothing happens."""

    _studio: Studio

    @property
    def theme(self) -> Literal["dark", "light"]:
        """Colours of the panels and of the editor; set it at any time.

        Raises
        ------
        ValueError
            For another word.
        """
        return "light" if self._studio.light else "dark"

    @theme.setter
    def theme(self, theme: Literal["dark", "light"]) -> None:
        if theme not in ("dark", "light"):
            raise ValueError(f"theme is 'dark' or 'light', got {theme!r}")
        self._studio.light = theme == "light"

    @property
    def picture_only(self) -> bool:
        """Whether the picture fills the window, without panels; F11 changes it, too."""
        return self._studio.picture_only

    @picture_only.setter
    def picture_only(self, wanted: bool) -> None:
        self._studio.picture_only = wanted

    @property
    def presenter(self) -> bool:
        """Whether the picture fills the window and the code of the editor's tab lies over it.

        The letters are large, and edits compile as always; Shift+F11 changes it, too.
        """
        return self._studio.presenter

    @presenter.setter
    def presenter(self, wanted: bool) -> None:
        self._studio.presenter = wanted

    def arrange(self, form: Literal["default", "code", "picture"]) -> None:
        """All panels go to the places of this form, whatever was moved or hidden.

        Parameters
        ----------
        form : {"default", "code", "picture"}
            ``"code"``: the kernels have most of the width. ``"picture"``: the picture has two
            thirds of it, and all else stands in tabs.

        Raises
        ------
        ValueError
            For another word.
        """
        self._studio.arrange(form)

    def ask_file(
        self,
        then: Callable[[Path], object],
        *,
        title: str = "Open",
        endings: Sequence[str] = (),
        save: bool = False,
        folder: str | os.PathLike[str] = "",
    ) -> None:
        """Asks the user for a file, over the panels.

        Parameters
        ----------
        then : callable
            Called with the path between two frames, once the user has taken one. What it raises
            goes to the console.
        title : str
        endings : sequence of str
            That the file may have, such as ``(".png", ".npy")``; any if there are none.
        save : bool
            The file will be written: it need not be there, and replacing one takes a second Enter.
            A name without ending gets the first one.
        folder : path
            What is shown at first; unless given, the program's.

        Without panels nobody is asked, and the log says so.
        """
        self._studio.ask_file(str(title), list(endings), bool(save), os.fspath(folder), then)

    def show_panel(self, title: str, shown: bool = True) -> None:
        """Brings one of the studio's panels to the front, or hides it; neighbours get its room.

        Parameters
        ----------
        title : str
            As its tab has it, such as ``"Profiler"``.
        shown : bool

        Raises
        ------
        ValueError
            For a title that no panel has, and for the picture.
        """
        self._studio.show_panel(title, shown)
