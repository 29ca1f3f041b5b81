"""ReAct in a text world (Yao et al. 2023, section 4; SwiftSage 4.1's baseline): think, act, see, until the world ends.

A model that is held to a schema picks among the admissible actions; of hundreds it is shown those nearest to the goal
and to what it sees. A model that is not writes the action freely; the world answers what it does not understand.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from minds.dialogue import Episode, Move, clip, in_world
from minds.models.language import Usage
from minds.slow import Workbench
from minds.strategies.steps import GIVE_UP, closed, read_step
from prompts import render
from tools.worlds.world import World

STEP_TOKENS = 120
SHOWN, RECENT, SEEN, FRESH = 40, 6, 600, 10
"""Actions to choose from, past steps that are shown, characters of what is seen, steps without repetition."""


class WorldReAct:
    """One episode's strategy."""

    def __init__(self, bench: Workbench) -> None:
        if bench.world is None:
            raise ValueError("WorldReAct works in a world")
        self._bench, self._world = bench, bench.world

    async def act(self, episode: Episode, also: Sequence[str] = ()) -> Move:
        """`also` are actions that may be chosen whether the world lists them or not. Raises ModelFault, WorldFault."""
        listed = await asyncio.to_thread(shortlist, self._world, episode)
        options = list(dict.fromkeys((*also, *listed)))
        usage = Usage()
        messages = world_messages(episode, await asyncio.to_thread(self._world.look), options)
        data = await self._asked(messages, options, usage)
        thought, action = str(data.get("thought", "")), str(data.get("action", "")).strip()
        tokens = usage.read - usage.cached + usage.written
        if action == GIVE_UP or not action:
            return Move(thought, answer=render("slow/gave_up_world"), tokens=tokens, gave_up=True)
        return in_world(thought, action, tokens=tokens)

    async def _asked(self, messages: list[BaseMessage], options: Sequence[str], usage: Usage) -> dict[str, object]:
        model, temperature = self._bench.model, self._bench.temperature
        if model.abilities.schema:
            return await model.structured(
                messages, choice([*options, GIVE_UP]), max_tokens=STEP_TOKENS, temperature=temperature, usage=usage
            )
        pieces = model.stream(messages, max_tokens=STEP_TOKENS, temperature=temperature, usage=usage)
        return read_step("".join([piece async for piece in pieces]))


def choice(actions: Sequence[str]) -> dict[str, object]:
    """A JSON step that names one of the actions."""
    return closed({"thought": {"type": "string", "maxLength": 160}, "action": {"enum": list(actions)}})


def shortlist(world: World, episode: Episode) -> list[str]:
    """The admissible actions, at most SHOWN: nearest first to the goal's words and to the latest observation's.

    What was done in the last steps is left out: a small model goes in circles otherwise.
    """
    actions = list(dict.fromkeys(world.admissible()))
    lately = {step.action for step in episode.steps[-FRESH:]}
    actions = [action for action in actions if action not in lately] or actions
    if len(actions) <= SHOWN:
        return actions
    goal = _words(world.goal)
    tried = [step.action for step in episode.steps]

    def worth(action: str) -> tuple[float, int]:
        words = _words(action)
        return (len(words & goal) / (1 + len(words)) - 0.2 * tried.count(action), -len(action))

    return sorted(actions, key=worth, reverse=True)[:SHOWN]


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{3,}", text.lower()))


def world_messages(episode: Episode, view: str, options: Sequence[str]) -> list[BaseMessage]:
    """The constant part first; then the goal, the last steps, what is seen and what is possible."""
    past = [f"Act: {step.action}\nObs: {clip(step.observation, 200)}" for step in episode.steps[-RECENT:]]
    now = [
        f"Goal: {episode.task.question}",
        *past,
        f"You see: {clip(view, SEEN)}",
        f"Possible actions: {'; '.join(options)}",
        *(f"The person adds: {word}" for word in episode.task.steering),
        *([episode.notice] if episode.notice else []),
    ]
    shown = '{"thought": "I look for a mug. The desk may have one.", "action": "go to desk 1"}'
    example = "Goal: put a mug in the cabinet.\nYou see: ...\nPossible actions: go to bed 1; go to desk 1; look"
    return [
        SystemMessage(render("strategies/world")),
        HumanMessage(example),
        AIMessage(shown),
        HumanMessage("\n".join(now)),
    ]
