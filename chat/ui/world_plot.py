"""The score over the steps of a world episode as SVG, by plot.html."""

from __future__ import annotations

from collections.abc import Sequence

from chat.ui.drawing import drawn

LEFT, RIGHT, TOP, BOTTOM = 30, 312, 8, 66
"""Where the curve lies in a drawing of 320 x 86."""


def draw(scores: Sequence[float | None], step: int) -> str:
    """`scores`: after each step, the opening first; `step`: the one that is shown. Empty where the world keeps none."""
    if all(score is None for score in scores):
        return ""
    values = [score or 0.0 for score in scores]
    low, high = min(0.0, *values), max(100.0, *values)

    def x(at: int) -> float:
        return round(LEFT + (RIGHT - LEFT) * at / max(1, len(values) - 1), 1)

    def y(score: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * (score - low) / (high - low), 1)

    return drawn("plot.html", values=values, step=step, levels=sorted({low, 0.0, high}), low=low, x=x, y=y)
