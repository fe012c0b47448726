# SPDX-License-Identifier: MIT
"""Kernels from source, under PyCUDA's names. NVRTC compiles, in this process: no nvcc is needed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from lathe.cuda import architecture, driver
from lathe.cuda.cuda_module import CudaModule as CudaModule
from lathe.cuda.fat_binary import fat_binary
from lathe.cuda.includes import with_includes
from lathe.cuda.nvcc_options import translate
from lathe.cuda.texture_source import DeclaredReference, restore, rewrite
from lathe.native import native

DEFAULT_NVCC_FLAGS = os.environ.get("PYCUDA_DEFAULT_NVCC_FLAGS", "").split()

_NAME = "kernel.cu"
_T = TypeVar("_T")


# What NVRTC says of a declaration in an included file, or made by a macro.
_UNSEEN = re.compile(r"\b(texture|surface) is not a template")


def _wrapped(
    source: str, no_extern_c: bool, with_names: bool = False
) -> tuple[str, list[DeclaredReference]]:
    """What is compiled, and the texture and surface references of it."""
    source, references = rewrite(source)
    head = ""
    if references or with_names:
        head = "#include <lathe_references.hpp>\n"
    if with_names:
        head = "#define LATHE_REFERENCE_NAMES\n" + head
    if not no_extern_c:
        return f'{head}extern "C" {{\n#line 1 "{_NAME}"\n{source}\n}}\n', references
    if head:
        source = f'{head}#line 1 "{_NAME}"\n{source}'
    return source, references


def _told(error: native.CompileError) -> native.CompileError:
    """The error with the source as it was given."""
    error.args = tuple(restore(str(each)) for each in error.args)
    error.msg, error.log = restore(error.msg), restore(error.log)
    error.stderr = error.log
    error.diagnostics = [restore(each) for each in error.diagnostics]
    return error


def _compiled(
    source: str, no_extern_c: bool, compile_text: Callable[[str, list[DeclaredReference]], _T]
) -> _T:
    try:
        return compile_text(*_wrapped(source, no_extern_c))
    except native.CompileError as error:
        if not _UNSEEN.search(error.log):
            raise _told(error) from None
    try:
        return compile_text(*_wrapped(source, no_extern_c, with_names=True))
    except native.CompileError as error:
        raise _told(error) from None


def _settled(
    options: Sequence[str] | None, arch: str | None, target: str | None = None
) -> list[str]:
    settled = translate(DEFAULT_NVCC_FLAGS if options is None else options)
    if driver.CUDA_DEBUGGING and "-G" not in settled:
        settled.append("-G")
    if arch is not None:
        architecture.parse(arch)
        kind = "compute_" if target == "ptx" else "sm_"
        settled.append(
            "--gpu-architecture=" + kind + arch.removeprefix("sm_").removeprefix("compute_")
        )
    return settled


def _image(source: str, settled: list[str], include_dirs: Sequence[str | Path]) -> bytes:
    return native.compile_image(source, settled, _NAME, [Path(d) for d in include_dirs])


def _own_arch() -> str:
    context = driver.Context.get_current()
    device = driver.Device(0) if context is None else driver.Context.get_device()
    major, minor = device.compute_capability()
    return f"{major}{minor}"


def get_nvcc_version(nvcc: str = "nvcc") -> str:
    """What compiles, such as ``"NVRTC 13.0"``: there is no nvcc.

    Raises
    ------
    Error
        Where NVRTC is not there, with what brings it.
    """
    major, minor = native.nvrtc_version()
    return f"NVRTC {major}.{minor}"


def _text_of(source: Any) -> str:
    if isinstance(source, str):
        return source
    has_text = any("__str__" in vars(each) for each in type(source).__mro__[:-1])
    if not has_text or isinstance(source, (bytes, np.ndarray)):
        raise TypeError(f"source must be a str or make one, got {type(source).__name__} {source!r}")
    return str(source)


def preprocess_source(source: Any, options: Sequence[str], nvcc: str = "nvcc") -> str:
    """The source with the files that it includes in their places; macros stay as they are.

    Parameters
    ----------
    source : str or object
    options : sequence of str
        ``-I`` and ``--include-path`` say where files lie. Headers of CUDA are left as they are.
    """
    return with_includes(_text_of(source), options)


def compile_plain(
    source: Any,
    options: Sequence[str],
    keep: bool = False,
    nvcc: str = "nvcc",
    cache_dir: str | Path | bool | None = None,
    target: str = "cubin",
) -> bytes:
    """Compiles a source as it is; options say all, with ``-arch``. `compile` has the parameters."""
    return compile(source, options=list(options), no_extern_c=True, target=target)


def compile(
    source: Any,
    nvcc: str = "nvcc",
    options: Sequence[str] | None = None,
    keep: bool = False,
    no_extern_c: bool = False,
    arch: str | None = None,
    code: str | None = None,
    cache_dir: str | Path | bool | None = None,
    include_dirs: Sequence[str | Path] = (),
    target: str = "cubin",
) -> bytes:
    """Compiles a source and returns the image.

    Parameters are those of `SourceModule`; `target` is ``"cubin"``, ``"ptx"`` or ``"fatbin"``,
    which holds both.

    Raises
    ------
    CompileError
        With ``stderr``, and ``diagnostics`` by line and column; also where there is no compiler.
    ValueError
        For another target, or an option that cannot be followed.
    """
    if target not in ("cubin", "ptx", "fatbin"):
        raise ValueError(f"target must be 'cubin', 'ptx' or 'fatbin', got {target!r}")
    given = DEFAULT_NVCC_FLAGS if options is None else options
    if arch is None and not any(str(o).startswith(("-arch", "--gpu-architecture")) for o in given):
        arch = _own_arch()
    return _compiled(
        _text_of(source),
        no_extern_c,
        lambda text, _: _target(text, options, arch, target, include_dirs),
    )


def _target(
    text: str,
    options: Sequence[str] | None,
    arch: str | None,
    target: str,
    include_dirs: Sequence[str | Path],
) -> bytes:
    if target != "fatbin":
        return _image(text, _settled(options, arch, target), include_dirs)
    if arch is None:
        raise ValueError("a fat binary needs its architecture in arch=, not among the options")
    parts = {kind: _image(text, _settled(options, arch, kind), include_dirs)
             for kind in ("cubin", "ptx")}  # fmt: skip
    return fat_binary(parts["cubin"], parts["ptx"], architecture.parse(arch).capability)


class SourceModule(CudaModule):
    """A module compiled from CUDA C++ and loaded into the current context.

    ``pycuda-complex.hpp`` and ``pycuda-helpers.hpp`` are there to be included. Texture and surface
    references at file scope (``texture<float, 2> image;``), which CUDA 12 took away, are compiled
    as variables that hold objects; `get_texref` and `get_surfref` find them.

    Parameters
    ----------
    source : str or object
        Its text, or that of an object that makes source (``str(source)``), is put into
        ``extern "C" { }``.
    options : sequence of str, optional
        For nvcc; translated, or refused by name. `DEFAULT_NVCC_FLAGS` unless given.
    no_extern_c : bool
        Leave the source as it is, for templates and overloads.
    arch : str, optional
        Such as ``"sm_90"``; what the current device runs fastest unless given.
    include_dirs : sequence of path
    nvcc, keep, code, cache_dir
        Accepted and without meaning: there is no nvcc, and the cache is Lathe's own.

    Raises
    ------
    CompileError
        With ``stderr``, and ``diagnostics`` by line and column.
    TypeError
        For a source that has no text of its own: a number, bytes, an array, None.
    """

    def __init__(
        self,
        source: Any,
        nvcc: str = "nvcc",
        options: Sequence[str] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: str | Path | bool | None = None,
        include_dirs: Sequence[str | Path] = (),
    ) -> None:
        self._check_arch(arch)
        settled, folders = _settled(options, arch), [Path(d) for d in include_dirs]
        self.module = _compiled(
            _text_of(source),
            no_extern_c,
            lambda text, found: native.compile_module(text, settled, _NAME, folders, found),
        )
        self._bind_module()


def __getattr__(name: str) -> Any:
    if name in ("DynamicModule", "DynamicSourceModule"):  # which compile by this module
        from lathe.cuda import dynamic_module

        return getattr(dynamic_module, name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
