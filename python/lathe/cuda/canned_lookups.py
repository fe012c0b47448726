# SPDX-License-Identifier: MIT
"""Prepared kernels that look elements up by their numbers, and linear combinations, under PyCUDA's
names.

Some read texture references: ``kernel, references = get_take_kernel(...)``. Before a launch each is
bound by ``array.bind_to_texref_ext(reference, allow_double_hack=True, allow_complex_hack=True)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import DTypeLike

from lathe.cuda.c_arguments import Argument, ScalarArg, VectorArg, dtype_to_ctype
from lathe.cuda.driver import Function
from lathe.cuda.elementwise_source import get_elwise_kernel, memoized_kernel
from lathe.cuda.memoize import context_dependent_memoize


def _arrays(**dtypes: DTypeLike) -> list[Argument]:
    return [VectorArg(dtype, name) for name, dtype in dtypes.items()]


def _with_textures(
    arguments: Sequence[Argument], operation: str, name: str, textures: dict[str, DTypeLike],
    loop_prep: str = "",
) -> tuple[Function, list[Any]]:  # fmt: skip
    """The prepared kernel, and the texture references that it reads, in their order."""
    preamble = "#include <pycuda-helpers.hpp>\n"
    for texture, dtype in textures.items():
        texel = dtype_to_ctype(dtype, with_fp_tex_hack=True)
        preamble += f"texture<{texel}, 1, cudaReadModeElementType> {texture};\n"
    module, kernel, _ = memoized_kernel(
        tuple(arguments), operation, name, False, None, preamble, loop_prep, "", False
    )
    return kernel, [module.get_texref(texture) for texture in textures]


@context_dependent_memoize
def get_take_kernel(dtype: DTypeLike, idx_dtype: DTypeLike, vec_count: int = 1) -> Any:
    """``dest0[i] = source0[idx[i]]``, for `vec_count` pairs: idx, dests, n.

    The sources are the texture references.
    """
    counts = range(vec_count)
    arguments = _arrays(idx=idx_dtype)
    arguments += [VectorArg(dtype, f"dest{k}") for k in counts]
    body = "; ".join(f"dest{k}[i] = fp_tex1Dfetch(source{k}, idx[i])" for k in counts)
    return _with_textures(arguments, body, "take", {f"source{k}": dtype for k in counts})


@context_dependent_memoize
def get_take_put_kernel(
    dtype: DTypeLike, idx_dtype: DTypeLike, with_offsets: bool, vec_count: int = 1
) -> Any:
    """``dest0[gmem_dest_idx[i]] = source0[gmem_src_idx[i] + offset0]``: both indices, dests,
    offsets (if `with_offsets`), n. The sources are the texture references."""
    counts = range(vec_count)
    arguments = _arrays(gmem_dest_idx=idx_dtype, gmem_src_idx=idx_dtype)
    arguments += [VectorArg(dtype, f"dest{k}") for k in counts]
    if with_offsets:
        arguments += [ScalarArg(idx_dtype, f"offset{k}") for k in counts]
    body = "; ".join(
        f"dest{k}[gmem_dest_idx[i]] = fp_tex1Dfetch(source{k}, gmem_src_idx[i]"
        + (f" + offset{k})" if with_offsets else ")")
        for k in counts
    )
    return _with_textures(arguments, body, "take_put", {f"source{k}": dtype for k in counts})


@context_dependent_memoize
def get_put_kernel(dtype: DTypeLike, idx_dtype: DTypeLike, vec_count: int = 1) -> Function:
    """``dest0[gmem_dest_idx[i]] = src0[i]``, for `vec_count` pairs: index, dests, sources, n."""
    counts = range(vec_count)
    arguments = _arrays(gmem_dest_idx=idx_dtype)
    arguments += [VectorArg(dtype, f"dest{k}") for k in counts]
    arguments += [VectorArg(dtype, f"src{k}") for k in counts]
    body = "; ".join(f"dest{k}[gmem_dest_idx[i]] = src{k}[i]" for k in counts)
    return get_elwise_kernel(arguments, body, "put")


@context_dependent_memoize
def get_linear_combination_kernel(
    summand_descriptors: Sequence[tuple[bool, DTypeLike, DTypeLike]], dtype_z: DTypeLike
) -> Any:
    """``z[i] = a0 * x0[i] + a1 * x1[i] ...``: factor and array of each, z, n.

    A descriptor says whether the factor is one number in device memory, and both types. Such a
    factor is no argument: it is read through a texture reference.
    """
    arguments: list[Argument] = []
    textures: dict[str, DTypeLike] = {}
    fetches, terms = [], []
    for k, (on_device, scalar, vector) in enumerate(summand_descriptors):
        if on_device:
            textures[f"tex_a{k}"] = scalar
            fetches.append(f"{dtype_to_ctype(scalar)} a{k} = fp_tex1Dfetch(tex_a{k}, 0);")
        else:
            arguments.append(ScalarArg(scalar, f"a{k}"))
        arguments.append(VectorArg(vector, f"x{k}"))
        terms.append(f"a{k} * x{k}[i]")
    arguments.append(VectorArg(dtype_z, "z"))
    body = "z[i] = " + " + ".join(terms)
    return _with_textures(arguments, body, "linear_combination", textures, " ".join(fetches))
