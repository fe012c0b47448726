# SPDX-License-Identifier: MIT
"""The launches of a scan: its arguments as a kernel takes them, its memory, its kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lathe.array.gpu_array import GPUArray
from lathe.cuda import driver
from lathe.cuda.c_arguments import Argument
from lathe.cuda.compiler import SourceModule
from lathe.cuda.memoize import context_dependent_memoize
from lathe.cuda.scan_source import source_of, state_bytes, tile_shape
from lathe.cuda.scan_text import Text, is_vector

__all__ = ["is_contiguous", "pointer", "run"]


@context_dependent_memoize
def _module(text: Text, options: tuple[str, ...] | None) -> SourceModule:
    return SourceModule(
        source_of(text), options=None if options is None else list(options), no_extern_c=True
    )


def pointer(array: Any) -> Any:
    """Where an array of any kind begins."""
    if hasattr(array, "gpudata"):
        memory = array.gpudata  # knows its context, which a launch looks at
        return np.uintp(memory) if isinstance(memory, int) else memory
    return np.uintp(array.__cuda_array_interface__["data"][0])


def is_contiguous(array: Any) -> bool:
    """Whether an array of any kind has no gaps."""
    flags = getattr(array, "flags", None)
    if flags is not None and hasattr(flags, "forc"):
        return bool(flags.forc)
    return getattr(array, "__cuda_array_interface__", {}).get("strides") is None


def _argument(argument: Argument, given: Any) -> Any:
    if is_vector(argument):
        dtype = getattr(given, "dtype", None)
        if dtype is not None and np.dtype(dtype) != argument.dtype:
            raise TypeError(
                f"argument '{argument.name}' is of {argument.dtype}, got an array of {dtype}"
            )
        if dtype is not None and not is_contiguous(given):
            raise RuntimeError(f"argument '{argument.name}': a scan takes contiguous arrays")
        return np.uintp(int(given)) if dtype is None else pointer(given)
    if argument.dtype.kind == "V":
        return np.asarray(given, argument.dtype)[()]
    return argument.dtype.type(given)


def _scratch(size: int, stream: Any) -> tuple[np.uintp, Any]:
    """Memory for work on the stream, and who has it: that of arrays on the default stream, whose
    order their pool keeps, which costs no call of the driver."""
    if stream is None:
        array = GPUArray(size, np.uint8)
        return np.uintp(array.ptr), array
    memory = driver.mem_alloc_async(size, stream)
    return np.uintp(int(memory)), memory


def run(
    text: Text, options: tuple[str, ...] | None, given: Sequence[Any], count: int, stream: Any
) -> None:
    """Scans `count` elements on the stream; `given` are arrays, addresses and numbers."""
    if count == 0:
        return
    if count > np.iinfo(text.index_dtype).max:
        raise ValueError(f"{count} elements are beyond index_dtype, {text.index_dtype}")
    module = _module(text, options)
    values = [_argument(*each) for each in zip(text.arguments, given, strict=True)]
    threads, _ = tile_shape(text)
    bytes_, numbers = state_bytes(text, count)
    state, _state = _scratch(bytes_, stream)
    driver.memset_d8_async(int(state), 0, bytes_, stream)
    wants_last = text.uses("last_item")
    place, _items = np.uintp(0), None
    if wants_last:
        place, _items = _scratch(count * text.dtype.itemsize, stream)
    module.get_function("scan")(
        *values, np.int64(count), place, state, *map(np.uint32, numbers),
        block=(threads, 1, 1), grid=(numbers[0], 1), stream=stream,
    )  # fmt: skip
    if wants_last:
        blocks = min(-(-count // threads), 4096)
        module.get_function("finish")(
            *values, np.int64(count), place, block=(threads, 1, 1), grid=(blocks, 1), stream=stream
        )
