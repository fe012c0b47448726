# SPDX-License-Identifier: MIT
"""Whether one thread may have several elements of a snippet in flight.

A snippet runs once for each ``i``, and nothing says which thread runs it or when. So a thread may
have several values of ``i``, one text after the other. That is fast only if the loads of all of
them come before the first store. The compiler may arrange it so if it knows that a store through
one array changes nothing that is read through another: ``__restrict__``. Nobody can tell the
difference if

1. the snippet does not see its thread: no thread indices, votes, barriers or shared memory, no way
   out of the loop, no change of ``i``;
2. it reaches memory by its array parameters alone, not by addresses that it makes or keeps;
3. no array that it may write shares memory with another of its arrays, unless the two are the same:
   then both names are one pointer. `elementwise_forms` looks at this for each launch.

Elements that depend on each other through one and the same array (``z[i] = z[i - 1] + x[i]``) stay
in order within a thread, because the compiler sees both accesses. In doubt the answer is no.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from lathe.cuda.kernel_operands import use_of

_SEES_THREAD = re.compile(
    r"\b(tid|total_threads|cta_start|(thread|block|grid)(Idx|Dim)|warpSize|asm"
    r"|__(sync|shfl|ballot|any|all|activemask|match|reduce|nanosleep|shared)\w*"
    r"|clock\w*|cooperative_groups|this_\w+|coalesced_threads)\b"
)
_LEAVES = re.compile(r"\b(return|goto|break)\b")
_CHANGES = r"\s*(=(?!=)|[-+*/%&|^]=|<<=|>>=|\+\+|--)"
_TYPES = r"\b(auto|bool|char|short|int|long|signed|unsigned|float|double|size_t|\w+_t)"
_OTHER_POINTER = re.compile(r"\*\s*[)>]|->|\buintptr_t\b")
_STATE = re.compile(
    r"__(device|constant|managed)__[^;(){}]*[;={]|\bstatic\b[^;(){}]*[;=]|\b(texture|surface)\s*<"
)
_REFERENCE = re.compile(r"[\w>]\s*&&?\s*\w")
_CONST_REFERENCE = re.compile(r"\bconst\s+[\w:<>]+\s*&")
_LOOP = re.compile(r"\b(for|while|do)\b")
_COUNTED_LOOP = re.compile(
    r"\bfor\s*\(\s*(?:(?:unsigned|int|short|long|size_t)\s+)+(?P<k>\w+)\s*=\s*(?P<first>\d+)\s*;"
    r"\s*(?P=k)\s*<(?P<with>=?)\s*(?P<end>\d+)\s*;\s*(?:\+\+\s*(?P=k)|(?P=k)\s*\+\+)\s*\)"
)
_BRANCH = re.compile(
    r"[{}#\"']|//|/\*|\b(if|else|switch|case|default|continue|break|return|goto|for|while|do)\b"
)
_OWN_ELEMENT = re.compile(r"\s*\[\s*i\s*\]")
_MACRO = re.compile(r"^[ \t]*#[ \t]*define(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
_OWN_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"', re.MULTILINE)


def is_changed(name: str, text: str) -> bool:
    """Whether `text` may set the variable itself, take its address, or declare another one."""
    word = re.escape(name)
    return bool(
        re.search(rf"(?<![\w.]){word}\b{_CHANGES}", text)
        or re.search(rf"(\+\+|--|(?<!&)&(?!&))\s*{word}\b(?!\s*\[)", text)
        or re.search(rf"{_TYPES}\s*[*&]*\s*\b{word}\b", text)
    )


def has_state(text: str) -> bool:
    """Whether it declares variables of a module, or textures: two modules would have two."""
    return _STATE.search(text) is not None


def has_references(text: str) -> bool:
    """Whether something may be written by another name. Where bits are joined by ``&``, too."""
    return _REFERENCE.search(_CONST_REFERENCE.sub("", text)) is not None


def is_value_only(name: str, text: str, preamble: str) -> bool:
    """Whether an array counts by the values of its elements ``i`` alone: each mention of it is
    ``name[i]``, and nobody writes there or takes its address."""
    spread = spread_text(text, preamble)
    if spread is None or is_changed("i", spread) or has_references(f"{text}\n{preamble}"):
        return False
    return _counts_by_element(name, spread) and use_of(name, spread) == (True, False)


def is_always_set(name: str, text: str, preamble: str) -> bool:
    """Whether element ``i`` of an array is set before all else that is done with it, whatever the
    values are, and no other element is touched: ``name[i] = ...`` is a statement of its own, in a
    text without branches."""
    spread = spread_text(text, preamble)
    if spread is None or is_changed("i", spread) or _BRANCH.search(text):
        return False
    mention = rf"(?<![\w.]){re.escape(name)}\b"
    if re.search(mention, spread[len(text) :]) or not _counts_by_element(name, text):
        return False
    if re.search(rf"&\s*{mention}", text):
        return False
    first = next(each for each in text.split(";") if re.search(mention, each))
    is_set = re.match(rf"\s*{mention}\s*\[\s*i\s*\]\s*=(?!=)", first)
    return is_set is not None and len(re.findall(mention, first)) == 1


def _counts_by_element(name: str, text: str) -> bool:
    ends = [found.end() for found in re.finditer(rf"(?<![\w.]){re.escape(name)}\b", text)]
    return bool(ends) and all(_OWN_ELEMENT.match(text, end) for end in ends)


def is_long(text: str, few_rounds: int = 64) -> bool:
    """Whether an element is work enough for a thread: several would only make the code longer.

    Loops of a number of rounds that nobody knows, and of more than `few_rounds`, those of several
    loops multiplied: 30 multiplications with additions are still quicker than memory is.
    """
    counts = [
        int(loop["end"]) - int(loop["first"]) + len(loop["with"])
        for loop in _COUNTED_LOOP.finditer(text)
    ]
    if len(counts) < len(_LOOP.findall(text)):
        return True
    return bool(counts) and math.prod(counts) > few_rounds


def spread_text(text: str, preamble: str) -> str | None:
    """The snippet with the macros that it may use; None if they may be in a file of the user's."""
    if _OWN_INCLUDE.search(preamble):
        return None
    return "\n".join((text, *_MACRO.findall(preamble)))


def is_independent(text: str, preamble: str, names: Sequence[str]) -> bool:
    """Whether points 1 and 2 hold.

    Parameters
    ----------
    text : str
        What runs for each ``i``.
    preamble : str
        Functions, constants and macros that it may use.
    names : sequence of str
        Of the array parameters, which the snippet may index, and must not move.
    """
    spread, both = spread_text(text, preamble), f"{text}\n{preamble}"
    if spread is None or _LEAVES.search(spread) or has_state(both):
        return False
    if _SEES_THREAD.search(both) or _OTHER_POINTER.search(both):
        return False
    return not any(is_changed(name, spread) for name in ("i", "n", *names))
