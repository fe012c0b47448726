# SPDX-License-Identifier: MIT
"""Fat binaries: machine code and PTX in one image, of which a driver takes what it can run.

The layout is that of files which fatbinary of CUDA 12 and 13 writes: a header, then entries, each
with a header before its bytes.
"""

from __future__ import annotations

import re
import struct

_MAGIC = 0xBA55ED50
_PTX, _CUBIN = 1, 2
_ENTRY = struct.Struct("<HHIQIIHHIIIQQQ")
_FLAGS = 0x11  # 64 bits, made on Linux
_NO_OPTIONS = struct.pack("<QQ", _ENTRY.size + 8, 0)  # an empty text, behind its place
_CUBIN_VERSION = (1, 8)


def _entry(kind: int, image: bytes, capability: tuple[int, int], version: tuple[int, int]) -> bytes:
    padded = image + bytes(-len(image) % 8)
    number = capability[0] * 10 + capability[1]
    options = _NO_OPTIONS if kind == _PTX else b""
    header = _ENTRY.pack(
        kind, 0x101, _ENTRY.size + len(options), len(padded), 0, _ENTRY.size if options else 0,
        version[1], version[0], number, 0, 0, _FLAGS, 0, 0,
    )  # fmt: skip
    return header + options + padded


def fat_binary(cubin: bytes, ptx: bytes, capability: tuple[int, int]) -> bytes:
    """A fat binary of both, for one compute capability."""
    found = re.search(rb"\.version\s+(\d+)\.(\d+)", ptx)
    version = (int(found[1]), int(found[2])) if found else (0, 0)
    entries = _entry(_PTX, ptx + b"\0", capability, version)
    entries += _entry(_CUBIN, cubin, capability, _CUBIN_VERSION)
    return struct.pack("<IHHQ", _MAGIC, 1, 16, len(entries)) + entries
