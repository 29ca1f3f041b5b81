"""The panel beside the conversation that shows a world episode: what chat/worlds/view.py gives, by world.html."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any
from urllib.parse import quote

from chat.ui import world_map
from chat.ui.drawing import drawn
from chat.ui.language import _
from chat.worlds.commands import WORDS
from chat.worlds.episodes import Record
from chat.worlds.telling import plain_goal, short_goal
from chat.worlds.view import WorldView, ahead

NAMES = {"scienceworld": "ScienceWorld", "alfworld": "ALFWorld", "textworld": "TextWorld"}
MANY = 14
"""Actions that are shown at once; more are put under their verbs."""
LISTED = 500
"""Steps of the list, and actions of one verb, at most."""
THINGS = 24
LEFT, RIGHT, TOP, BOTTOM = 30, 312, 8, 66
"""Where the score's curve lies in a drawing of 320 x 86."""
_VERB = re.compile(r"\w+(?: (?:to|up|at|in|on|off|into|down|around)\b)?")


def panel(view: WorldView, session: str, state: str) -> str:
    """The whole panel. `state`: what runs in the session (chat/runs.py)."""
    record, scored = view.record, any(score is not None for score in view.scores)
    return drawn(
        "world.html",
        view=view,
        state=state,
        words=WORDS,
        most={"things": THINGS, "listed": LISTED},
        kind=NAMES.get(record.spec.world, record.spec.world),
        title=next(tab.title for tab in view.tabs if tab.shown),
        first=short_goal(record),
        whole=plain_goal(record),
        game=_game(view, state),
        scored=scored,
        plot=plot(view.scores, view.step) if scored else "",
        map=world_map.draw(view.map) if view.map.spots else "",
        path=f"conversations/{quote(session, safe='')}/worlds/{record.number}",
    )


def plot(scores: Sequence[float | None], step: int) -> str:
    """The score over the steps as SVG. `scores`: the opening's first; `step`: the one shown. Empty without any."""
    if all(score is None for score in scores):
        return ""
    values = [score or 0.0 for score in scores]
    low, high = min(0.0, *values), max(100.0, *values)

    def x(at: int) -> float:
        return round(LEFT + (RIGHT - LEFT) * at / max(1, len(values) - 1), 1)

    def y(score: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * (score - low) / (high - low), 1)

    return drawn("plot.html", values=values, step=step, levels=sorted({low, 0.0, high}), low=low, x=x, y=y)


# -- a game: both play the same task


def _game(view: WorldView, state: str) -> dict[str, Any]:
    """Both sides, whether each is over, and what can be done about it at the one in hand."""
    you, duet = view.game.get("person"), view.game.get("slow")
    over = [side is not None and _side_over(side, state) for side in (you, duet)]
    told = _verdict(you, duet) if you and duet and all(over) else _("The same task for both; fewer steps win.")
    return {"you": you, "duet": duet, "over": over, "told": told, "words": _pass_words(view.record, all(over))}


def _side_over(side: Record, state: str) -> bool:
    running = side.wheel == "person" or state in ("fast", "slow", "paused")
    return side.last.done or side.state == "closed" or not running


def _verdict(you: Record, duet: Record) -> str:
    solved = you.last.won or duet.last.won
    both = you.last.won and duet.last.won
    if (better := ahead(you, duet)) == 0:
        return _("A draw.")
    if better > 0:
        why = _("You win: fewer steps.") if both else _("You win: Duet did not solve it.")
        return why if solved else _("You win: nobody solved it, and you scored more.")
    why = _("Duet wins: fewer steps.") if both else _("Duet wins: you did not solve it.")
    return why if solved else _("Duet wins: nobody solved it, and it scored more.")


def _pass_words(record: Record, again: bool) -> str:
    if record.wheel == "slow":
        return _("Play again") if again else _("Your turn")
    return _("Duet’s turn") if again or record.last.done else _("Give up: Duet’s turn")


# -- what can be done


def possible(actions: Sequence[str]) -> str:
    """Buttons that fill the box; many are put under their verbs."""
    if len(actions) <= MANY:
        return drawn("possible.html", alone=actions, several=[], listed=LISTED)
    groups = [(verb, list(group)) for verb, group in groupby(sorted(actions, key=_verb), key=_verb)]
    alone = [group[0] for _verb_, group in groups if len(group) == 1]
    several = [(verb, group) for verb, group in groups if len(group) > 1]
    return drawn("possible.html", alone=alone, several=several, listed=LISTED)


def _verb(action: str) -> str:
    found = _VERB.match(action)
    return found.group() if found else action[:20]
