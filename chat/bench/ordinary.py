"""`bench ordinary --data FILE`: ordinary talk, a third of it beside no world, an open one, a finished one.

A line of data: {"id", "lang", "text"}: none of it wishes for a task in a text world or acts in one. Counted is what was
taken for either: a world opened, an action taken. What a small model would say is left out: its stream is cut short,
while all that decides (the gate, the heads, the model's own reading under a schema) is as ever.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from chat.app import Duet
from chat.bench import Ask
from chat.bench.cases import read_lines
from chat.bench.ground import a_duet, fixed_now, say
from chat.bench.turns import Replies, acted, opened, played
from chat.services import Swaps
from minds.models import ModelSettings, Role, open_model
from minds.models.language import LanguageModel

BESIDE = {
    "none": ("",),
    "open": ("/play alfworld household/pick_and_place_simple --human", "/play scienceworld boil --human"),
    "finished": (
        "/play alfworld household/pick_and_place_simple --strategy oracle",
        "/play scienceworld boil --strategy oracle",
    ),
}
"""What stands beside the talk -> the commands that bring it about, one conversation each."""


class Curt:
    """A small model that says one word wherever it would talk; its choices and single lines are its own."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    async def stream(self, *asked: Any, **how: Any) -> AsyncIterator[str]:
        if how.get("stop") != ("\n",):
            yield "Fine."
            return
        async for piece in self._model.stream(*asked, **how):
            yield piece


def run(ask: Ask) -> dict[str, object]:
    """Figures: turns, how many were taken for a world or a task, by what stood beside them and by language."""
    return asyncio.run(_run(ask, read_turns(ask.file)[: ask.limit]))


def read_turns(path: Path) -> list[dict[str, str]]:
    """Raises ChatFault."""

    def made(row: Any) -> dict[str, str]:
        return {key: str(row[key]) for key in ("id", "lang", "text")}

    return read_lines(path, made, "id, lang and text")


async def _run(ask: Ask, turns: Sequence[dict[str, str]]) -> dict[str, object]:
    replies = Replies("ordinary", ask)
    settings = replace(ask.settings, memory=False, max_world_steps=200)
    async with a_duet(settings, fixed_now, swaps=Swaps(models=_curt)) as duet:
        sessions = {
            (name, n): await _beside(duet, said) for name, all_ in BESIDE.items() for n, said in enumerate(all_)
        }
        for number, turn in enumerate(turns):
            if number in replies.all:
                continue
            name = [*BESIDE][number % len(BESIDE)]
            session = sessions[name, number // len(BESIDE) % len(BESIDE[name])]
            events = await say(duet, session, turn["text"])
            world = opened(events)
            did = [*acted(events), *([f"opened {world['task']}"] if world else [])]
            replies.add(played(number, turn["text"], f"{name} {turn['lang']}", not did, did, (), events))
            await duet.runs.undo(session)
    taken = [one.says for one in replies.all.values() if not one.right]
    return {**replies.figures(), "taken": len(taken), "beside": _by_state(replies)}


async def _beside(duet: Duet, command: str) -> str:
    session = duet.open_session("person")
    if command:
        await say(duet, session, command)
    return session


def _by_state(replies: Replies) -> dict[str, str]:
    rows = replies.all.values()
    return {
        name: f"{sum(not row.right for row in rows if row.group.startswith(name))}"
        f"/{sum(row.group.startswith(name) for row in rows)}"
        for name in BESIDE
    }


def _curt(spec: str, settings: ModelSettings, role: Role) -> LanguageModel:
    model = open_model(spec, settings, role)
    return model if model.abilities.strong else cast(LanguageModel, Curt(model))
