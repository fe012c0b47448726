# SPDX-License-Identifier: MIT
"""Texture and surface references of old sources, made into what CUDA 12 and newer compile.

``texture<float, 2, cudaReadModeElementType> image;`` at file scope becomes
``LATHE_T<float, 2, cudaReadModeElementType> image;``: a macro of lathe_references.hpp, as long as
the word it stands for, so that lines and columns stay. Comments and strings are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lathe.cuda.constants import array_format

_WORDS = {word: f"LATHE_{word[0].upper()}" for word in ("texture", "surface")}

_TOKEN = re.compile(
    r"""
    (?P<skip> \s+ | //(?:\\\n|[^\n])* | /\*.*?(?:\*/|\Z)
        | \#(?:\\\n|/\*.*?\*/|[^\n])*
        | R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"
        | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' )
    | (?P<word> [A-Za-z_]\w* )
    | (?P<other> [0-9][\w.']* | . )
    """,
    re.VERBOSE | re.DOTALL,
)

_FORMATS = {
    "char": (array_format.SIGNED_INT8, 1),
    "signed char": (array_format.SIGNED_INT8, 1),
    "unsigned char": (array_format.UNSIGNED_INT8, 1),
    "short": (array_format.SIGNED_INT16, 1),
    "short int": (array_format.SIGNED_INT16, 1),
    "unsigned short": (array_format.UNSIGNED_INT16, 1),
    "unsigned short int": (array_format.UNSIGNED_INT16, 1),
    "int": (array_format.SIGNED_INT32, 1),
    "unsigned": (array_format.UNSIGNED_INT32, 1),
    "unsigned int": (array_format.UNSIGNED_INT32, 1),
    "float": (array_format.FLOAT, 1),
    "fp_tex_float": (array_format.FLOAT, 1),
    "fp_tex_double": (array_format.SIGNED_INT32, 2),
    "fp_tex_cfloat": (array_format.UNSIGNED_INT32, 2),
    "fp_tex_cdouble": (array_format.SIGNED_INT32, 4),
}
for _name, _format in (
    ("char", array_format.SIGNED_INT8),
    ("uchar", array_format.UNSIGNED_INT8),
    ("short", array_format.SIGNED_INT16),
    ("ushort", array_format.UNSIGNED_INT16),
    ("int", array_format.SIGNED_INT32),
    ("uint", array_format.UNSIGNED_INT32),
    ("float", array_format.FLOAT),
):
    _FORMATS |= {f"{_name}{n}": (_format, n) for n in (1, 2, 4)}

_MODES = {"cudaReadModeElementType": True, "cudaReadModeNormalizedFloat": False}


@dataclass(frozen=True, slots=True)
class DeclaredReference:
    """One reference that a source declares.

    Attributes
    ----------
    name : str
    is_surface : bool
    format, channels
        Of its elements; None and 1 where their type is not a known one.
    reads_elements : bool or None
        Whether the read mode is cudaReadModeElementType; None where it is no such word.
    """

    name: str
    is_surface: bool = False
    format: int | None = None
    channels: int = 1
    reads_elements: bool | None = None


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    begin: int


def _tokens(source: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(source):
        if match["skip"] is None:
            yield _Token(match.group(), match.start())


def _arguments(tokens: list[_Token], k: int) -> tuple[list[str], int] | None:
    """The template arguments from the ``<`` at `k` on, and the place behind the ``>``."""
    arguments: list[list[str]] = [[]]
    open_brackets: list[str] = []
    while k < len(tokens):
        text = tokens[k].text
        inside = open_brackets[-1:]
        if text in ";{}":
            return None
        if text == ">" and open_brackets == ["<"]:
            return [" ".join(words) for words in arguments], k + 1
        if text == "," and open_brackets == ["<"]:
            arguments.append([])
        elif open_brackets:
            arguments[-1].append(text)
        if text == "(" or (text == "<" and inside != ["("]):
            open_brackets.append(text)
        elif (text == ")" and inside == ["("]) or (text == ">" and inside == ["<"]):
            open_brackets.pop()
        k += 1
    return None


def _declarators(tokens: list[_Token], k: int) -> list[str] | None:
    """The names up to the ``;``; None for what is no list of plain names."""
    names = []
    while k + 1 < len(tokens) and (tokens[k].text[0].isalpha() or tokens[k].text[0] == "_"):
        names.append(tokens[k].text)
        if tokens[k + 1].text == ";":
            return names
        if tokens[k + 1].text != ",":
            return None
        k += 2
    return None


def _reference(name: str, word: str, arguments: list[str]) -> DeclaredReference:
    if word == "surface":
        return DeclaredReference(name, is_surface=True)
    element = arguments[0].removeprefix("const ").strip()
    format_, channels = _FORMATS.get(element, (None, 1))
    mode = arguments[2] if len(arguments) > 2 else "cudaReadModeElementType"
    return DeclaredReference(name, False, format_, channels, _MODES.get(mode))


def rewrite(source: str) -> tuple[str, list[DeclaredReference]]:
    """The source with its references as variables, and what it declares.

    A source that declares none comes back as it is.
    """
    if not any(word in source for word in _WORDS):
        return source, []
    tokens = list(_tokens(source))
    found: list[DeclaredReference] = []
    edits: list[tuple[int, str]] = []  # of the same length as what they replace
    scopes: list[bool] = []  # whether each open brace is a namespace or extern "C"
    begin = 0  # of the present statement
    k = 0
    while k < len(tokens):
        token = tokens[k]
        if token.text == "{":
            words = {t.text for t in tokens[begin:k]}
            scopes.append("namespace" in words or words == {"extern"})
            begin = k + 1
        elif token.text in ";}":
            if token.text == "}" and scopes:
                scopes.pop()
            begin = k + 1
        elif (
            token.text in _WORDS
            and all(scopes)
            and k + 1 < len(tokens)
            and tokens[k + 1].text == "<"
            and all(t.text in ("static", "extern", "const") for t in tokens[begin:k])
        ):
            parsed = _arguments(tokens, k + 1)
            names = _declarators(tokens, parsed[1]) if parsed else None
            if parsed and names:
                before = source[tokens[begin].begin : token.begin]  # static and the like
                edits.append((tokens[begin].begin, re.sub(r"\S", " ", before)))
                edits.append((token.begin, _WORDS[token.text]))
                found += [_reference(name, token.text, parsed[0]) for name in names]
        k += 1
    for place, text in edits:
        source = source[:place] + text + source[place + len(text) :]
    return source, found


def restore(text: str) -> str:
    """The words of a source in a compiler's message about its rewritten form."""
    for word, macro in _WORDS.items():
        text = text.replace(macro, word)
    return text
