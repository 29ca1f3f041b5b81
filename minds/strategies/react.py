"""ReAct (Yao et al. 2023) as DUMA 2.3 uses it: Reason, Act, Obs, until the answer.

A step is a thought and its calls, typed by the tools' schemas; a model may say that the calls are the last, and what
they give is then the result. Three ways to get a step out of a model, by what it can do: native tool calls; JSON held
to a schema; JSON asked for in words.
"""

from __future__ import annotations

from dataclasses import replace

from minds.dialogue import Episode, Move
from minds.models.language import Toolless, Usage
from minds.slow import Workbench
from minds.strategies.steps import GROWN, as_move, as_native_move, messages, native_tools, read_step, schema
from prompts import render

READ = 0.75
"""Share of the model's context that the prompt may take; the rest is for writing."""


class ReAct:
    """One episode's strategy."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench

    async def act(self, episode: Episode) -> Move:
        """Raises ModelFault."""
        try:
            move = await (self._native(episode) if self._bench.model.abilities.tools else self._json(episode))
        except Toolless:
            if self._bench.aloud:
                self._bench.aloud("")  # what it said was no answer
            move = await self._json(episode)
        return replace(move, last=move.last and not self._bench.alone)

    @property
    def _room(self) -> int:
        return int(self._bench.model.abilities.context * READ * GROWN)

    async def _native(self, episode: Episode) -> Move:
        model, usage, alone = self._bench.model, Usage(), self._bench.alone
        marked = model.abilities.told_in_tools
        added = ("" if alone else render("slow/may_be_last")) + (render("slow/told_in_tools") if marked else "")
        tools = self._bench.tools()
        worlds = render("slow/worlds") if "world_open" in tools else ""
        system = _system("slow/native", episode, worlds=worlds, added=added)
        said = await model.call(
            messages(episode, system, self._room, native=True, told_in_tools=marked),
            native_tools(tools, last=not alone),
            temperature=self._bench.temperature,
            usage=usage,
            aloud=self._bench.aloud,
        )
        return as_native_move(said, usage)

    async def _json(self, episode: Episode) -> Move:
        model, usage, tools = self._bench.model, Usage(), self._bench.tools()
        listed = "\n".join(f"{tool.name}({', '.join(tool.args)}): {tool.description}" for tool in tools.values())
        said = messages(episode, _system("slow/react", episode, tools=listed), self._room, native=False)
        if model.abilities.schema:
            data = await self._bench.formed(said, schema(tools), usage)
        else:
            data = read_step(await self._bench.written(said, usage))
        return as_move(data, usage)


def _system(prompt: str, episode: Episode, **values: str) -> str:
    policy = episode.task.context.policy
    return render(prompt, **values) + (f"\n\n{policy}" if policy else "")
