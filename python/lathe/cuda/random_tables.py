# SPDX-License-Identifier: MIT
"""Tables of the generators in `lathe.cuda.curandom`: skips, and Sobol's direction vectors."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_WORDS = 5  # of XORWOW's xorshift part


def _bit_rows(words: NDArray[np.uint32]) -> NDArray[np.float32]:
    """Words as rows of bits, the lowest first."""
    return np.unpackbits(words.view(np.uint8), axis=-1, bitorder="little").astype(np.float32)


def _word_rows(bits: NDArray[np.float32]) -> NDArray[np.uint32]:
    return np.packbits(bits.astype(np.uint8), axis=-1, bitorder="little").view(np.uint32)


@functools.cache
def xorwow_tables() -> NDArray[np.uint32]:
    """Matrices over GF(2) for 2^k numbers, and for 2^k sequences of 2^67 numbers.

    Returns
    -------
    (2, 64, 160, 5) uint32
        Row i of a matrix: what bit i of the five words becomes.
    """
    # One step of each unit vector. Entries are 0 and 1, sums at most 160: exact in float32.
    state = np.zeros((160, _WORDS), np.uint32)
    index = np.arange(160)
    state[index, index // 32] = np.uint32(1) << (index % 32).astype(np.uint32)
    t = state[:, 0] ^ (state[:, 0] >> np.uint32(2))
    last = state[:, 4] ^ (state[:, 4] << np.uint32(4)) ^ t ^ (t << np.uint32(1))
    matrix = _bit_rows(np.column_stack([state[:, 1:], last]).astype("<u4", order="C"))
    powers = []
    for _ in range(67 + 64):
        powers.append(_word_rows(matrix))
        matrix = ((matrix @ matrix).astype(np.uint8) & 1).astype(np.float32)
    return np.stack([np.stack(powers[:64]), np.stack(powers[67:])])


_MODULI = (4294967087, 4294944443)
_MRG_STEPS = (
    ((0, 1, 0), (0, 0, 1), (-810728, 1403580, 0)),
    ((0, 1, 0), (0, 0, 1), (-1370589, 0, 527612)),
)
_Matrix = tuple[tuple[int, ...], ...]


def _squared(matrix: _Matrix, modulus: int) -> _Matrix:
    columns = tuple(zip(*matrix, strict=True))
    return tuple(
        tuple(sum(a * b for a, b in zip(row, column, strict=True)) % modulus for column in columns)
        for row in matrix
    )


@functools.cache
def mrg32k3a_tables() -> NDArray[np.uint32]:
    """Matrices for 2^k numbers, 2^k subsequences of 2^76 and 2^k sequences of 2^127 numbers.

    Returns
    -------
    (3, 2, 64, 3, 3) uint32
        For each unit and each of the two moduli.
    """
    table = np.empty((3, 2, 64, 3, 3), np.uint32)
    for part, (step, modulus) in enumerate(zip(_MRG_STEPS, _MODULI, strict=True)):
        matrix: _Matrix = tuple(tuple(x % modulus for x in row) for row in step)
        powers = []
        for _ in range(127 + 64):
            powers.append(matrix)
            matrix = _squared(matrix, modulus)
        for unit, first in enumerate((0, 76, 127)):
            table[unit, part] = powers[first : first + 64]
    return table


# Of cuRAND's tables. PyCUDA's generators beyond begin with the first again.
MOST_DIMENSIONS = 20000


def _joe_kuo(count: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Primitive polynomials and initial numbers: S. Joe and F. Kuo's new-joe-kuo-6.21201."""
    scipy = importlib.util.find_spec("scipy")
    folder = Path(scipy.origin).parent if scipy and scipy.origin else None
    file = folder / "stats" / "_sobol_direction_numbers.npz" if folder else None
    if file is None or not file.exists():
        raise ImportError(
            "Sobol's direction vectors are read from SciPy, "
            + ("which is not installed" if file is None else f"which does not have {file}")
            + ": install scipy, or give the generator vectors of your own"
        )
    with np.load(file) as data:
        return data["poly"][:count], data["vinit"][:count]


def _directions(polynomials: NDArray[Any], initial: NDArray[Any], bits: int) -> NDArray[Any]:
    """Direction vectors of polynomials of one degree."""
    word: Any = np.uint32 if bits == 32 else np.uint64
    places: NDArray[Any] = np.arange(bits - 1, -1, -1).astype(word)
    degree = int(polynomials[0]).bit_length() - 1
    if degree == 0:  # the first dimension: J. van der Corput's sequence
        first: NDArray[Any] = word(1) << places
        return first[None]
    made: NDArray[Any] = np.empty((len(polynomials), bits), word)
    made[:, :degree] = initial[:, :degree].astype(word) << places[:degree]
    for k in range(degree, bits):
        value = made[:, k - degree] ^ (made[:, k - degree] >> word(degree))
        for j in range(1, degree):
            has = (polynomials >> (degree - j) & 1).astype(bool)
            value ^= np.where(has, made[:, k - j], word(0))
        made[:, k] = value
    return made


@functools.lru_cache(8)
def sobol_directions(count: int, bits: int) -> NDArray[Any]:
    """Direction vectors of the first dimensions, as cuRAND has them (JOEKUO6).

    By the recurrence of P. Bratley and B. Fox, "Algorithm 659", 1988.

    Parameters
    ----------
    count : int
        At most 20000.
    bits : {32, 64}

    Returns
    -------
    (count, bits) uint32 or uint64

    Raises
    ------
    ImportError
        Without SciPy.
    """
    polynomials, initial = _joe_kuo(count)
    degrees = np.array([int(each).bit_length() for each in polynomials])
    made = np.empty((count, bits), np.uint32 if bits == 32 else np.uint64)
    for degree in np.unique(degrees):
        rows = np.flatnonzero(degrees == degree)
        made[rows] = _directions(polynomials[rows], initial[rows], bits)
    return made


def _raw(key: int, count: int, bits: int) -> NDArray[Any]:
    """Words that never change: NumPy keeps the bits of its bit generators."""
    words = np.random.Philox(key=key).random_raw(count)
    return words if bits == 64 else (words >> np.uint64(32)).astype(np.uint32)


@functools.lru_cache(8)
def scrambled_directions(count: int, bits: int) -> NDArray[Any]:
    """The same, each dimension's times a random triangular matrix over GF(2).

    The scrambling of J. Matousek, "On the L2-discrepancy for anchored boxes", 1998, which keeps
    what makes Sobol's points even. The matrices are not cuRAND's.
    """
    plain = sobol_directions(count, bits)
    word = plain.dtype.type
    rows = _raw(0x5C3A, count * bits, bits).reshape(count, bits)
    made = np.zeros_like(plain)
    for k in range(bits):
        place = word(bits - 1 - k)
        row = rows[:, k : k + 1] >> place << place | word(1) << place  # bits above, and its own
        made |= (np.bitwise_count(row & plain) & 1).astype(word) << place
    return made


def scramble_constants(count: int, bits: int) -> NDArray[Any]:
    """What the points of each dimension are shifted by (exclusive or). Not cuRAND's."""
    return _raw(0x5C3B, count, bits)
