# SPDX-License-Identifier: MIT
"""Random arrays on the device, with the names of NumPy's `Generator`.

The numbers are Philox4x32-10's, a counter's: number k of a generator follows from its seed and k
alone. Each element that is filled takes one position, in C order of its indices, so that the same
seed gives the same numbers on every device, and two arrays of 10 and 5 elements have the numbers of
one of 15. Nothing is kept on the device.

Examples
--------
>>> from lathe.random import default_rng
>>> rng = default_rng(42)
>>> rng.random((2, 3), dtype="float32").shape
(2, 3)
>>> rng.position
6
>>> dice = rng.integers(1, 6, size=1000, endpoint=True)
>>> bool((rng.at(6).integers(1, 7, size=1000) == dice).get().all())
True
"""

from __future__ import annotations

import math
import operator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lathe.array import creation
from lathe.array.gpu_array import GPUArray
from lathe.native import native
from lathe.random_distributions import Distributions, Size, shape_of

__all__ = ["Generator", "default_rng"]


class Generator(Distributions):
    """Random numbers by seed and position.

    Any thread may use it; each array gets positions of its own. All functions that fill arrays are
    asynchronous on `stream`, a `lathe.cuda.driver.Stream`, the legacy default stream unless given.
    Parameters of distributions are numbers, not arrays.

    Parameters
    ----------
    seed : int, sequence of int or numpy.random.SeedSequence, optional
        An integer below 2^64 is the key itself; others make one as NumPy does. Without it, the
        system's entropy.
    sequence : int
        Below 2^32: which of a seed's sequences, which are independent of each other.
    position : int
        Where the next element is, below 2^64.

    Raises
    ------
    ValueError
        For numbers out of range.
    """

    def __init__(self, seed: Any = None, *, sequence: int = 0, position: int = 0) -> None:
        key = seed
        if not isinstance(seed, int | np.integer) or int(seed) >= 2**64:
            source = (
                seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
            )
            key = source.generate_state(1, np.uint64)[0]
        if int(key) < 0:
            raise ValueError(f"seed must not be below 0, got {seed}")
        if not 0 <= int(sequence) < 2**32:
            raise ValueError(f"sequence must be from 0 to 2**32 - 1, got {sequence}")
        if not 0 <= int(position) < 2**64:
            raise ValueError(f"position must be from 0 to 2**64 - 1, got {position}")
        self._native = native.RandomGenerator(int(key), int(sequence), int(position))
        self._children = 0

    @property
    def seed(self) -> int:
        """The key, 64 bits."""
        return self._native.seed

    @property
    def sequence(self) -> int:
        """Which of the seed's sequences."""
        return self._native.sequence

    @property
    def position(self) -> int:
        """Of the next element. Setting it repeats or passes over numbers."""
        return self._native.position

    @position.setter
    def position(self, value: int) -> None:
        self._native.position = value

    def at(self, position: int) -> Self:
        """A generator of the same numbers, elsewhere in them."""
        return type(self)(self.seed, sequence=self.sequence, position=position)

    def spawn(self, n_children: int) -> list[Self]:
        """New generators with keys of their own, others at each call."""
        if n_children < 0:
            raise ValueError(f"n_children must not be below 0, got {n_children}")
        first, self._children = self._children, self._children + n_children
        entropy = [self.seed, self.sequence]
        sequences = (
            np.random.SeedSequence(entropy, spawn_key=(first + k,)) for k in range(n_children)
        )
        return [type(self)(each) for each in sequences]

    def __reduce__(self) -> tuple[Any, ...]:
        state = (self.seed, self.sequence, self.position, self._children)
        return _restored, (type(self), *state)

    def __repr__(self) -> str:
        return f"Generator(seed={self.seed}, sequence={self.sequence}, position={self.position})"

    def permutation(self, x: Any, axis: int = 0, *, stream: Any = None) -> GPUArray:
        """A copy of `x` in random order along `axis`, or 0 to ``x - 1`` in random order.

        Up to 65536 elements each order is as likely as each other. Beyond, a cipher of 24 rounds
        orders them, which reaches 2^64 orders.
        """
        if not isinstance(x, GPUArray) and np.ndim(x) == 0:
            if operator.index(x) < 0:
                raise ValueError(f"negative dimensions are not allowed, got {x}")
            made: GPUArray = self._native.permutation(operator.index(x), stream)
            return made
        array = x if isinstance(x, GPUArray) else creation.to_gpu(np.asarray(x))
        axis = _axis(axis, array)
        order = self._native.permutation(array.shape[axis], stream)
        moved: GPUArray = native.take_along(array, order, axis, stream)
        return moved

    def shuffle(self, x: GPUArray, axis: int = 0, *, stream: Any = None) -> None:
        """Reorders `x` along `axis`, as `permutation` does."""
        if not isinstance(x, GPUArray):
            raise TypeError(f"shuffle is for a GPUArray, got {type(x).__name__}")
        self._native.shuffle(x, _axis(axis, x), stream)

    def choice(
        self,
        a: Any,
        size: Size = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        shuffle: bool = True,
        *,
        stream: Any = None,
    ) -> GPUArray:
        """Elements of `a`, or of the numbers below it, chosen at random.

        Parameters
        ----------
        a : int or GPUArray
        size : int or sequence of int, optional
        replace : bool
            Whether one element may be chosen more than once. With `p`, choosing without
            replacement sorts on the host (P. Efraimidis and P. Spirakis, 2006).
        p : array_like, optional
            The elements' chances, of sum 1; all alike unless given.
        axis : int
            Along which `a` is chosen from.
        shuffle : bool
            Has no effect: what is chosen is always in random order.
        stream : Stream, optional

        Raises
        ------
        ValueError
            For chances that are none, and where there are not enough elements.
        """
        if isinstance(a, GPUArray) or np.ndim(a) > 0:
            array = a if isinstance(a, GPUArray) else creation.to_gpu(np.asarray(a))
            axis = _axis(axis, array)
            population = array.shape[axis]
        else:
            array, population = None, operator.index(a)
        shape = shape_of(size)
        count = math.prod(shape)
        if population <= 0 and count > 0:
            raise ValueError("a must have elements unless no samples are taken")
        chances = None if p is None else _chances(p, population)
        if replace:
            picked = self._with_replacement(population, count, chances, stream)
        else:
            picked = self._without_replacement(population, count, chances, stream)
        if array is None:
            return picked.reshape(shape)
        rows: GPUArray = native.take_along(array, picked, axis, stream)
        made: GPUArray = rows.reshape((*array.shape[:axis], *shape, *array.shape[axis + 1 :]))
        return made

    def _with_replacement(
        self, population: int, count: int, chances: NDArray[Any] | None, stream: Any
    ) -> GPUArray:
        picked = GPUArray((count,), np.int64)
        if count == 0:
            return picked
        if chances is None:
            self._native.integers(picked, 0, population - 1, stream)
        else:
            self._native.choice(picked, chances, stream)
        return picked

    def _without_replacement(
        self, population: int, count: int, chances: NDArray[Any] | None, stream: Any
    ) -> GPUArray:
        if count > population:
            raise ValueError("Cannot take a larger sample than population when replace is False")
        if chances is None:
            order: GPUArray = self._native.permutation(population, stream)
            chosen: GPUArray = order[:count].copy()
            return chosen
        if np.count_nonzero(chances) < count:
            raise ValueError("Fewer non-zero entries in p than size")
        # The times at which elements would be met first, were each met at its own rate.
        times = self.standard_exponential(population, stream=stream)
        if stream is not None:
            stream.synchronize()
        with np.errstate(divide="ignore"):
            first = np.argsort(times.get() / chances, kind="stable")[:count]
        return creation.to_gpu(first.astype(np.int64))


def _axis(axis: int, array: GPUArray) -> int:
    ndim = len(array.shape)
    if not -ndim <= axis < ndim:
        raise ValueError(f"axis {axis} is out of bounds for array of dimension {ndim}")
    return axis % ndim


def _chances(p: Any, population: int) -> NDArray[Any]:
    chances = np.asarray(p.get() if isinstance(p, GPUArray) else p, np.float64)
    if chances.ndim != 1:
        raise ValueError("'p' must be 1-dimensional")
    if len(chances) != population:
        raise ValueError("'a' and 'p' must have same size")
    if np.isnan(chances).any():
        raise ValueError("Probabilities contain NaN")
    if (chances < 0).any():
        raise ValueError("Probabilities are not non-negative")
    tolerance = math.sqrt(np.finfo(np.float64).eps)
    if abs(math.fsum(chances) - 1) > tolerance:
        raise ValueError(f"Probabilities do not sum to 1, but to {math.fsum(chances)}")
    return chances


def _restored(
    kind: type[Generator], seed: int, sequence: int, position: int, children: int
) -> Generator:
    made = kind(seed, sequence=sequence, position=position)
    made._children = children
    return made


def default_rng(seed: Any = None) -> Generator:
    """A `Generator`; one that is given is given back, as with NumPy."""
    return seed if isinstance(seed, Generator) else Generator(seed)
