# SPDX-License-Identifier: MIT
"""What modules from source and linked modules have in common."""

from __future__ import annotations

import warnings

from lathe.cuda import architecture, driver
from lathe.native import native


class CudaModule:
    """The base of `SourceModule`, `DynamicModule` and `DynamicSourceModule`."""

    module: native.Module

    def _check_arch(self, arch: str | None) -> None:
        """Warns where the current device does not run what is compiled for `arch`."""
        if arch is None:
            return
        asked = architecture.parse(arch)
        context = driver.Context.get_current()
        device = driver.Device(0) if context is None else driver.Context.get_device()
        own = device.compute_capability()
        if not asked.runs_on(own):
            warnings.warn(
                f"code for {arch} does not run on {device.name()}, which has compute capability "
                f"{own[0]}.{own[1]}",
                stacklevel=3,
            )

    def _bind_module(self) -> None:
        """Makes the module's own functions this object's."""
        self.get_global = self.module.get_global
        self.get_texref = self.module.get_texref
        self.get_surfref = self.module.get_surfref

    def get_function(self, name: str) -> native.Kernel:
        """A kernel by its name, such as ``"step"`` or, of a template, ``"scale<float>"``.

        Raises
        ------
        LogicError
            Where there is none; the message names those that exist.
        """
        return self.module.get_function(name)
