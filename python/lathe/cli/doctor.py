# SPDX-License-Identifier: MIT
"""``lathe doctor``: what is here, what is missing, and the command that brings it."""

from __future__ import annotations

import json
import os
import platform
import shlex
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lathe import __version__
from lathe.cli.installation import (
    NILEARN,
    NO_DEPENDENCIES,
    cuda_packages,
    installation,
    pip_command,
    source_tree,
    version_of,
)
from lathe.cli.messages import load_engine

__all__ = ["doctor"]

_USES = {  # packages that come with no installation by themselves
    "scipy": "--check of brain, cavity, galaxy, image_lab, ocean, pendulum and sph",
    "scikit-image": "image_lab, --check of brain",
    NILEARN: "brain",
    "websockets": "lathe serve",
    "anywidget": "an App that is live in a notebook",
}


@dataclass(frozen=True, slots=True)
class Missing:
    """What is not there and the command that brings it; needed if nothing runs without it."""

    what: str
    command: str
    needed: bool = False


def doctor(as_json: bool = False) -> int:
    """Prints the report; 0 where an experiment would run."""
    load_engine()
    from lathe.native import native, resource_root

    rows: list[tuple[str, str]] = [
        ("lathe", f"{__version__}, files in {resource_root()}"),
        ("installed", installation()),
        ("Python", f"{platform.python_version()}, NumPy {version_of('numpy')}"),
    ]
    status = native.gpu_status()
    missing = [_shortcoming(what, mend, status) for what, mend in status["shortcomings"]]
    rows += _cuda_rows(status)
    gl_rows, gl_missing = _gl_rows(status["driver_ok"])
    rows += [*gl_rows, ("display", _display())]
    missing += gl_missing
    ffmpeg = shutil.which("ffmpeg")
    rows.append(
        ("ffmpeg", ffmpeg or "none: movies become folders of PNGs, and pages get JPEG only")
    )
    if not ffmpeg:
        missing.append(Missing("ffmpeg is missing", "sudo apt-get install ffmpeg"))
    rows.append(("kernel cache", status["cache_folder"]))
    missing += _missing_packages()

    runs = status["driver_ok"] and status["nvrtc_ok"] and not any(m.needed for m in missing)
    print(_as_json(rows, missing, runs) if as_json else _as_text(rows, missing))
    return 0 if runs else 1


def _as_text(rows: list[tuple[str, str]], missing: list[Missing]) -> str:
    width = max(len(label) for label, _ in rows)
    lines = [f"{label:<{width}}  {text}" for label, text in rows]
    for each in sorted(missing, key=lambda m: not m.needed):
        lines += [f"\nmissing: {each.what}", f"  this brings it: {each.command}"]
    return "\n".join(lines)


def _as_json(rows: list[tuple[str, str]], missing: list[Missing], runs: bool) -> str:
    found: dict[str, list[str]] = {}
    for label, text in rows:  # without a label: more about the one above
        found.setdefault(label or list(found)[-1], []).append(text)
    report = {"runs": runs, "found": found, "missing": [asdict(each) for each in missing]}
    return json.dumps(report, indent=2, ensure_ascii=False)


def _shortcoming(what: str, mend: str, status: dict[str, Any]) -> Missing:
    """Of the engine, whose words know no interpreter."""
    if what.startswith("NVRTC, the CUDA C++ compiler, was not found"):
        tree = source_tree()
        packages = cuda_packages(status["driver_version"])
        mend = (
            pip_command(*packages) if tree is None else shlex.quote(str(tree / "tools/bootstrap"))
        )
    needed = not (status["driver_ok"] and status["nvrtc_ok"])
    return Missing(what, mend, needed)


def _display() -> str:
    from lathe.native import native

    names = ("DISPLAY", "WAYLAND_DISPLAY")
    named = ", ".join(f"{name}={os.environ[name]}" for name in names if os.environ.get(name))
    if native.display_is_available():
        return named or "there is one"
    refused = f" ({named} does not answer)" if named else ""
    return f"none{refused}: lathe run writes a picture and a movie, without a window"


def _missing_packages() -> list[Missing]:
    missing = []
    for name, used_for in _USES.items():
        if version_of(name) is None:
            options = NO_DEPENDENCIES if name == NILEARN else ()
            command = pip_command(name, options=options)
            missing.append(Missing(f"{name} is missing ({used_for})", command))
    return missing


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


def _gl_rows(with_cuda: bool) -> tuple[list[tuple[str, str]], list[Missing]]:
    from lathe.native import native

    try:
        gl = native.gl_status()
    except native.Error as error:
        mend = "sudo apt-get install libegl1 libgl1-mesa-dri"
        return [("OpenGL", "none")], [Missing(str(error), mend, needed=True)]
    rows = [("OpenGL", f"{gl['version']}, {gl['renderer']} ({gl['window']})")]
    if not with_cuda:
        return [*rows, ("interop", "none without a CUDA driver")], []
    try:
        studio = native.Studio(
            title="lathe doctor", width=64, height=64, headless=True, ui=False, restore=False
        )
    except native.Error as error:
        mend = "LATHE_DEVICE=software lathe doctor, which tries the software CUDA device"
        return [*rows, ("interop", "none")], [Missing(str(error), mend, needed=True)]
    mode = native.interop_mode().name.replace("_", " ")
    rows.append(("interop", f"{mode}: {native.interop_reason()}"))
    del studio  # its GL context is what the answer is about
    return rows, []
