# SPDX-License-Identifier: MIT
"""What `App.parameters` returns: values of sliders, and which of them the script reads."""

from __future__ import annotations

import contextlib
from typing import Any

from lathe.native import native


class SliderValues(dict[str, Any]):
    """Names and values. To look one up is to read it: its slider has an effect from then on."""

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters.as_dict())
        self._parameters = parameters

    def __getitem__(self, name: str) -> Any:
        value = super().__getitem__(name)
        with contextlib.suppress(native.Error):  # an edit may have taken the slider away since
            self._parameters.get(name)
        return value

    def get(self, name: str, default: Any = None) -> Any:
        """As a dict's, and it reads."""
        try:
            return self[name]
        except KeyError:
            return default
