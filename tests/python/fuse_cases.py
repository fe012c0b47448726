# SPDX-License-Identifier: MIT
"""Fused and eager evaluation of the same function, compared bit for bit."""

import lathe


def assert_identical(found, wanted):
    """The same type, shape, order of axes and bits."""
    assert type(found) is type(wanted)
    if isinstance(wanted, tuple):
        assert len(found) == len(wanted)
        for pair in zip(found, wanted, strict=True):
            assert_identical(*pair)
        return
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    assert found.strides == wanted.strides
    assert found.get().tobytes() == wanted.get().tobytes()


def both(function, *operands):
    """What the function gives, fused and one kernel after the other."""
    fused = lathe.fuse(function)(*operands)
    assert_identical(fused, function(*operands))
    return fused
