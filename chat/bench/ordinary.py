"""`bench ordinary --data FILE`: ordinary talk, a third of it beside no world, an open one, a finished one.

A line of data: {"id", "lang", "text"}: none of it wishes for a task in a text world or acts in one. Counted is what was
taken for either: a world opened, an action taken. What a small model would say is left out: its stream is cut short,
while all that decides (the gate, the heads, the model's own reading under a schema) is as ever.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, cast

from pydantic.dataclasses import dataclass

from chat.app import Duet
from chat.bench import Ask
from chat.bench.cases import Played, figures, play_turns, read_cases
from chat.bench.ground import a_duet, acted, fixed_now, opened, say
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


@dataclass(frozen=True)
class Talk:
    """One line of the data."""

    lang: str
    text: str


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
    turns = read_cases(ask.file("tests/data/chat/ordinary.jsonl"), Talk)[: ask.limit]
    sessions = dict[str, str]()

    async def play(duet: Duet, number: int, turn: Talk) -> Played:
        name = [*BESIDE][number % len(BESIDE)]
        command = BESIDE[name][number // len(BESIDE) % len(BESIDE[name])]
        if command not in sessions:
            sessions[command] = duet.open_session("person")
            if command:
                await say(duet, sessions[command], command)
        try:
            events = await say(duet, sessions[command], turn.text)
        finally:  # what is said next, or again, is said in the same place
            await duet.runs.undo(sessions[command])
        world = opened(events)
        did = [*acted(events), *([f"opened {world['task']}"] if world else [])]
        return Played.of(number, turn.text, f"{name} {turn.lang}", not did, did, (), events)

    settings = replace(ask.settings, memory=False, max_world_steps=200)
    rows = play_turns(ask, "ordinary", turns, a_duet(settings, fixed_now, swaps=Swaps(models=_curt)), play)
    beside = {name: [row.right for row in rows if row.group.startswith(name)] for name in BESIDE}
    taken = {name: f"{right.count(False)}/{len(right)}" for name, right in beside.items()}
    return {**figures(rows), "taken": sum(not row.right for row in rows), "beside": taken}


def _curt(spec: str, settings: ModelSettings, role: Role) -> LanguageModel:
    model = open_model(spec, settings, role)
    return model if model.abilities.strong else cast(LanguageModel, Curt(model))
