# SPDX-License-Identifier: MIT
"""Names of architectures: ``sm_90``, ``compute_75``, ``sm_100a``."""

from __future__ import annotations

import re
from typing import NamedTuple

_NAME = re.compile(r"(?:sm_|compute_)?(\d+)(\d)([af]?)")


class Architecture(NamedTuple):
    """What a name says.

    Attributes
    ----------
    capability : (int, int)
        ``(10, 0)`` for ``sm_100``.
    kind : {"", "a", "f"}
        ``"a"``: code for this capability alone; ``"f"``: for its family.
    """

    capability: tuple[int, int]
    kind: str

    def runs_on(self, capability: tuple[int, int]) -> bool:
        """Whether a device of this compute capability runs such code."""
        if self.kind == "a":
            return capability == self.capability
        if self.kind == "f":
            return capability[0] == self.capability[0] and capability >= self.capability
        return capability >= self.capability


def parse(name: str) -> Architecture:
    """The architecture of a name, with or without ``sm_`` or ``compute_``.

    Raises
    ------
    ValueError
        For what is no name of one.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise ValueError(f"arch must be like 'sm_90', 'sm_90a' or 'compute_75', got {name!r}")
    return Architecture((int(match[1]), int(match[2])), match[3])
