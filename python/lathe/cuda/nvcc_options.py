# SPDX-License-Identifier: MIT
"""nvcc's options as NVRTC's: what means the same is kept, what concerns the host is left out."""

from __future__ import annotations

from collections.abc import Sequence

# Of nvcc, without meaning where no host code is compiled and no files are kept.
_HOST_ONLY = {
    "-m64",
    "-O0",
    "-O1",
    "-O2",
    "-O3",
    "--keep",
    "-keep",
    "--cubin",
    "-cubin",
    "--ptx",
    "-ptx",
    "-v",
    "--verbose",
    "-shared",
    "-Wno-deprecated-gpu-targets",
}
_HOST_ONLY_WITH_VALUE = {
    "-Xcompiler",
    "--compiler-options",
    "-ccbin",
    "--compiler-bindir",
    "-Xlinker",
    "--linker-options",
    "-L",
    "--library-path",
    "-l",
    "--library",
    "--keep-dir",
    "-odir",
    "-O",
    "-code",
    "--gpu-code",
}
_RENAMED = {
    "-Xptxas": "--ptxas-options",
    "-D": "--define-macro",
    "-U": "--undefine-macro",
    "-I": "--include-path",
    "-include": "--pre-include",
    "-arch": "--gpu-architecture",
}
_REFUSED = {
    "-gencode": "name one target with arch=",
    "--generate-code": "name one target with arch=",
    "-x": "the source is always CUDA C++",
    "-o": "the image is returned, not written",
    "-run": "the kernel is launched from Python",
    "-c": "there is no object file",
}


def translate(options: Sequence[str]) -> list[str]:
    """Options for NVRTC.

    Raises
    ------
    ValueError
        For an option that cannot be followed, with the reason.
    """
    kept: list[str] = []
    rest = iter(options)
    for option in rest:
        if not isinstance(option, str):
            raise TypeError(f"options must be strings, got {option!r}")
        word, equals, value = option.partition("=")
        if word in _REFUSED:
            raise ValueError(f"nvcc's option {option} cannot be followed: {_REFUSED[word]}")
        if word in _HOST_ONLY_WITH_VALUE:
            if not equals:
                next(rest, None)
        elif option in _HOST_ONLY or _is_of_linker(option):
            pass
        elif word in _RENAMED:
            kept.append(f"{_RENAMED[word]}={value if equals else next(rest, '')}")
        else:
            kept.append(option)
    return kept


def _is_of_linker(option: str) -> bool:
    return option.startswith(("-L", "-l")) and not option.startswith("-lineinfo")
