"""What the dialogue has come to: the wish so far, the homes shown and spoken of, what was asked, offered and refused.

All of it is read from the moves of earlier replies: it is the same after a reload, an import, an answer from memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tools.desk import Exchange


@dataclass(frozen=True)
class Track:
    """Empty at the first turn."""

    wish: str = ""
    """As tools/housing/wants.py writes it."""
    looking: bool = False
    """The person looks for a home."""
    searched: bool = False
    shown: tuple[str, ...] = ()
    """The homes of the last list, in its order."""
    focus: tuple[str, ...] = ()
    """The homes spoken of last."""
    did: tuple[str, str] = ("", "")
    """The last tool, with its input."""
    asked: frozenset[str] = frozenset()
    """All that was ever asked for: budget, district, size, which."""
    invited: tuple[str, ...] = ()
    refused: bool = False
    """The person wants no viewing."""
    open: tuple[str, str] = ("", "")
    """What the last reply left open: ("ask", "budget"), ("invite", "H-0421"), ("offer", "drop garden")."""
    sore: bool = False
    """The person came with a complaint, or wanted to be called: no time to be eager."""
    among: tuple[str, ...] = ()
    """The homes that were last spoken of together."""
    towards: str = ""
    """Where the last way went."""
    loan: str = ""
    """What the last loan was worked out from."""
    told: str = ""
    """What the person said of themselves for a contact that is not whole yet."""


_PATIENCE = 2
"""Turns for which an invitation stays open."""


def track(past: Sequence[Exchange]) -> Track:
    """Folds the moves of all earlier turns."""
    found: dict[str, object] = {}
    asked: set[str] = set()
    invited: list[str] = []
    kept = 0
    for exchange in past:
        # An invitation may still be answered after a question or two about the home.
        left = found.get("open", ("", ""))
        kept = kept + 1 if (left[0] == "invite" or left[1] == "viewing") and kept < _PATIENCE else 0  # type: ignore[index]
        if not kept or "refused" in exchange.moves or any(move.startswith("did:viewing") for move in exchange.moves):
            found.pop("open", None)
        for move in exchange.moves:
            name, _, what = move.partition(":")
            if name == "wish":
                found["wish"] = what
            elif name in ("looking", "searched", "refused", "sore"):
                found[name] = True
            elif name in ("shown", "focus"):
                found[name] = tuple(what.split(",")) if what else ()
                found |= {"among": found[name]} if "," in what else {}
            elif name == "did":
                found["did"] = tuple(what.split("|", 1))
                if what.startswith("mortgage|"):
                    found["loan"] = what.partition("|")[2]
                if what.startswith("commute|"):
                    found["towards"] = what.partition(" to ")[2]
            elif name == "settled":
                asked.add(what)
            elif name == "told":
                found["told"] = what
            elif name in ("ask", "invite", "offer"):
                found["open"] = (name, what)
                asked |= {what} if name == "ask" else set()
                invited += [what] if name == "invite" else []
    return Track(**found, asked=frozenset(asked), invited=tuple(invited))  # type: ignore[arg-type]
