# SPDX-License-Identifier: MIT
"""Random numbers under PyCUDA's names: `rand` and generators that keep a state in device memory.

The generators give cuRAND's numbers for the same seeds, offsets and direction vectors: bits and
uniform numbers exactly, normal ones to the last digits. Poisson numbers have the distribution, not
the sequence, of cuRAND's, and the scrambled Sobol vectors and constants are Lathe's own. None needs
the CUDA Toolkit. There is one generator for each thread that the device may run in blocks of its
largest size, one to a multiprocessor: element ``i`` of an array comes from generator ``i % count``,
so that numbers depend on the device. Those of `lathe.random` do not, and are faster.

All fills are asynchronous on their stream.
"""

from __future__ import annotations

import random as _random
from collections.abc import Callable
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lathe.cuda import driver, gpuarray
from lathe.cuda.random_kernels import (
    Kernels,
    device_attribute,
    mrg32k3a_kernels,
    sobol_kernels,
    xorwow_kernels,
)
from lathe.cuda.random_tables import (
    MOST_DIMENSIONS,
    scramble_constants,
    scrambled_directions,
    sobol_directions,
)
from lathe.native import native

GPUArray = gpuarray.GPUArray
_SeedGetter = Callable[[int], GPUArray]


def get_curand_version() -> tuple[int, int, int]:
    """The version of cuRAND whose generators and numbers these are; no cuRAND is used."""
    return (10, 4, 0)


def rand(shape: Any, dtype: DTypeLike = np.float32, stream: Any = None) -> GPUArray:
    """An array of random numbers: [0, 1) where they are floating, else all values alike.

    Seeded by NumPy's global generator, so that ``numpy.random.seed`` makes it repeat. By Philox;
    compiled once.

    Parameters
    ----------
    shape : int or sequence of int
    dtype : floating or integer type
    stream : Stream, optional

    Raises
    ------
    NotImplementedError
        For other types.
    """
    dtype = np.dtype(dtype)
    if dtype.kind not in "fiu":
        raise NotImplementedError(f"rand is not for {dtype}")
    made = gpuarray.empty(shape, dtype)
    generator = native.RandomGenerator(int(np.random.randint(2**31 - 1)), 0, 0)
    if dtype.kind == "f":
        generator.uniform(made, 0.0, 1.0, stream)
    else:
        generator.bits(made, stream)
    return made


class _Generator:
    """What all have in common: states, fills, and skipping ahead.

    Attributes
    ----------
    block_count : int
        Multiprocessors of the device.
    generators_per_block : int
        Threads of a block.
    state : DeviceAllocation
        The generators' states.
    generators : dict
        The kernels by name.
    """

    has_box_muller = False
    generator_bits = 32

    def __init__(self, kernels: Kernels) -> None:
        self.block_count = device_attribute("MULTIPROCESSOR_COUNT")
        self.generators_per_block = kernels.threads
        self.generators = kernels.fills
        self.module = kernels.module
        self._kernels = kernels
        self._table = () if kernels.table is None else (kernels.table,)
        self.state = driver.mem_alloc(self._count * kernels.state_bytes)

    @property
    def _count(self) -> int:
        return self.block_count * self.generators_per_block

    def _launch(self, function: native.Function, stream: Any, *args: Any) -> None:
        grid, block = (self.block_count, 1), (self.generators_per_block, 1, 1)
        function.prepared_async_call(grid, block, stream, self.state, *args)

    def _prepare(self, *args: Any) -> None:
        self._launch(self._kernels.prepare, None, self._count, *args)

    def _fill(self, name: str, data: GPUArray, stream: Any, *args: Any) -> None:
        count = data.size
        if name.startswith("normal") and self.has_box_muller and count % 2 == 0:
            name, count = name + "2", count // 2
        if not data.flags.forc:
            raise ValueError(
                f"random numbers are for contiguous arrays, strides are {data.strides}"
            )
        if count:
            self._launch(self.generators[name], stream, data.gpudata, *args, count)

    def _named(self, what: str, data: GPUArray, names: dict[str, str]) -> str:
        name = names.get(data.dtype.str[1:])
        if name is None or name not in self.generators:
            raise NotImplementedError(f"{type(self).__name__}.{what} is not for {data.dtype}")
        return name

    def fill_uniform(self, data: GPUArray, stream: Any = None) -> None:
        """Numbers in (0, 1]; integers of 32 bits, and of 64 where the generator has them, get all.

        Raises
        ------
        NotImplementedError
            For other types than float32, float64 and those.
        """
        names = {
            "f4": "uniform_float",
            "f8": "uniform_double",
            "i4": "uniform_int",
            "u4": "uniform_int",
            "i8": "uniform_long",
            "u8": "uniform_long",
        }
        self._fill(self._named("fill_uniform", data, names), data, stream)

    def gen_uniform(self, shape: Any, dtype: DTypeLike, stream: Any = None) -> GPUArray:
        """A new array, filled by `fill_uniform`."""
        made = gpuarray.empty(shape, dtype)
        self.fill_uniform(made, stream)
        return made

    def fill_normal(self, data: GPUArray, stream: Any = None) -> None:
        """Numbers with mean 0 and standard deviation 1, float32 or float64."""
        names = {"f4": "normal_float", "f8": "normal_double"}
        self._fill(self._named("fill_normal", data, names), data, stream)

    def gen_normal(self, shape: Any, dtype: DTypeLike, stream: Any = None) -> GPUArray:
        """A new array, filled by `fill_normal`."""
        made = gpuarray.empty(shape, dtype)
        self.fill_normal(made, stream)
        return made

    def fill_log_normal(
        self, data: GPUArray, mean: float, stddev: float, stream: Any = None
    ) -> None:
        """Numbers whose logarithm has that mean and standard deviation, float32 or float64."""
        names = {"f4": "normal_log_float", "f8": "normal_log_double"}
        name = self._named("fill_log_normal", data, names)
        self._fill(name, data, stream, float(mean), float(stddev))

    def gen_log_normal(
        self, shape: Any, dtype: DTypeLike, mean: float, stddev: float, stream: Any = None
    ) -> GPUArray:
        """A new array, filled by `fill_log_normal`."""
        made = gpuarray.empty(shape, dtype)
        self.fill_log_normal(made, mean, stddev, stream)
        return made

    def fill_poisson(
        self, data: GPUArray, lambda_value: float | None = None, stream: Any = None
    ) -> None:
        """Poisson numbers.

        Parameters
        ----------
        data : GPUArray
            uint32; without `lambda_value` also float32 and float64.
        lambda_value : float, optional
            The mean. Without it each element is the mean of the number that replaces it; elements
            that are not above 0 become 0.
        stream : Stream, optional

        Raises
        ------
        ValueError
            For a mean below 0.
        """
        if lambda_value is None:
            names = {
                "f4": "poisson_inplace_float",
                "f8": "poisson_inplace_double",
                "u4": "poisson_inplace_int",
            }
            self._fill(self._named("fill_poisson", data, names), data, stream)
            return
        if not float(lambda_value) >= 0:
            raise ValueError(f"lambda_value must not be below 0, got {lambda_value}")
        name = self._named("fill_poisson", data, {"u4": "poisson_int"})
        self._fill(name, data, stream, float(lambda_value))

    def gen_poisson(
        self, shape: Any, dtype: DTypeLike, lambda_value: float, stream: Any = None
    ) -> GPUArray:
        """A new array of uint32, filled by `fill_poisson`."""
        made = gpuarray.empty(shape, dtype)
        self.fill_poisson(made, lambda_value, stream)
        return made

    def _skip(self, name: str, i: int, stream: Any) -> None:
        if int(i) < 0:
            raise ValueError(f"cannot skip {i} numbers")
        self._launch(self._kernels.skips[name], stream, self._count, int(i), *self._table)

    def _skip_array(self, name: str, i: GPUArray, stream: Any) -> None:
        pseudo = bool(self._table)
        bits = 64 if pseudo else self.generator_bits
        if i.dtype.kind not in "iu" or i.dtype.itemsize * 8 != bits or i.size != self._count:
            raise ValueError(
                f"one integer of {bits} bits is needed for each of {self._count} generators, got "
                f"{i.size} of {i.dtype}"
            )
        if not i.flags.c_contiguous:
            raise ValueError(f"the array must be contiguous, strides are {i.strides}")
        function = self._kernels.skips[name + "_array"]
        self._launch(function, stream, self._count, i.gpudata, *self._table)

    def call_skip_ahead(self, i: int, stream: Any = None) -> None:
        """Makes each generator pass over `i` numbers."""
        self._skip("skip_ahead", i, stream)

    def call_skip_ahead_array(self, i: GPUArray, stream: Any = None) -> None:
        """Makes each generator pass over as many numbers as its element of `i` says.

        Parameters
        ----------
        i : GPUArray
            ``block_count * generators_per_block`` integers of 64 bits; for 32-bit Sobol generators
            of 32.
        stream : Stream, optional
        """
        self._skip_array("skip_ahead", i, stream)


class _PseudoGenerator(_Generator):
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


def seed_getter_uniform(N: int) -> GPUArray:
    """One random seed for `N` generators, by Python's `random`."""
    made = gpuarray.empty([N], np.int32)
    made.fill(np.int32(_random.randint(0, 2**31 - 1)))
    return made


def seed_getter_unique(N: int) -> GPUArray:
    """A random seed for each of `N` generators, by NumPy's global generator."""
    return gpuarray.to_gpu(np.random.randint(0, 2**31 - 1, N).astype(np.int32))


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


class _SobolGenerator(_Generator):
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
