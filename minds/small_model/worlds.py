"""A small model in text worlds: one typed call, chosen from the few that learned weights find near to the words.

Where no world is open and the turn is likely a wish: the kind of task, thing and place. Where one is open and the turn
is likely meant for it: some of its actions, or what else can be done with a world. Where the last task is over and
likely meant: its story, the same anew, or going on where it was left. The weights (minds/policies/wishes.py) shorten
what can be chosen; the model chooses, and may say that it is none of these.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from langchain_core.messages import HumanMessage

from minds import reading, recounting
from minds.choosing import English, Lines, Reader, besides, chosen, parts
from minds.dialogue import Call, Episode, Move, Task, TurnContext
from minds.gate import Decides
from minds.languages import foreign
from minds.layers import decided
from minds.models.language import LanguageModel, Usage
from minds.policies.wishes import SURELY, Embed, Likely, Wishes, numbers
from minds.reading import ANY, CONTROLS, NONE, NOTHING, OTHER, UNCLEAR
from minds.slow import Workbench
from minds.strategies.steps import shown
from prompts import render, spoken
from tools.worlds.goal import fitting, knowing, near_things, possible, spaced
from tools.worlds.kinds import KINDS
from tools.worlds.tool import WorldState

SITUATION = "world"
"""How the conversation's worlds stand now, and its name among a workbench's aids."""
ACT, ACTIONS, SHORT = "world_act", 4, 3  # the tool, how often one turn may ask for it, and words that do so once
ANEW = ("AGAIN", "ON", "ASSISTANT", "PERSON")  # who says one of these may rather wish for another task
SUREST, SUREST_TRAINED = 0.85, 0.98
"""The most that the learned odds may say for a wish: trained layers find none too readily (8 of 90 wishes, else 4)."""
LONG = 300  # characters of what is put into another language
MEANT = 0.6
"""How probable an action must be to be done, else the person is asked (of 120 sentences 9 were wrong, else 13)."""
NAMED, OPEN_ENDED = 0.5, 0.1
"""Odds of a household's thing from which one is named (95 wishes of others had 0.7 at least); of any thing or place."""


class Heeding:
    """Hears whether a turn may be about a text world; one for all conversations."""

    def __init__(self, wishes: Wishes, gate: Decides, embed: Embed, *, english: bool = True) -> None:
        self.wishes, self.gate, self.embed, self._translates, self._retold = wishes, gate, embed, english, English()

    async def english(self, said: str, context: TurnContext, model: LanguageModel, usage: Usage | None = None) -> str:
        """A turn that may be about a world, in the language that the weights know. Raises ModelFault."""
        reads = self._translates and len(said) <= LONG and (context.world or model.trained)  # by examples it takes long
        return await self._retold.of(said, model, usage) if reads and foreign(said) else said

    def stays(self, said: str) -> bool:
        """Whether what sounds like a wish is rather for the open world: nothing is begun for what cannot be done."""
        return (wish := self.wishes.wish(said)).wished and wish.p <= self.wishes.meant(said)[0]

    async def heard(self, said: str, context: TurnContext, model: LanguageModel, usage: Usage | None = None) -> bool:
        """Whether the slow mind is to look at a turn for a world's sake. Raises ModelFault."""
        english = await self.english(said, context, model, usage)
        about = self.wishes.meant if context.in_world else self.wishes.over
        meant = context.world and (await asyncio.to_thread(about, english))[1]
        return bool(meant) or (await asyncio.to_thread(self.wishes.wish, english)).wished

    async def idle(self, task: Task, model: LanguageModel) -> bool:
        """Whether a turn for which a world alone was thought of, in vain, needs no slow mind. Raises ModelFault."""
        called = task.question == task.said and await self.heard(task.said, task.context, model)
        return called and not (await decided(self.gate, model, task.said, task.dialogue, context=task.context)).invoke


class WorldStep:
    """The first step of one episode, and those that its words ask for behind it."""

    def __init__(self, bench: Workbench, heeding: Heeding) -> None:
        self._bench, self._heeding = bench, heeding
        self._said, self._behind, self._since = "", list[str](), 0  # what is heard, what is behind it, steps before

    async def move(self, episode: Episode) -> Move | None:
        """None where the turn is about no world. Raises ModelFault."""
        situation: Callable[[], WorldState] | None = self._bench.aids.get(SITUATION)
        if situation is None:
            return None
        task, state = episode.task, situation()
        self._said = said = await self._heeding.english(task.said, task.context, self._bench.model)
        meant = state.open and state.space and (await asyncio.to_thread(self._heeding.wishes.meant, said))[1]
        if meant and (found := await self._act(said, state, Usage())):
            return found
        likely, behind = await asyncio.to_thread(self._heeding.wishes.wish, said), state.tasks and not state.open
        if behind and (found := await self._over(said, task.context.world, state, likely)):
            return found
        if likely.wished and (found := await self._open(said, likely, task.said)):
            return found
        return Move("", answer="") if await self._heeding.idle(task, self._bench.model) else None  # talk, perhaps

    async def _open(self, said: str, likely: Likely, own: str, paid: Usage | None = None) -> Move | None:
        """Kind, thing and place, line by line, each chosen by model and odds together; the odds alone say who acts."""
        kinds = "\n".join(f"{name}: {kind.says}" for name, kind in KINDS.items())
        head, asked, usage = shown("small/world_wish", kinds=kinds), reading.wish(own), paid or Usage()
        lines, retold = Lines(await Reader.trained(self._bench.model, head), asked, usage), own != said
        wish = min(likely.p, SUREST_TRAINED if self._bench.model.trained else SUREST)
        wide = await asyncio.to_thread(self._heeding.wishes.wish, said, retold=True) if retold else likely
        odds = {name: wish * p for name, p in possible(likely.kinds, likely.things).items()}
        if (kind := await lines.chosen("kind", {**odds, NONE: 1 - wish})) == NONE:
            return None
        goal, household = {"world": KINDS[kind].world, "kind": kind}, KINDS[kind].world == "household"
        if household and not retold and max(likely.things.values()) < NAMED:
            return _asks_back(spoken("worlds/which", self._bench.aids[SITUATION]().language), usage)
        near = {} if household else near_things(kind, likely.kinds, said, self._heeding.embed, retold=retold)
        if not household:  # its things the layers were not trained for
            lines = Lines(await Reader.of(self._bench.model, head), asked, usage, f"kind: {kind}\n")
        for slot, names in (("thing", near or wide.things), ("place", wide.places)):
            there = fitting(kind, goal["thing"], names) if household and slot == "place" else names
            found = {spaced(name): p for name, p in there.items()} | {ANY: OPEN_ENDED}
            word = await (lines.chosen(slot, found) if household or (near and slot == "thing") else lines.written(slot))
            goal[slot] = "" if word == ANY else word
        goal |= {"kind": knowing(goal["thing"], kind, likely.kinds), "drive": likely.drive}
        return _acts(Call("world_open", goal), usage)

    async def _over(self, said: str, tasks: str, state: WorldState, likely: Likely) -> Move | None:
        """What a turn wants of the last task; a step there is not begun anew for, but may be a wish for another."""
        odds, about = await asyncio.to_thread(self._heeding.wishes.over, said, left=state.left and likely.p < SURELY)
        if not about:
            return None
        lines = Lines(await Reader.of(self._bench.model, shown("small/world_over")), f"{tasks}\nSaid: {said}", Usage())
        what = await lines.chosen("wanted", odds)
        if what == OTHER:
            return await self._other(said, state)
        if what == "ACTION" and not likely.wished:
            return _asks_back(spoken("worlds/ended", state.language, goal=state.goal), lines.usage)
        if what in ("ACTION", "NONE") or (what in ("LEAVE", "UNDO") and not state.hand):
            return None
        return await self._control(what, said, state, lines.usage)

    async def _control(self, what: str, said: str, state: WorldState, usage: Usage) -> Move | None:
        """What is done with a task, open or over."""
        if what in ANEW and await asyncio.to_thread(self._heeding.wishes.another, said, state.goal):
            return await self._open(said, await asyncio.to_thread(self._heeding.wishes.wish, said), said, usage)
        task = {"task": state.hand or state.tasks[-1]}
        if what in ("AGAIN", "ON"):
            drive = await asyncio.to_thread(self._heeding.wishes.driver, said, on=what == "ON" and state.left)
            return _acts(Call(CONTROLS["AGAIN"], {**task, "anew": what == "AGAIN", "drive": drive}), usage)
        given = task if what == "STORY" else {}
        if what in ("ASSISTANT", "UNDO") and (counts := numbers(said, 0)):  # of steps, or of things
            odds = {f" {count}": 1.0 for count in (*filter(int, counts), ANY)}
            about = [*shown("small/world_steps"), HumanMessage(said)]
            count = (await chosen(self._bench.model, about, "steps:", odds, usage)).strip()
            given = {} if count == ANY else {"steps": int(count)}
        return _acts(Call(CONTROLS[what], given), usage)

    async def _other(self, said: str, state: WorldState) -> Move | None:
        """Another task than the one that stands: the wish is made whole, then read as any other."""
        usage, reader = Usage(), await Reader.trained(self._bench.model, shown("small/world_other"))
        if spaced(wish := await reader.line(reading.other(state.goal, said), usage)) in ("", spaced(state.goal)):
            return _asks_back(spoken("worlds/other_unclear", state.language, goal=state.goal), usage)
        likely = await asyncio.to_thread(self._heeding.wishes.wish, wish)
        kept = replace(likely, drive="person") if state.open and state.holder == "person" else likely
        return await self._open(wish, kept, wish, usage)

    async def further(self, episode: Episode) -> Move:
        """Behind actions that were done: what the same words ask for besides, or the next ones; or what was seen."""
        count, usage, state, task = len(episode.steps), Usage(), self._bench.aids[SITUATION](), episode.task
        asks = Move("", answer="", worded=True)
        further = partial(self._heeding.wishes.further, embed=self._heeding.embed)
        self._said = self._said or await self._heeding.english(task.said, task.context, self._bench.model, usage)
        while count < ACTIONS and state.open and state.space:
            then = await besides(self._bench.model, further, self._said, state, count - self._since, usage)
            part = await self._act(self._behind[0], state, usage, part=True) if self._behind else None
            if then:
                act = Call(ACT, {"acts": [vars(state.space.parts(then))]})
                self._behind = self._behind[bool(part and part.calls == (act,)) :]  # the next one asks for the same
                return _acts(act, usage)
            if not self._behind or (part and part.last and self._behind[1:]):  # only the last one may leave
                break
            self._said, self._since = self._behind.pop(0), count
            if part and part.calls == episode.steps[-1].move.calls:  # what one part says may imply the next
                continue
            if part and part.calls:
                return part
            if part:
                asks, usage = part, Usage()
                break
        told = [*(step.told or step.observation for step in episode.steps), asks.answer or ""]
        told += [spoken("worlds/rest", state.language, parts="; ".join(self._behind))] if self._behind else []
        return replace(asks.paid(usage), answer="\n\n".join(filter(None, told)))

    async def answered(self, episode: Episode) -> Move:
        """The answer to a question about a task, from its story; below it what became of the things it is about."""
        step, usage, task, model = episode.steps[-1], Usage(), episode.task, self._bench.model
        said = await self._heeding.english(task.said, task.context, model, usage)
        told, language = (step.told or "").splitlines(), self._bench.aids[SITUATION]().language
        named, text = await recounting.answer(model, step.observation, told, said, language, usage)
        return Move(named, answer=text.strip(), worded=True).paid(usage)

    async def _act(self, said: str, state: WorldState, usage: Usage, *, part: bool = False) -> Move | None:
        """What is said in an open world; `part`: one of several things that are to be done."""
        space = state.reach()
        ranked = await asyncio.to_thread(self._heeding.wishes.ranked, said, space, state.recent, self._heeding.embed)
        near = ranked.near()
        reader = await Reader.trained(self._bench.model, shown("small/world_act"))
        at, tools = ranked.instead, {*self._bench.tools()} - ({CONTROLS["STORY"]} if part else set())
        likely = {**near, UNCLEAR: at["NONE"], NOTHING: at["TALK"], OTHER: at[OTHER]}
        likely |= {name: at[name] for name, tool in CONTROLS.items() if tool in tools}
        odds = await reader.odds(reading.action(said, state.seen, state.recent, near), likely, usage)
        do = max(odds, key=lambda one: odds[one])
        if not part and do in (UNCLEAR, "ASSISTANT", "PERSON", "LEAVE", *near) and len(said.split()) > SHORT:
            one, *behind = await parts(self._bench.model, said, usage)
            found = await self._act(one, state, usage, part=True) if behind else None
            if found and found.calls and not found.last:
                self._said, self._behind = one, behind
                return found
        if do in CONTROLS:
            return await self._control(do, said, state, usage)
        if do in near and odds[do] >= MEANT:
            return _acts(Call(ACT, {"acts": [vars(part) for part in state.way(do)]}), usage)
        if do == OTHER and not part and (found := await self._other(said, state)):
            return found
        beside = do == NOTHING if part else do not in (UNCLEAR, *near)
        if beside and (part or not await asyncio.to_thread(self._heeding.stays, said)):
            return None
        first = [*dict.fromkeys(state.way(one)[0].action for one in sorted(near, key=lambda one: -odds[one]))][:3]
        asks = _asks_back(spoken("worlds/unclear", state.language, near=f"`{'`, `'.join(first)}`"), usage)
        return replace(asks, choices=tuple(first))


def _asks_back(answer: str, usage: Usage) -> Move:
    return Move("", answer=answer, gave_up=True, worded=True, world=True).paid(usage)


def _acts(call: Call, usage: Usage) -> Move:
    """What the world says is the result, but a question is answered from its story; behind an action may be more."""
    last, why = call.tool not in (CONTROLS["STORY"], ACT), render("small/world_acts")
    return Move(why, (call,), last=last, worded=True).paid(usage)
