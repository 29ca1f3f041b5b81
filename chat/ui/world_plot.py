"""The score over the steps of a world episode as SVG, 320 units wide."""

from __future__ import annotations

from collections.abc import Sequence

from chat.ui.fields import in_steps
from chat.ui.language import _, number

WIDTH, HEIGHT = 320, 86
LEFT, RIGHT, TOP, BOTTOM = 30, 312, 8, 66


def draw(scores: Sequence[float | None], step: int) -> str:
    """`scores`: after each step, the opening first; `step`: the one that is shown. Empty where the world keeps none."""
    known = [score for score in scores if score is not None]
    if not known:
        return ""
    values = [0.0 if score is None else score for score in scores]
    low, high = min(0.0, *values), max(100.0, *values)

    def x(at: int) -> float:
        return round(LEFT + (RIGHT - LEFT) * at / max(1, len(values) - 1), 1)

    def y(score: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * (score - low) / (high - low), 1)

    path = f"M{x(0)} {y(values[0])}" + "".join(f"H{x(at)}V{y(score)}" for at, score in enumerate(values) if at)
    area = f"{path}V{y(low)}H{x(0)}Z"
    dots = "".join(
        f'<circle cx="{x(at)}" cy="{y(score)}" r="3"><title>{_rose(at, values[at - 1], score)}</title></circle>'
        for at, score in enumerate(values)
        if at and score != values[at - 1]
    )
    count = in_steps(len(values) - 1)
    told = _("Score over {steps}: from {first} to {last}; {now} at step {n}.").format(
        steps=count, first=f"{values[0]:g}", last=f"{values[-1]:g}", now=f"{values[step]:g}", n=number(step)
    )
    return (
        f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{told}">'
        + "".join(_level(level, y(level)) for level in sorted({low, 0.0, high}))
        + f'<path class="area" d="{area}"/><path class="line" d="{path}"/>{dots}'
        f'<line class="at" x1="{x(step)}" x2="{x(step)}" y1="{TOP - 4}" y2="{BOTTOM}"/>'
        f'<circle class="at" cx="{x(step)}" cy="{y(values[step])}" r="4.5"/>'
        f'<text x="{LEFT}" y="{HEIGHT - 5}">0</text>'
        f'<text class="end" x="{RIGHT}" y="{HEIGHT - 5}">{count}</text></svg>'
    )


def _rose(step: int, before: float, after: float) -> str:
    told = _("step {n}: {before} to {after}")
    return told.format(n=number(step), before=f"{before:g}", after=f"{after:g}")


def _level(level: float, y: float) -> str:
    line = f'<line class="level" x1="{LEFT}" x2="{RIGHT}" y1="{y}" y2="{y}"/>'
    return f'{line}<text class="end" x="24" y="{y + 3.5}">{level:g}</text>'
