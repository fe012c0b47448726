# SPDX-License-Identifier: MIT
"""What PyCUDA's arrays have and NumPy's do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lathe.array.extensions import provided
from lathe.native import native

if TYPE_CHECKING:
    from typing import Self

Stream = native.Stream | None


class PycudaMethods(native.ArrayBase):
    """What `GPUArray` has under PyCUDA's names alone."""

    @property
    def _grid(self) -> tuple[int, int]:
        """With `_block` what ``splay`` chooses: programs pass both on to prepared calls."""
        return provided("launches").splay(self.size)[0]

    @property
    def _block(self) -> tuple[int, int, int]:
        return provided("launches").splay(self.size)[1]

    def mul_add(
        self, selffac: Any, other: Any, otherfac: Any, add_timer: Any = None,
        stream: Stream = None, out: Self | None = None,
    ) -> Self:  # fmt: skip
        """``selffac * self + otherfac * other`` in one kernel.

        `add_timer` is called with the number of elements and a function that gives the seconds.
        """
        if add_timer is None:
            return native.apply(
                "linear_combination", self, selffac, other, otherfac, out=out, stream=stream
            )
        begin, end = native.Event(), native.Event()
        begin.record(stream)
        result = self.mul_add(selffac, other, otherfac, stream=stream, out=out)
        end.record(stream)

        def seconds() -> float:
            end.synchronize()
            return end.time_since(begin) * 1e-3

        add_timer(self.size, seconds)
        return result

    def reverse(self, stream: Stream = None) -> Self:
        """A copy with the elements of one dimension in reverse order."""
        return native.copy_array(self[::-1], "C", stream)

    def bind_to_texref(self, texref: Any, allow_offset: bool = False) -> float:
        """Makes a texture reference read the array; returns the offset in elements."""
        return provided("textures").bind(self, texref, allow_offset)

    def bind_to_texref_ext(
        self, texref: Any, channels: int = 1, allow_double_hack: bool = False,
        allow_complex_hack: bool = False, allow_offset: bool = False,
    ) -> float:  # fmt: skip
        """The same, and sets the format.

        With `allow_double_hack` float64 is read as two int32 (`fp_tex_double` of
        pycuda-helpers.hpp), with `allow_complex_hack` complex numbers as pairs.
        """
        return provided("textures").bind_with_format(
            self, texref, channels, allow_double_hack, allow_complex_hack, allow_offset
        )
