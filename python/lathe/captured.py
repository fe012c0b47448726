# SPDX-License-Identifier: MIT
"""The calls of an App that make pictures and movies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lathe.native import native

if TYPE_CHECKING:
    from lathe._lathe import StepLoop, Studio

__all__ = ["Captured"]


class Captured:
    """What an App saves of what is seen: pictures of any size, documents, movies."""

    _studio: Studio
    _steps: StepLoop

    def screenshot(self, with_ui: bool = False) -> NDArray[np.uint8]:
        """The picture as it is now, or the whole window as it was shown last.

        Within a frame, the frame is shown; its other steps come in the next one.

        Returns
        -------
        (height, width, 3) uint8
            Top row first. Waits for GL.
        """
        if not with_ui:
            self._steps.show_now()
        return self._studio.screenshot(with_ui)

    def still(
        self,
        file: str | Path | None = None,
        *,
        size: tuple[int, int] = (1920, 1080),
        samples: int = 2,
        transparent: bool = False,
    ) -> NDArray[np.uint8]:
        """What is drawn, once more at any size, whatever the window's.

        Letters, lines and points in pixels grow with the height.

        Parameters
        ----------
        file : str or Path, optional
            A PNG file, or an SVG document if its name ends with ``.svg``; missing folders are made.
            A document has a picture for each view, and over it the texts, titles, ticks and numbers
            of axes, colour bars, legends and scale bars as elements, so that these are sharp at any
            size and can be edited. Lines of axes in space belong to the picture, since things may
            hide them.
        size : (width, height)
            Pixels; of a document, its units and the pixels of its pictures.
        samples : int
            1 to 8 in each direction, of which a pixel is the mean.
        transparent : bool
            Without the background: red, green, blue and alpha.

        Returns
        -------
        (height, width, 3 or 4) uint8
            Top row first. Waits for the device and for GL.

        Raises
        ------
        ValueError
            For sizes and samples out of range, and for an EXR file: `save_exr` writes the numbers
            of an array.
        lathe.Error
            Where size times samples is more than OpenGL allows, or the file cannot be written.
        """
        kind = "" if file is None else Path(file).suffix.lower()
        if kind == ".exr":
            raise ValueError(
                f"still() writes colours of 8 bits as PNG, got {file}: lathe.save_exr(file, array) "
                "writes an array's own numbers"
            )
        width, height = size
        self._steps.show_now()
        config = int(width), int(height), int(samples), bool(transparent)
        picture = self._studio.still(*config)
        if kind == ".svg":
            self._studio.save_svg(str(file), *config)
        elif file is not None:
            native.save_png(str(file), picture)
        return picture

    def record(self, file: str | Path, frames_per_second: float = 60.0) -> None:
        """Records every frame from now: an MP4 file, or PNGs where there is no ffmpeg."""
        self._steps.record(file, frames_per_second)

    def stop_recording(self) -> Path | None:
        """Ends what `record` began, and waits for the encoder.

        Returns
        -------
        Path or None
            The file, or the folder of pictures; None where nothing was recorded.
        """
        return self._steps.stop_recording()
