"""A small model in text worlds: one typed call, chosen from the few that learned weights find near to the words.

Where no world is open and the turn is likely a wish: the kind of task, thing and place. Where one is open and the turn
is likely meant for it: one to three of its actions, or what else can be done with a world. The weights
(minds/policies/wishes.py) shorten what can be chosen; the model chooses, and may say that it is none of these.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from minds.choosing import PULL, Lines, chosen
from minds.dialogue import Call, Episode, Move, TurnContext, clip
from minds.gate import Gate
from minds.models.language import Usage
from minds.policies.wishes import HEADS, Embed, Likely, Ranked, Wishes
from minds.slow import Workbench
from prompts import examples, render
from tools.worlds.goal import spaced
from tools.worlds.kinds import KINDS
from tools.worlds.tool import WorldState

Situation = Callable[[], WorldState]
"""How the conversation's worlds stand now."""
SITUATION = "world"
"""Its name among a workbench's aids."""
ACTIONS_SHOWN, LATELY = 6, 2
SEEN = 160
"""Characters of what was seen last that the model reads."""
SHARE = 0.99
"""Of what all actions are worth together, that those which are shown hold."""
FURTHER = 40
"""Tokens of what is written behind a first action."""
LEAST = 0.02
"""The learned odds below which no further action is taken from one sentence."""
CONTROLS = {
    "UNDO": "world_undo",
    "ASSISTANT": "world_go_on",
    "PERSON": "world_hand_over",
    "LEAVE": "world_leave",
    "STORY": "world_story",
}
"""In capitals: no action begins so, and a small model decides with the first letters."""
UNCLEAR, NOTHING, NONE, ANY = "UNCLEAR", "NOTHING", "none", "any"
SUREST = 0.9
"""The most that the learned odds may say for a wish: the model must be able to say that it is none."""
OPEN_ENDED, HANDS_ON = 0.02, 0.05
"""Before anything is read: how likely a household's thing or place is left open, and that the person will act."""


class Heeding:
    """Hears whether a turn may be about a text world; one for all conversations."""

    def __init__(self, wishes: Wishes, gate: Gate, embed: Embed) -> None:
        self.wishes, self.gate, self.embed = wishes, gate, embed

    def open(self, said: str) -> Likely | None:
        """What the turn may wish for, where it is likely a wish for a task."""
        likely = self.wishes.wish(said)
        return likely if likely.wished else None

    def meant(self, said: str) -> bool:
        """Whether the turn is likely meant for the world that is open."""
        return self.wishes.meant(said)[1]

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
        assert state.space is not None
        return self.wishes.ranked(said, state.space, state.recent, self.embed)


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
        """Kind, thing, place and who acts are written line by line, each chosen by the model and the odds together."""
        lines = Lines(self._bench.model, [*await self._warmed(wish_head()), HumanMessage(said)])
        wish = min(likely.p, SUREST)
        odds = {name: wish * p for name, p in likely.kinds.items()}
        kind = await lines.chosen("kind", {**odds, NONE: 1 - wish})
        if kind == NONE:
            return None
        household = KINDS[kind].world == "household"
        goal = {"world": KINDS[kind].world, "kind": kind}
        for slot, names in (("thing", likely.things), ("place", likely.places)):
            found = {spaced(name): p for name, p in names.items()} | {ANY: OPEN_ENDED}
            word = await (lines.chosen(slot, found) if household else lines.written(slot))
            goal[slot] = "" if word == ANY else word
        goal["drive"] = await lines.chosen("drive", {"assistant": 1 - HANDS_ON, "person": HANDS_ON})
        return _last(Call("world_open", goal), lines.usage)

    async def _act(self, said: str, state: WorldState) -> Move | None:
        assert state.space is not None
        ranked = await asyncio.to_thread(self._heeding.ranked, said, state)
        near, usage = shortlist(ranked), Usage()
        lately = f"Seen: {clip(' '.join(state.seen.split()), SEEN)}\nDone: {' | '.join(state.recent[-LATELY:])}"
        asked = HumanMessage(f"{lately}\nPossible: {' | '.join(near)}\nSaid: {said}")
        messages = [*await self._warmed(act_head()), asked]
        do = await chosen(self._bench.model, messages, "", self._odds(ranked, near), usage)
        if do in CONTROLS:
            return _last(Call(CONTROLS[do]), usage)
        if do in near:
            taken = [do, *await self._further(messages, do, near, usage)]
            acts = [vars(state.space.parts(action)) for action in taken]
            return _last(Call("world_act", {"acts": acts}), usage)
        if do != UNCLEAR:
            return None
        answer = render("small/world_unclear", near=", ".join(f"`{action}`" for action in list(near)[:3]))
        return Move("", answer=answer, tokens=usage.paid, asked=usage.calls, gave_up=True, worded=True)

    def _odds(self, ranked: Ranked, near: Mapping[str, float]) -> dict[str, float]:
        """Of everything that a turn in a world may be."""
        none = ranked.instead[HEADS[0]] / 2 ** (1 / PULL)  # halved together: the learned odds cannot tell these apart
        controls = {name: ranked.instead[name] for name, tool in CONTROLS.items() if tool in self._bench.tools()}
        return {**near, **controls, UNCLEAR: none, NOTHING: none}

    async def _further(
        self, messages: Sequence[BaseMessage], do: str, near: Mapping[str, float], usage: Usage
    ) -> list[str]:
        """What the model writes behind the first action, of those that the words may well name."""
        pieces = self._bench.model.stream(messages, prefix=do, stop=("\n",), max_tokens=FURTHER, usage=usage)
        written = "".join([piece async for piece in pieces]).split("|")[1:3]
        acts = dict.fromkeys(action.strip() for action in written)
        return [action for action in acts if action != do and near.get(action, 0.0) >= LEAST]

    async def _warmed(self, head: list[BaseMessage]) -> list[BaseMessage]:
        """What another prompt pushed out is taken up again."""
        if self._bench.model.abilities.keeps:
            await self._bench.model.warm([*head, HumanMessage("Said:")])
        return head


def shortlist(ranked: Ranked) -> dict[str, float]:
    """The nearest actions with their odds: as few as hold nearly all of what is likely."""
    whole, near = sum(ranked.actions.values()) or 1.0, dict[str, float]()
    for action, p in list(ranked.actions.items())[:ACTIONS_SHOWN]:
        near[action] = p
        if sum(near.values()) / whole >= SHARE and len(near) > 1:
            break
    return near


def wish_head() -> list[BaseMessage]:
    """What stands before every wish."""
    kinds = "\n".join(f"{name}: {kind.says}" for name, kind in KINDS.items())
    return _shown(render("small/world_wish", kinds=kinds), "small/world_wish_examples")


def act_head() -> list[BaseMessage]:
    """What stands before every turn in an open world."""
    return _shown(render("small/world_act"), "small/world_act_examples")


def _shown(system: str, name: str) -> list[BaseMessage]:
    pairs = [(HumanMessage(shown), AIMessage(reply.replace("\\n", "\n"))) for shown, reply in examples(name)]
    return [SystemMessage(system), *(message for pair in pairs for message in pair)]


def _last(call: Call, usage: Usage) -> Move:
    """What the world says is the result, in words of its own."""
    return Move(render("small/world_acts"), (call,), last=True, tokens=usage.paid, asked=usage.calls, worded=True)
