# SPDX-License-Identifier: MIT
"""The transforms, with NumPy's arguments; `fft` and `fftn` say what they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex

from lathe.array.gpu_array import GPUArray, Stream
from lathe.fft import device, host
from lathe.fft.work import Kind, check_out, plan, swapped
from lathe.native import native

_Sizes = Sequence[SupportsIndex] | None


def _transform(
    a: GPUArray, kind: Kind, is_inverse: bool, s: Any, axes: Any, norm: str | None,
    out: GPUArray | None, stream: Stream,
) -> GPUArray:  # fmt: skip
    work = plan(a, kind, is_inverse, s, axes, norm)
    shape, dtype = work.shape(a.shape), work.dtype(a.dtype)
    if out is not None:
        check_out(out, shape, dtype)
    if host.does_the_work():
        made = GPUArray(shape, dtype, a.allocator) if out is None else out
        host.transform(a, made, work, stream)
        return made
    result = device.transform(a, work, stream)
    if out is None:
        return result if result.dtype == dtype else result.astype(dtype, stream)
    if out.size:
        native.assign_array(out, result.astype(out.dtype, stream, copy=False), stream)
    return out


def _one(n: SupportsIndex | None) -> _Sizes:
    return None if n is None else (n,)


def fft(
    a: GPUArray, n: SupportsIndex | None = None, axis: SupportsIndex = -1,
    norm: str | None = None, out: GPUArray | None = None, *, stream: Stream = None,
) -> GPUArray:  # fmt: skip
    """The Fourier transform along an axis: sums of ``a[k] * exp(-2j * pi * k * m / n)``.

    Parameters
    ----------
    a : GPUArray
        Of any numbers and strides. float32 and complex64 give complex64, float16, too; others
        complex128.
    n : int, optional
        So many elements of the axis, or zeros behind them; its length unless given.
    axis : int
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is divided by the length; "ortho": both, by its root.
    out : GPUArray, optional
        Takes the result.
    stream : Stream, optional

    Raises
    ------
    ValueError
        For lengths below 1, another `norm`, an `out` of another shape.
    TypeError
        For what is no array on the device, an `out` that does not take the type.
    numpy.exceptions.AxisError
        For axes that are not there.
    ImportError
        On a GPU, where there is no cuFFT.
    """
    return _transform(a, "complex", False, _one(n), (axis,), norm, out, stream)


def ifft(
    a: GPUArray, n: SupportsIndex | None = None, axis: SupportsIndex = -1,
    norm: str | None = None, out: GPUArray | None = None, *, stream: Stream = None,
) -> GPUArray:  # fmt: skip
    """What `fft` did, undone. `fft` has the parameters."""
    return _transform(a, "complex", True, _one(n), (axis,), norm, out, stream)


def rfft(
    a: GPUArray, n: SupportsIndex | None = None, axis: SupportsIndex = -1,
    norm: str | None = None, out: GPUArray | None = None, *, stream: Stream = None,
) -> GPUArray:  # fmt: skip
    """`fft` of real numbers: the ``n // 2 + 1`` frequencies that are not negative, as the others
    are their conjugates. `fft` has the parameters."""
    return _transform(a, "real", False, _one(n), (axis,), norm, out, stream)


def irfft(
    a: GPUArray, n: SupportsIndex | None = None, axis: SupportsIndex = -1,
    norm: str | None = None, out: GPUArray | None = None, *, stream: Stream = None,
) -> GPUArray:  # fmt: skip
    """What `rfft` did, undone; `n` is the length of the result, an even one unless given. `fft` has
    the other parameters."""
    return _transform(a, "to_real", True, _one(n), (axis,), norm, out, stream)


def hfft(
    a: GPUArray, n: SupportsIndex | None = None, axis: SupportsIndex = -1,
    norm: str | None = None, out: GPUArray | None = None, *, stream: Stream = None,
) -> GPUArray:  # fmt: skip
    """`fft` of a signal that is its own conjugate backwards, of which half is given: real. `irfft`
    has the parameters."""
    if isinstance(a, GPUArray) and a.dtype.kind == "c":
        a = native.apply("conjugate", a, stream=stream)
    return irfft(a, n, axis, swapped(norm), out, stream=stream)


def ihfft(
    a: GPUArray, n: SupportsIndex | None = None, axis: SupportsIndex = -1,
    norm: str | None = None, out: GPUArray | None = None, *, stream: Stream = None,
) -> GPUArray:  # fmt: skip
    """What `hfft` did, undone. `fft` has the parameters."""
    made = rfft(a, n, axis, swapped(norm), out, stream=stream)
    if made.size:
        native.apply("conjugate", made, out=made, stream=stream)
    return made


def fftn(
    a: GPUArray, s: _Sizes = None, axes: Sequence[SupportsIndex] | None = None,
    norm: str | None = None, out: GPUArray | None = None, *, stream: Stream = None,
) -> GPUArray:  # fmt: skip
    """`fft` along several axes, all unless given.

    Parameters
    ----------
    s : sequence of int, optional
        A length for each axis; -1: its own.
    axes : sequence of int, optional
    a, norm, out, stream
        As of `fft`; errors, too.
    """
    return _transform(a, "complex", False, s, axes, norm, out, stream)


def ifftn(
    a: GPUArray, s: _Sizes = None, axes: Sequence[SupportsIndex] | None = None,
    norm: str | None = None, out: GPUArray | None = None, *, stream: Stream = None,
) -> GPUArray:  # fmt: skip
    """What `fftn` did, undone. `fftn` has the parameters."""
    return _transform(a, "complex", True, s, axes, norm, out, stream)


def rfftn(
    a: GPUArray, s: _Sizes = None, axes: Sequence[SupportsIndex] | None = None,
    norm: str | None = None, out: GPUArray | None = None, *, stream: Stream = None,
) -> GPUArray:  # fmt: skip
    """`rfft` along the last of several axes, `fft` along the others. `fftn` has the parameters."""
    return _transform(a, "real", False, s, axes, norm, out, stream)


def irfftn(
    a: GPUArray, s: _Sizes = None, axes: Sequence[SupportsIndex] | None = None,
    norm: str | None = None, out: GPUArray | None = None, *, stream: Stream = None,
) -> GPUArray:  # fmt: skip
    """What `rfftn` did, undone. `fftn` has the parameters."""
    return _transform(a, "to_real", True, s, axes, norm, out, stream)


def fft2(
    a: GPUArray, s: _Sizes = None, axes: Sequence[SupportsIndex] | None = (-2, -1),
    norm: str | None = None, out: GPUArray | None = None, *, stream: Stream = None,
) -> GPUArray:  # fmt: skip
    """`fftn` of the last two axes."""
    return fftn(a, s, axes, norm, out, stream=stream)


def ifft2(
    a: GPUArray, s: _Sizes = None, axes: Sequence[SupportsIndex] | None = (-2, -1),
    norm: str | None = None, out: GPUArray | None = None, *, stream: Stream = None,
) -> GPUArray:  # fmt: skip
    """`ifftn` of the last two axes."""
    return ifftn(a, s, axes, norm, out, stream=stream)


def rfft2(
    a: GPUArray, s: _Sizes = None, axes: Sequence[SupportsIndex] | None = (-2, -1),
    norm: str | None = None, out: GPUArray | None = None, *, stream: Stream = None,
) -> GPUArray:  # fmt: skip
    """`rfftn` of the last two axes."""
    return rfftn(a, s, axes, norm, out, stream=stream)


def irfft2(
    a: GPUArray, s: _Sizes = None, axes: Sequence[SupportsIndex] | None = (-2, -1),
    norm: str | None = None, out: GPUArray | None = None, *, stream: Stream = None,
) -> GPUArray:  # fmt: skip
    """`irfftn` of the last two axes."""
    return irfftn(a, s, axes, norm, out, stream=stream)
