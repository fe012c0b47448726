# SPDX-License-Identifier: MIT
"""How the picture is divided into views."""

from __future__ import annotations

from lathe._lathe import Studio
from lathe.draw import View

__all__ = ["Tiled"]


class Tiled:
    """The views of an App, or of a further window of it: tiles, and insets on them."""

    _studio: Studio
    _tiles: Studio | Studio.SideWindow
    _views: list[View]

    @property
    def view(self) -> View:
        """The first view, which is always there: `image`, `points` and so on draw in it."""
        return self._views[0]

    def views(self, rows: int = 1, columns: int = 1) -> list[View]:
        """Divides the picture into tiles of one size, each a view with a camera of its own.

        Parameters
        ----------
        rows, columns : int
            1 to 64.

        Returns
        -------
        list of View
            Row by row; the first is `view`. A view has `image`, `points`, `lines`, `mesh` and the
            cameras, as the App has. Views that are there already stay the same objects. Those that
            are too many are shown no more.

        Raises
        ------
        ValueError
            For less than one or more than 64 rows or columns.

        Examples
        --------
        >>> import lathe
        >>> app = lathe.App("pair", size=(130, 64), headless=True)
        >>> left, right = app.views(1, 2)
        >>> if app.frame():
        ...     left.image([[0.0, 1.0]])
        ...     right.image([[1.0, 0.0]], colormap="gray")
        """
        return self._known(self._tiles.set_views(rows, columns))

    def mosaic(self, letters: str) -> dict[str, View]:
        """Divides the picture into tiles by letters, as matplotlib's `subplot_mosaic` does.

        Parameters
        ----------
        letters : str
            Rows, which end at a semicolon or a new line. Each letter fills a rectangle; a point
            leaves its place empty. Blanks do not count.

        Returns
        -------
        dict of View
            By letter, in the order in which they are met. The first is `view`; otherwise as
            `views`.

        Raises
        ------
        ValueError
            For rows that differ in length, more than 64 rows or columns, and a letter that fills no
            rectangle.

        Examples
        --------
        >>> import lathe
        >>> app = lathe.App("three", size=(120, 80), headless=True)
        >>> tiles = app.mosaic("aab; aac")
        >>> tiles["c"].tile == (2 / 3, 0.5, 1 / 3, 0.5)
        True
        """
        lettered = self._tiles.set_mosaic(letters)
        views = self._known([view for _, view in lettered])
        return {letter: view for (letter, _), view in zip(lettered, views, strict=True)}

    def inset(
        self, left: float, top: float, width: float, height: float, on: View | None = None
    ) -> View:
        """A view on a part of another, until `views` or `mosaic` divides the picture anew.

        It hides what is below it, in a frame of a pixel. The mouse on it moves its camera.

        Parameters
        ----------
        left, top, width, height : float
            In parts of the other view's width and height, from its top left.
        on : View, optional
            `view` unless given.

        Raises
        ------
        ValueError
            Unless all of it lies in the other view.
        """
        below = (on or self.view)._view
        inset = View(self._studio, self._tiles.add_inset(below, left, top, width, height))
        self._views.append(inset)
        return inset

    @property
    def insets(self) -> list[View]:
        """In the order in which they were made."""
        return [view for view in self._views if view._view.is_inset]

    def _known(self, shown: list[Studio.View]) -> list[View]:
        """Views stay the same objects."""
        known = {view._view: view for view in self._views}
        self._views = [known.get(each) or View(self._studio, each) for each in shown]
        return list(self._views)
