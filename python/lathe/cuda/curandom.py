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

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from lathe.cuda import gpuarray
from lathe.cuda.pseudo_random import (
    MRG32k3aRandomNumberGenerator,
    XORWOWRandomNumberGenerator,
    seed_getter_uniform,
    seed_getter_unique,
)
from lathe.cuda.quasi_random import (
    ScrambledSobol32RandomNumberGenerator,
    ScrambledSobol64RandomNumberGenerator,
    Sobol32RandomNumberGenerator,
    Sobol64RandomNumberGenerator,
    direction_vector_set,
    generate_direction_vectors,
    generate_scramble_constants32,
    generate_scramble_constants64,
)
from lathe.native import native

__all__ = [
    "MRG32k3aRandomNumberGenerator",
    "ScrambledSobol32RandomNumberGenerator",
    "ScrambledSobol64RandomNumberGenerator",
    "Sobol32RandomNumberGenerator",
    "Sobol64RandomNumberGenerator",
    "XORWOWRandomNumberGenerator",
    "direction_vector_set",
    "generate_direction_vectors",
    "generate_scramble_constants32",
    "generate_scramble_constants64",
    "get_curand_version",
    "rand",
    "seed_getter_uniform",
    "seed_getter_unique",
]


def get_curand_version() -> tuple[int, int, int]:
    """The version of cuRAND whose generators and numbers these are; no cuRAND is used."""
    return (10, 4, 0)


def rand(shape: Any, dtype: DTypeLike = np.float32, stream: Any = None) -> gpuarray.GPUArray:
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
