# SPDX-License-Identifier: MIT
"""When kernels are loaded: with their module, or each before its first launch."""

from __future__ import annotations

import os

from lathe.cuda.constants import module_loading_mode
from lathe.native import native

_VARIABLE = "CUDA_MODULE_LOADING"


def module_get_loading_mode() -> module_loading_mode:
    """How modules are loaded. Opens the driver. (cuModuleGetLoadingMode)"""
    return module_loading_mode(native.module_get_loading_mode())


def module_set_loading_mode(mode: module_loading_mode) -> None:
    """How the driver shall load modules; it looks once, when it is opened.

    The same as ``CUDA_MODULE_LOADING=EAGER`` or ``LAZY`` in the environment, which child processes
    get, too. LAZY, the driver's default from CUDA 12.2 on, begins sooner and takes less memory;
    EAGER makes no first launch wait.

    Parameters
    ----------
    mode : module_loading_mode

    Raises
    ------
    LogicError
        Where the driver is open with another mode: `init` or the first call that needed it did so.
    ValueError
        For what is no module_loading_mode.
    """
    wanted = module_loading_mode.values.get(mode) if isinstance(mode, int) else None
    if wanted is None:
        raise ValueError(f"mode must be of module_loading_mode, got {mode!r}")
    if not native.driver_is_open():
        os.environ[_VARIABLE] = wanted.name
    elif module_get_loading_mode() != wanted:
        raise native.LogicError(
            f"cuInit failed: the driver is open already, and loads modules "
            f"{module_get_loading_mode().name}; set {_VARIABLE}={wanted.name} before it is"
        )
