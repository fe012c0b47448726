# SPDX-License-Identifier: MIT
"""Einstein's sums, by products of matrices: two operands at a time, from the left."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lathe.array.gpu_array import GPUArray
from lathe.linalg import checks
from lathe.linalg.products import matmul


def einsum(subscripts: str, /, *operands: GPUArray) -> GPUArray:
    """Sums of products of elements, as the letters of the axes say.

    Parameters
    ----------
    subscripts : str
        ``"ij,jk->ik"``; without an arrow, letters that occur once are the result's, sorted. ``...``
        stands for axes that broadcast.
    operands : GPUArray

    Raises
    ------
    ValueError
        For letters and shapes that do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> from lathe.cuda.gpuarray import to_gpu
    >>> a = to_gpu(np.arange(6.0).reshape(2, 3))
    >>> einsum("ij,kj->ik", a, a).get().tolist()
    [[5.0, 14.0], [14.0, 50.0]]
    """
    checks.arrays("einsum", *operands)
    terms, result = _parse(subscripts, operands)
    parts = [_diagonals(term, each) for term, each in zip(terms, operands, strict=True)]
    term, made = parts.pop(0)
    while parts:
        next_term, other = parts.pop(0)
        wanted = set(result).union(*(letters for letters, _ in parts))
        term, made = _pair(term, made, next_term, other, wanted)
    made = _summed(term, made, set(result))
    term = [k for k in term if k in result]
    return made.transpose([term.index(k) for k in result])


def _parse(subscripts: str, operands: tuple[GPUArray, ...]) -> tuple[list[str], str]:
    """Letters of each operand and of the result; capitals from Ā on for the axes of ``...``."""
    text = subscripts.replace(" ", "")
    inputs, arrow, result = text.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(operands):
        raise ValueError(
            f"einsum: '{subscripts}' names {len(terms)} operands, {len(operands)} are given"
        )
    most = 0
    for k, (term, each) in enumerate(zip(terms, operands, strict=True)):
        letters = term.replace("...", "")
        rest = each.ndim - len(letters)
        if any(not c.isalpha() for c in letters) or rest < 0 or (rest and "..." not in term):
            raise ValueError(f"einsum: '{term}' does not fit an operand of shape {each.shape}")
        # The last of the axes of each operand broadcast with each other.
        terms[k] = term.replace("...", "".join(chr(0x100 + i) for i in reversed(range(rest))))
        most = max(most, rest if "..." in term else 0)
    dots = "".join(chr(0x100 + i) for i in reversed(range(most)))
    everything = "".join(terms)
    if not arrow:
        once = (c for c in set(everything) if everything.count(c) == 1 and c not in dots)
        return terms, dots + "".join(sorted(once))
    result = result.replace("...", dots)
    if len(set(result)) != len(result) or not set(result) <= set(everything):
        raise ValueError(f"einsum: the result of '{subscripts}' names an axis that is not there")
    return terms, result


def _diagonals(term: str, array: GPUArray) -> tuple[list[str], GPUArray]:
    """One axis for each letter; a view."""
    letters: list[str] = []
    shape: list[int] = []
    strides: list[int] = []
    for letter, size, stride in zip(term, array.shape, array.strides, strict=True):
        if letter not in letters:
            letters.append(letter)
            shape.append(size)
            strides.append(stride)
            continue
        k = letters.index(letter)
        if shape[k] != size:
            raise ValueError(f"einsum: axis '{letter}' has sizes {shape[k]} and {size}")
        strides[k] += stride
    return letters, array._view(shape, strides, 0, array.dtype)


def _summed(term: list[str], array: GPUArray, wanted: set[str]) -> GPUArray:
    axes = tuple(k for k, letter in enumerate(term) if letter not in wanted)
    made: GPUArray = array.sum(axis=axes, dtype=array.dtype) if axes else array
    return made


def _pair(
    x_term: list[str], x: GPUArray, y_term: list[str], y: GPUArray, wanted: set[str]
) -> tuple[list[str], GPUArray]:
    """The product of two operands, summed over letters that nobody wants any more."""
    x = _summed(x_term, x, wanted | set(y_term))
    x_term = [k for k in x_term if k in wanted or k in y_term]
    y = _summed(y_term, y, wanted | set(x_term))
    y_term = [k for k in y_term if k in wanted or k in x_term]
    sizes: dict[str, int] = {}
    for term, array in ((x_term, x), (y_term, y)):
        for letter, size in zip(term, array.shape, strict=True):
            known = sizes.setdefault(letter, size)
            if known != size and known != 1 and (size != 1 or letter < "\u0100"):
                raise ValueError(f"einsum: axis '{letter}' has sizes {known} and {size}")
            sizes[letter] = size if known == 1 else known
    both = [k for k in x_term if k in y_term]
    batch, summed = [k for k in both if k in wanted], [k for k in both if k not in wanted]
    of_x, of_y = [k for k in x_term if k not in both], [k for k in y_term if k not in both]

    def arranged(term: list[str], array: GPUArray, groups: list[list[str]]) -> Any:
        order = [k for group in groups for k in group]
        array = array.transpose([term.index(k) for k in order])
        array = array._broadcast_to([sizes[k] for k in order])
        return array.reshape([math.prod(sizes[k] for k in group) for group in groups])

    left = arranged(x_term, x, [batch, of_x, summed])
    right = arranged(y_term, y, [batch, summed, of_y])
    dtype = np.result_type(x.dtype, y.dtype)
    made = matmul(left, right, dtype=dtype)
    letters = batch + of_x + of_y
    return letters, made.reshape([sizes[k] for k in letters])
