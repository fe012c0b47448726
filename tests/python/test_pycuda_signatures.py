# SPDX-License-Identifier: MIT
"""Every function of PyCUDA takes its arguments here by the same positions and names, with the same
defaults (pycuda_signatures.txt)."""

from __future__ import annotations

import pytest
from signature_table import lines, other_defaults, ours, refused_calls, signature_of

# Defaults that differ with a reason.
OTHER_DEFAULTS: dict[str, str] = {}


@pytest.mark.parametrize("line", lines())
def test_calls_are_taken(line):
    name, theirs = signature_of(line)
    taken = ours(name)
    assert taken, f"{name} has no signature"
    refused = refused_calls(theirs, taken)
    assert not refused, f"{name}{[str(each) for each in taken]} refuses {refused}"
    if len(taken) == 1 and name not in OTHER_DEFAULTS:
        assert not other_defaults(theirs, taken[0])
