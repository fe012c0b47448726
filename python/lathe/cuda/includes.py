# SPDX-License-Identifier: MIT
"""A source with the files that it includes, such as keys of caches are made of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">].*$', re.MULTILINE)


def folders_of(options: Sequence[str]) -> list[Path]:
    """The folders of ``-Ia``, ``-I a``, ``--include-path=a`` and ``--include-path a``."""
    folders = []
    rest = iter(options)
    for option in rest:
        if not isinstance(option, str):
            raise TypeError(f"options must be strings, got {option!r}")
        word, equals, value = option.partition("=")
        if word in ("-I", "--include-path"):
            folders.append(value if equals else next(rest, ""))
        elif option.startswith("-I"):
            folders.append(option[2:])
    return [Path(folder) for folder in folders if folder]


def with_includes(source: str, options: Sequence[str]) -> str:
    """The source with each file of the folders in the place of its first ``#include``.

    Parameters
    ----------
    source : str
    options : sequence of str
        Those of the compiler.
    """
    folders = folders_of(options)
    seen: set[Path] = set()

    def expand(text: str, own: Path | None) -> str:
        def put(match: re.Match[str]) -> str:
            places = [own, *folders] if match[1] == '"' and own else folders
            for place in places:
                file = (place / match[2]).resolve()
                if file.is_file():
                    if file in seen:
                        return ""
                    seen.add(file)
                    return expand(file.read_text(errors="replace"), file.parent)
            return match[0]

        return _INCLUDE.sub(put, text)

    return expand(source, None)
