# SPDX-License-Identifier: MIT
"""Kernels from source, under PyCUDA's names. NVRTC compiles, in this process: no nvcc is needed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lathe.cuda import driver
from lathe.cuda.nvcc_options import translate
from lathe.native import native

DEFAULT_NVCC_FLAGS = os.environ.get("PYCUDA_DEFAULT_NVCC_FLAGS", "").split()

_NAME = "kernel.cu"


def _wrapped(source: str, no_extern_c: bool) -> str:
    if no_extern_c:
        return source
    return f'extern "C" {{\n#line 1 "{_NAME}"\n{source}\n}}\n'


def _settled(
    options: Sequence[str] | None, arch: str | None, target: str | None = None
) -> list[str]:
    settled = translate(DEFAULT_NVCC_FLAGS if options is None else options)
    if arch is not None:
        kind = "compute_" if target == "ptx" else "sm_"
        settled.append(
            "--gpu-architecture=" + kind + arch.removeprefix("sm_").removeprefix("compute_")
        )
    return settled


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

    Parameters are those of `SourceModule`; `target` is ``"cubin"`` or ``"ptx"``.

    Raises
    ------
    CompileError
        With ``stderr``, and ``diagnostics`` by line and column.
    ValueError
        For another target, or an option that cannot be followed.
    """
    if target not in ("cubin", "ptx"):
        raise ValueError(f"target must be 'cubin' or 'ptx', got {target!r}")
    if arch is None:
        major, minor = driver.Device(0).compute_capability()
        arch = f"{major}{minor}"
    return native.compile_image(
        _wrapped(str(source), no_extern_c),
        _settled(options, arch, target),
        _NAME,
        [Path(d) for d in include_dirs],
    )


class SourceModule:
    """A module compiled from CUDA C++ and loaded into the current context.

    Parameters
    ----------
    source : str or object
        Its text (``str(source)``) is put into ``extern "C" { }``.
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
        self.module = native.compile_module(
            _wrapped(str(source), no_extern_c),
            _settled(options, arch),
            _NAME,
            [Path(d) for d in include_dirs],
        )
        self.get_global = self.module.get_global

    def get_function(self, name: str) -> native.Function:
        """A kernel by its name, such as ``"step"`` or, of a template, ``"scale<float>"``.

        Raises
        ------
        LogicError
            Where there is none; the message names those that exist.
        """
        return self.module.get_function(name)
