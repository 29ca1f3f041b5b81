"""The tools of text worlds by the state of a conversation's worlds, with a desk that only takes notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.tools import ToolException
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ValidationError

from tools.worlds.actions import ActionSpace
from tools.worlds.goal import Goal
from tools.worlds.tool import Act, Told, WorldState, make
from tools.worlds.world import WorldLost

SPACE = ActionSpace(("look", "go to desk 1", "take mug 1 from desk 1"))


class Notes:
    """A desk."""

    def __init__(self, state: WorldState) -> None:
        self.state = state
        self.heard: list[Any] = []
        self.fault: Exception | None = None

    def _done(self, *heard: Any) -> Told:
        self.heard.append(heard)
        if self.fault:
            raise self.fault
        return Told("done", "s/1@2", told="shown", tokens=7, seconds=1.5)

    async def open(self, goal: Goal, how: str = "") -> Told:
        return self._done("open", goal, *filter(None, [how]))

    async def act(self, acts: Sequence[Act], why: str) -> Told:
        return self._done("act", [(act.verb, act.object, act.other) for act in acts], why)

    async def undo(self, steps: int) -> Told:
        return self._done("undo", steps)

    async def go_on(self, steps: int | None, how: str = "") -> Told:
        return self._done("go on", steps, how)

    async def hand_over(self) -> Told:
        return self._done("hand over")

    async def leave(self) -> Told:
        return self._done("leave")

    async def story(self, task: int | None) -> Told:
        return self._done("story", task)

    async def take_up(self, task: int, anew: bool, drive: str | None, how: str = "") -> Told:
        return self._done("take up", task, anew, drive, how)


OPEN = WorldState((1, 2), hand=2, steps=3, open=True, space=SPACE)
STRONG = replace(OPEN, strong=True)


async def call(desk: Notes, name: str, **arguments: Any) -> Any:
    return await make(desk)[name].ainvoke({"name": name, "args": arguments, "id": "1", "type": "tool_call"})


@pytest.mark.parametrize(
    ("state", "tools"),
    [
        (WorldState(), ""),
        (OPEN, "act go_on hand_over leave undo story return"),
        (WorldState((1,), 1, 0, True, SPACE, "person"), "act go_on leave story return"),
        (WorldState((1,), 1, 4), "leave undo story return"),
        (WorldState((1,)), "story return"),
        (WorldState((1,), 1, 2, True), "go_on hand_over leave undo story return"),
    ],
)
def test_the_tools_are_those_that_make_sense_now(state: WorldState, tools: str) -> None:
    assert list(make(Notes(state))) == ["world_open", *(f"world_{name}" for name in tools.split())]


async def test_what_is_called_reaches_the_desk() -> None:
    desk = Notes(STRONG)
    await call(desk, "world_open", world="laboratory", kind="boil", thing="water")
    await call(desk, "world_act", acts=[{"verb": "go to {object}", "object": "desk 1"}, {"verb": "look"}], why="to see")
    await call(desk, "world_undo")
    await call(desk, "world_story")
    await call(desk, "world_story", task=1)
    await call(desk, "world_return", task=1)
    await call(desk, "world_return", task=2, anew=True, drive="person", how="gently")
    for name in ("go_on", "hand_over", "leave"):
        await call(desk, f"world_{name}")
    await call(desk, "world_go_on", steps=2)
    await call(desk, "world_open", world="laboratory", kind="boil", thing="water", how="gently")
    goal = Goal(world="laboratory", kind="boil", thing="water")
    assert desk.heard == [
        ("open", goal),
        ("act", [("go to {object}", "desk 1", ""), ("look", "", "")], "to see"),
        ("undo", 1),
        ("story", None),
        ("story", 1),
        ("take up", 1, False, None, ""),
        ("take up", 2, True, "person", "gently"),
        ("go on", None, ""),
        ("hand over",),
        ("leave",),
        ("go on", 2, ""),
        ("open", goal, "gently"),
    ]


async def test_only_a_strong_model_may_say_how_and_briefly() -> None:
    opened = {"world": "laboratory", "kind": "boil"}
    arguments: dict[str, dict[str, Any]] = {"world_open": opened, "world_go_on": {}, "world_return": {"task": 1}}
    for name, given in arguments.items():
        assert "how" not in make(Notes(OPEN))[name].args and "how" in make(Notes(STRONG))[name].args
        with pytest.raises(ValidationError):
            await call(Notes(STRONG), name, **given, how="x" * 301)


async def test_the_artifact_says_what_the_result_holds_for() -> None:
    message = await call(Notes(OPEN), "world_go_on")
    assert message.content == "done"
    assert message.artifact == {
        "depends": {"world": "s/1@2"}, "told": "shown", "tokens": 7, "seconds": 1.5, "whole": False,
    }  # fmt: skip


async def test_a_fault_of_a_world_is_a_sentence_for_the_model() -> None:
    desk = Notes(OPEN)
    desk.fault = WorldLost("The engine ended.")
    with pytest.raises(ToolException, match="engine ended"):
        await call(desk, "world_go_on")


async def test_names_of_the_state_are_in_the_schema_and_others_reach_the_desk() -> None:
    desk = Notes(OPEN)
    schema = convert_to_openai_tool(make(desk)["world_act"])["function"]["parameters"]
    act = schema["properties"]["acts"]["items"]["properties"]
    assert act["verb"]["enum"] == ["look", "go to {object}", "take {object} from {other}"]
    assert act["object"]["enum"] == ["desk 1", "mug 1"] and act["other"]["enum"] == ["desk 1"]
    assert schema["properties"]["acts"]["maxItems"] == 5
    await call(desk, "world_act", acts=[{"verb": "fly"}])
    assert desk.heard[-1] == ("act", [("fly", "", "")], ""), "it is the desk that tells what is near"


async def test_what_is_typed_is_refused_by_its_type() -> None:
    refused: list[tuple[str, dict[str, Any]]] = [
        ("world_open", {"world": "household", "kind": "dance"}),
        ("world_act", {"acts": [{"verb": "look"}] * 6}),
        ("world_act", {"acts": []}),
        ("world_return", {"task": "first"}),
        ("world_return", {"task": 1, "drive": "nobody"}),
        ("world_undo", {"steps": 0}),
    ]
    for name, arguments in refused:
        with pytest.raises(ValidationError):
            await call(Notes(OPEN), name, **arguments)


def test_every_schema_is_told_in_the_form_that_models_take() -> None:
    for tool in make(Notes(STRONG)).values():
        told = convert_to_openai_tool(tool)["function"]
        assert told["description"] and told["parameters"]["type"] == "object"


@pytest.mark.parametrize("space", [SPACE, ActionSpace(("look",))])
def test_no_schema_has_what_a_server_may_refuse(space: ActionSpace) -> None:
    """Gemini's takes no enum that is empty, holds an empty text or numbers, and no const."""
    for tool in make(Notes(replace(STRONG, space=space))).values():
        for part in parts(convert_to_openai_tool(tool)["function"]["parameters"]):
            names = part.get("enum", ["some"])
            assert names and all(isinstance(name, str) and name for name in names) and "const" not in part


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Every object of a schema."""
    if isinstance(schema, dict):
        yield schema
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from parts(part)


def test_the_numbers_of_the_tasks_are_told() -> None:
    for name in ("world_story", "world_return"):
        told = convert_to_openai_tool(make(Notes(OPEN))[name])["function"]["parameters"]["properties"]["task"]
        assert "of 1, 2" in told["description"]
