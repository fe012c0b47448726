# SPDX-License-Identifier: MIT
"""The kernels of `lathe.cuda.curandom`: one module for each kind of generator and context."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lathe.cuda import driver
from lathe.cuda.compiler import SourceModule
from lathe.cuda.memoize import context_dependent_memoize
from lathe.cuda.random_tables import mrg32k3a_tables, xorwow_tables
from lathe.native import native

_HEAD = """#include <lathe_generators.hpp>
using namespace lathe::random;
typedef {state} State;
{launch}
"""

# One generator a thread: thread t makes elements, or pairs of them, t, t + threads ...
_FILL = """
extern "C" __global__ void LAUNCH {name}(State* states, {type}* out{parameters},
                                         const size_t n) {{
    const size_t first = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t step = size_t(blockDim.x) * gridDim.x;
    if (first >= n) return;
    State state = states[first];
    for (size_t i = first; i < n; i += step) {{ {body} }}
    states[first] = state;
}}
"""

_SKIP = """
extern "C" __global__ void LAUNCH {name}(State* states, const size_t n, {parameter}{table}) {{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) states[i].{call};
}}
"""

_PREPARE = """
extern "C" __global__ void LAUNCH prepare(State* states, const size_t n, {parameters}
                                          const size_t offset) {{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) states[i].seed({arguments});
}}
"""


def _fills(box_muller: bool, wide: bool) -> list[tuple[str, str, str, str, str]]:
    """Name, type, parameters, what is done with element i, and the parameters' codes."""
    upper = " >> 32" if wide else ""
    made = [
        ("uniform_int", "unsigned", "", f"out[i] = unsigned(state.bits(){upper});", ""),
        ("uniform_float", "float", "", "out[i] = state.uniform();", ""),
        ("uniform_double", "double", "", "out[i] = state.uniform_double();", ""),
        ("poisson_int", "unsigned", ", const double mean", "out[i] = state.poisson(mean);", "d"),
    ]
    if wide:
        made.append(("uniform_long", "unsigned long long", "", "out[i] = state.bits();", ""))
    for type_, kind in (("float", "float"), ("double", "double"), ("unsigned", "int")):
        made.append(
            (f"poisson_inplace_{kind}", type_, "", "out[i] = state.poisson(double(out[i]));", "")
        )
    for type_, suffix, code in (("float", "", "f"), ("double", "_double", "d")):
        log = f", const {type_} mean, const {type_} deviation"
        one = f"state.normal{suffix}()"
        made.append((f"normal_{type_}", type_, "", f"out[i] = {one};", ""))
        made.append(
            (
                f"normal_log_{type_}",
                type_,
                log,
                f"out[i] = exp(mean + deviation * {one});",
                code * 2,
            )
        )
        if not box_muller:
            continue
        pair = f"const auto pair = state.normal2{suffix}();"
        made.append(
            (
                f"normal_{type_}2",
                type_,
                "",
                f"{pair} out[2 * i] = pair.x; out[2 * i + 1] = pair.y;",
                "",
            )
        )
        both = (
            "out[2 * i] = exp(mean + deviation * pair.x);"
            " out[2 * i + 1] = exp(mean + deviation * pair.y);"
        )
        made.append((f"normal_log_{type_}2", type_, log, f"{pair} {both}", code * 2))
    return made


def device_attribute(name: str) -> int:
    """Of the current context's device, or of that which would be current."""
    is_current = driver.Context.get_current() is not None
    device = driver.Context.get_device() if is_current else driver.Device(0)
    return int(device.get_attribute(getattr(driver.device_attribute, name)))


class Kernels:
    """A module with its kernels, prepared, by PyCUDA's names.

    Attributes
    ----------
    fills : dict
        Takes the states, an array and how many elements or pairs of them.
    skips : dict
        Takes the states, how many there are, a number or an array of them, and the table.
    state_bytes : int
    """

    def __init__(
        self,
        state: str,
        parameters: tuple[str, str, str],
        skips: dict[str, str],
        skip_type: str,
        box_muller: bool,
        table: Callable[[], np.ndarray[Any, Any]] | None,
    ) -> None:
        wide = "u64" in state
        threads = device_attribute("MAX_THREADS_PER_BLOCK")
        launch = f"#define LAUNCH __launch_bounds__({threads})"
        fills = _fills(box_muller, wide)
        kinds = {"unsigned": "I", "u64": "Q"}
        pointer, last = (", const unsigned* table", "P") if table else ("", "")
        source = _HEAD.format(state=state, launch=launch)
        source += 'extern "C" __global__ void state_bytes(int* to) { *to = sizeof(State); }\n'
        for name, type_, more, body, _ in fills:
            source += _FILL.format(name=name, type=type_, parameters=more, body=body)
        for name, method in skips.items():
            for array in ("", "_array"):
                what = f"const {skip_type}{'* ' if array else ' '}count"
                call = f"{method}(count{'[i]' if array else ''}{', table' if table else ''})"
                source += _SKIP.format(name=name + array, parameter=what, table=pointer, call=call)
        source += _PREPARE.format(parameters=parameters[0], arguments=parameters[1])
        self.module = SourceModule(source, no_extern_c=True)
        self.table = driver.to_device(table()) if table else None
        self.fills = {
            name: self.module.get_function(name).prepare("PP" + codes + "N")
            for name, _, _, _, codes in fills
        }
        self.skips: dict[str, native.Kernel] = {}
        for name in skips:
            for array, code in (("", kinds[skip_type]), ("_array", "P")):
                function = self.module.get_function(name + array)
                self.skips[name + array] = function.prepare("PN" + code + last)
        self.prepare = self.module.get_function("prepare").prepare(parameters[2])
        size = np.zeros(1, np.int32)
        self.module.get_function("state_bytes")(driver.Out(size), block=(1, 1, 1))
        self.state_bytes = int(size[0])
        self.threads = threads


_SKIPS = {"skip_ahead": "skip", "skip_ahead_sequence": "skip_sequence"}
_SEEDS = (
    "const unsigned* seeds, const unsigned* table, ",
    "seeds[i], i, offset, table",
    "PNPPN",
)


@context_dependent_memoize
def xorwow_kernels() -> Kernels:
    """Those of XORWOW."""
    return Kernels("Xorwow", _SEEDS, _SKIPS, "u64", True, xorwow_tables)


@context_dependent_memoize
def mrg32k3a_kernels() -> Kernels:
    """Those of MRG32k3a."""
    skips = {**_SKIPS, "skip_ahead_subsequence": "skip_subsequence"}
    return Kernels("Mrg32k3a", _SEEDS, skips, "u64", True, mrg32k3a_tables)


@context_dependent_memoize
def sobol_kernels(bits: int) -> Kernels:
    """Those of Sobol's sequences, plain and scrambled, of 32 or 64 bits."""
    word = "unsigned" if bits == 32 else "u64"
    parameters = (
        f"const {word}* vectors, const {word}* shifts, ",
        f"vectors + i * {bits}, shifts ? shifts[i] : 0, offset",
        "PNPPN",
    )
    return Kernels(f"Sobol<{word}>", parameters, {"skip_ahead": "skip"}, word, False, None)
