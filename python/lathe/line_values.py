# SPDX-License-Identifier: MIT
"""What variables are after a line, for every thread of a launch."""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lathe._lathe import Kernel, LineReader

__all__ = ["LineValues", "values_at"]

_MOST_NAMES = 8
Place = tuple[int, int, int]


def values_at(
    kernel: Kernel, line: int, *names: str, file: str = "", visit: int | None = None
) -> LineValues:
    """Reads variables after a line, in all threads of the next launch in a ``with`` block.

    Parameters
    ----------
    kernel : Kernel
        One whose source is known: of `lathe.kernel`, `App.kernel`, or a `SourceModule`.
    line : int
        From 1, of the kernel's source, which may be in the kernel or in a function that it calls.
    *names : str
        Variables and parameters, at most eight.
    file : str
        A header in the kernel's folder, where the line is there.
    visit : int, optional
        Of a line that a thread comes to several times, the values of this time, from 1. Without it
        the last ones.

    Returns
    -------
    LineValues
        A context manager that gives itself. It has no values until the launch.

    Raises
    ------
    lathe.Error
        Where the kernel's source is not known, or no instruction is of the line.
    lathe.CompileError
    ValueError
        For a line or a visit below 1, and for more than eight names.

    Notes
    -----
    It works on a GPU and on the software device. The kernel is compiled once more, without
    optimisation, and the launch itself is made with that code: it reads and writes the same memory
    and the same ``__constant__`` and ``__device__`` variables. The last bits of floating-point
    numbers may differ, because the compiler joins no multiplications with additions then. The
    launch waits for the device. Launches after it are as usual.

    A thread is after the line when it comes to another line of the same function, or leaves the
    function. Variables are found by the DWARF that NVRTC writes (DWARF standard version 2); a
    variable that the compiler did not keep is not known. Arrays and structures have their first 64
    bytes.

    Examples
    --------
    >>> import lathe
    >>> kernel = lathe.kernel('''__global__ void halve(int* out, int n) {
    ...     int rounds = 0;
    ...     for (int rest = n + threadIdx.x; rest > 1; rest /= 2)
    ...         rounds += 1;
    ...     out[threadIdx.x] = rounds; }''')
    >>> out = lathe.zeros(4, "int32")
    >>> with lathe.values_at(kernel, 4, "rounds", "rest") as found:
    ...     kernel.over(4)(out, 3)
    >>> found["rounds"].tolist()
    [1, 2, 2, 2]
    >>> found["rest"].tolist()  # at the last time
    [3, 2, 2, 3]
    """
    wanted = question_of(kernel, line, visit)
    if len(names) > _MOST_NAMES:
        raise ValueError(f"{len(names)} names: at most {_MOST_NAMES} are read at a time")
    return LineValues(kernel, line, names, file, wanted)


def question_of(kernel: Kernel, line: int, visit: int | None) -> int:
    """The visit as the extension module takes it: 0 is the last."""
    if not isinstance(kernel, Kernel):
        raise TypeError(f"a line of a kernel is looked at, not of a {type(kernel).__name__}")
    if line < 1:
        raise ValueError(f"line is {line}: lines count from 1")
    if visit is not None and visit < 1:
        raise ValueError(f"visit is {visit}: visits count from 1")
    return visit or 0


def thread_at(index: Sequence[int], block: Place) -> tuple[Place, Place]:
    """``blockIdx`` and ``threadIdx`` of an element z, y, x of the launch, for its blockDim."""
    z, y, x = [0] * (3 - len(index)) + [int(i) for i in index]
    (bx, tx), (by, ty), (bz, tz) = map(divmod, (x, y, z), block)
    return (bx, by, bz), (tx, ty, tz)


class LineValues:
    """Values of variables after a line; none until its launch."""

    def __init__(
        self, kernel: Kernel, line: int, names: tuple[str, ...], file: str, visit: int
    ) -> None:
        self.kernel, self.line, self.names = kernel, line, names
        self._file, self._visit = file, visit
        self._reader: LineReader | None = None
        self._values: dict[str, np.ma.MaskedArray[Any, Any]] = {}
        self.visits: NDArray[np.uint32] = np.zeros(0, "uint32")
        """How often each thread came to the line."""
        self.known: dict[str, str] = {}
        """Variables that have a value after the line, with their types, the inner ones first."""
        self.block: Place = (0, 0, 0)
        """blockDim of the launch, x first."""

    def __enter__(self) -> LineValues:
        self._reader = self.kernel.values_next(self.line, self._file, self.names, self._visit)
        self.known = self._reader.known
        missing = [name for name in self.names if name not in self.known]
        if missing:
            self.kernel.observe_no_more()
            raise KeyError(
                f"{missing[0]!r} has no value after line {self.line}; "
                f"known are {', '.join(self.known) or 'no variables'}"
            )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: types.TracebackType | None,
    ) -> None:
        self.kernel.observe_no_more()
        reader, self._reader = self._reader, None
        if reader is not None and reader.threads is not None:
            self._take(reader)

    def _take(self, reader: LineReader) -> None:
        threads = reader.threads
        assert threads is not None
        shape = reader.elements or threads
        leading = next((k for k in range(2) if shape[k] > 1), 2)
        inside = (0,) * leading + tuple(map(slice, shape[leading:]))

        def plane(data: bytes, dtype: Any, stride: int) -> NDArray[Any]:
            _, height, width = threads
            strides = (height * width * stride, width * stride, stride)
            whole: NDArray[Any] = np.ndarray(threads, dtype, data, 0, strides)
            return whole[inside].copy()

        self.block = reader.block
        self.visits = plane(reader.visits, "uint32", 4)
        seen = plane(reader.seen, "uint32", 4)
        self._values = {}
        for bit, (name, dtype, stride, data) in enumerate(reader.variables):
            values = plane(data, np.dtype(dtype), stride)
            unknown = (seen >> bit & 1) == 0
            more = (1,) * (values.ndim - unknown.ndim)  # an array of the kernel has its own axis
            mask = np.broadcast_to(unknown.reshape(unknown.shape + more), values.shape)
            self._values[name] = np.ma.MaskedArray(values, mask=mask)

    def __getitem__(self, name: str) -> np.ma.MaskedArray[Any, Any]:
        """A variable's values, of the launch's threads in the order of a picture.

        They have the axes z, y, x of the launch's shape (of all its threads, where it has a grid),
        without leading axes of size 1. Threads that did not come to the line, and those where the
        variable was out of scope by then, are masked.
        """
        if name not in self._values and name in self.names:
            raise KeyError(f"{name!r}: no launch of {self.kernel.name} was looked into yet")
        return self._values[name]

    def thread_at(self, *index: int) -> tuple[Place, Place]:
        """``blockIdx`` and ``threadIdx`` of an element, for `lathe.trace_thread`: x first."""
        return thread_at(index, self.block)
