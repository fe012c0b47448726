# SPDX-License-Identifier: MIT
"""A run as one page of HTML: picture, sliders, checks, sources. What ``lathe report`` writes."""

from __future__ import annotations

import base64
import html
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lathe.html_page import document

if TYPE_CHECKING:
    from lathe.checks import Result

__all__ = ["RunPage"]

_STYLE = """
img { max-width: 100%; border-radius: 6px; display: block; }
table.facts { width: auto; margin: .8rem 0; }
table.facts td { text-align: left; border: 0; } table.facts td:first-child { color: var(--quiet); }
table.facts th { width: auto; text-align: left; }
table.facts td.pass { color: var(--good); }
table.facts td.fail { color: var(--bad); font-weight: 600; }
table.code td:last-child { width: 100%; }
summary { cursor: pointer; font-weight: 600; margin: .8rem 0 .3rem; }
pre { background: var(--code); padding: .5rem .9rem; overflow-x: auto; }
"""


@dataclass(slots=True)
class RunPage:
    """What a page tells.

    Attributes
    ----------
    title : str
        Of the page.
    picture : bytes
        A PNG file.
    facts : list of (str, str)
        Names and values: command, device, times.
    sliders : list of (str, str)
        Names and values.
    settings : str
        The same values, as a program writes them.
    checks : list of Result
        Empty where nothing was checked.
    sources : list of (str, str)
        Names and texts of the files.
    """

    title: str
    picture: bytes
    facts: list[tuple[str, str]] = field(default_factory=list)
    sliders: list[tuple[str, str]] = field(default_factory=list)
    settings: str = ""
    checks: list[Result] = field(default_factory=list)
    sources: list[tuple[str, str]] = field(default_factory=list)

    def html(self) -> str:
        """The whole page, which loads nothing."""
        picture = base64.b64encode(self.picture).decode()
        body = [f'<img alt="the picture" src="data:image/png;base64,{picture}">']
        body.append(_facts(self.facts))
        if self.sliders:
            body += ["<h2>Sliders</h2>", _facts(self.sliders)]
            body.append(f"<pre>{html.escape(self.settings)}</pre>")
        if self.checks:
            body += ["<h2>Checks</h2>", _checks(self.checks)]
        body.append("<h2>Code</h2>")
        body += [_source(name, text) for name, text in self.sources]
        return document(self.title, body, _STYLE)


def _facts(rows: list[tuple[str, str]]) -> str:
    lines = [f"<tr><td>{html.escape(a)}</td><td>{html.escape(b)}</td></tr>" for a, b in rows]
    return f'<table class="facts">{"".join(lines)}</table>'


def _checks(results: list[Result]) -> str:
    heads = "".join(f"<th>{head}</th>" for head in ("", "", "measured", "at most", ""))
    lines = [f"<tr>{heads}</tr>"]
    for result in results:
        kind, verdict = ("pass", "PASS") if result.passed else ("fail", "FAIL")
        cells = (result.what, f"{result.measured:.3g}", f"{result.limit:.3g}", result.unit)
        row = "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
        lines.append(f'<tr><td class="{kind}">{verdict}</td>{row}</tr>')
    return f'<table class="facts">{"".join(lines)}</table>'


def _source(name: str, text: str) -> str:
    lines = [
        f'<tr><td class="number">{number}</td><td>{html.escape(line)}</td></tr>'
        for number, line in enumerate(text.splitlines(), 1)
    ]
    table = f'<table class="code">{"".join(lines)}</table>'
    return f"<details open><summary>{html.escape(name)}</summary>{table}</details>"
