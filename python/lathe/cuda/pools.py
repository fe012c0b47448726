# SPDX-License-Identifier: MIT
"""Pools that keep freed memory for the next allocation, under PyCUDA's names.

A freed block may have its next owner at once: what that one issues comes after the work of the last
one, on the default stream and on others. Kernels and copies that are given a stream hold the blocks
that they use back until they are done; for streams of other libraries there is
`PooledDeviceAllocation.record_stream`. Pools, and what was allocated from them, may outlive their
context and the interpreter.
"""

from __future__ import annotations

import sys
import traceback
from collections import Counter
from pathlib import Path
from typing import IO, Any, SupportsInt

from numpy.typing import DTypeLike, NDArray

from lathe.cuda.host_arrays import _made, _Shape
from lathe.native import native

DeviceMemoryPool = native.DeviceMemoryPool
PooledDeviceAllocation = native.PooledDeviceAllocation
PooledHostAllocation = native.PooledHostAllocation


class PageLockedAllocator:
    """What kind of page-locked memory a pool has.

    Parameters
    ----------
    flags : host_alloc_flags
    """

    def __init__(self, flags: int = 0) -> None:
        if not 0 <= int(flags) <= 7:
            raise ValueError(f"flags must be of host_alloc_flags, got {flags}")
        self.flags = int(flags)


class PageLockedMemoryPool(native.PageLockedMemoryPool):
    """Keeps freed page-locked memory for later arrays. Any thread may allocate and free.

    Parameters
    ----------
    allocator : PageLockedAllocator, optional
        ``PageLockedAllocator()`` unless given.
    """

    def __init__(self, allocator: PageLockedAllocator | None = None) -> None:
        allocator = allocator or PageLockedAllocator()
        if not isinstance(allocator, PageLockedAllocator):
            raise TypeError(f"allocator must be a PageLockedAllocator, got {allocator!r}")
        super().__init__(allocator.flags)
        self._is_mapped = bool(allocator.flags & 2)

    def allocate(self, shape: _Shape, dtype: DTypeLike, order: str = "C") -> NDArray[Any]:
        """An array in page-locked memory, contents undefined.

        Its memory goes back to the pool with the array and its views, and has no next owner before
        the copies that were given it are done.

        Parameters
        ----------
        shape : int or sequence of int
        dtype : data type
        order : {"C", "F"}

        Raises
        ------
        MemoryError
            Where there is not enough, also after what the pool holds is freed.
        """
        return _made(shape, dtype, order, lambda n: self.allocate_bytes(n, self._is_mapped))


def _caller() -> str:
    """Where the allocation comes from: the innermost line outside of this package."""
    package = str(Path(__file__).resolve().parent)
    for frame in reversed(traceback.extract_stack()):
        if not frame.filename.startswith(package):
            return f"{Path(frame.filename).name}:{frame.lineno} in {frame.name}"
    return "?"


class DebugMemoryPool(DeviceMemoryPool):
    """A `DeviceMemoryPool` that says what is allocated where.

    Parameters
    ----------
    interactive : bool
        Asks for a name of each place that allocates, the first time it does, where there is a
        terminal to ask at.
    logfile : file, optional
        Standard output unless given.
    """

    def __init__(self, interactive: bool = True, logfile: IO[str] | None = None) -> None:
        super().__init__()
        self.interactive = interactive
        self.logfile = logfile
        self._names: dict[str, str] = {}
        self._bytes: Counter[str] = Counter()

    def _name(self, place: str) -> str:
        if place not in self._names:
            asked = ""
            if self.interactive and sys.stdin is not None and sys.stdin.isatty():
                asked = input(f"{place} allocates. A name for it: ").strip()
            self._names[place] = f"{asked} ({place})" if asked else place
        return self._names[place]

    def allocate(self, size: SupportsInt) -> PooledDeviceAllocation:
        """As `DeviceMemoryPool.allocate`, and a line in the log."""
        name = self._name(_caller())
        block = super().allocate(size)
        self._bytes[name] += len(block)
        print(
            f"{name}: {len(block)} bytes, {self._bytes[name]} so far; the pool has "
            f"{self.active_bytes} in {self.active_blocks} blocks, {self.held_blocks} held",
            file=self.logfile or sys.stdout,
        )
        return block
