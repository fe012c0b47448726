# SPDX-License-Identifier: MIT
"""Which variant of a kernel was the fastest, on disk: a small file for each device and question."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lathe.cuda import driver
from lathe.native import native

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Kept:
    """The best variant, and how all did."""

    values: dict[str, Any]
    milliseconds: float
    trials: list[dict[str, Any]]


def only_kernel(source: str) -> str:
    """The name of the one ``extern "C"`` kernel of a source.

    Raises
    ------
    ValueError
        Where there is none or there are several.
    """
    plain = re.sub(r"//[^\n]*|/\*.*?\*/", " ", source, flags=re.S)
    names = re.findall(
        r"__global__\s+(?:void|__launch_bounds__\s*\([^)]*\)|\s)+\s*([A-Za-z_]\w*)\s*\(", plain
    )
    if len(set(names)) != 1:
        found = ", ".join(names) or "none"
        raise ValueError(f"entry must name the kernel: the source has {found}")
    return str(names[0])


def place_of(
    variants: Sequence[tuple[str, Sequence[str], dict[str, Any]]], entry: str, key: str
) -> Path:
    """The file for this question on the current device; its name has all that decides."""
    current = driver.Context.get_current()
    device = driver.Context.get_device() if current else driver.Device(0)
    asked = {
        "version": _VERSION,
        "device": device.name(),
        "compute_capability": device.compute_capability(),
        "multiprocessors": device.get_attribute(driver.device_attribute.MULTIPROCESSOR_COUNT),
        "driver": driver.get_driver_version(),
        "nvrtc": native.gpu_status()["nvrtc_version"],
        "variants": [[text, list(options), values] for text, options, values in variants],
        "entry": entry,
        "key": key,
    }
    digest = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
    return Path(native.cache_directory()) / "tune" / f"{entry}-{digest[:32]}.json"


def read(place: Path) -> Kept | None:
    """What was kept there; nothing where there is no file, or one that cannot be used."""
    try:
        kept = Kept(**json.loads(place.read_text()))
        for values in (kept.values, *(trial["values"] for trial in kept.trials)):
            values.update({n: tuple(v) for n, v in values.items() if isinstance(v, list)})
        return kept if isinstance(kept.values, dict) and kept.milliseconds >= 0 else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def write(place: Path, kept: Kept) -> None:
    """Keeps it: a whole file or none. A folder that cannot be written is no error."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=place.parent, delete=False) as file:
            json.dump(asdict(kept), file, indent=1)
        os.replace(file.name, place)
    except OSError:
        pass
