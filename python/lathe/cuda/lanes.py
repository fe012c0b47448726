# SPDX-License-Identifier: MIT
"""Elements of arrays that one access brings or takes, for snippets that index the array as ever.

``const lathe_lanes<const float> x{...}`` stands for an array in a block of a kernel: ``x[i]`` is
one of the neighbours that were loaded together. The compiler makes plain registers of them, since
it knows each index.
"""

from __future__ import annotations

from collections.abc import Iterable

from lathe.cuda.c_arguments import Argument, dtype_to_ctype

_TYPES = """template <class T> struct {align} lathe_group {{ T of[{many}]; }};
template <class T> struct lathe_lanes {{
    T* all;
    size_t begin;
    __device__ __forceinline__ T& operator[](size_t i) const {{ return all[i - begin]; }}
}};
"""


def lane_types(many: int, aligned: bool) -> str:
    """The types, for groups of `many` elements: `aligned` ones begin at addresses of their size."""
    return _TYPES.format(many=many, align=f"__align__(sizeof(T) * {many})" if aligned else "")


def has_lanes(argument: Argument) -> bool:
    """Whether its type is one of numbers: a structure might not be made without values."""
    return argument.dtype.kind != "V"


def load_lanes(arrays: Iterable[Argument], first: str, indent: str) -> str:
    """Statements that load the groups from element `first` on, under the arrays' own names."""
    text = ""
    for each in arrays:
        name, ctype = each.name, dtype_to_ctype(each.dtype)
        group = f"const lathe_group<{ctype}>"
        text += f"{group} lathe_of_{name} = *({group}*)({name} + {first});\n{indent}"
        text += f"const lathe_lanes<const {ctype}> {name}{{lathe_of_{name}.of, {first}}};\n{indent}"
    return text


def set_lanes(arrays: Iterable[Argument], first: str, indent: str) -> tuple[str, str]:
    """Statements that begin groups which will be set, and those that then store them."""
    begin, end = "", ""
    for each in arrays:
        name, ctype = each.name, dtype_to_ctype(each.dtype)
        group = f"lathe_group<{ctype}>"
        begin += f"{group} lathe_of_{name};\n{indent}"
        begin += f"{group}* const lathe_to_{name} = ({group}*)({name} + {first});\n{indent}"
        begin += f"const lathe_lanes<{ctype}> {name}{{lathe_of_{name}.of, {first}}};\n{indent}"
        end += f"*lathe_to_{name} = lathe_of_{name};\n{indent}"
    return begin, end
