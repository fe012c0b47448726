# SPDX-License-Identifier: MIT
"""Sobol's sequences, plain and scrambled, and their direction vectors."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lathe.cuda import gpuarray
from lathe.cuda.random_kernels import device_attribute, sobol_kernels
from lathe.cuda.random_states import GPUArray, StateGenerator
from lathe.cuda.random_tables import (
    MOST_DIMENSIONS,
    scramble_constants,
    scrambled_directions,
    sobol_directions,
)


class direction_vector_set(IntEnum):
    """Which direction vectors `generate_direction_vectors` gives."""

    VECTOR_32 = 101
    SCRAMBLED_VECTOR_32 = 102
    VECTOR_64 = 103
    SCRAMBLED_VECTOR_64 = 104


def _again(rows: NDArray[Any], count: int) -> NDArray[Any]:
    return np.ascontiguousarray(np.resize(rows, (count, *rows.shape[1:])))


def generate_direction_vectors(
    count: int, direction: int = direction_vector_set.VECTOR_32
) -> GPUArray:
    """Direction vectors for Sobol generators: S. Joe and F. Kuo's, read from SciPy.

    Parameters
    ----------
    count : int
        Dimensions. There are 20000; beyond they begin again.
    direction : direction_vector_set

    Returns
    -------
    (count, 32) uint32 or (count, 64) uint64

    Raises
    ------
    ImportError
        Without SciPy.
    """
    kind = direction_vector_set(direction)
    if count < 0:
        raise ValueError(f"count must not be below 0, got {count}")
    bits = 32 if kind <= direction_vector_set.SCRAMBLED_VECTOR_32 else 64
    scrambled = kind in (
        direction_vector_set.SCRAMBLED_VECTOR_32,
        direction_vector_set.SCRAMBLED_VECTOR_64,
    )
    vectors = scrambled_directions if scrambled else sobol_directions
    return gpuarray.to_gpu(_again(vectors(max(min(count, MOST_DIMENSIONS), 1), bits), count))


def generate_scramble_constants32(count: int) -> GPUArray:
    """What scrambled Sobol generators of 32 bits are shifted by, `count` uint32."""
    return gpuarray.to_gpu(scramble_constants(count, 32))


def generate_scramble_constants64(count: int) -> GPUArray:
    """What scrambled Sobol generators of 64 bits are shifted by, `count` uint64."""
    return gpuarray.to_gpu(scramble_constants(count, 64))


class _SobolGenerator(StateGenerator):
    _set = direction_vector_set.VECTOR_32

    def __init__(
        self, dir_vector: GPUArray | None, offset: int, scramble_vector: GPUArray | None = None
    ) -> None:
        super().__init__(sobol_kernels(self.generator_bits))
        if dir_vector is None:
            dir_vector = generate_direction_vectors(self._count, self._set)
        self._check("dir_vector", dir_vector, (self._count, self.generator_bits))
        # The states point at the vectors.
        self._vectors = dir_vector
        shifts: Any = 0
        if scramble_vector is not None:
            self._check("scramble_vector", scramble_vector, (self._count,))
            shifts = scramble_vector.gpudata
        if int(offset) < 0:
            raise ValueError(f"offset must not be below 0, got {offset}")
        self._prepare(dir_vector.gpudata, shifts, int(offset))

    def _check(self, name: str, array: GPUArray, shape: tuple[int, ...]) -> None:
        dtype = np.dtype(f"u{self.generator_bits // 8}")
        if (
            not isinstance(array, GPUArray)
            or array.dtype != dtype
            or tuple(array.shape) != shape
            or not array.flags.c_contiguous
        ):
            raise TypeError(f"{name} must be a GPUArray of {dtype}, {shape}, contiguous")


class _ScrambledSobolGenerator(_SobolGenerator):
    def __init__(
        self, dir_vector: GPUArray | None, scramble_vector: GPUArray | None, offset: int
    ) -> None:
        if scramble_vector is None:
            count = device_attribute("MULTIPROCESSOR_COUNT")
            count *= device_attribute("MAX_THREADS_PER_BLOCK")
            scramble_vector = gpuarray.to_gpu(scramble_constants(count, self.generator_bits))
        super().__init__(dir_vector, offset, scramble_vector)


class Sobol32RandomNumberGenerator(_SobolGenerator):
    """Sobol's points with 32 bits: generator k makes coordinate k of one point after the other.

    Parameters
    ----------
    dir_vector : GPUArray, optional
        ``(block_count * generators_per_block, 32)`` uint32; `generate_direction_vectors`'s unless
        given.
    offset : int
        Points to pass over.
    """

    def __init__(self, dir_vector: GPUArray | None = None, offset: int = 0) -> None:
        super().__init__(dir_vector, offset)


class ScrambledSobol32RandomNumberGenerator(_ScrambledSobolGenerator):
    """The same with scrambled vectors, each coordinate shifted by a constant (exclusive or).

    Parameters
    ----------
    dir_vector : GPUArray, optional
        As `Sobol32RandomNumberGenerator` has them, scrambled unless given.
    scramble_vector : GPUArray, optional
        ``(block_count * generators_per_block,)`` uint32; `generate_scramble_constants32`'s unless
        given.
    offset : int
        Points to pass over.
    """

    _set = direction_vector_set.SCRAMBLED_VECTOR_32

    def __init__(
        self,
        dir_vector: GPUArray | None = None,
        scramble_vector: GPUArray | None = None,
        offset: int = 0,
    ) -> None:
        super().__init__(dir_vector, scramble_vector, offset)


class Sobol64RandomNumberGenerator(_SobolGenerator):
    """As `Sobol32RandomNumberGenerator`, with 64 bits and vectors of 64 uint64."""

    generator_bits = 64
    _set = direction_vector_set.VECTOR_64

    def __init__(self, dir_vector: GPUArray | None = None, offset: int = 0) -> None:
        super().__init__(dir_vector, offset)


class ScrambledSobol64RandomNumberGenerator(_ScrambledSobolGenerator):
    """As `ScrambledSobol32RandomNumberGenerator`, with 64 bits and uint64."""

    generator_bits = 64
    _set = direction_vector_set.SCRAMBLED_VECTOR_64

    def __init__(
        self,
        dir_vector: GPUArray | None = None,
        scramble_vector: GPUArray | None = None,
        offset: int = 0,
    ) -> None:
        super().__init__(dir_vector, scramble_vector, offset)
