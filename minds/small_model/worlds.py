"""A small model in text worlds: one typed call, chosen from the few that learned weights find near to the words.

Where no world is open and the turn is likely a wish: the kind of task, thing and place. Where one is open and the turn
is likely meant for it: one to three of its actions, or what else can be done with a world. The weights
(minds/policies/wishes.py) shorten what can be chosen; the model chooses, and may say that it is none of these.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from minds.dialogue import Call, Episode, Move, TurnContext, clip
from minds.gate import Gate
from minds.models.language import Usage
from minds.policies.wishes import Embed, Likely, Ranked, Wishes
from minds.slow import Workbench
from prompts import examples, render
from tools.worlds.goal import spaced
from tools.worlds.kinds import KINDS
from tools.worlds.tool import WorldState

Situation = Callable[[], WorldState]
"""How the conversation's worlds stand now."""
SITUATION = "world"
"""Its name among a workbench's aids."""
ACTIONS_SHOWN, LATELY = 12, 2
SEEN = 160
"""Characters of what was seen last that the model reads."""
SHARE = 0.985
"""Of what all actions are worth together, that those which are shown hold."""
CONTROLS = {
    "UNDO": "world_undo",
    "ASSISTANT": "world_go_on",
    "PERSON": "world_hand_over",
    "LEAVE": "world_leave",
    "STORY": "world_story",
}
"""In capitals: no action begins so, and a small model decides with the first letters."""
UNCLEAR, NOTHING, NONE = "UNCLEAR", "NOTHING", "none"


class Heeding:
    """Hears whether a turn may be about a text world; one for all conversations."""

    def __init__(self, wishes: Wishes, gate: Gate, embed: Embed) -> None:
        self.wishes, self.gate, self.embed = wishes, gate, embed

    def open(self, said: str) -> Likely | None:
        """What the turn may wish for, where it is likely a wish for a task."""
        likely = self.wishes.wish(said, self.embed([said])[0])
        return likely if likely.wished else None

    def meant(self, said: str) -> bool:
        """Whether the turn is likely meant for the world that is open."""
        return self.wishes.meant(said, self.embed([said])[0])[1]

    def heard(self, said: str, context: TurnContext) -> bool:
        """Whether the slow mind is to look at a turn for a world's sake."""
        return (context.in_world and self.meant(said)) or self.open(said) is not None

    def idle(self, episode: Episode) -> bool:
        """Whether a turn that turned out to be about no world needs no slow mind either."""
        said, dialogue, context = episode.task.said, episode.task.dialogue, episode.task.context
        if episode.task.question != said or not self.heard(said, context):
            return False  # the slow mind was called for something else
        vectors = self.embed(self.gate.texts_to_embed(said, dialogue))
        return not self.gate.decide(said, dialogue, vectors).invoke

    def ranked(self, said: str, state: WorldState) -> Ranked:
        """The actions of the open world, the nearest first."""
        assert state.space is not None
        return self.wishes.ranked(said, self.embed([said])[0], state.space, state.recent, self.embed)


class WorldStep:
    """The first step of one episode."""

    def __init__(self, bench: Workbench, heeding: Heeding) -> None:
        self._bench, self._heeding = bench, heeding

    async def move(self, episode: Episode) -> Move | None:
        """None where the turn is about no world. Raises ModelFault."""
        situation: Situation | None = self._bench.aids.get(SITUATION)
        if situation is None:
            return None
        said, state = episode.task.said, situation()
        meant = state.open and state.space and await asyncio.to_thread(self._heeding.meant, said)
        if meant and (found := await self._act(said, state)):
            return found
        likely = await asyncio.to_thread(self._heeding.open, said)
        if likely and (found := await self._open(said, likely)):
            return found
        # The fast mind answers after all: nothing was found that it could word.
        return Move("", answer="") if await asyncio.to_thread(self._heeding.idle, episode) else None

    async def _open(self, said: str, likely: Likely) -> Move | None:
        kinds, household = likely.kinds, KINDS[likely.kinds[0]].world == "household"
        things, places = ([spaced(name) for name in of] for of in (likely.things, likely.places))
        lines = [f"Kinds: {', '.join(kinds)}"]
        lines += [f"Things: {', '.join(things)}", f"Places: {', '.join(places)}"] if household else []
        usage = Usage()
        given = await self._asked(wish_head(), [*lines, f"Said: {said}"], wish_form(kinds, things, places), usage)
        kind = str(given.get("kind", NONE))
        if kind not in kinds:
            return None
        goal = {"world": KINDS[kind].world, **given}
        return _last(Call("world_open", goal), usage)

    async def _act(self, said: str, state: WorldState) -> Move | None:
        assert state.space is not None
        ranked = await asyncio.to_thread(self._heeding.ranked, said, state)
        near = shortlist(ranked)
        controls = [name for name, tool in CONTROLS.items() if tool in self._bench.tools()]
        lines = [
            f"Seen: {clip(' '.join(state.seen.split()), SEEN)}",
            f"Done: {' | '.join(state.recent[-LATELY:])}",
            f"Possible: {' | '.join(near)}",
            f"Said: {said}",
        ]
        usage = Usage()
        given = await self._asked(act_head(), lines, act_form([*near, *controls, UNCLEAR, NOTHING]), usage)
        do = [str(one) for one in given.get("do", [])]  # type: ignore[attr-defined]
        if control := next((one for one in do if one in CONTROLS), ""):
            return _last(Call(CONTROLS[control]), usage)
        acts = [vars(state.space.parts(one)) for one in dict.fromkeys(do) if one in near]
        if acts:
            return _last(Call("world_act", {"acts": acts}), usage)
        if UNCLEAR not in do:
            return None
        answer = render("small/world_unclear", near=", ".join(f"`{action}`" for action in near[:3]))
        return Move("", answer=answer, tokens=usage.paid, asked=usage.calls, gave_up=True, worded=True)

    async def _asked(
        self, head: Sequence[BaseMessage], lines: Sequence[str], form: dict[str, object], usage: Usage
    ) -> dict[str, object]:
        model = self._bench.model
        if model.abilities.keeps:
            await model.warm([*head, HumanMessage("Said:")])  # what another prompt pushed out is taken up again
        return await model.structured([*head, HumanMessage("\n".join(lines))], form, max_tokens=96, usage=usage)


def shortlist(ranked: Ranked) -> tuple[str, ...]:
    """The nearest actions: as few as hold nearly all of what is likely."""
    whole, held, kept = sum(ranked.p) or 1.0, 0.0, 0
    for p in ranked.p[:ACTIONS_SHOWN]:
        held, kept = held + p / whole, kept + 1
        if held >= SHARE and kept > 1:
            break
    return ranked.actions[:kept]


def wish_head() -> list[BaseMessage]:
    """What stands before every wish."""
    kinds = "\n".join(f"{name}: {kind.says}" for name, kind in KINDS.items())
    return _shown(render("small/world_wish", kinds=kinds), "small/world_wish_examples")


def act_head() -> list[BaseMessage]:
    """What stands before every turn in an open world."""
    return _shown(render("small/world_act"), "small/world_act_examples")


def wish_form(kinds: Sequence[str], things: Sequence[str], places: Sequence[str]) -> dict[str, object]:
    """A household's things and places are those that there are; a laboratory's are in the person's words."""
    drive, words = {"enum": ["assistant", "person"]}, {"type": "string", "maxLength": 40}
    of: list[dict[str, object]] = [_closed(kind={"const": NONE})]
    for world, thing, place in (
        ("household", {"enum": [*things, ""]}, {"enum": [*places, ""]}),
        ("laboratory", words, words),
    ):
        if here := [kind for kind in kinds if KINDS[kind].world == world]:
            of.append(_closed(kind={"enum": here}, thing=thing, place=place, drive=drive))
    return {"anyOf": of}


def act_form(choices: Sequence[str]) -> dict[str, object]:
    return _closed(do={"type": "array", "items": {"enum": list(choices)}, "minItems": 1, "maxItems": 3})


def _shown(system: str, name: str) -> list[BaseMessage]:
    said: list[BaseMessage] = [SystemMessage(system)]
    for shown, reply in examples(name):
        said += [HumanMessage(shown), AIMessage(reply)]
    return said


def _closed(**properties: Any) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _last(call: Call, usage: Usage) -> Move:
    """What the world says is the result, in words of its own."""
    return Move(render("small/world_acts"), (call,), last=True, tokens=usage.paid, asked=usage.calls, worded=True)
