# SPDX-License-Identifier: MIT
"""The CUDA stack under PyCUDA's names: `lathe.cuda.driver`, `.compiler`, `.autoinit`.

Importing it opens no driver. It runs on a GPU or on the software device, as `LATHE_DEVICE` says.
A script written for PyCUDA runs by ``python -m lathe.as_pycuda script.py``.

After ``import lathe`` the modules are there as ``lathe.cuda.driver`` and so on: each is imported
when its name is first used. Those that do something of themselves (`autoinit`, `autoprimaryctx`,
`debug`, `gl.autoinit`) wait for their own ``import``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

# The PyCUDA whose names and arguments these modules have.
VERSION = (2026, 1)
VERSION_STATUS = ""
VERSION_TEXT = ".".join(str(part) for part in VERSION) + VERSION_STATUS

_MODULES = (
    "characterize", "compiler", "compyte", "cumath", "curandom", "driver", "elementwise", "gl",
    "gpuarray", "reduction", "scan", "sparse", "tools",
)  # fmt: skip

if TYPE_CHECKING:
    from lathe.cuda import characterize as characterize
    from lathe.cuda import compiler as compiler
    from lathe.cuda import compyte as compyte
    from lathe.cuda import cumath as cumath
    from lathe.cuda import curandom as curandom
    from lathe.cuda import driver as driver
    from lathe.cuda import elementwise as elementwise
    from lathe.cuda import gl as gl
    from lathe.cuda import gpuarray as gpuarray
    from lathe.cuda import reduction as reduction
    from lathe.cuda import scan as scan
    from lathe.cuda import sparse as sparse
    from lathe.cuda import tools as tools


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'lathe.cuda' has no attribute '{name}'")
    from importlib import import_module

    return import_module(f"lathe.cuda.{name}")


def __dir__() -> list[str]:
    return sorted({*_MODULES, *globals()})
