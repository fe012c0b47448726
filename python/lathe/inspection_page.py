# SPDX-License-Identifier: MIT
"""The inspector's report as one page of HTML: the source with its numbers beside it."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from lathe.html_page import document

if TYPE_CHECKING:
    from lathe.inspection_findings import Finding
    from lathe.inspection_report import Line, Report
    from lathe.rooflines import Roofline

__all__ = ["page"]

_STYLE = """
td.poor { color: var(--bad); font-weight: 600; }
tr.hazard td:last-child { background: var(--bad-paper); }
.finding { border-left: 4px solid var(--bad); background: var(--bad-paper); margin: .6rem 0;
           padding: .5rem .9rem; }
.finding p { margin: .2rem 0; } .finding code { font-size: 13px; }
pre { font: 13px/1.45 ui-monospace, monospace; overflow-x: auto; }
.legend { color: var(--quiet); font-size: .85rem; }
"""

_LEGEND = (
    "warps: how often warps of 32 threads ran the line; active: their threads that took part; "
    "sectors: of 32 bytes that an access of global memory touches, and as many as its bytes fill; "
    "banks: turns of shared memory for an access; divergent: branches at which a warp's threads "
    "part; atomics: turns of an atomic update."
)

_HEADS = ("line", "warps", "active", "sectors", "banks", "divergent", "atomics", "source")


def page(report: Report, title: str) -> str:
    """The whole page; styles are inside, and it loads nothing."""
    parts = [_finding(finding) for finding in report.findings]
    if report.roofline is not None:
        parts += ["<h2>Roofline</h2>", report.roofline.to_svg(), _roofline(report.roofline)]
    for (kernel, file), rows in _by_source(report).items():
        parts.append(f"<h2>{html.escape(kernel)} <small>{html.escape(file)}</small></h2>")
        parts.append(_table(rows, report.source(kernel, file), _hazards(report, kernel, file)))
    if not report.rows:
        parts.append("<p>No launch was inspected.</p>")
    parts.append(f'<p class="legend">{_LEGEND}</p>')
    return document(title, parts, _STYLE)


def _roofline(roofline: Roofline) -> str:
    return f"<pre>{html.escape(str(roofline))}</pre>"


def _by_source(report: Report) -> dict[tuple[str, str], list[Line]]:
    groups: dict[tuple[str, str], list[Line]] = {}
    for row in report.rows:
        groups.setdefault((row.kernel, row.file), []).append(row)
    return groups


def _finding(finding: Finding) -> str:
    title, *rest = str(finding).splitlines()
    lines = "".join(f"<p>{html.escape(line.strip())}</p>" for line in rest)
    return f'<div class="finding"><p><b>{html.escape(title)}</b></p>{lines}</div>'


def _hazards(report: Report, kernel: str, file: str) -> set[int]:
    threads = [
        thread
        for finding in report.findings
        if finding.kernel == kernel
        for thread in (finding.first, finding.second)
        if thread is not None
    ]
    return {thread.line for thread in threads if thread.file == file}


def _table(rows: list[Line], source: list[str], hazards: set[int]) -> str:
    known = {row.line: row for row in rows}
    most = max(row.executions for row in rows)
    first, last = min(known), max(known)
    numbers = range(max(1, first - 3), last + 3) if source else sorted(known)
    head = "".join(f"<th>{name}</th>" for name in _HEADS)
    lines = [f"<table><tr>{head}</tr>"]
    for number in numbers:
        if source and number > len(source):
            break
        text = source[number - 1] if source else known[number].text
        lines.append(_row(number, known.get(number), text, most, number in hazards))
    return "\n".join([*lines, "</table>"])


def _row(number: int, row: Line | None, text: str, most: int, hazard: bool) -> str:
    begin = '<tr class="hazard">' if hazard else "<tr>"
    code = f"<td>{html.escape(text)}</td>"
    if row is None:
        return f'{begin}<td class="number">{number}</td>{"<td></td>" * 6}{code}</tr>'
    heat = 0.05 + 0.4 * row.executions / most
    cells = [
        f'<td class="number">{number}</td>',
        f'<td style="background: rgba(var(--warm), {heat:.2f})">{row.executions}</td>',
        _cell(f"{row.active:.0%}", row.active < 0.5),
        _cell(
            f"{row.sectors_per_access:.1f} / {row.ideal_sectors_per_access:.1f}",
            row.sectors > 2 * row.ideal_sectors,
        )
        if row.global_accesses
        else "<td></td>",
        _cell(f"{row.bank_conflicts:.1f}", row.bank_conflicts >= 2) if row.shared_accesses
        else "<td></td>",
        _cell(f"{row.divergence:.0%}", row.divergence > 0.5) if row.branches else "<td></td>",
        _cell(f"{row.contention:.1f}", row.contention >= 4) if row.atomics else "<td></td>",
        code,
    ]  # fmt: skip
    return f"{begin}{''.join(cells)}</tr>"


def _cell(text: str, poor: bool) -> str:
    return f'<td class="poor">{text}</td>' if poor else f"<td>{text}</td>"
