"""A small model in worlds: one typed call out of what the learned weights find near, or none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from minds.dialogue import Dialogue, Episode, Move, Reply, Task, Turn, TurnContext
from minds.policies.wishes import Likely, Ranked
from minds.slow import Workbench
from minds.small_model.fast import SmallFast
from minds.small_model.worlds import CONTROLS, Heeding, WorldStep, shortlist
from tests.fakes import FakeGate, FakeModel, flat, in_turn
from tools.worlds.actions import action_space
from tools.worlds.tool import WorldState

MUG = ("take mug 1 from desk 1", "move mug 1 to desk 1", "go to desk 1", "look")
OPEN = WorldState((1,), 1, 1, True, action_space(MUG), "person", ("go to desk 1",), "On the desk 1, you see a mug 1.")
LIKELY = Likely(0.9, True, ("put_somewhere", "boil"), ("Mug", "SoapBar"), ("Desk", "Sofa"))


class FakeWishes:
    """Everything that is said may be about a world, where it holds the word."""

    def wish(self, said: str, vector: object) -> Likely:
        return LIKELY if "wish" in said else replace(LIKELY, p=0.0, wished=False)

    def meant(self, said: str, vector: object) -> tuple[float, bool]:
        return 1.0, "mug" in said

    def ranked(self, said: str, vector: object, space: object, recent: object, embed: object) -> Ranked:
        return Ranked(MUG, (0.6, 0.38, 0.01, 0.01), 0.0)


def heeding() -> Heeding:
    return Heeding(FakeWishes(), FakeGate(), flat)  # type: ignore[arg-type]


def step(written: dict[str, object], state: WorldState = OPEN) -> tuple[WorldStep, FakeModel]:
    model = FakeModel(lambda _: [""], in_turn(written))
    tools: Callable[[], Any] = lambda: dict.fromkeys(CONTROLS.values())  # noqa: E731
    return WorldStep(Workbench(model, tools, aids={"world": lambda: state}), heeding()), model


async def moved(said: str, written: dict[str, object], state: WorldState = OPEN) -> Move | None:
    return await step(written, state)[0].move(Episode(Task(said, said, Dialogue("s", "u"), TurnContext(in_world=True))))


async def test_an_action_is_called_by_its_parts() -> None:
    move = await moved("the mug", {"do": ["take mug 1 from desk 1"]})
    assert move and move.worded and move.last
    [call] = move.calls
    part = {"verb": "take {object} from {other}", "object": "mug 1", "other": "desk 1"}
    assert (call.tool, call.arguments) == ("world_act", {"acts": [part]})


async def test_the_model_reads_only_what_is_near() -> None:
    world, model = step({"do": ["NOTHING"]})
    await world.move(Episode(Task("the mug", "the mug", Dialogue("s", "u"), TurnContext(in_world=True))))
    assert "move mug 1 to desk 1" in model.heard[0].last and "look" not in model.heard[0].last
    assert shortlist(Ranked(MUG, (1.0, 0.0, 0.0, 0.0), 0.0)) == MUG[:2]


async def test_a_control_is_called_and_what_is_unclear_is_said() -> None:
    undone, unclear = await moved("mug", {"do": ["UNDO"]}), await moved("mug", {"do": ["UNCLEAR"]})
    assert undone and undone.calls[0].tool == "world_undo"
    assert unclear and unclear.gave_up and "`take mug 1 from desk 1`" in str(unclear.answer)


async def test_a_wish_opens_a_world_by_the_models_call() -> None:
    goal: dict[str, object] = {"kind": "put_somewhere", "thing": "mug", "place": "desk", "drive": "person"}
    move = await moved("a wish", goal, WorldState())
    assert move and move.calls[0].tool == "world_open"
    assert move.calls[0].arguments == {"world": "household", **goal}


async def test_none_is_plain_talk_where_the_gate_says_so() -> None:
    talk, work = await moved("a wish", {"kind": "none"}), await moved("a wish of 3", {"kind": "none"})
    assert talk is not None and talk.answer == "" and not talk.calls
    assert work is None  # the ordinary path


async def test_the_fast_mind_hands_the_turn_on_in_the_persons_words() -> None:
    fast = SmallFast(FakeModel(lambda _: ["Hello."]), FakeGate(), flat, heeding())  # type: ignore[arg-type]
    reply = Reply()
    said = [piece async for piece in fast.reply(Dialogue("s", "u"), "a wish", TurnContext(), reply)]
    assert (reply.invoke, reply.request) == (True, "a wish") and len(said) == 1
    assert not fast.model.heard  # type: ignore[attr-defined]


async def test_what_the_slow_mind_hands_back_empty_is_answered() -> None:
    fast = SmallFast(FakeModel(lambda _: ["Hello."]), FakeGate(), flat, heeding())  # type: ignore[arg-type]
    pieces = fast.word(Dialogue("s", "u"), "a wish", TurnContext(), Turn("fast", "One moment.", invoke=True), "")
    assert "".join([piece async for piece in pieces]) == "Hello."
