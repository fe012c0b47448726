# SPDX-License-Identifier: MIT
"""Runs a script with kernels made for debuggers: ``python -m lathe.cuda.debug script.py``.

Kernels are compiled with ``-G``. On a GPU the script runs under cuda-gdb where that is installed;
the software device runs one thread at a time and checks each access, so that a fault names thread
and line. ``--here`` runs it without cuda-gdb.
"""

from __future__ import annotations

import os
import runpy
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

_STRICT = {"LATHE_SOFT_MODE": "scalar", "LATHE_SOFT_CHECKS": "exact", "LATHE_SOFT_ORDER": "record"}
_USAGE = "usage: python -m lathe.cuda.debug [--here] script.py [arguments]"


def main(arguments: Sequence[str]) -> int:
    """Runs a script, `pycuda` standing for `lathe.cuda`, and returns its status."""
    here = bool(arguments) and arguments[0] == "--here"
    script = list(arguments[1:] if here else arguments)
    if not script or script[0] in ("-h", "--help"):
        print(_USAGE)
        return 0 if script else 2
    if not Path(script[0]).is_file():
        print(f"lathe.cuda.debug: there is no file {script[0]}", file=sys.stderr)
        return 1
    for name, value in _STRICT.items():  # no GPU reads them
        os.environ.setdefault(name, value)
    from lathe import as_pycuda
    from lathe.cuda import driver
    from lathe.native import native

    driver.init()
    debugger = None if here or native.gpu_status()["is_software"] else shutil.which("cuda-gdb")
    if debugger:
        again = [sys.executable, "-m", "lathe.cuda.debug", "--here", *script]
        os.execv(debugger, [debugger, "--args", *again])
    driver.set_debugging()
    as_pycuda.install()
    sys.argv = script
    sys.path[0] = str(Path(script[0]).resolve().parent)
    runpy.run_path(script[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
