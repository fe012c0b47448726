# SPDX-License-Identifier: MIT
"""Plots of an App, by their kinds: logged values, histograms, phase plots, heat maps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lathe.array.gpu_array import GPUArray
from lathe.array.protocols import asarray, is_on_device
from lathe.native import native

if TYPE_CHECKING:
    from lathe._lathe import Studio

__all__ = ["HeatMap", "Histogram", "PhasePlot", "Plot", "ValueCurve", "ValueLog"]


class Plot(ABC):
    """A plot of an App: what all kinds have in common.

    Attributes
    ----------
    name : str
        Its title, by which `App.plots` has it.
    values : ndarray
        Its numbers, as its kind has them. Reading them waits for the device.
    """

    def __init__(self, studio: Studio, plot: native.Plot) -> None:
        self._studio = studio
        self._plot = plot

    @property
    def name(self) -> str:
        return self._plot.name

    @property
    @abstractmethod
    def values(self) -> NDArray[Any]:
        """The plot's numbers."""

    def save(self, file: str | Path, size: tuple[int, int] = (960, 600)) -> None:
        """Writes the plot to a file; missing folders are made.

        Parameters
        ----------
        file : str or Path
            ``.csv``: the numbers under a line of names (a heat map has no names); of a log these
            are ``step``, ``time`` in seconds, and the curves. ``.png``: a picture. ``.svg``: a
            document.
        size : (width, height)
            Pixels of a picture, units of a document.

        Raises
        ------
        ValueError
            For another ending, and for a width or height outside 64 to 16384.
        lathe.Error
            If the file cannot be written.

        Notes
        -----
        Waits for the device, so that the file has all that was logged or counted.
        """
        self._studio.save_plot(self._plot, str(file), *size)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


class ValueLog(Plot):
    """A rolling plot of values that the steps log: `App.log_values`.

    Called with a value for each curve, it logs them with the step's index and simulated time.

    Attributes
    ----------
    curves : list of str
    steps : (n,) ndarray of int64
        Indices of the steps that have a row, ascending.
    times : (n,) ndarray of float64
        Simulated time, in seconds.
    values : (n,) or (n, curves) ndarray of float64
        One-dimensional if there is one curve.

    Notes
    -----
    Reading `steps`, `times` and `values` waits for values that are under way from the device.
    """

    _plot: native.ValueLog

    def __call__(self, *values: Any) -> None:
        """Logs values of the step that is under way; a second call in a step replaces the first.

        Parameters
        ----------
        *values : float or array of one element
            One for each curve. Arrays of any library, on the device or not; NaN is a gap.

        Raises
        ------
        ValueError
            For another number of values, and for an array with more elements than one.
        TypeError
            For complex numbers, and for what is no number.

        Notes
        -----
        Nothing waits for the device. Its values are copied in the order of the App's stream, as
        they are now, and appear in the plot when they have arrived, in the order of the calls.
        """
        self._plot.add([self._checked(value) for value in values])

    def _checked(self, value: Any) -> Any:
        if isinstance(value, int | float | GPUArray):
            return value
        if not isinstance(value, np.ndarray) and is_on_device(value):
            return asarray(value)
        host = np.asarray(value)
        if host.dtype.kind not in "biuf":
            raise TypeError(f'log "{self.name}": a real number, got {type(value).__name__}')
        if host.size != 1:
            raise ValueError(
                f'log "{self.name}" takes numbers and arrays of one element, got shape {host.shape}'
            )
        return float(host.reshape(()))

    def clear(self) -> None:
        """Forgets all rows, those of other branches and of earlier runs too."""
        self._plot.clear()

    def __getitem__(self, curve: str | int) -> ValueCurve:
        """One of its curves, for `App.phase_plot`.

        Raises
        ------
        KeyError
            For a name that no curve has.
        """
        column = self.curves.index(curve) if curve in self.curves else curve
        if not isinstance(column, int) or not 0 <= column < len(self.curves):
            raise KeyError(f'log "{self.name}" has the curves {self.curves}, not {curve!r}')
        return ValueCurve(self, column)

    @property
    def curves(self) -> list[str]:
        return self._plot.curves

    @property
    def unit(self) -> str:
        return self._plot.unit

    @property
    def steps(self) -> NDArray[np.int64]:
        return self._plot.rows()[0]

    @property
    def times(self) -> NDArray[np.float64]:
        return self._plot.rows()[1]

    @property
    def values(self) -> NDArray[np.float64]:
        values = self._plot.rows()[2]
        return values[:, 0] if len(self.curves) == 1 else values


class ValueCurve:
    """A curve of a `ValueLog`, as `App.phase_plot` takes it."""

    def __init__(self, log: ValueLog, column: int) -> None:
        self.log = log
        self.column = column


class Histogram(Plot):
    """Counts of an array's values: `App.histogram`.

    Attributes
    ----------
    edges : (bins + 1,) ndarray of float64
    values : (bins,) ndarray of int64
        The counts.
    outside : (int, int, int)
        How many values were below the range, above it, and NaN.

    Notes
    -----
    Reading them waits for the device.
    """

    _plot: native.Histogram

    @property
    def edges(self) -> NDArray[np.float64]:
        return self._plot.counted()[0]

    @property
    def values(self) -> NDArray[np.int64]:
        return self._plot.counted()[1]

    @property
    def outside(self) -> tuple[int, int, int]:
        return self._plot.counted()[2:]


class PhasePlot(Plot):
    """One value against another: `App.phase_plot`.

    Attributes
    ----------
    values : (n, 2) ndarray of float64
        The points. Reading them waits for the device.
    """

    _plot: native.PhasePlot

    @property
    def values(self) -> NDArray[np.float64]:
        return self._plot.points()


class HeatMap(Plot):
    """An array of two axes as colours: `App.heat_map`.

    Attributes
    ----------
    values : (rows, columns) ndarray of float64
        What is shown: of a large array, means of blocks. Reading them waits for the device.
    """

    _plot: native.HeatMap

    @property
    def values(self) -> NDArray[np.float64]:
        return self._plot.cells()
