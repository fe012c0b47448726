#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the tables of the driver's symbols from the headers of a CUDA toolkit.

usage: gen_procs.py procs TOOLKIT > procs.inc
       gen_procs.py per_thread TOOLKIT LIBLATHE_SOFT > per_thread.inc

procs.inc names every symbol of the toolkit's stub of libcuda and of cudaGL.h, cudaEGL.h and
cudaVDPAU.h, with the name and the first CUDA version under which cuGetProcAddress gives it. Those
are the typedefs PFN_<name>_v<version>[_ptds|_ptsz] of the toolkit: the n-th version of a name is
its n-th symbol.

per_thread.inc has the signatures of the per-thread default stream's variants of all functions that
the library implements (its strong symbols); build the library before, and again after.
"""

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

HEADERS = ("cuda", "cudaProfiler", "cudaGL", "cudaEGL", "cudaVDPAU")
WINDOWS_ONLY = {"cuWGLGetDevice"}


class Proc(NamedTuple):
    name: str
    version: int
    symbol: str
    per_thread: bool
    parameters: str


def symbols_of(library: Path) -> dict[str, str]:
    """Name to type letter of nm."""
    listing = subprocess.run(
        ["nm", "-D", "--defined-only", str(library)], check=True, capture_output=True, text=True
    ).stdout
    fields = (line.split() for line in listing.splitlines())
    return {f[2].split("@")[0]: f[1] for f in fields if f[2].startswith("cu")}


def symbol_version(symbol: str) -> int:
    match = re.search(r"_v(\d+)", symbol)
    return int(match[1]) if match else 1


def procs(toolkit: Path) -> list[Proc]:
    stub = set(symbols_of(toolkit / "lib64/stubs/libcuda.so"))
    typedef = re.compile(r"\*\s*PFN_(cu\w+?)_v(\d+)(_pt[sd][sz])?\)\(([^)]*)\)")
    found: list[Proc] = []
    for header in HEADERS:
        text = (toolkit / f"include/{header}Typedefs.h").read_text(encoding="utf-8")
        families: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
        for name, version, suffix, parameters in typedef.findall(text):
            families[name, suffix].setdefault(int(version), parameters)
        for (name, suffix), versions in families.items():
            if name in WINDOWS_ONLY:
                continue
            pattern = re.compile(rf"{name}(_v\d+)?{suffix}")
            symbols = sorted((s for s in stub if pattern.fullmatch(s)), key=symbol_version)
            if not symbols:  # not in the stub: the GL, EGL and VDPAU functions
                newest = len(families[name, ""])
                ranks = [newest] if suffix else range(1, newest + 1)
                symbols = [f"{name}_v{r}{suffix}" if r > 1 else f"{name}{suffix}" for r in ranks]
            if len(symbols) != len(versions):
                sys.exit(f"{name}{suffix}: versions {sorted(versions)} but symbols {symbols}")
            found += [
                Proc(name, version, symbol, bool(suffix), parameters)
                for (version, parameters), symbol in zip(
                    sorted(versions.items()), symbols, strict=True
                )
            ]
    missing = stub - {proc.symbol for proc in found}
    if missing:
        sys.exit(f"no typedef for {sorted(missing)}")
    return sorted(found, key=lambda p: (p.name, p.per_thread, p.version))


def argument(parameter: str) -> str:
    function = re.search(r"\(\*(\w+)\)", parameter)
    match = function or re.search(r"(\w+)\s*(\[\w*\])?$", parameter)
    assert match, parameter
    return match[1]


def main() -> None:
    what, toolkit = sys.argv[1], Path(sys.argv[2])
    print("// SPDX-License-Identifier: MIT")
    if what == "procs":
        print(
            "// Written by gen_procs.py: name, first CUDA version, whether stream 0 is per thread,"
            "\n// symbol."
        )
        for p in procs(toolkit):
            per_thread = str(p.per_thread).lower()
            print(f'LATHE_CU_PROC("{p.name}", {p.version}, {per_thread}, {p.symbol})')
        return
    implemented = {s for s, kind in symbols_of(Path(sys.argv[3])).items() if kind == "T"}
    print(
        "// Written by gen_procs.py: symbol, the function behind it, parameters, arguments. Macros "
        "of\n// cuda.h that give names newer symbols end here."
    )
    for p in procs(toolkit):
        base = re.sub(r"_pt[sd][sz]$", "", p.symbol)
        if p.per_thread and base in implemented:
            parameters = [re.sub(r"\s+", " ", part.strip()) for part in p.parameters.split(",")]
            arguments = ", ".join(argument(part) for part in parameters)
            print(
                f"#undef {base}\nLATHE_CU_PER_THREAD({p.symbol}, {base},\n"
                f"    ({', '.join(parameters)}),\n    ({arguments}))"
            )


main()
