#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes procs.inc: what cuGetProcAddress knows (name, first CUDA version, symbol).

usage: gen_procs.py CUDA_INCLUDE LIBLATHE_SOFT > procs.inc

The versions are those of the typedefs in cudaTypedefs.h (PFN_<name>_v<version>); the n-th version
of a name belongs to its n-th symbol. Only symbols that the library exports are listed.
"""
import re
import subprocess
import sys


def main() -> None:
    include, library = sys.argv[1:3]
    listing = subprocess.run(["nm", "-D", "--defined-only", library], check=True,
                             capture_output=True, text=True).stdout
    exported = {line.split()[-1].split("@")[0] for line in listing.splitlines()}
    versions: dict[str, list[int]] = {}
    for header in ("cudaTypedefs.h", "cudaGLTypedefs.h", "cudaProfilerTypedefs.h"):
        text = open(f"{include}/{header}", encoding="utf-8").read()
        for name, version in re.findall(r"\*PFN_(cu\w+?)_v(\d+)\)", text):
            known = versions.setdefault(name, [])
            if int(version) not in known:
                known.append(int(version))
    print("// SPDX-License-Identifier: MIT")
    print("// Written by gen_procs.py: name, first CUDA version, symbol.")
    for name in sorted(versions):
        family = sorted({s for s in exported if re.fullmatch(rf"{name}(_v\d+)?", s)},
                        key=lambda s: int(re.search(r"_v(\d+)$", s)[1]) if "_v" in s else 1)
        for version in sorted(versions[name]):
            rank = sorted(versions[name]).index(version) + 1
            symbol = name if rank == 1 else f"{name}_v{rank}"
            if symbol not in family and rank == len(versions[name]) and name in family:
                symbol = name
            if symbol in family:
                print(f'LATHE_CU_PROC("{name}", {version}, "{symbol}")')


main()
