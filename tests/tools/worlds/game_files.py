"""Game files of ALFWorld, for tests without the data set."""

from __future__ import annotations

import json
from pathlib import Path

from tools.worlds.alfworld_engine import UNKNOWN, Game


def write(game: Game, path: Path) -> None:
    """A game file that our engine, and the package's own environment, can load."""
    held = {
        "pddl_domain": game.domain,
        "grammar": game.grammar.replace(UNKNOWN, game.goal),
        "pddl_problem": game.problem,
        "solvable": bool(game.walkthrough),
        "walkthrough": list(game.walkthrough),
    }
    path.write_text(json.dumps(held), encoding="utf-8")
