"""ReAct and Act in a text world (Yao et al. 2023, 4; SwiftSage 4.2's baselines): a solved task of the same type is
shown, with a thought before every action (ReAct) or without thoughts (Act), then the model goes on with its own.

The prompt only grows at its end: what changes with the state, the actions that are possible, is no part of it. A model
that is held to a schema chooses among all of them; another one writes its next line. What is not possible becomes the
nearest that is (nearest.py).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

from langchain_core.messages import HumanMessage, SystemMessage

from minds.dialogue import Episode, Move, Step
from minds.models.language import Garbled, Usage
from minds.slow import Workbench
from minds.strategies.examples import Example, ShownStep, examples_for
from minds.strategies.lines import thought_of
from minds.strategies.nearest import space_of, taken
from minds.strategies.steps import closed
from minds.strategies.swift import teleports
from minds.strategies.transcript import Transcript, next_line, one_line, room_for
from prompts import render
from tools.worlds.actions import ActionSpace
from tools.worlds.world import World

STEP_TOKENS, THOUGHT = 200, 240
"""Tokens of an answer that is held to a schema; characters of its thought."""
THOUGHTS = 3
"""Lines in a row that may be thoughts; where one more is, no action was written."""
MANY = 250
"""Choices in a schema that every server takes: OpenAI's counts, the embedded model's does not."""
BRIEF = 40
"""Characters of what is said of a move, under which the new place is told as well (no step)."""
EVERYTHING = 10**9


class WorldReAct:
    """One episode's strategy."""

    thinks = True

    def __init__(self, bench: Workbench) -> None:
        self._bench, self._world = bench, bench.in_world
        self._trial, self._known = 0, 0
        self._transcript = self._begun(())
        self._place = ""
        self._system = ""

    async def act(self, episode: Episode) -> Move:
        """Raises ModelFault, WorldFault."""
        usage = Usage()
        await self._hear(episode)
        space = await asyncio.to_thread(space_of, self._world)
        thought, wrote = await self._asked(episode, space.admissible, usage)
        return taken(thought, wrote, space, episode.steps).paid(usage)

    # -- what the model reads

    async def system(self) -> str:
        """The constant part: the world's actions, the form of an answer, an example."""
        if not self._system:
            world, goal = self._world.spec.world, self._world.goal
            shown = [self._told(example) for example in examples_for(world, goal)]
            self._system = render(
                "strategies/react/system",
                actions=await asyncio.to_thread(actions_of, self._world),
                form=render(f"strategies/react/{'think' if self.thinks else 'act'}_{self._form}"),
                examples="\n\n".join(["Here is a solved task.", *shown]) if shown else "",
            )
        return self._system

    @property
    def _form(self) -> str:
        return "json" if self._bench.model.abilities.schema else "lines"

    async def _hear(self, episode: Episode) -> None:
        """Takes in what was done since, by whom ever."""
        if len(episode.trials) != self._trial:
            self._trial, self._known, self._place = len(episode.trials), 0, ""
            self._transcript = self._begun([trial.learnt.thought for trial in episode.trials])
        if not episode.steps:
            self._place = (await asyncio.to_thread(self._world.scene)).place
        for step in episode.steps[self._known :]:
            seen = await self._seen(step) if step is episode.steps[-1] else one_line(step.observation)
            thought = step.move.thought if step.move.confidence is None else ""  # a policy's says how sure it is
            self._tell(self._transcript, ShownStep(one_line(thought), step.action, seen))
        self._known = len(episode.steps)

    async def _seen(self, step: Step) -> str:
        """What was observed; a laboratory only says that one moved, so the place is told as well."""
        place, before = (await asyncio.to_thread(self._world.scene)).place, self._place
        self._place = place
        if place == before or len(step.observation) >= BRIEF:
            return one_line(step.observation)
        return one_line(f"{step.observation} {await asyncio.to_thread(self._world.look)}")

    def _tell(self, transcript: Transcript, step: ShownStep) -> None:
        """A step as the model itself would write it: its own form is what it goes on with."""
        if self._form == "json":
            thought = {"thought": step.thought} if self.thinks else {}
            transcript.add(json.dumps({**thought, "action": step.action}, ensure_ascii=False), step.observation)
            return
        if self.thinks and step.thought:
            transcript.think(step.thought)
        transcript.add(step.action, step.observation)

    def _told(self, example: Example) -> str:
        """An example as the model's own episode is told."""
        transcript = Transcript(example.opening, example.goal)
        for step in example.steps:
            self._tell(transcript, step)
        return transcript.text(EVERYTHING)

    def _begun(self, learnt: Sequence[str]) -> Transcript:
        """Of a trial; with `learnt` of those before."""
        return Transcript("\n\n".join([*learnt, self._bench.opening]), self._world.goal)

    # -- what it answers

    async def _asked(self, episode: Episode, options: Sequence[str], usage: Usage) -> tuple[str, str]:
        """Thought and action, as they were written; nothing where that cannot be read."""
        system = await self.system()
        behind = [*(f"The person adds: {word}" for word in episode.task.steering), episode.notice]
        now = self._transcript.text(room_for(self._bench.model, system), behind)
        if self._form == "lines":
            return await self._written(system, now, usage)
        few = len(options) <= MANY or not self._bench.model.abilities.strong
        return await self._chosen(system, now, options if few else (), usage)

    async def _chosen(self, system: str, now: str, options: Sequence[str], usage: Usage) -> tuple[str, str]:
        try:
            data = await self._bench.formed(
                [SystemMessage(system), HumanMessage(now)],
                choice(options, self.thinks),
                usage,
                max_tokens=STEP_TOKENS,
            )
        except Garbled:
            return "", ""
        return str(data.get("thought", "")), str(data.get("action", ""))

    async def _written(self, system: str, now: str, usage: Usage) -> tuple[str, str]:
        """A line at a time, thoughts until one is an action."""
        thoughts: list[str] = []
        for _ in range(THOUGHTS + 1):
            line = await next_line(self._bench, system, now, usage)
            thought = thought_of(line)
            if thought is None:
                return " ".join(thoughts), line
            thoughts.append(thought)
            now = f"{now}\n> think: {thought}\nOK."
        return " ".join(thoughts), ""


class WorldAct(WorldReAct):
    """The same without thoughts (Act, Yao et al. 2023, 4)."""

    thinks = False


def choice(actions: Sequence[str], thinks: bool = True) -> dict[str, object]:
    """A JSON step that names one of the actions, or any where there are none, behind a thought."""
    thought: dict[str, object] = {"thought": {"type": "string", "maxLength": THOUGHT}} if thinks else {}
    action = {"enum": list(dict.fromkeys(actions))} if actions else {"type": "string"}
    return closed({**thought, "action": action})


def actions_of(world: World) -> str:
    """What can be done in such a world; of one that nothing is known of, what its present state says."""
    if world.spec.world in ("alfworld", "scienceworld"):
        rooms = "teleporting" if teleports(world.spec) else "walking"
        return render(f"strategies/actions/{world.spec.world}", rooms=render(f"strategies/actions/{rooms}"))
    space: ActionSpace = space_of(world)
    return "; ".join(verb.format(object="X", other="Y") for verb in space.verbs) or "what it says can be done"
