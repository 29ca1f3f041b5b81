"""Text worlds as tools of the slow mind: open a task, act in it, leave it, and look back at what was done.

`make` gives the tools that make sense now, with the state's own verbs and names as enums in their schemas, so it is
called anew before every step. What happens is done by a `WorldDesk`, which the conversation implements.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field, create_model

from tools.desk import ToolFault
from tools.worlds.actions import ActionSpace, Parts, action_space, parts_of
from tools.worlds.goal import HOW, HOW_LONG, Drive, Goal
from tools.worlds.world import WorldFault

AT_ONCE = 5
"""Actions in one call."""


@dataclass(frozen=True)
class WorldState:
    """What `make` has to know of a conversation's worlds; made by the desk, quick to read."""

    tasks: tuple[int, ...] = ()
    """The numbers of all tasks of this conversation, open, finished or left; the one that was used last comes last."""
    hand: int = 0
    """The task that undo is about, and whose end is told when all are left: the one in hand; 0 for none."""
    steps: int = 0
    """Taken in the task in hand."""
    open: bool = False
    """The task in hand can be acted in."""
    space: ActionSpace | None = None
    """What can be done there now; None where the world cannot be brought back: the other tools tell why."""
    holder: Drive = "assistant"
    """Who acts in the open world."""
    recent: tuple[str, ...] = ()
    """The last actions taken there."""
    seen: str = ""
    """What was seen last."""
    goal: str = ""
    """Of the task in hand, or else of the last one."""
    afar: tuple[str, ...] = ()
    """Actions that are possible where one would have to go first: `take mug 1 from desk 1`."""
    language: str = "English"
    """In which a small model asks back."""
    strong: bool = False
    """The slow mind's model is: it is asked for how a task is to be done, too."""
    left: bool = False
    """The last task was left before it was over: it can be gone on with, and nothing else be done there."""

    def reach(self) -> ActionSpace:
        """What can be done here, or where it was seen."""
        assert self.space is not None
        return action_space((*self.space.admissible, *self.afar)) if self.afar else self.space

    def way(self, action: str) -> list[Parts]:
        """An action that is possible here, or the way to where it is and then the action."""
        if action in self.afar:
            parts = parts_of(action)
            return [Parts("go to {object}", parts.other), parts]
        assert self.space is not None
        return [self.space.parts(action)]


@dataclass(frozen=True)
class Told:
    """What came of a use of a world."""

    text: str
    """For the model."""
    depends: str = ""
    """The state it holds for: nothing of a world is served from memory."""
    told: str = ""
    """For the person, where it differs."""
    tokens: int = 0
    """Read and written by a policy's model in the meantime."""
    seconds: float = 0.0
    """For which a policy acted: no time of the run that called."""
    whole: bool = False
    """The text is as long as the model has room for: it is not to be cut."""


class Act(Protocol):
    """One action by its parts, as `world_act` gives it."""

    verb: str
    object: str
    other: str


class WorldDesk(Protocol):
    """The worlds of one conversation, in one turn. Every method raises ToolFault or WorldFault for what cannot be."""

    @property
    def state(self) -> WorldState:
        """As it is now; no engine is asked."""

    async def open(self, goal: Goal, how: str = "") -> Told: ...

    async def act(self, acts: Sequence[Act], why: str) -> Told: ...

    async def undo(self, steps: int) -> Told: ...

    async def go_on(self, steps: int | None, how: str = "") -> Told:
        """The assistant's policy acts until the task is over, a limit is reached or the person takes over; so many
        steps at most, then the person acts. `how`: what the person wants heeded; empty: what they said before."""

    async def hand_over(self) -> Told: ...

    async def leave(self) -> Told: ...

    async def story(self, task: int | None) -> Told: ...

    async def take_up(self, task: int, anew: bool, drive: Drive | None, how: str = "") -> Told:
        """Where it was left, or from its beginning, as what is over has to be where somebody is to act; None: whoever
        acted there last."""


def make(desk: WorldDesk) -> dict[str, BaseTool]:
    """The tools for the state as it is now, by name."""
    state = desk.state

    def open_(how: str = "", **goal: Any) -> Awaitable[Told]:
        return desk.open(Goal(**goal), how)

    tools = [_tool("world_open", OPEN, open_, _told_how(Goal, state.strong))]
    if state.open:
        tools += _in_open_world(desk, state)
    if state.hand:
        tools.append(_tool("world_leave", LEAVE, desk.leave))
    if state.hand and state.steps:
        tools.append(_tool("world_undo", UNDO, desk.undo, _UNDO))
    if state.tasks:
        # In words, not as an enum: some servers refuse one of numbers. The desk says where there is no such task.
        number = f"Its number, of {', '.join(map(str, sorted(state.tasks)))}"
        tools.append(_tool("world_story", STORY, desk.story, _story(number)))
        tools.append(_tool("world_return", RETURN, desk.take_up, _return(number, state.strong)))
    return {tool.name: tool for tool in tools}


OPEN = (
    "Opens a task in a text world, a simulated household or laboratory, where the person wants such a thing done there"
    " or wants to do it. Where the assistant drives, it acts at once until the task is over."
)
ACT = (
    "Acts in the open text world: up to five actions, one after the other, until one cannot be done."
    " Each is a verb with the names that stand in its braces. Verbs and names are listed as they are possible now;"
    " later actions may use those of the state that the earlier ones lead to (open {object} where one has just gone)."
)
GO_ON = "Lets the assistant's trained policy act in the open text world until the task is over, or for some steps."
HAND_OVER = "The person acts in the open text world from now on."
LEAVE = "Leaves the text world that is in hand; the task can be taken up again later."
UNDO = "Takes back the last steps in the text world that is in hand."
STORY = (
    "Tells a task in a text world: what was to be done, each step with who took it, why and what was seen, the score."
    " Read it before answering a question about what happened or was seen there."
)
RETURN = "Takes a task in a text world up again, where it was left, or anew from its beginning."


_NOTHING = create_model("Nothing")
_SOME = "How many, where the person wants no more than these and acts then; else to the end"
_GO_ON = create_model("GoOn", steps=(int | None, Field(None, ge=1, description=_SOME)))
_UNDO = create_model("Undo", steps=(int, Field(1, ge=1, description="How many")))


def _in_open_world(desk: WorldDesk, state: WorldState) -> list[StructuredTool]:
    tools = [_tool("world_go_on", GO_ON, desk.go_on, _told_how(_GO_ON, state.strong))]
    if state.space is not None:
        tools.insert(0, _tool("world_act", ACT, desk.act, _acts(state.space)))
    if state.holder != "person":
        tools.append(_tool("world_hand_over", HAND_OVER, desk.hand_over))
    return tools


def _acts(space: ActionSpace) -> type[BaseModel]:
    """Only names for the state that the action is taken in: the next one's are checked when it is reached."""
    act = create_model(
        "Act",
        verb=(str, _one_of(space.verbs, "What is done")),
        object=(str, _one_of(space.objects, "In the place of {object}; left out where the verb has none", "")),
        other=(str, _one_of(space.others, "In the place of {other}; left out where the verb has none", "")),
    )
    return create_model(
        "Acts",
        acts=(list[act], Field(min_length=1, max_length=AT_ONCE)),  # type: ignore[valid-type]
        why=(str, Field("", description="One short sentence: what this is good for; kept for later questions")),
    )


def _one_of(names: Sequence[str], says: str, *default: str) -> Any:
    """A name of a list. Another one is told with what is near, so it is not refused by its type. An empty name or list
    is left out: some servers refuse the whole request for it."""
    listed: Any = {"enum": list(names)} if names else None
    return Field(*(default or (...,)), description=says, json_schema_extra=listed)


@lru_cache(maxsize=64)
def _told_how(arguments: type[BaseModel], strong: bool) -> type[BaseModel]:
    """The same with how it is to be done, where the model is strong."""
    how: Any = (str, Field("", max_length=HOW_LONG, description=HOW))
    return create_model(arguments.__name__, __base__=arguments, how=how) if strong else arguments


@lru_cache(maxsize=64)
def _story(number: str) -> type[BaseModel]:
    one: Any = (int | None, Field(None, description=f"{number}; by default the last one"))
    return create_model("Task", task=one)


@lru_cache(maxsize=64)
def _return(number: str, strong: bool) -> type[BaseModel]:
    arguments = create_model(
        "Return",
        task=(int, Field(description=number)),
        anew=(bool, Field(False, description="From its beginning")),
        drive=(Drive | None, Field(None, description="Who acts from then on; by default who acted there last")),
    )
    return _told_how(arguments, strong)


def _tool(
    name: str, says: str, do: Callable[..., Awaitable[Told]], arguments: type[BaseModel] = _NOTHING
) -> StructuredTool:
    async def use(**given: Any) -> tuple[str, dict[str, Any]]:
        try:
            told = await do(**given)
        except WorldFault as fault:
            raise ToolFault(str(fault)) from fault
        spent = {"tokens": told.tokens, "seconds": told.seconds, "whole": told.whole}
        return told.text, {"depends": {"world": told.depends}, "told": told.told, **spent}

    return StructuredTool(
        name=name, description=says, args_schema=arguments, coroutine=use, response_format="content_and_artifact"
    )
