# SPDX-License-Identifier: MIT
"""A roofline as SVG: both axes by powers of ten, roofs as lines, kernels as points."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lathe.rooflines import KernelRate, Roofline

__all__ = ["svg"]

_WIDTH, _HEIGHT = 760, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 20, 18, 48
_COLORS = ("#2f80d0", "#d9822b", "#2e9e5b", "#a55cc9", "#d0454f", "#1f9aa5")
_STYLE = """
text { font-family: system-ui, sans-serif; font-size: 12px; fill: #6b7686; }
.grid { stroke: #8d99ab; stroke-opacity: .25; }
.roof { stroke: #6b7686; stroke-width: 2; fill: none; }
.cache { stroke-dasharray: 6 5; }
.name { font-weight: 600; }
"""


class _Axes:
    """From values to pixels."""

    def __init__(self, points: list[KernelRate], roofline: Roofline) -> None:
        peaks = roofline.peaks
        ridge = peaks.flops / peaks.bandwidth
        xs = [rate.intensity for rate in points] + [ridge, peaks.flops / peaks.cache_bandwidth]
        ys = [rate.flops_per_second for rate in points] + [peaks.flops, peaks.double_flops]
        self.x0, self.x1 = _decades(min(xs) / 2, max(xs) * 4)
        low = min(*ys, self.x0 * peaks.bandwidth * 4)
        self.y0, self.y1 = _decades(low / 2, max(ys) * 1.3)

    def x(self, intensity: float) -> float:
        part = (math.log10(intensity) - math.log10(self.x0)) / math.log10(self.x1 / self.x0)
        return _LEFT + part * (_WIDTH - _LEFT - _RIGHT)

    def y(self, rate: float) -> float:
        part = (math.log10(rate) - math.log10(self.y0)) / math.log10(self.y1 / self.y0)
        return _HEIGHT - _BOTTOM - part * (_HEIGHT - _TOP - _BOTTOM)


def svg(roofline: Roofline) -> str:
    """An element that stands alone or in a page of HTML."""
    points = [
        rate
        for rate in roofline.kernels
        if rate.flops and rate.seconds and math.isfinite(rate.intensity)
    ]
    axes = _Axes(points, roofline)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'width="{_WIDTH}" height="{_HEIGHT}" role="img"><style>{_STYLE}</style>',
        *_grid(axes),
        *_roofs(axes, roofline),
        *_points(axes, points),
        "</svg>",
    ]
    return "\n".join(parts)


def _grid(axes: _Axes) -> list[str]:
    parts = []
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    for power in _powers(axes.x0, axes.x1):
        x = axes.x(power)
        parts.append(f'<line class="grid" x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{bottom}"/>')
        parts.append(_text(x, bottom + 17, _number(power), "middle"))
    for power in _powers(axes.y0, axes.y1):
        y = axes.y(power)
        parts.append(f'<line class="grid" x1="{_LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}"/>')
        parts.append(_text(_LEFT - 8, y + 4, _number(power / 1e9), "end"))
    parts.append(_text((_LEFT + right) / 2, _HEIGHT - 10, "operations for each byte", "middle"))
    parts.append(_text(_LEFT + 4, _TOP - 5, "Gflop/s", "start"))
    return parts


def _roofs(axes: _Axes, roofline: Roofline) -> list[str]:
    peaks = roofline.peaks
    parts = []
    kinds = [("float32", peaks.flops)]
    if any(rate.is_double for rate in roofline.kernels):
        kinds.append(("float64", peaks.double_flops))
    top = max(flops for _, flops in kinds)
    for name, bandwidth, style in (
        ("memory", peaks.bandwidth, "roof"),
        ("cache", peaks.cache_bandwidth, "roof cache"),
    ):
        x0 = max(axes.x0, axes.y0 / bandwidth)
        x1 = min(axes.x1, top / bandwidth)
        parts.append(_line(axes, style, x0, x0 * bandwidth, x1, x1 * bandwidth))
        x = x0 * (x1 / x0) ** 0.2
        parts.append(
            _text(axes.x(x) - 6, axes.y(x * bandwidth) - 6,
                  f"{name} {bandwidth / 1e9:.3g} GB/s", "start", turn=_slope(axes))
        )  # fmt: skip
    steepest = max(peaks.bandwidth, peaks.cache_bandwidth)
    for name, flops in kinds:
        parts.append(_line(axes, "roof", min(axes.x1, flops / steepest), flops, axes.x1, flops))
        x = axes.x(min(axes.x1, top / steepest)) + 8  # no kernel is there: it were above the roof
        parts.append(_text(x, axes.y(flops) - 6, f"{name} {flops / 1e9:.3g} Gflop/s", "start"))
    return parts


def _points(axes: _Axes, points: list[KernelRate]) -> list[str]:
    parts = []
    taken: list[tuple[float, float]] = []  # places of names
    for number, rate in enumerate(points):
        color = _COLORS[number % len(_COLORS)]
        x, y = axes.x(rate.intensity), axes.y(rate.flops_per_second)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{color}"/>')
        below = y + 18
        while any(abs(below - other) < 13 and abs(x - at) < 80 for at, other in taken):
            below += 13
        taken.append((x, below))
        middle = min(max(x, _LEFT + 30), _WIDTH - _RIGHT - 30)
        parts.append(_text(middle, below, rate.kernel, "middle", color=color))
    return parts


def _slope(axes: _Axes) -> float:
    """Degrees of a line whose rate grows as its intensity does."""
    rise = axes.y(axes.y0 * 10) - axes.y(axes.y0)
    return math.degrees(math.atan2(rise, axes.x(axes.x0 * 10) - axes.x(axes.x0)))


def _line(axes: _Axes, style: str, x0: float, y0: float, x1: float, y1: float) -> str:
    return (
        f'<path class="{style}" d="M{axes.x(x0):.1f} {axes.y(y0):.1f} '
        f'L{axes.x(x1):.1f} {axes.y(y1):.1f}"/>'
    )


def _text(
    x: float, y: float, words: str, anchor: str, *, color: str = "", turn: float = 0.0
) -> str:
    more = f' class="name" style="fill:{color}"' if color else ""
    if turn:
        more += f' transform="rotate({turn:.1f} {x:.1f} {y:.1f})"'
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{html.escape(words)}</text>'


def _decades(low: float, high: float) -> tuple[float, float]:
    return 10.0 ** math.floor(math.log10(low)), 10.0 ** math.ceil(math.log10(high))


def _powers(low: float, high: float) -> list[float]:
    first, last = round(math.log10(low)), round(math.log10(high))
    return [10.0**power for power in range(first, last + 1)]


def _number(value: float) -> str:
    return f"{value:g}"
