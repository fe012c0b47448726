# SPDX-License-Identifier: MIT
"""What a user says of a scan, and what follows from it for the arrays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lathe.cuda.c_arguments import Argument, VectorArg
from lathe.cuda.independence import has_references, is_independent
from lathe.cuda.kernel_operands import ACCESS_BYTES, use_of


@dataclass(frozen=True, slots=True)
class Text:
    """What a user says of a scan, as C++. `fetches` are (name, argument, 0 or -1).

    `vector` is above 1 if ``scan_input[i]`` becomes ``scan_output[i]``, both at addresses of so
    many elements: then a thread has them side by side, by one access. `group` is above 1 if all
    that is indexed by ``i`` begins at addresses of so many elements: then a thread has so many
    neighbours, each in the text's own words, and the compiler may join their accesses. `apart`: no
    array that may be written shares memory with another one.
    """

    dtype: np.dtype[Any]
    arguments: tuple[Argument, ...]
    input_expr: str
    scan_expr: str
    neutral: str | None
    output_statement: str
    segment_expr: str | None
    fetches: tuple[tuple[str, str, int], ...]
    index_dtype: np.dtype[Any]
    preamble: str
    vector: int = 1
    group: int = 1
    apart: bool = False

    @property
    def neighbours(self) -> int:
        """Of a thread, side by side."""
        return max(self.vector, self.group)

    def indexed(self) -> list[int]:
        """The arguments of which element ``i`` is read or written."""
        words = "\n".join((self.input_expr, self.output_statement, self.segment_expr or ""))
        fetched = {name for _, name, offset in self.fetches if offset == 0}
        return [
            k
            for k, each in enumerate(self.arguments)
            if is_vector(each) and (each.name in fetched or use_of(each.name, words)[0])
        ]

    def mixes_arrays(self) -> bool:
        """Whether an output statement may read other arrays than it writes: then accesses of
        neighbours can be joined only if these do not share memory."""
        named = [each for each in self.arguments if is_vector(each) and self.uses(each.name)]
        return len(named) > 1 or bool(self.fetches) or self.segment_expr is not None

    def written(self) -> set[int]:
        """The arguments that may be written."""
        texts = (self.input_expr, self.output_statement, self.segment_expr or "")
        words = "\n".join(texts)
        by_reference = has_references(f"{words}\n{self.preamble}")
        return {
            k
            for k, each in enumerate(self.arguments)
            if is_vector(each) and (by_reference or use_of(each.name, words)[1])
        }

    def is_independent(self) -> bool:
        """Whether it reaches memory by its arrays alone (`independence`)."""
        texts = (self.input_expr, self.output_statement, self.segment_expr or "", self.scan_expr)
        names = [each.name for each in self.arguments if is_vector(each)]
        return is_independent("\n".join(texts), self.preamble, names)

    def uses(self, name: str) -> bool:
        """Whether the output statement has the word `name`."""
        return re.search(rf"\b{name}\b", self.output_statement) is not None


def group_of(text: Text) -> int:
    """Elements of one access of 16 bytes of the largest type that is indexed."""
    sizes = [text.arguments[k].dtype.itemsize for k in text.indexed()]
    if not sizes or any(size & (size - 1) for size in sizes):
        return 1
    return max(min(ACCESS_BYTES // max(sizes), 8), 1)


def is_vector(argument: Argument) -> bool:
    return isinstance(argument, VectorArg)


def check_fetches(
    arguments: Sequence[Argument], fetches: Sequence[tuple[str, str, int]]
) -> tuple[tuple[str, str, int], ...]:
    """The fetches, where each names an array and an offset of 0 or -1."""
    vectors = {each.name for each in arguments if is_vector(each)}
    for name, argument, offset in fetches:
        if argument not in vectors:
            raise ValueError(f"input_fetch_exprs: {name!r} is of {argument!r}, which is no array")
        if offset not in (0, -1):
            raise ValueError(f"input_fetch_exprs: the offset of {name!r} is {offset}, not 0 or -1")
    return tuple((name, argument, int(offset)) for name, argument, offset in fetches)
