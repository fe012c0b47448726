# SPDX-License-Identifier: MIT
"""Modules linked from several sources, files and libraries."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from lathe.cuda import compiler, driver
from lathe.cuda.constants import jit_input_type
from lathe.cuda.cuda_module import CudaModule
from lathe.native import native

_RELOCATABLE = ("-rdc=true", "--relocatable-device-code=true", "-dc", "--device-c")


def _library_folders(given: str | Path | None) -> Iterator[Path]:
    if given is not None:
        yield Path(given)
    for name in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"):
        if root := os.environ.get(name):
            yield from (Path(root) / "lib64", Path(root) / "lib")
    yield from map(Path, filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)))
    yield Path("/usr/local/cuda/lib64")
    from importlib.util import find_spec

    for package in ("nvidia.cu13", "nvidia.cuda_runtime"):
        try:
            spec = find_spec(package)
        except ModuleNotFoundError:
            continue
        for folder in spec.submodule_search_locations or () if spec else ():
            yield Path(folder) / "lib"


class DynamicModule(CudaModule):
    """A module of parts that use each other's functions and variables.

    Add sources, data and files, then `link`; each call returns the object itself.

    Parameters
    ----------
    link_options : sequence of (jit_option, int), optional
    no_extern_c, arch, include_dirs
        Of the sources, as for `SourceModule`.
    message_handler : callable, optional
        ``message_handler(success, info, error)`` gets the linker's words.
    log_verbose : bool
        More of them.
    cuda_libdir : path, optional
        Where libraries of CUDA lie, before the places where a toolkit puts them.
    nvcc, keep, code, cache_dir
        Accepted and without meaning.

    Raises
    ------
    CompileError
        By `add_source`.
    LogicError
        By `add_data`, `add_file` and `link`, with the linker's words.
    """

    def __init__(
        self,
        nvcc: str = "nvcc",
        link_options: Sequence[tuple[int, int]] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: str | Path | bool | None = None,
        include_dirs: Sequence[str | Path] | None = None,
        message_handler: Callable[[bool, str, str], Any] | None = None,
        log_verbose: bool = False,
        cuda_libdir: str | Path | None = None,
    ) -> None:
        self._check_arch(arch)
        self._arch = arch
        self._no_extern_c = no_extern_c
        self._include_dirs = tuple(include_dirs or ())
        self._cuda_libdir = cuda_libdir
        self.linker = driver.Linker(message_handler, link_options, log_verbose)

    def add_source(
        self, source: Any, nvcc_options: Sequence[str] | None = None, name: str = "kernel.ptx"
    ) -> Self:
        """Compiles a source, which may use what others define, and adds it."""
        options = list(compiler.DEFAULT_NVCC_FLAGS if nvcc_options is None else nvcc_options)
        if not any(option in _RELOCATABLE for option in options):
            options.append(_RELOCATABLE[0])
        ptx = compiler.compile(
            source,
            options=options,
            no_extern_c=self._no_extern_c,
            arch=self._arch,
            include_dirs=self._include_dirs,
            target="ptx",
        )
        return self.add_data(ptx, jit_input_type.PTX, name)

    def add_data(self, data: Any, input_type: int, name: str = "unknown") -> Self:
        """Adds PTX, a CUBIN or another `jit_input_type` from memory."""
        self.linker.add_data(data, input_type, name)
        return self

    def add_file(self, filename: str | Path, input_type: int) -> Self:
        """Adds a file of a `jit_input_type`."""
        self.linker.add_file(filename, input_type)
        return self

    def add_stdlib(self, libname: str) -> Self:
        """Adds a library of CUDA, such as ``"cudadevrt"``.

        Raises
        ------
        FileNotFoundError
            With the folders that were looked into.
        """
        file = f"lib{libname}.a"
        folders = list(_library_folders(self._cuda_libdir))
        for folder in folders:
            if (folder / file).is_file():
                return self.add_file(folder / file, jit_input_type.LIBRARY)
        looked = ", ".join(map(str, folders))
        raise FileNotFoundError(f"{file} is not in {looked}; name its folder in cuda_libdir")

    def link(self) -> Self:
        """Links and loads what was added, once."""
        self.module = self.linker.link_module()
        self._bind_module()
        return self


class DynamicSourceModule(DynamicModule):
    """One source whose kernels may launch kernels: linked with CUDA's device runtime if it does.

    Parameters are those of `SourceModule` and `DynamicModule`.
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
        include_dirs: Sequence[str | Path] | None = None,
        cuda_libdir: str | Path | None = None,
    ) -> None:
        super().__init__(
            no_extern_c=no_extern_c, arch=arch, include_dirs=include_dirs, cuda_libdir=cuda_libdir
        )
        self.add_source(source, options)
        if "<<<" in str(source) and not native.device_runtime():
            self.add_stdlib("cudadevrt")
        self.link()
