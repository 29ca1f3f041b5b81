"""ReAct and Act in worlds: an example of the same type, thoughts, a prompt that only grows, any kind of model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from chat.bench.episodes.stage import ShownWorld
from minds.dialogue import Episode, Step, in_world
from minds.models.language import THINKING, Abilities, Garbled, Unreachable
from minds.slow import Workbench
from minds.strategies.world_react import MANY, WorldAct, WorldReAct, actions_of
from tests.fakes import FORMED, SMALL, FakeModel
from tests.minds.strategies.toy import CHAT, PLAIN, TASK, bench, held, model, played, toy
from tests.toyworld import GOLD, ToyWorld
from tools.worlds.world import WorldSpec

THOUGHT = "The desk may have the mug."


def schemas_of(model: FakeModel) -> list[dict[str, Any]]:
    """What each answer's action is held to; filled while the model is asked."""
    offered: list[dict[str, Any]] = []
    really = model.structured

    async def noted(messages: Sequence[BaseMessage], schema: dict[str, Any], **more: Any) -> dict[str, object]:
        offered.append(schema["properties"]["action"])
        return await really(messages, schema, **more)

    model.structured = noted  # type: ignore[method-assign]
    return offered


async def test_a_solved_task_of_the_same_type_is_shown_with_a_thought_before_every_action() -> None:
    asked = model(f"think: {THOUGHT}", "go to desk 1")
    await WorldReAct(bench(asked)).act(Episode(TASK))
    system = str(asked.heard[0].messages[0].content)
    assert "put a plate in diningtable" in system, "the goal is to put something somewhere"
    example = system.partition("Here is a solved task.")[2]
    acts = [line for line in example.splitlines() if line.startswith("> ")]
    assert acts and all(line.startswith("> think:") == (number % 2 == 0) for number, line in enumerate(acts))


async def test_examples_are_told_in_the_form_that_the_model_answers_in() -> None:
    asked = held({"thought": THOUGHT, "action": "go to desk 1"})
    await WorldReAct(bench(asked)).act(Episode(TASK))
    system = str(asked.heard[0].messages[0].content)
    assert '"action": "open cabinet 8"}' in system and "think:" not in system
    acting = held({"action": "go to desk 1"})
    await WorldAct(bench(acting)).act(Episode(TASK))
    assert '> {"action": "open cabinet 8"}' in str(acting.heard[0].messages[0].content)


async def test_act_is_shown_the_same_without_thoughts() -> None:
    asked = model("go to desk 1")
    move = await WorldAct(bench(asked)).act(Episode(TASK))
    system = str(asked.heard[0].messages[0].content)
    assert "think:" not in system and "> open cabinet 8" in system
    assert (move.thought, move.action) == ("", "go to desk 1")


@pytest.mark.parametrize("abilities", [PLAIN, CHAT])
async def test_a_model_that_only_chats_writes_its_thought_then_its_action(abilities: object) -> None:
    asked = model(f"> think: {THOUGHT}", "> Go to desk 1.", abilities=abilities)  # type: ignore[arg-type]
    move = await WorldReAct(bench(asked)).act(Episode(TASK))
    assert (move.thought, move.action, move.wrote, move.asked) == (THOUGHT, "go to desk 1", None, 2)
    assert asked.heard[1].last.rstrip("\n> ").endswith(f"> think: {THOUGHT}\nOK.")


@pytest.mark.parametrize(("abilities", "room"), [(CHAT, THINKING), (FORMED, THINKING), (PLAIN, 400)])
async def test_a_strong_model_has_room_to_think_before_it_acts(abilities: Abilities, room: int) -> None:
    act = {"thought": THOUGHT, "action": "go to desk 1"}
    asked = FakeModel(lambda _: ["go to desk 1"], lambda _: [act], abilities=abilities)
    await WorldReAct(bench(asked)).act(Episode(TASK))
    assert [heard.limit for heard in asked.heard] == [room]


async def test_thoughts_that_the_server_s_template_opened_are_no_action() -> None:
    asked = model("The mug is on the desk.\n</think>\n\ngo to desk 1", abilities=CHAT)
    move = await WorldReAct(bench(asked)).act(Episode(TASK))
    assert (move.action, move.wrote) == ("go to desk 1", None)


@pytest.mark.parametrize(("abilities", "stop"), [(SMALL, ("\n",)), (PLAIN, ()), (CHAT, ())])
async def test_only_where_its_line_was_begun_something_stops_the_model(
    abilities: Abilities, stop: tuple[str, ...]
) -> None:
    """A server looks for what stops an answer in its thinking, too, and in the empty line behind that."""
    asked = model("go to desk 1", abilities=replace(abilities, schema=False))
    await WorldReAct(bench(asked)).act(Episode(TASK))
    assert asked.heard[0].stop == stop


async def test_of_an_answer_that_goes_on_by_itself_the_first_line_counts() -> None:
    asked = model("\n> go to desk 1\nOn the desk 1, you see a pen 1.\n> take pen 1 from desk 1")
    move = await WorldReAct(bench(asked)).act(Episode(TASK))
    assert (move.action, move.wrote) == ("go to desk 1", None)


async def test_a_model_that_is_held_to_a_schema_chooses_among_all_that_is_possible() -> None:
    class Crowded(ToyWorld):
        def admissible(self) -> tuple[str, ...]:
            return (*(f"examine spoon {n}" for n in range(900)), *super().admissible(), "teleport to attic")

    world, asked = toy(Crowded), held({"thought": THOUGHT, "action": "teleport to attic"})
    offered = schemas_of(asked)
    move = await WorldReAct(bench(asked, world)).act(Episode(TASK))
    assert move.action == "teleport to attic" and move.thought == THOUGHT
    assert len(offered[0]["enum"]) == len(set(world.admissible())) > MANY
    assert "spoon 899" not in asked.heard[0].everything, "what is possible is no part of the prompt"


async def test_a_strong_model_is_not_sent_more_choices_than_its_server_takes() -> None:
    class Crowded(ToyWorld):
        def admissible(self) -> tuple[str, ...]:
            return (*(f"examine spoon {n}" for n in range(MANY)), *super().admissible())

    asked = held({"thought": THOUGHT, "action": "go to the desk 1"})
    asked.abilities = replace(asked.abilities, strong=True)
    offered = schemas_of(asked)
    move = await WorldReAct(bench(asked, toy(Crowded))).act(Episode(TASK))
    assert offered == [{"type": "string"}] and (move.action, move.wrote) == ("go to desk 1", "go to the desk 1")


async def test_where_nothing_is_listed_it_is_held_to_no_action() -> None:
    asked = held({"thought": "", "action": "go to desk 1"})
    offered = schemas_of(asked)
    hidden = Workbench(asked, dict, world=ShownWorld(toy(), listed=False))
    move = await WorldReAct(hidden).act(Episode(TASK))
    assert offered == [{"type": "string"}] and move.action == "go to desk 1"


@pytest.mark.parametrize(("options", "told"), [(("easy",), True), ((), False)])
def test_teleports_are_told_of_where_there_are_any(options: tuple[str, ...], told: bool) -> None:
    world = toy()
    world.spec = WorldSpec("scienceworld", "boil", 0, options)
    assert ("teleport to ROOM; go to ROOM; look around" in actions_of(world)) is told
    assert ("nobody can teleport here" in actions_of(world)) is not told


async def test_what_was_done_lately_can_be_done_again() -> None:
    steps = (Step(in_world("", "go to desk 1"), "On the desk 1, you see a mug 1."),)
    world = toy()
    asked = held({"thought": "", "action": "look"})
    world.step("go to desk 1")
    move = await WorldReAct(bench(asked, world)).act(Episode(TASK, (*steps, Step(in_world("", "look"), "A mug."))))
    assert (move.action, move.wrote) == ("look", None)


async def test_what_is_not_possible_becomes_the_nearest_that_is_and_the_move_says_so() -> None:
    move = await WorldReAct(bench(model("go to the desk"))).act(Episode(TASK))
    assert (move.action, move.wrote) == ("go to desk 1", "go to the desk")


@pytest.mark.parametrize("nothing", ["", Garbled("All thinking.")])
async def test_an_answer_that_cannot_be_read_changes_nothing_in_the_world(nothing: object) -> None:
    move = await WorldReAct(bench(model((nothing,)))).act(Episode(TASK))  # type: ignore[arg-type]
    assert (move.action, move.wrote) == ("look", "")
    move = await WorldReAct(bench(held(Garbled("No JSON.")))).act(Episode(TASK))
    assert (move.action, move.wrote) == ("look", "")


async def test_a_prompt_only_grows_at_its_end() -> None:
    asked = held(*({"thought": f"Thought {n}.", "action": action} for n, action in enumerate(GOLD)))
    world = toy()
    answer = await played(WorldReAct(bench(asked, world)), world)
    assert answer.solved
    prompts = ["\n".join(str(message.content) for message in heard.messages) for heard in asked.heard]
    assert all(after.startswith(before) for before, after in pairwise(prompts))
    assert '> {"thought": "Thought 3.", "action": "open drawer 1"}\nYou open the drawer 1.' in prompts[-1]


async def test_every_step_says_what_it_cost() -> None:
    asked = model(f"think: {THOUGHT}", "go to desk 1")
    move = await WorldReAct(bench(asked)).act(Episode(TASK))
    assert (move.read, move.written, move.tokens, move.asked) == (20, 2, 22, 2)


async def test_a_place_that_is_moved_to_is_told_where_the_world_only_says_that_one_moved() -> None:
    class Terse(ToyWorld):
        def _acted(self, action: str) -> str:
            seen = super()._acted(action)
            return "You move." if action.startswith("go to") else seen

    world, asked = toy(Terse), held(*({"thought": "", "action": action} for action in GOLD))
    await played(WorldReAct(bench(asked, world)), world)
    assert '"action": "go to desk 1"}\nYou move. On the desk 1, you see a mug 1.' in asked.heard[1].last


async def test_a_model_that_dies_in_mid_episode_ends_it_where_it_stands() -> None:
    world = toy()
    dying = model("go to desk 1", (Unreachable("It was silent."),))
    answer = await played(WorldReAct(bench(dying, world)), world)
    assert (answer.why, len(answer.episode.steps)) == ("model", 1)


async def test_a_world_that_nothing_is_written_down_for_says_itself_what_can_be_done() -> None:
    world = toy()
    world.spec = WorldSpec("textworld", "mug")
    asked = model("go to desk 1")
    await WorldReAct(bench(asked, world)).act(Episode(TASK))
    system = str(asked.heard[0].messages[0].content)
    assert "go to X" in system and "solved task" not in system
