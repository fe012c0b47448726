# SPDX-License-Identifier: MIT
"""Which thread touches which memory: a kernel's PTX, with a note written before each access.

Before each load, store, atomic and barrier stands code that adds a record to a list: the place in
the PTX, block, thread and address. It runs on every device.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lathe.compute import asarray
from lathe.learn.launch import Launch
from lathe.native import native

__all__ = ["Site", "Step", "Trace", "instrumented", "trace"]

RECORDS = 1 << 14
_RECORD = np.dtype([("site", "<u4"), ("block", "<u4"), ("thread", "<u4"), ("_", "<u4"),
                    ("address", "<u8"), ("__", "<u8")])  # fmt: skip

_ACCESS = re.compile(
    r"^\s*(?:@(?P<no>!?)(?P<guard>%p\d+)\s+)?(?P<what>ld|st|atom|red)\."
    r"(?:volatile\.|relaxed\.\w+\.)?(?P<space>global|shared)(?P<type>[.\w:]*)\s[^\[]*"
    r"\[(?P<base>[%\w$]+)(?:\+(?P<offset>-?\d+))?\]"
)
_BARRIER = re.compile(r"^\s*(?P<what>bar|barrier)\.(?:cta\.)?sync")
_LOC = re.compile(r"^\s*\.loc\s+\d+\s+(\d+)")
_PLACES = """
.visible .global .align 4 .u32 lathe_trace_count;
.visible .global .align 16 .b8 lathe_trace[{bytes}];
"""
_NOTE = """{{
.reg .pred %lp;
.reg .b32 %lr<12>;
.reg .b64 %ld<5>;
{skip}
mov.u64 %ld1, {base};
add.s64 %ld1, %ld1, {offset};
atom.global.add.u32 %lr1, [lathe_trace_count], 1;
setp.ge.u32 %lp, %lr1, {records};
@%lp exit;
mov.u32 %lr2, %ctaid.y;
mov.u32 %lr3, %nctaid.x;
mov.u32 %lr4, %ctaid.x;
mad.lo.u32 %lr5, %lr2, %lr3, %lr4;
mov.u32 %lr6, %tid.y;
mov.u32 %lr7, %ntid.x;
mov.u32 %lr8, %tid.x;
mad.lo.u32 %lr9, %lr6, %lr7, %lr8;
mul.wide.u32 %ld2, %lr1, 32;
mov.u64 %ld3, lathe_trace;
add.s64 %ld3, %ld3, %ld2;
st.global.u32 [%ld3], {site};
st.global.u32 [%ld3+4], %lr5;
st.global.u32 [%ld3+8], %lr9;
st.global.u64 [%ld3+16], %ld1;
}}
$LATHE_{site}:
"""


@dataclass(frozen=True, slots=True)
class Site:
    """An access in the code."""

    line: int
    what: str
    """``read``, ``write``, ``atomic`` or ``barrier``."""
    space: str
    """``global``, ``shared``, or nothing for a barrier."""
    bytes: int


@dataclass(frozen=True, slots=True)
class Step:
    """One access by all threads that do it: the same place in the code, for the same time.

    Attributes
    ----------
    site : Site
    name : str
        Of the array, ``shared``, or nothing.
    blocks, threads, cells : (n,) int64
        Numbers of blocks, of threads in them, and of elements of 4 bytes in the array.
    """

    site: Site
    name: str
    blocks: NDArray[np.int64]
    threads: NDArray[np.int64]
    cells: NDArray[np.int64]


@dataclass(slots=True)
class Trace:
    """The steps of a launch, and the arrays as it left them."""

    launch: Launch
    steps: list[Step] = field(default_factory=list)
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    fault: str = ""


def instrumented(ptx: str) -> tuple[str, list[Site]]:
    """PTX with a note before each access of global and shared memory and each barrier."""
    sites: list[Site] = []
    out: list[str] = []
    line = 0
    placed = False
    for text in ptx.split("\n"):
        if not placed and text.lstrip().startswith((".visible .entry", ".entry", ".func")):
            out.append(_PLACES.format(bytes=RECORDS * _RECORD.itemsize))
            placed = True
        if found := _LOC.match(text):
            line = int(found[1]) or line
        if access := _ACCESS.match(text):
            what = {"ld": "read", "st": "write"}.get(access["what"], "atomic")
            size = _bytes(access["type"])
            skip = ""
            if guard := access["guard"]:
                skip = f"@{'' if access['no'] else '!'}{guard} bra $LATHE_{len(sites)};"
            out.append(_note(len(sites), access["base"], access["offset"] or "0", skip))
            sites.append(Site(line, what, access["space"], size))
        elif _BARRIER.match(text):
            out.append(_note(len(sites), "0", "0", ""))
            sites.append(Site(line, "barrier", "", 0))
        out.append(text)
    return "\n".join(out), sites


def _note(site: int, base: str, offset: str, skip: str) -> str:
    return _NOTE.format(site=site, base=base, offset=offset, skip=skip, records=RECORDS)


def _bytes(kind: str) -> int:
    lanes = 4 if ".v4" in kind else 2 if ".v2" in kind else 1
    found = re.findall(r"\.[busf](\d+)", kind)
    return lanes * (int(found[-1]) // 8 if found else 4)


def trace(source: str, entry: str, launch: Launch) -> Trace:
    """Runs a launch and returns who touched what.

    Raises
    ------
    lathe.CompileError
        For a source that does not compile.

    Notes
    -----
    It waits for the launch. A launch that ends with a fault has the steps before it.
    """
    ptx = native.compile_image(source, ["-lineinfo", "-arch=compute_75"]).decode()
    text, sites = instrumented(ptx)
    module = native.module_from_buffer(text.encode() + b"\0")
    function = module.get_function(_entry_of(ptx, entry))
    there = [_with_spare(a, launch.spare) for a in launch.arguments]
    given = [asarray(a) if isinstance(a, np.ndarray) else a for a in there]
    made = Trace(launch)
    try:
        function(*given, grid=_three(launch.grid), block=_three(launch.block))
        native.Context.synchronize()
    except native.Error as error:
        made.fault = str(error)
    records = _records(module)
    places = [(launch.names[i], a.ptr, a.nbytes) for i, a in enumerate(given) if i in launch.names]
    made.steps = _steps(records, sites, places)
    made.arrays = {launch.names[i]: a.get() for i, a in enumerate(given) if i in launch.names}
    return made


def _entry_of(ptx: str, entry: str) -> str:
    names = re.findall(r"\.entry\s+(\w+)", ptx)
    return next((name for name in names if entry in name), entry)


def _with_spare(argument: Any, spare: int) -> Any:
    if not isinstance(argument, np.ndarray):
        return argument
    return np.concatenate([argument.ravel(), np.full(spare, -1, argument.dtype)])


def _three(size: Any) -> tuple[int, int, int]:
    sizes = (size,) if isinstance(size, int) else tuple(size)
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def _records(module: Any) -> NDArray[Any]:
    counted = np.zeros(1, np.uint32)
    native.memcpy_dtoh(counted, module.get_global("lathe_trace_count")[0])
    records = np.zeros(RECORDS, _RECORD)
    native.memcpy_dtoh(records, module.get_global("lathe_trace")[0])
    return records[: min(int(counted[0]), RECORDS)]


def _steps(
    records: NDArray[Any], sites: list[Site], places: list[tuple[str, int, int]]
) -> list[Step]:
    """Groups the records of one site by how often their thread had come there, in their order."""
    times: dict[tuple[int, int, int], int] = {}
    groups: dict[tuple[int, int], list[int]] = {}
    for i, record in enumerate(records.tolist()):
        site, block, thread = record[:3]
        time = times.get((site, block, thread), 0)
        times[site, block, thread] = time + 1
        groups.setdefault((site, time), []).append(i)
    steps: list[Step] = []
    order = sorted(groups, key=lambda key: groups[key][0])
    for site, time in order:
        rows = records[groups[site, time]]
        what = sites[site]
        name, cells = what.space, rows["address"].astype(np.int64) // 4
        if what.space == "global":
            address = int(rows["address"][0])
            found = [p for p in places if p[1] <= address < p[1] + p[2]]
            if not found:
                continue
            name, start, _ = found[0]
            cells = (rows["address"].astype(np.int64) - start) // 4
        steps.append(
            Step(what, name, rows["block"].astype(np.int64), rows["thread"].astype(np.int64), cells)
        )
    return steps
