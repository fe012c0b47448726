# SPDX-License-Identifier: MIT
"""Pages of HTML that stand alone: what they look like is inside, and they load nothing."""

from __future__ import annotations

import html
from collections.abc import Iterable

__all__ = ["document"]

_STYLE = """
:root { --ink: #1d2430; --paper: #ffffff; --quiet: #6b7686; --rule: #e3e7ee; --warm: 232, 138, 40;
        --good: #1b7f3b; --bad: #b3261e; --bad-paper: #fdecea; --code: #f7f8fa; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #dfe5ee; --paper: #14181f; --quiet: #8d99ab; --rule: #2a313c;
          --warm: 232, 138, 40; --good: #7ad197; --bad: #ff8a80; --bad-paper: #3a1f1e;
          --code: #191e26; } }
body { margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: var(--ink);
       background: var(--paper); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
h2 small { color: var(--quiet); font-weight: normal; }
table { border-collapse: collapse; width: 100%; background: var(--code); }
th { text-align: right; font-size: .75rem; color: var(--quiet); padding: .3rem .6rem;
     border-bottom: 1px solid var(--rule); font-weight: 600; }
th:last-child { text-align: left; width: 100%; }
td { font: 13px/1.45 ui-monospace, monospace; padding: 0 .6rem; text-align: right;
     white-space: pre; font-variant-numeric: tabular-nums; }
td:last-child { text-align: left; border-left: 1px solid var(--rule); }
td.number, th.number { color: var(--quiet); }
"""


def document(title: str, body: Iterable[str], style: str = "") -> str:
    """A whole page. The parts of its body are HTML; the title is text."""
    heading = html.escape(title)
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{heading}</title><style>{_STYLE}{style}</style></head><body>",
            f"<h1>{heading}</h1>",
            *body,
            "</body></html>",
        ]
    )
