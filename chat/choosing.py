"""From what was understood to one episode: which game, which variation."""

from __future__ import annotations

import re

from chat.episodes import Holder
from minds.requests import NoSuch, Request, Unclear
from tools.worlds.alfworld_games import parts, splits
from tools.worlds.world import Simulator, WorldSpec

_MYSELF = re.compile(
    r"^\W*(?:let me|i(?:'d| would)? (?:like|want|wanna|love)(?: to)?|can i|could i|may i|i'll|i will)\b"
    r"(?!.*\b(?:you to|watch)\b)|\bmyself\b|\bby hand\b",
    re.IGNORECASE,
)

_TAIL = re.compile(
    r"[\s,;.!-]+(?:(?:and|but|please) )*(?:let me|i'?ll|i will|i want to|i'?d like to) (?:do|try|drive|"
    r"handle)(?: (?:it|this|that|the rest))?(?: (?:myself|by hand|alone))?\W*$",
    re.IGNORECASE,
)
"""Behind a wish: who is to drive (`put a mug on the desk, let me do it myself`)."""


def spec_of(request: Request, home: Simulator) -> WorldSpec:
    """The episode to open; blocking. An official game of the wanted kind, thing and place where there is one, else one
    of the generator; in ScienceWorld the variation that fits, else the first to train on. Raises UnknownTask."""
    if request.world == "scienceworld":
        known = request.variation is not None
        number = request.variation if known else home.variations(request.task, "train")[0].variation
        return WorldSpec("scienceworld", request.task, number or 0, ("easy",))
    if request.world != "alfworld" or "/" in request.task:
        return WorldSpec(request.world, request.task, request.variation or 0)
    wanted = (request.task, request.object, request.receptacle)
    if request.variation is None:
        for split in splits():
            for spec in home.variations(request.task, split):
                if parts(spec) == wanted and not request.sliced:
                    return spec
    about = "/".join(part for part in (request.object, request.receptacle) if part)
    return WorldSpec("alfworld", f"household/{request.task}/{about}".rstrip("/"), request.variation or 0)


def holder_of(said: str) -> Holder:
    """Who drives: who says "let me try to boil water" wants to do it, who says "boil water" wants it done."""
    plain = said.replace("’", "'")
    return "person" if _MYSELF.search(plain) or _TAIL.search(plain) else "slow"


def wish_of(said: str) -> str:
    """The wish without what is said behind it about who drives."""
    plain = said.replace("’", "'")
    found = _TAIL.search(plain)
    return plain[: found.start()] if found and len(plain[: found.start()].split()) > 2 else said


def asked_back(found: Unclear | NoSuch) -> str:
    """The sentence for a wish that is no clear task."""
    if isinstance(found, Unclear):
        houses = "; ".join(option.says for option in found.options if option.world == "alfworld")
        return f"{found.question} I could: {houses}." if houses else found.question  # laboratory questions name theirs
    nearest = "; ".join(option.says for option in found.nearest)
    return f"There is no such task in the worlds that I know. The nearest: {nearest}." if nearest else NO_TASK


NO_TASK = "There is no such task in the worlds that I know. Say “/play scienceworld” or “/play alfworld” for a list."
