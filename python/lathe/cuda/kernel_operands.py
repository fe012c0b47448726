# SPDX-License-Identifier: MIT
"""Arrays as operands of snippets: which of them run with the index, and in which order of memory.

A snippet such as ``z[i] = a * x[i]`` sees its arrays by one index. So arrays of other strides than
the first one's are handed over as copies that lie as it does, and what the snippet may have written
is copied back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from lathe.array.gpu_array import GPUArray
from lathe.cuda import driver
from lathe.cuda.c_arguments import Argument, VectorArg, parse_c_arg
from lathe.native import native

ACCESS_BYTES = 16  # of a thread at once, as native array kernels have them

_ASSIGNS = re.compile(r"\s*(=(?!=)|[-+*/%&|^]=|<<=|>>=|\+\+|--)")
_FIELD = re.compile(r"\s*\.\s*\w+")


def parse_arguments(arguments: str | Sequence[Any]) -> tuple[tuple[Argument, ...], frozenset[str]]:
    """Parameters of ``"float *x, const float *y, float a"`` or a list; names of const ones."""
    if not isinstance(arguments, str):
        return tuple(parse_c_arg(a) if isinstance(a, str) else a for a in arguments), frozenset()
    texts = [each.strip() for each in arguments.split(",") if each.strip()]
    parsed = tuple(parse_c_arg(text) for text in texts)
    constant = {p.name for p, text in zip(parsed, texts, strict=True) if text.startswith("const ")}
    return parsed, frozenset(constant)


def _closing(text: str, at: int) -> int:
    """Behind the bracket that closes the one at `at`."""
    depth = 0
    for k in range(at, len(text)):
        depth += (text[k] == "[") - (text[k] == "]")
        if depth == 0:
            return k + 1
    return len(text)


@lru_cache(maxsize=4096)
def use_of(name: str, text: str) -> tuple[bool, bool]:
    """Whether `name` is read or written at the index itself, and whether it may be written."""
    by_index = written = False
    for found in re.finditer(rf"(?<![\w.]){re.escape(name)}\b", text):
        end = found.end() + len(text[found.end() :]) - len(text[found.end() :].lstrip())
        if end >= len(text) or text[end] != "[":
            written = True  # a pointer that goes elsewhere
            continue
        close = _closing(text, end)
        by_index |= text[end + 1 : close - 1].strip() == "i"
        field = _FIELD.match(text, close)
        before = text[: found.start()].rstrip()
        written |= bool(_ASSIGNS.match(text, field.end() if field else close))
        written |= before.endswith(("++", "--")) or re.search(r"(?<!&)&\Z", before) is not None
        written |= bool(field and text[field.end() : field.end() + 1] == "(")
    return by_index, written


class Operands(NamedTuple):
    """What a launch takes."""

    values: list[Any]
    size: int
    shape: tuple[int, ...]
    model: Any  # the array that the index runs over; None: there is none
    copies: list[tuple[Any, Any]]  # (array, its copy), to be copied back


def _like(array: Any, model: Any, shape: tuple[int, ...], stream: Any) -> Any:
    """A copy that lies as the model, or compactly where that has gaps."""
    is_f = model.flags.f_contiguous and not model.flags.c_contiguous
    copy = GPUArray(shape, array.dtype, order="F" if is_f else "C")
    native.assign_array(copy, array, stream)
    return copy


class Vector(NamedTuple):
    """An array among a snippet's arguments."""

    at: int
    dtype: np.dtype[Any]
    is_indexed: bool  # by the index itself


def vectors_of(arguments: Sequence[Argument], text: str) -> tuple[Vector, ...]:
    """Those of `arguments`. Where none is indexed, the first one says how long the index runs."""
    found = [
        Vector(k, each.dtype, use_of(each.name, text)[0])
        for k, each in enumerate(arguments)
        if isinstance(each, VectorArg)
    ]
    if found and not any(each.is_indexed for each in found):
        found[0] = found[0]._replace(is_indexed=True)
    return tuple(found)


def _gather_plain(vectors: tuple[Vector, ...], args: Sequence[Any]) -> Operands | None:
    """`gather` of the usual case, at a fraction of its time.

    None unless all are GPUArrays of the arguments' own types in C order, those that are indexed of
    one shape.
    """
    model = None
    values = list(args)
    for at, dtype, is_indexed in vectors:
        array = args[at]
        if type(array) is not GPUArray or array.dtype != dtype or not array._contiguity()[0]:
            return None
        if is_indexed:
            if model is None:
                model, shape = array, array.shape
            elif array.shape != shape:
                return None
        values[at] = array.gpudata if array.size else 0
    return None if model is None else Operands(values, model.size, shape, model, [])


def gather(
    arguments: Sequence[Argument],
    known: tuple[Vector, ...],
    constant: frozenset[str],
    text: str,
    args: Sequence[Any],
    stream: Any = None,
    broadcast: bool = False,
    same_shape: bool = True,
) -> Operands:
    """The values of a launch from those of a call; `known` is ``vectors_of(arguments, text)``.

    Raises
    ------
    TypeError
        For a number where an array is wanted, or an array of another type.
    ValueError
        For arrays of different shapes that one index runs over, with both shapes.
    """
    if len(args) != len(arguments):
        raise TypeError(f"the kernel takes {len(arguments)} arguments, {len(args)} were given")
    if (plain := _gather_plain(known, args)) is not None:
        return plain
    vectors: list[tuple[int, str, Any]] = []
    values = list(args)
    for k, (argument, value) in enumerate(zip(arguments, args, strict=True)):
        if not isinstance(argument, VectorArg):
            continue
        if hasattr(value, "gpudata"):
            if value.dtype.itemsize != argument.dtype.itemsize or (
                value.dtype != argument.dtype and value.dtype.kind != "V"
                and argument.dtype.kind != "V"
            ):  # fmt: skip
                raise TypeError(
                    f"argument '{argument.name}': an array of {value.dtype} where "
                    f"{argument.dtype} is wanted"
                )
            vectors.append((k, argument.name, value))
        elif isinstance(value, np.ndarray) or not hasattr(value, "__int__"):
            raise TypeError(
                f"argument '{argument.name}': expected a GPUArray, got {type(value).__name__}"
            )
    if not vectors:
        return Operands(values, 0, (), None, [])
    running = [each for each in vectors if use_of(each[1], text)[0]] or vectors[:1]
    model = running[0][2]
    shape = tuple(model.shape)
    if broadcast:
        shape = np.broadcast_shapes(*(array.shape for _, _, array in running))
        model = next((a for _, _, a in running if tuple(a.shape) == shape), model)
    copies = []
    for k, name, array in vectors:
        indexed = any(k == other for other, _, _ in running)
        if indexed and same_shape and tuple(array.shape) != shape:
            written = use_of(name, text)[1] and name not in constant
            if not broadcast or written:
                raise ValueError(
                    f"argument '{name}' has shape {tuple(array.shape)} where "
                    f"'{running[0][1]}' has {tuple(model.shape)}"
                    + ("" if broadcast else ": one index runs over both")
                )
        flags, own = array.flags, model.flags
        alike = (
            (flags.c_contiguous and own.c_contiguous)
            or (flags.f_contiguous and own.f_contiguous)
            or (not own.forc and flags.c_contiguous)
            if indexed
            else flags.c_contiguous or flags.f_contiguous
        )
        if alike and (not indexed or tuple(array.shape) == shape or not same_shape):
            values[k] = array.gpudata if array.size else 0
            continue
        copy = _like(array, model if indexed else array, shape if indexed else array.shape, stream)
        values[k] = copy.gpudata if copy.size else 0
        written = use_of(name, text)[1] and name not in constant
        copies.append((array if written else None, copy))
    count = int(np.prod(shape, dtype=np.int64))
    return Operands(values, count, shape, model, copies)


def give_back(operands: Operands, stream: Any = None) -> None:
    """Copies what the snippet may have written to where it belongs."""
    for array, copy in operands.copies:
        if array is not None and array.size:
            native.assign_array(array, copy, stream)


def headers_for(*texts: str) -> str:
    """The includes that types in generated text need."""
    text = "\n".join(texts)
    lines = []
    if "pycuda" in text:
        lines.append("#include <pycuda-complex.hpp>")
    if re.search(r"\bhalf\b", text):
        lines.append("#include <cuda_fp16.h>")
    if "__nv_bfloat16" in text:
        lines.append("#include <cuda_bf16.h>")
    return "".join(line + "\n" for line in lines)


def processors() -> int:
    """Of the current context's device."""
    return int(_device().multiprocessor_count)


def _device() -> driver.Device:
    return driver.Device(0) if driver.Context.get_current() is None else driver.Context.get_device()
