# SPDX-License-Identifier: MIT
"""The calls of an App that make plots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lathe.array.gpu_array import GPUArray
from lathe.array.protocols import asarray, is_on_device
from lathe.native import native
from lathe.plots import HeatMap, Histogram, PhasePlot, Plot, ValueCurve, ValueLog

if TYPE_CHECKING:
    from lathe._lathe import Studio

__all__ = ["Plotted"]

_KINDS: dict[type, type[Plot]] = {
    native.ValueLog: ValueLog,
    native.Histogram: Histogram,
    native.PhasePlot: PhasePlot,
    native.HeatMap: HeatMap,
}


class Plotted:
    """The plots of an App. The studio has a panel for them; without one they are made all the same,
    and saved."""

    _studio: Studio

    @property
    def plots(self) -> dict[str, Plot]:
        """All plots by name, in the order in which they were made."""
        return {plot.name: _KINDS[type(plot)](self._studio, plot) for plot in self._studio.plots}

    def log_values(
        self,
        name: str,
        *curves: str,
        unit: str = "",
        x: Literal["time", "step"] = "time",
        log_scale: bool = False,
        limit: int = 1_000_000,
    ) -> ValueLog:
        """A rolling plot of what the steps log.

        If the run goes back in its history, the plot marks the present step. Where it goes on
        otherwise, and so begins a branch, the values of that branch take the place of the others,
        which stay as a pale line. So do those of the runs before a reset. A click on the plot goes
        to that step, if there is a history.

        Parameters
        ----------
        name : str
            The title. The same name gives the same log, also after a reload.
        *curves : str
            Names of several curves; without them there is one, of the log's name.
        unit : str
            Of the values, such as ``"J"``.
        x : {"time", "step"}
            What runs along x: simulated seconds, or the steps' indices.
        log_scale : bool
            A logarithmic y axis; values that are not above 0 are gaps.
        limit : int
            Rows that are kept. The oldest go first, those of other branches before all.

        Returns
        -------
        ValueLog
            To be called in each step, or in some, with a value for each curve.

        Raises
        ------
        ValueError
            For another word for `x`, for an empty name, and if another plot of that name, or a log
            with other curves or options, is there.

        Examples
        --------
        >>> import lathe
        >>> app = lathe.App("plots", size=(64, 64), headless=True)
        >>> log = app.log_values("angle", unit="rad")
        >>> for step in range(3):
        ...     if app.frame():
        ...         log(0.5 * step)
        >>> log.values.tolist()
        [0.0, 0.5, 1.0]
        """
        if x not in ("time", "step"):
            raise ValueError(f"x is 'time' or 'step', got {x!r}")
        log = self._studio.log_values(name, list(curves), unit, x == "step", log_scale, limit)
        return ValueLog(self._studio, log)

    def histogram(
        self,
        name: str,
        array: Any,
        *,
        bins: int = 64,
        range: tuple[float, float] | None = None,
        unit: str = "",
        log_scale: bool = False,
    ) -> Histogram:
        """Counts the values of an array, and shows how often they occur. For each step anew.

        A kernel counts on the device; only the counts are copied to the host, and nothing waits.

        Parameters
        ----------
        name : str
            The title; the same name counts into the same plot.
        array : array of any shape
            Real numbers; of any library, on the device or not.
        bins : int
            1 to 4096, of one width.
        range : (float, float), optional
            Of the bins. Unless given, from the least to the greatest finite value.
        unit : str
            Of the values.
        log_scale : bool
            Of the counts.

        Returns
        -------
        Histogram
            Counted as ``numpy.histogram(array.astype(float64), bins, range)`` does: the last bin
            has its upper edge. Values outside the range, and NaN, are not in it.

        Raises
        ------
        ValueError
            For other bins, a range that does not ascend, and a name that another kind of plot has.
        TypeError
            For complex numbers and structures.
        """
        made = self._studio.histogram(
            name, _on_device(array), bins, _pair(range, "range"), unit, log_scale
        )
        return Histogram(self._studio, made)

    def phase_plot(
        self,
        name: str,
        x: Any,
        y: Any,
        *,
        labels: tuple[str, str] = ("", ""),
        line: bool = False,
        equal: bool = False,
    ) -> PhasePlot:
        """One value against another: a curve of two logged values, or the points of two arrays.

        Parameters
        ----------
        name : str
            The title.
        x, y : ValueLog, ValueCurve or array
            Two logs of one curve, or curves of logs, as ``energy["kinetic"]``: the plot follows
            them from now on, and one call is enough. Or two arrays of one size, of any library, on
            the device or not: their points as they are now, for each step anew. Of more than 20,000
            points, each k-th is shown.
        labels : (str, str)
            Of the axes; the names of logged curves unless given.
        line : bool
            Joins the points of arrays in their order; else they are dots.
        equal : bool
            A unit is as long along y as along x.

        Raises
        ------
        ValueError
            For arrays of different sizes, a log with several curves, and a name that another kind
            of plot has.
        TypeError
            For a log beside an array, complex numbers and structures.

        Notes
        -----
        Nothing waits for the device.
        """
        logs = [isinstance(each, ValueLog | ValueCurve) for each in (x, y)]
        if any(logs):
            if not all(logs):
                raise TypeError("phase_plot takes two logs or two arrays, got one of each")
            curves = _curve_of(x), _curve_of(y)
            made = self._studio.phase_plot_of_logs(name, *curves, *labels, equal)
        else:
            made = self._studio.phase_plot(name, _on_device(x), _on_device(y), *labels, line, equal)
        return PhasePlot(self._studio, made)

    def heat_map(
        self,
        name: str,
        array: Any,
        *,
        colormap: str = "viridis",
        range: tuple[float, float] | None = None,
        extent: tuple[float, float, float, float] | None = None,
        labels: tuple[str, str] = ("", ""),
        unit: str = "",
        y_up: bool = False,
    ) -> HeatMap:
        """An array of two axes as colours, with axes and a scale of colours. For each step anew.

        Parameters
        ----------
        name : str
            The title.
        array : (rows, columns)
            Real numbers; of any library, on the device or not. Of more than 512 rows or columns,
            means of equal blocks are shown, which a kernel computes on the device; NaN is left out
            of them.
        colormap : str
            One of `lathe.colormap_names()`, with ``"_r"`` behind it for its reverse.
        range : (float, float), optional
            Of the colours. Unless given, from the least to the greatest finite value shown.
        extent : (left, right, bottom, top), optional
            What the array's sides are along the axes. Unless given, columns and rows, counted
            from 0.
        labels : (str, str)
            Of the axes.
        unit : str
            Of the values.
        y_up : bool
            Row 0 is at the bottom.

        Raises
        ------
        ValueError
            For an array without two axes or without elements, a range or an extent with equal
            ends, and a name that another kind of plot has.
        lathe.Error
            For an unknown colormap.
        TypeError
            For complex numbers and structures.

        Notes
        -----
        Nothing waits for the device.
        """
        sides = None if extent is None else [float(each) for each in extent]
        if sides is not None and len(sides) != 4:
            raise ValueError(f"extent is (left, right, bottom, top), got {extent!r}")
        made = self._studio.heat_map(
            name, _on_device(array), colormap, _pair(range, "range"), sides, *labels, unit, y_up
        )
        return HeatMap(self._studio, made)


def _on_device(array: Any) -> GPUArray:
    if not isinstance(array, GPUArray) and not is_on_device(array):
        array = np.asarray(array)
        if array.dtype.kind not in "biufc":
            raise TypeError(f"an array of numbers, got {array.dtype}")
    return asarray(array)


def _pair(ends: Sequence[float] | None, what: str) -> list[float] | None:
    if ends is None:
        return None
    if isinstance(ends, str) or len(ends) != 2:
        raise ValueError(f"{what} is (low, high), got {ends!r}")
    return [float(each) for each in ends]


def _curve_of(value: ValueLog | ValueCurve) -> tuple[native.ValueLog, int]:
    if isinstance(value, ValueCurve):
        return value.log._plot, value.column
    if len(value.curves) != 1:
        raise ValueError(
            f'log "{value.name}" has the curves {value.curves}: name one, as '
            f'log["{value.curves[0]}"]'
        )
    return value._plot, 0
