"""Which models were chosen on the page for new conversations: kept in DUET_HOME, below flags and environment."""

from __future__ import annotations

import json
from pathlib import Path

NAMES = ("fast_model", "slow_model")


def chosen(home: Path) -> dict[str, str]:
    """Settings by name; empty where nothing was chosen, or it cannot be read or is no longer a model."""
    from minds.models.language import BadSpec
    from minds.models.spec import parse

    try:
        noted = json.loads((home / "minds.json").read_text("utf-8"))
        specs = {name: str(noted[name]) for name in NAMES if noted.get(name)}
        for spec in specs.values():
            parse(spec)
    except (OSError, ValueError, AttributeError, TypeError, RecursionError, BadSpec):
        return {}
    return specs


def choose(home: Path, fast_model: str, slow_model: str) -> None:
    """For all conversations that begin from now on. Raises OSError."""
    noted = dict(zip(NAMES, (fast_model, slow_model), strict=True))
    beside = home / "minds.json.new"
    beside.write_text(json.dumps(noted), "utf-8")
    beside.replace(home / "minds.json")
