# SPDX-License-Identifier: MIT
"""XORWOW and MRG32k3a, and what gives them seeds."""

from __future__ import annotations

import random as _random
from collections.abc import Callable
from typing import Any

import numpy as np

from lathe.array.documented_names import documented_as
from lathe.cuda import gpuarray
from lathe.cuda.random_kernels import Kernels, mrg32k3a_kernels, xorwow_kernels
from lathe.cuda.random_states import GPUArray, StateGenerator

_SeedGetter = Callable[[int], GPUArray]


@documented_as(N="n")
def seed_getter_uniform(n: int) -> GPUArray:
    """One random seed for `n` generators, by Python's `random`."""
    made = gpuarray.empty([n], np.int32)
    made.fill(np.int32(_random.randint(0, 2**31 - 1)))
    return made


@documented_as(N="n")
def seed_getter_unique(n: int) -> GPUArray:
    """A random seed for each of `n` generators, by NumPy's global generator."""
    return gpuarray.to_gpu(np.random.randint(0, 2**31 - 1, n).astype(np.int32))


class _PseudoGenerator(StateGenerator):
    has_box_muller = True

    def __init__(self, kernels: Kernels, seed_getter: _SeedGetter | None, offset: int) -> None:
        super().__init__(kernels)
        seeds = (seed_getter or seed_getter_unique)(self._count)
        if (
            not isinstance(seeds, GPUArray)
            or seeds.dtype != np.int32
            or seeds.size != self._count
            or not seeds.flags.c_contiguous
        ):
            raise TypeError(
                f"seed_getter must give a GPUArray of {self._count} int32, got {seeds!r}"
            )
        self._prepare(seeds.gpudata, *self._table, int(offset))

    def call_skip_ahead_sequence(self, i: int, stream: Any = None) -> None:
        """Makes each generator pass over `i` sequences: 2^67 numbers each, MRG32k3a's 2^127."""
        self._skip("skip_ahead_sequence", i, stream)

    def call_skip_ahead_sequence_array(self, i: GPUArray, stream: Any = None) -> None:
        """The same, of each generator as many as its element of `i`, a uint64, says."""
        self._skip_array("skip_ahead_sequence", i, stream)


class XORWOWRandomNumberGenerator(_PseudoGenerator):
    """G. Marsaglia's xorwow, cuRAND's default. Generator k begins k sequences of 2^67 on.

    Parameters
    ----------
    seed_getter : callable, optional
        Gets a count and gives a GPUArray of that many int32; `seed_getter_unique` unless given.
    offset : int
        Numbers to pass over.
    """

    def __init__(self, seed_getter: _SeedGetter | None = None, offset: int = 0) -> None:
        super().__init__(xorwow_kernels(), seed_getter, offset)


class MRG32k3aRandomNumberGenerator(_PseudoGenerator):
    """P. L'Ecuyer's combined recursion. Generator k begins k subsequences of 2^76 on.

    Parameters
    ----------
    seed_getter : callable, optional
        Gets a count and gives a GPUArray of that many int32; `seed_getter_unique` unless given.
    offset : int
        Numbers to pass over.
    """

    def __init__(self, seed_getter: _SeedGetter | None = None, offset: int = 0) -> None:
        super().__init__(mrg32k3a_kernels(), seed_getter, offset)

    def call_skip_ahead_subsequence(self, i: int, stream: Any = None) -> None:
        """Makes each generator pass over `i` subsequences of 2^76 numbers."""
        self._skip("skip_ahead_subsequence", i, stream)

    def call_skip_ahead_subsequence_array(self, i: GPUArray, stream: Any = None) -> None:
        """The same, of each generator as many as its element of `i`, a uint64, says."""
        self._skip_array("skip_ahead_subsequence", i, stream)
