# SPDX-License-Identifier: MIT
"""``lathe doctor``: what is here, what is missing, and the command that brings it."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

from lathe import __version__
from lathe.cli.messages import load_engine

__all__ = ["doctor"]


def doctor() -> int:
    """Prints the report; 0 where an experiment would run."""
    load_engine()
    from lathe.native import native, resource_root

    rows: list[tuple[str, str]] = [
        ("lathe", f"{__version__}, files in {resource_root()}"),
        ("Python", f"{platform.python_version()}, NumPy {_version('numpy')}"),
    ]
    status = native.gpu_status()
    problems: list[tuple[str, str]] = [(what, mend) for what, mend in status["shortcomings"]]
    rows += _cuda_rows(status)
    gl_rows, gl_problem = _gl_rows(status["driver_ok"])
    rows += gl_rows
    if gl_problem:
        problems.append(gl_problem)
    ffmpeg = shutil.which("ffmpeg")
    rows.append(("ffmpeg", ffmpeg or "none: movies become folders of PNGs"))
    if not ffmpeg:
        problems.append(("ffmpeg is missing", "sudo apt-get install ffmpeg"))
    rows.append(("kernel cache", status["cache_folder"]))
    problems += _missing_packages()

    width = max(len(label) for label, _ in rows)
    for label, text in rows:
        print(f"{label:<{width}}  {text}")
    for what, mend in problems:
        print(f"\nmissing: {what}\n  this brings it: {mend}")
    return 0 if status["driver_ok"] and status["nvrtc_ok"] and not gl_problem else 1


def _missing_packages() -> list[tuple[str, str]]:
    problems = []
    uses = {
        "scipy": "--check of brain, cavity, galaxy, image_lab, ocean, pendulum and sph",
        "scikit-image": "image_lab, --check of brain",
        "nilearn": "brain",
    }
    for name, used_for in uses.items():
        if _version(name) is None:
            # Of nilearn only a file is read.
            options = ["--no-deps"] if name == "nilearn" else []
            command = shlex.join([sys.executable, "-m", "pip", "install", *options, name])
            problems.append((f"{name} is missing ({used_for})", command))
    return problems


def _cuda_rows(status: dict[str, Any]) -> list[tuple[str, str]]:
    rows = []
    if status["driver_ok"]:
        what = f"{status['driver_kind']}, CUDA {status['driver_version']}"
        rows.append(("CUDA driver", f"{what}, {status['driver_path']}"))
    else:
        rows.append(("CUDA driver", "none"))
    for i, device in enumerate(status["devices"]):
        major, minor = device["compute_capability"]
        size = (
            f"{device['multiprocessors']} multiprocessors, {device['total_bytes'] / 2**30:.1f} GiB"
        )
        rows.append((f"device {i}", f"{device['name']}, capability {major}.{minor}, {size}"))
    if status["is_software"]:
        rows += [("", text) for text in _about_software(status["driver_path"])]
    nvrtc = f"{status['nvrtc_version']}, {status['nvrtc_path']}" if status["nvrtc_ok"] else "none"
    rows.append(("NVRTC", nvrtc))
    return rows


def _about_software(library: str) -> list[str]:
    """What the software device is, what it does not do, and how other programs get at it."""
    lines = [
        "the software device: kernels run on the CPU, with a GPU's results and a CPU's speed",
        "it takes PTX (also in fat binaries), no machine code of GPUs: cuBLAS, cuFFT and other",
        "libraries of NVIDIA do not run on it, nor do programs built on the CUDA run time (cudart)",
        "it does not have: mapping of virtual memory (cuMemMap), clusters, a second device",
    ]
    if os.environ.get("LATHE_SOFT_CHECKS") == "pages":
        lines.append("accesses outside of allocations are found by pages (LATHE_SOFT_CHECKS=pages)")
    else:
        lines.append("every access of a kernel is checked, to the byte (LATHE_SOFT_CHECKS=exact)")
    folder = Path(library).resolve().parent / "libcuda"
    if (folder / "libcuda.so.1").exists():
        lines.append(f"other programs run on it with LD_LIBRARY_PATH={shlex.quote(str(folder))}")
    return lines


def _gl_rows(with_cuda: bool) -> tuple[list[tuple[str, str]], tuple[str, str] | None]:
    from lathe.native import native

    try:
        gl = native.gl_status()
    except native.Error as error:
        mend = "sudo apt-get install libegl1 libgl1-mesa-dri"
        return [("OpenGL", "none")], (str(error), mend)
    rows = [("OpenGL", f"{gl['version']}, {gl['renderer']} ({gl['window']})")]
    if not with_cuda:
        return [*rows, ("interop", "none without a CUDA driver")], None
    try:
        studio = native.Studio(
            title="lathe doctor", width=64, height=64, headless=True, ui=False, restore=False
        )
    except native.Error as error:
        mend = "LATHE_DEVICE=software lathe doctor, which tries the software CUDA device"
        return [*rows, ("interop", "none")], (str(error), mend)
    mode = native.interop_mode().name.replace("_", " ")
    rows.append(("interop", f"{mode}: {native.interop_reason()}"))
    del studio  # its GL context is what the answer is about
    return rows, None


def _version(package: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
