# SPDX-License-Identifier: MIT
"""Every elementwise function on every type, compared with NumPy and C."""

import math
import warnings

import numpy as np
import pytest

from lathe.cuda import (
    autoprimaryctx,  # noqa: F401
    gpuarray,
)
from lathe.native import native

DTYPES = [np.dtype(c) for c in "?bBhHiIqQefdFD"]
FUNCTIONS = {name: (inputs, outputs) for name, inputs, outputs in native.elementwise_functions()}
OWN = {
    "linear_combination", "copy", "arange", "index_offset", "gather", "scatter",
    "real", "imag", "angle", "where", "clip",
}  # fmt: skip
# Where C and NumPy round apart, in units of the last place: CUDA C++ Programming Guide,
# "Mathematical Functions".
ULPS = {
    "power": 8, "tan": 5, "arctanh": 4, "arcsinh": 4, "arccosh": 5, "sinh": 4, "cosh": 4,
    "tanh": 3, "gamma": 13, "gammaln": 12, "erf": 4, "erfc": 7, "logaddexp": 4,
    "logaddexp2": 4, "arctan2": 4, "hypot": 4, "radians": 2, "degrees": 2,
}  # fmt: skip
# NumPy's spacing of negative float16 has another sign and place than that of float32; its complex
# log1p is naive, and looked at in complex64 against complex128.
LEFT_OUT = {("spacing", c) for c in "?bBe"} | {("log1p", "D")}
# Functions of C, whose results are exact to a unit or so; SciPy's erfc is not.
EXACT = {"erf": math.erf, "erfc": math.erfc, "gamma": math.gamma, "gammaln": math.lgamma}


def reference(name, given):
    """What is expected, in the type that NumPy has it in."""
    if name in EXACT:
        if given[0].dtype.kind == "c":
            raise TypeError
        wanted = np.sqrt(given[0]).dtype
        return np.vectorize(EXACT[name], [np.float64])(given[0].astype(np.float64)).astype(wanted)
    function = getattr(np, name)
    if given[0].dtype == np.complex64 and name not in ("power", "sign"):
        wanted = function(*given)
        return function(*(each.astype(np.complex128) for each in given)).astype(wanted.dtype)
    return function(*given)


def values(dtype, count, seed, name=""):
    """Numbers of all kinds: small, large, negative, special ones."""
    random = np.random.default_rng(seed)
    if dtype == np.bool_:
        return random.integers(0, 2, count).astype(np.bool_)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        small = random.integers(max(info.min, -20), 21, count)
        wide = random.integers(info.min, info.max, count, dtype=dtype, endpoint=True)
        made = np.where(random.random(count) < 0.5, small.astype(dtype), wide)
        made[:4] = [0, 1, info.max, info.min]
        return made.astype(dtype)
    if dtype.kind == "c":
        part = np.dtype("f4" if dtype.itemsize == 8 else "f8")
        made = values(part, count, seed, name) + 1j * values(part, count, seed + 1, name)
        made = made[np.isfinite(made)]
        return np.resize(made[np.abs(made) < 50], count).astype(dtype)
    made = random.normal(size=count) * 10.0 ** random.integers(-3, 4, count)
    if name in ("gamma", "gammaln"):
        return random.uniform(3, 20, count).astype(dtype)
    made = np.clip(made, -6e4, 6e4) if dtype == np.float16 else made
    made[:8] = [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 0.5]
    return made.astype(dtype)


def ulps(got, wanted, terms=0):
    """The distance in units of the last place of `wanted` or of the `terms` that it is the sum of;
    of complex numbers by their size."""
    if got.dtype.kind == "c":
        part = wanted.real.dtype
        got, wanted = got.astype(np.complex128), wanted.astype(np.complex128)
        spacing = np.spacing(np.abs(wanted).astype(part)).astype(np.float64)
        return np.abs(got - wanted) / spacing
    with np.errstate(all="ignore"):
        return np.abs(got.astype(np.float64) - wanted.astype(np.float64)) / np.spacing(
            np.maximum(np.abs(wanted), terms).astype(wanted.dtype)
        ).astype(np.float64)


def assert_close(got, wanted, name, dtype, terms=0):
    assert got.dtype == wanted.dtype, (got.dtype, wanted.dtype)
    assert got.shape == wanted.shape
    if wanted.dtype.kind in "biu?":
        different = got != wanted
        assert not different.any(), (name, got[different][:5], wanted[different][:5])
        return
    same = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
    if wanted.dtype.kind == "c":
        same |= ~np.isfinite(wanted)  # which part is infinite is left open by C, too
    allowed = ULPS.get(name, 2) if dtype.kind != "c" else 512 if name == "power" else 64
    far = ~same & ~(ulps(got, wanted, terms) <= allowed)
    assert not far.any(), (name, got[far][:5], wanted[far][:5], ulps(got, wanted, terms)[far][:5])


def operands(name, inputs, dtype):
    made = [values(dtype, 500, 7 * k + 3, name) for k in range(inputs)]
    if name in ("left_shift", "right_shift") or (name == "power" and dtype.kind in "iu"):
        made[1] = np.abs(made[1].astype(np.int64) % 9).astype(made[1].dtype)
    if name in ("gamma", "gammaln") and dtype.kind in "?biu":
        made[0] = np.abs(made[0].astype(np.int64) % 20).astype(dtype) | dtype.type(1)
    if name == "reciprocal" and dtype.kind in "?biu":
        made[0] = np.where(made[0] == 0, 1, made[0]).astype(dtype)
    if name == "ldexp":
        made[1] = np.random.default_rng(5).integers(-20, 20, 500).astype(np.int32)
    if name in ("floor_divide", "remainder", "divmod", "fmod") and dtype.kind == "f":
        made[0] = np.where(np.isfinite(made[0]), made[0], 3).astype(dtype)
    return made


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - OWN))
def test_like_numpy(name):
    inputs, outputs = FUNCTIONS[name]
    ran = 0
    for dtype in DTYPES:
        if (name, dtype.char) in LEFT_OUT:
            continue
        given = operands(name, inputs, dtype)
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wanted = reference(name, given)
        except TypeError:
            with pytest.raises(TypeError, match=name):
                native.apply(name, *(gpuarray.to_gpu(each) for each in given))
            continue
        got = native.apply(name, *(gpuarray.to_gpu(each) for each in given))
        for ours, theirs in zip(
            got if outputs == 2 else [got], wanted if outputs == 2 else [wanted], strict=True
        ):
            ours = ours.get()
            # A logarithm near 0 is what two larger ones leave of each other.
            terms = np.abs(np.maximum(*given)) if name.startswith("logaddexp") else 0
            assert_close(ours, theirs, name, dtype, terms)
        ran += 1
    assert ran
