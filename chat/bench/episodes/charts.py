"""Inline SVG of a report: curves of scores over steps. Colours come from the page's style."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

W, H, LEFT, BELOW = 720, 270, 46, 30
"""Of the large curve, in SVG units: its size, and the room for the axes."""
SMALL_W, SMALL_H = 200, 72


def large(mean: Sequence[float], stop: float | None) -> str:
    """The mean score after every action; `stop` is where the stop rule begins to hold."""
    span, right, bottom = max(1, len(mean) - 1), W - 18, H - BELOW
    x, y = _scales(span, LEFT, right, bottom, 16)
    parts = []
    for level in range(0, 101, 25):
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{y(level):.1f}" y2="{y(level):.1f}"/>')
        parts.append(f'<text class="tick" x="{LEFT - 6}" y="{y(level) + 3.5:.1f}" text-anchor="end">{level}</text>')
    for taken in _ticks(span):
        parts.append(f'<text class="tick" x="{x(taken):.1f}" y="{H - 8}" text-anchor="middle">{taken}</text>')
    line = _stairs(mean, x, y)
    parts.append(f'<path class="area" d="{line}V{bottom}H{LEFT}Z"/><path class="mean" d="{line}"/>')
    if stop is not None and span >= stop:
        parts.append(f'<line class="stop" x1="{x(stop):.1f}" x2="{x(stop):.1f}" y1="16" y2="{bottom}"/>')
        parts.append(
            f'<text class="label" x="{x(stop) + 4:.1f}" y="{bottom - 6}">the stop rule may end episodes</text>'
        )
    said = f"Mean score after each of {span} actions, {mean[-1]:.1f} at the end"
    return f'<svg viewBox="0 0 {W} {H}" role="img" aria-label="{said}">{"".join(parts)}</svg>'


def small(curves: Sequence[Sequence[float]], mean: Sequence[float], name: str) -> str:
    """One type of task: a thin line an episode, their mean over them."""
    span = max(1, len(mean) - 1)
    x, y = _scales(span, 2, SMALL_W - 2, SMALL_H - 3, 3)
    lines = "".join(f'<path class="one" d="{_stairs(curve, x, y)}"/>' for curve in curves)
    base = f'<line class="grid" x1="2" x2="{SMALL_W - 2}" y1="{y(0):.1f}" y2="{y(0):.1f}"/>'
    top = f'<line class="grid" x1="2" x2="{SMALL_W - 2}" y1="{y(100):.1f}" y2="{y(100):.1f}"/>'
    return (
        f'<svg viewBox="0 0 {SMALL_W} {SMALL_H}" role="img" aria-label="{escape(name)}: scores over {span} actions">'
        f'{base}{top}{lines}<path class="mean" d="{_stairs(mean, x, y)}"/></svg>'
    )


def _stairs(curve: Sequence[float], x: _Scale, y: _Scale) -> str:
    """A path with corners only where the score changes."""
    path = [f"M{x(0):.1f} {y(curve[0]):.1f}"]
    for i in range(1, len(curve)):
        if curve[i] != curve[i - 1]:
            path.append(f"H{x(i):.1f}V{y(curve[i]):.1f}")
    return "".join([*path, f"H{x(len(curve) - 1):.1f}"])


class _Scale:
    """A linear map."""

    def __init__(self, most: float, low: float, high: float) -> None:
        self._low, self._by = low, (high - low) / most

    def __call__(self, value: float) -> float:
        return self._low + self._by * value


def _scales(span: int, left: float, right: float, bottom: float, top: float) -> tuple[_Scale, _Scale]:
    return _Scale(span, left, right), _Scale(100, bottom, top)


def _ticks(span: int) -> range:
    every = next((step for step in (5, 10, 25, 50, 100) if span / step <= 7), 100)
    return range(0, span + 1, every)
