"""Charts as inline SVG: a radar of the metrics, and bars with their intervals. Colours come from the page's CSS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import cos, pi, sin
from typing import Any

Estimates = Mapping[str, Mapping[str, Any] | None]
"""Metric -> {mean, low, high, n}, or None where it does not apply."""


def radar(systems: Mapping[str, Estimates], axes: Sequence[tuple[str, str]], most: float) -> str:
    """One polygon a system; `axes` are (metric, title). A metric that a system has no score in is at the centre."""
    size, middle, reach = 460, 230, 150
    parts = [
        f'<svg class="radar" viewBox="-30 0 {size + 60} {size - 60}" role="img" aria-label="Radar of the mean scores">'
    ]
    parts += [_ring(len(axes), middle, reach * step / 4, most * step / 4) for step in range(1, 5)]
    for place, (_, title) in enumerate(axes):
        x, y = _point(place, len(axes), middle, reach)
        tx, ty = _point(place, len(axes), middle, reach + 22)
        anchor = "middle" if abs(tx - middle) < 10 else "start" if tx > middle else "end"
        parts.append(f'<line class="axis" x1="{middle}" y1="{middle - 30}" x2="{x:.1f}" y2="{y - 30:.1f}"/>')
        parts += _label(title, tx, ty - 26, anchor)
    for number, (name, found) in enumerate(systems.items()):
        values = [(found.get(metric) or {}).get("mean") or 0.0 for metric, _ in axes]
        points = [_point(place, len(axes), middle, reach * value / most) for place, value in enumerate(values)]
        line = " ".join(f"{x:.1f},{y - 30:.1f}" for x, y in points)
        parts.append(f'<polygon class="area s{number}" points="{line}"><title>{escape(name)}</title></polygon>')
        parts += [f'<circle class="dot s{number}" cx="{x:.1f}" cy="{y - 30:.1f}" r="3"/>' for x, y in points]
    return "".join([*parts, "</svg>"])


def _point(place: int, count: int, middle: float, radius: float) -> tuple[float, float]:
    angle = 2 * pi * place / max(count, 1) - pi / 2
    return middle + radius * cos(angle), middle + radius * sin(angle)


def _ring(count: int, middle: float, radius: float, value: float) -> str:
    line = " ".join(f"{x:.1f},{y - 30:.1f}" for x, y in (_point(p, count, middle, radius) for p in range(count)))
    mark = f'<text class="tick" x="{middle + 4}" y="{middle - 30 - radius + 11:.1f}">{value:g}</text>'
    return f'<polygon class="ring" points="{line}"/>{mark}'


def _label(title: str, x: float, y: float, anchor: str) -> list[str]:
    """Two words stand above each other."""
    lines = title.split(" ", 1)
    return [
        f'<text class="label" x="{x:.1f}" y="{y + 14 * number - 7 * (len(lines) - 1):.1f}" '
        f'text-anchor="{anchor}">{escape(line)}</text>'
        for number, line in enumerate(lines)
    ]


def bars(systems: Mapping[str, Estimates], axes: Sequence[tuple[str, str]], most: float) -> str:
    """For each metric one bar a system, with a whisker from the interval's low to its high end."""
    left, right, thick, gap = 10, 54, 15, 26
    width, scale = 560, (560 - 10 - 54) / most
    parts, y = list[str](), 6
    for metric, title in axes:
        parts.append(f'<text class="label" x="{left}" y="{y + 12}">{escape(title)}</text>')
        y += 20
        for number, (name, found) in enumerate(systems.items()):
            parts += _bar(number, name, found.get(metric), left, y, thick, scale, width - right)
            y += thick + 4
        y += gap - 12
    ticks = [
        f'<line class="grid" x1="{left + scale * most * step / 4:.1f}" y1="0" '
        f'x2="{left + scale * most * step / 4:.1f}" y2="{y}"/>'
        for step in range(5)
    ]
    svg = f'<svg class="bars" viewBox="0 0 {width} {y}" role="img" aria-label="Mean scores with 95% intervals">'
    return "".join([svg, *ticks, *parts, "</svg>"])


def _bar(
    number: int,
    name: str,
    found: Mapping[str, Any] | None,
    left: float,
    y: float,
    thick: float,
    scale: float,
    end: float,
) -> list[str]:
    if not found:
        return [f'<text class="tick" x="{left + 4}" y="{y + 12}">{escape(name)}: does not apply</text>']
    mean, low, high = (float(found[part]) for part in ("mean", "low", "high"))
    told = f"{name}: {mean:.2f} ({low:.2f} to {high:.2f}, {found['n']} scripts)"
    middle, a, b = y + thick / 2, left + low * scale, left + high * scale
    return [
        f'<g><title>{escape(told)}</title><rect class="bar s{number}" x="{left}" y="{y}" '
        f'width="{max(mean * scale, 1):.1f}" height="{thick}" rx="3"/>',
        f'<path class="whisker" d="M{a:.1f} {middle}H{b:.1f}M{a:.1f} {middle - 4}v8M{b:.1f} {middle - 4}v8"/>',
        f'<text class="value" x="{end + 6}" y="{y + 12}">{mean:.2f}</text></g>',
    ]
