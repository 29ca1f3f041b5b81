"""What a move cost, as its fields say it."""

from __future__ import annotations

from dataclasses import replace

from minds.dialogue import Move
from minds.models.language import Usage


def paid(move: Move, usage: Usage) -> Move:
    """The move, with what was asked for it beside what it cost before."""
    return replace(
        move,
        tokens=move.tokens + usage.paid,
        read=move.read + usage.read,
        cached=move.cached + usage.cached,
        written=move.written + usage.written,
        asked=move.asked + usage.calls,
    )
