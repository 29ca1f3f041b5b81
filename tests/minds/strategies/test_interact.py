"""InterAct's roles with a scripted model, on the toy household: base agent, sorter, checker, two objects."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from chat.bench.episodes.stage import ShownWorld
from minds.dialogue import Dialogue, Episode, Step, Task, in_world
from minds.models.language import THINKING, Abilities, Garbled, Unreachable
from minds.policies.trained import Trained, UnknownRule
from minds.slow import Limits, Workbench, think
from minds.strategies import open_strategy
from minds.strategies.interact import InterAct, in_order, searchable
from minds.strategies.line_agent import THOUGHTS
from tests.fakes import FORMED, SMALL, STRONG, FakeModel, Heard, Piece
from tests.minds.test_world_strategies import Silent
from tests.toyworld import GOAL, ToyWorld, ToyWorlds
from tools.worlds.world import Observation, World, WorldSpec

TASK = Task(GOAL, "put the mug away", Dialogue("s", "ada"))
PLAIN = Abilities(context=8192)
LOOKING = ("think: First I need to find a [[mug]].", "go to drawer 1")


@dataclass
class Cast:
    """Who says what: the agent its lines in turn, the sorter an order, the checker what it sees."""

    lines: Sequence[str]
    order: str = "desk, drawer"
    there: Sequence[str] = ("mug 1",)
    """The checker says yes where one of these is seen."""
    abilities: Abilities = PLAIN
    asked: list[tuple[str, str]] = field(default_factory=list)
    """(role, what it was asked)."""

    def __post_init__(self) -> None:
        self._left = iter(self.lines)
        self.model = FakeModel(self.says, self.steps, abilities=self.abilities)

    def says(self, heard: Heard) -> Sequence[Piece]:
        role = role_of(heard)
        self.asked.append((role, heard.last))
        if role == "sorter":
            return [self.order]
        return [next(self._left)] if role == "agent" else ["yes" if self._sees(heard.last) else "no"]

    def steps(self, heard: Heard) -> Sequence[Any]:
        self.asked.append((role_of(heard), heard.last))
        return [{"here": "yes" if self._sees(heard.last) else "no"}]

    def _sees(self, asked: str) -> bool:
        return any(thing in asked for thing in self.there)

    def count(self, role: str) -> int:
        return sum(one == role for one, _ in self.asked)

    @property
    def transcript(self) -> str:
        """As the agent saw it last."""
        return [asked for role, asked in self.asked if role == "agent"][-1]


def role_of(heard: Heard) -> str:
    first = str(heard.messages[0].content)
    return "checker" if first.startswith("You check") else "sorter" if first.startswith("You sort") else "agent"


def toy() -> ToyWorld:
    world = ToyWorlds().open(WorldSpec("alfworld", "mug"))
    world.reset()
    return world


def bench(cast: Cast, world: World, *without: str) -> Workbench:
    return Workbench(cast.model, dict, world=world, opening=world.look(), trained=Trained(without=without))


async def played(cast: Cast, *without: str, steps: int = 9) -> Episode:
    """The episode, as long as the agent has lines."""
    world = toy()
    strategy = InterAct(bench(cast, world, *without))
    answer = await think(TASK, strategy, dict, Silent(), Limits(steps=steps), world=world)
    return answer.episode


async def test_it_wins_with_all_of_its_roles() -> None:
    lines = (*LOOKING[:1], "go to desk 1", "take mug 1 from desk 1", "go to drawer 1", "open drawer 1")
    cast = Cast((*lines, "move mug 1 to drawer 1"))
    episode = await played(cast)
    assert episode.steps[-1].seen and episode.steps[-1].seen.won
    assert (cast.count("sorter"), cast.count("checker")) == (1, 1), "what is found is looked for no longer"


async def test_the_agent_is_shown_two_exemplars_of_its_type_of_task() -> None:
    world = toy()
    world.goal = "put two pen in drawer"
    cast = Cast(("go to desk 1",))
    await InterAct(bench(cast, world)).act(Episode(TASK))
    system = str(cast.model.heard[0].messages[0].content)
    assert system.count("Your task is to:") == 2 and "find two creditcard" in system
    assert cast.transcript.endswith("Your task is to: put two pen in drawer.\n>")


async def test_thoughts_are_answered_ok_and_stand_in_the_log() -> None:
    cast = Cast(("think: The desk may have it.", "go to desk 1", "look"))
    episode = await played(cast, steps=2)
    assert episode.steps[0].move.thought == "The desk may have it."
    assert "> think: The desk may have it.\nOK.\n> go to desk 1\nOn the desk 1" in cast.transcript


async def test_what_is_marked_is_sorted_and_the_order_is_told() -> None:
    cast = Cast(LOOKING, order="drawers are unlikely; the drawer, then the desk")
    episode = await played(cast, steps=1)
    assert ("sorter", "Object: mug\nPlaces: desk, drawer") in cast.asked
    assert cast.transcript.endswith("> sorting(mug)\n[drawer 1, desk 1]\n>")
    assert "sorting(mug): [drawer 1, desk 1]" in episode.steps[0].move.thought


async def test_the_agent_alone_is_asked_at_the_temperature_that_is_wished_for() -> None:
    cast, world = Cast((*LOOKING[:1], "go to desk 1", "take mug 1 from desk 1"), order="the desk"), toy()
    strategy = InterAct(replace(bench(cast, world), temperature=0.8))
    await think(TASK, strategy, dict, Silent(), Limits(steps=2), world=world)
    warm = {role_of(heard): heard.temperature for heard in cast.model.heard}
    assert warm == {"agent": 0.8, "sorter": 0.0, "checker": 0.0}


@pytest.mark.parametrize("abilities", [Abilities(strong=True), FORMED])
async def test_every_role_of_a_strong_model_has_room_to_think(abilities: Abilities) -> None:
    cast = Cast((*LOOKING[:1], "go to desk 1", "take mug 1 from desk 1"), abilities=abilities)
    await played(cast, steps=2)
    assert {role for role, _ in cast.asked} == {"agent", "sorter", "checker"}
    assert {heard.limit for heard in cast.model.heard} == {THINKING}


@pytest.mark.parametrize("name", ["mug", "[[mug]]"])
async def test_the_agent_may_ask_for_the_order_itself(name: str) -> None:
    cast = Cast((f"sorting({name})", "go to desk 1"))
    await played(cast, steps=1)
    assert cast.transcript.endswith("> sorting(mug)\n[desk 1, drawer 1]\n>")


async def test_asked_again_it_is_told_the_order_that_is_known() -> None:
    cast = Cast(("sorting(mug)", "go to desk 1", "sorting(mug)", "take mug 1 from desk 1"))
    episode = await played(cast, steps=2)
    assert cast.transcript.endswith("you see a mug 1.\n> sorting(mug)\n[desk 1, drawer 1]\n>")
    assert cast.count("sorter") == 1 and episode.steps[1].move.thought == "sorting(mug): [desk 1, drawer 1]"


def test_an_order_holds_every_place_by_kind_and_number() -> None:
    places = ["cabinet 1", "cabinet 2", "cabinet 10", "fridge 1", "countertop 1", "art studio"]
    assert in_order("The fridge, cabinet 10, then cabinets; Art Studio", places) == [
        *("fridge 1", "cabinet 10", "cabinet 1", "cabinet 2", "art studio", "countertop 1"),
    ]
    assert in_order("cabinet, fridge", places)[:4] == ["cabinet 1", "cabinet 2", "cabinet 10", "fridge 1"]


def test_places_are_those_that_can_be_gone_to_by_number() -> None:
    class Crowded(ToyWorld):
        def scene(self) -> Any:
            from tools.worlds.world import Scene

            return Scene("", (), ("drawer 10", "drawer 2", "desk 1", "drawer 1"), ())

    assert searchable(Crowded(ToyWorlds(), WorldSpec("alfworld", "mug"))) == [
        *("drawer 1", "drawer 2", "drawer 10", "desk 1"),
    ]


async def test_where_the_checker_does_not_find_it_the_agent_hears_just_that() -> None:
    cast = Cast(("think: I need a [[pan]].", "go to desk 1", "look"), there=("pan 1",))
    episode = await played(cast, steps=2)
    assert "> go to desk 1\npan is not here.\n>" in cast.transcript and "mug 1" not in cast.transcript
    assert episode.steps[1].move.thought == "Checker: pan is not here."
    assert "mug 1" in episode.steps[0].observation, "the log keeps what the world said"


async def test_a_closed_place_is_not_checked_an_opened_one_is() -> None:
    cast = Cast((*LOOKING, "open drawer 1", "look"))
    await played(cast, steps=3)
    assert "> go to drawer 1\nThe drawer 1 is closed.\n> open drawer 1\nmug is not here." in cast.transcript
    assert cast.count("checker") == 1


async def test_a_closed_place_is_not_checked_where_no_actions_are_listed() -> None:
    cast, world = Cast((*LOOKING, "look")), ShownWorld(toy(), listed=False)
    await think(TASK, InterAct(bench(cast, world)), dict, Silent(), Limits(steps=2), world=world)
    assert "> go to drawer 1\nThe drawer 1 is closed.\n>" in cast.transcript and cast.count("checker") == 0


async def test_a_place_that_was_not_reached_is_not_checked() -> None:
    cast, world = Cast((*LOOKING[:1], "go to attic 1", "look")), ShownWorld(toy(), listed=False)
    await think(TASK, InterAct(bench(cast, world)), dict, Silent(), Limits(steps=2), world=world)
    assert "> go to attic 1\nNothing happens.\n>" in cast.transcript and cast.count("checker") == 0


async def test_whoever_was_refused_stands_where_it_stood() -> None:
    lines = ("go to desk 1", "go to attic 1", "think: I need a [[mug]].", "look")
    cast, world = Cast(lines, order="drawer, desk"), ShownWorld(toy(), listed=False)
    await think(TASK, InterAct(bench(cast, world)), dict, Silent(), Limits(steps=3), world=world)
    assert "> sorting(mug)\n[desk 1, drawer 1]\n>" in cast.transcript


async def test_sorter_and_checker_are_asked_at_the_same_time() -> None:
    met = asyncio.Event()

    class Together(Cast):
        def says(self, heard: Heard) -> Sequence[Piece]:
            said = super().says(heard)
            if role_of(heard) == "checker":
                met.set()
            return [met, *said] if role_of(heard) == "sorter" else said

    cast = Together(("go to desk 1", "think: I need a [[mug]].", "take mug 1 from desk 1"), order="drawer, desk")
    async with asyncio.timeout(5):
        await played(cast, steps=2)
    assert cast.transcript.endswith("[desk 1, drawer 1]\n>"), "it lies where the agent stands: that place is first"


async def test_what_lies_where_it_was_marked_is_looked_for_no_longer() -> None:
    taken = ("go to desk 1", "think: I need a [[mug]].", "take mug 1 from desk 1", "go to drawer 1", "open drawer 1")
    cast = Cast((*taken, "look"))
    await played(cast, steps=5)
    assert cast.transcript.endswith("In it, you see nothing.\n>") and cast.count("checker") == 1


@pytest.mark.parametrize("without", [(), ("sorter",)])
async def test_what_was_sorted_before_is_checked_where_it_is_marked_again(without: Sequence[str]) -> None:
    looking = (*LOOKING[:1], "think: Or rather a [[pan]].", "go to desk 1", "think: No, the [[mug]].")
    cast = Cast((*looking, "go to drawer 1", "open drawer 1", "look"), there=("Required: mug\nSeen: On the desk 1",))
    await played(cast, *without, steps=4)
    assert [asked for role, asked in cast.asked if role == "checker"] == [
        f"Required: {thing}\nSeen: On the desk 1, you see a mug 1." for thing in ("pan", "mug")
    ]
    assert "In it, you see nothing." in cast.transcript, "it was found: it is looked for no longer"


async def test_of_what_was_handled_since_a_place_says_nothing_any_more() -> None:
    taken = (*LOOKING[:1], "go to desk 1", "take mug 1 from desk 1", "think: Next, the second [[mug]].")
    cast = Cast((*taken, "go to drawer 1", "open drawer 1", "look"))
    await played(cast, steps=5)
    assert cast.transcript.endswith("> open drawer 1\nmug is not here.\n>")


async def test_the_second_of_two_is_looked_for_without_sorting_again() -> None:
    cast = Cast((*LOOKING[:1], "go to desk 1", "think: Next, the second [[mug]]. I go back first.", "go to drawer 1"))
    await played(cast, steps=2)
    assert cast.count("sorter") == 1
    world = toy()
    world.goal = "find two mug and put them in drawer"
    await InterAct(bench(more := Cast(("look",)), world)).act(Episode(TASK))
    assert "I should go back to sidetable 1 to see if there is more creditcard" in str(
        more.model.heard[0].messages[0].content
    )


def system_of(cast: Cast) -> str:
    return str(cast.model.heard[0].messages[0].content)


MARKING = (
    " Put the thing that you have to find next in [[double square brackets]], in its plain name: you are then told {}."
)


async def test_with_all_roles_it_is_told_what_a_mark_brings() -> None:
    cast = Cast(LOOKING)
    await played(cast, steps=1)
    told = MARKING.format("in which order to search the places for it, and at each place whether it is there")
    assert f"yourself.{told} Here are two examples." in system_of(cast)


async def test_without_the_checker_the_agent_sees_for_itself() -> None:
    cast = Cast(("think: I need a [[pan]].", "go to desk 1", "look"), there=("pan 1",))
    await played(cast, "checker", steps=2)
    system = system_of(cast)
    assert cast.count("checker") == 0 and "On the desk 1, you see a mug 1." in cast.transcript
    assert "is not here" not in system and " | " not in system and "sorting(" in system
    assert f"yourself.{MARKING.format('in which order to search the places for it')} Here are" in system


async def test_without_the_sorter_the_agent_orders_the_places_itself() -> None:
    cast = Cast(LOOKING)
    await played(cast, "sorter", steps=1)
    system = system_of(cast)
    assert cast.count("sorter") == 0 and "sorting" not in cast.transcript
    assert "sorting(" not in system and "> think: I can check" in system and "is not here" in system
    assert f"yourself.{MARKING.format('at each place whether it is there')} Here are" in system


async def test_with_neither_it_is_react() -> None:
    cast = Cast(LOOKING)
    await played(cast, "sorter", "checker", steps=1)
    system = system_of(cast)
    assert {role for role, _ in cast.asked} == {"agent"} and "yourself. Here are two examples." in system
    assert not re.search(r"\[\[| \| |sorting|is not here|whether it is there|order", system), "no word of a helper"
    with pytest.raises(UnknownRule):
        InterAct(bench(cast, toy(), "supervisor"))


async def test_what_cannot_be_done_becomes_the_nearest_that_can() -> None:
    cast = Cast(("walk over to the desk 1", "look"))
    episode = await played(cast, steps=2)
    assert episode.steps[0].action == "go to desk 1"
    assert episode.steps[0].move.wrote == "walk over to the desk 1"
    assert "> go to desk 1\n" in cast.transcript


async def test_whoever_only_thinks_is_made_to_act() -> None:
    cast = Cast([f"think: open the drawer {number}" for number in range(THOUGHTS + 1)])
    episode = await played(cast, steps=1)
    assert len(episode.steps) == 1 and episode.steps[0].action in toy().admissible()
    assert cast.count("agent") == THOUGHTS + 1


async def test_a_thought_that_is_said_again_is_taken_for_an_action() -> None:
    cast = Cast(("think: go to drawer 1",) * 2)
    episode = await played(cast, steps=1)
    assert episode.steps[0].action == "go to drawer 1" and cast.transcript.count("> think:") == 1


@pytest.mark.parametrize("place", ["drawer 1", "drawer"])
async def test_a_place_is_not_looked_for(place: str) -> None:
    cast = Cast((f"think: I look at the [[{place}]].", "go to desk 1", "look"))
    await played(cast, steps=2)
    assert {role for role, _ in cast.asked} == {"agent"}


@pytest.mark.parametrize("abilities", [PLAIN, SMALL, STRONG, Abilities(tools=True)])
async def test_it_runs_on_any_chat_model(abilities: Abilities) -> None:
    cast = Cast((*LOOKING, "open drawer 1", "look"), abilities=abilities)
    await played(cast, steps=3)
    assert "mug is not here." in cast.transcript


@pytest.mark.parametrize("abilities", [PLAIN, SMALL])
async def test_helpers_that_say_nothing_readable_hide_nothing(abilities: Abilities) -> None:
    class Mumbling(Cast):
        def says(self, heard: Heard) -> Sequence[Piece]:
            said = super().says(heard)
            return said if role_of(heard) == "agent" else [Garbled("The model answered nothing.")]

        def steps(self, heard: Heard) -> Sequence[Any]:
            return [Garbled("The model did not finish its answer.")]

    cast = Mumbling(("think: I need a [[pan]].", "go to desk 1", "look"), abilities=abilities)
    await played(cast, steps=2)
    assert "> sorting(pan)\n[desk 1, drawer 1]\n> go to desk 1\nOn the desk 1, you see a mug 1." in cast.transcript


async def test_a_model_that_dies_ends_the_episode_where_it_stands() -> None:
    class Dying(Cast):
        def says(self, heard: Heard) -> Sequence[Piece]:
            said = super().says(heard)
            return [Unreachable("The model was silent.")] if role_of(heard) == "checker" else said

    cast, world = Dying((*LOOKING[:1], "go to desk 1", "look")), toy()
    answer = await think(TASK, InterAct(bench(cast, world)), dict, Silent(), Limits(steps=9), world=world)
    assert (answer.why, [step.action for step in answer.episode.steps]) == ("model", ["go to desk 1"])


@pytest.mark.parametrize("said", ["> go to desk 1\nOK.\n> look", "`> go to desk 1`", "\n\ngo to desk 1\n"])
async def test_only_the_first_line_of_an_answer_counts(said: str) -> None:
    assert (await played(Cast((said,)), steps=1)).steps[0].action == "go to desk 1"


async def test_what_others_did_is_taken_in() -> None:
    world, cast = toy(), Cast(("take mug 1 from desk 1",))
    seen = world.step("go to desk 1")
    done = (Step(in_world("I know where it is.", "go to desk 1"), seen.text, seen=seen),)
    move = await open_strategy("interact", bench(cast, world)).act(Episode(TASK, done))
    assert move.action == "take mug 1 from desk 1"
    assert "> think: I know where it is.\nOK.\n> go to desk 1\nOn the desk 1, you see a mug 1.\n>" in cast.transcript


async def test_what_a_person_adds_is_said_last() -> None:
    cast = Cast(("look",))
    task = Task(GOAL, GOAL, Dialogue("s", "ada"), steering=("Try the drawer.",))
    await InterAct(bench(cast, toy())).act(Episode(task))
    assert cast.transcript.endswith("(The person adds: Try the drawer.)\n>")


class Laboratory(ToyWorld):
    """Two rooms; in one stands a closed cupboard, in the other a plant."""

    def admissible(self) -> tuple[str, ...]:
        return ("teleport to greenhouse", "teleport to kitchen", "look around", "go to hallway", "focus on plant")

    def step(self, action: str) -> Observation:
        if action.startswith("teleport"):
            self.place = action.removeprefix("teleport to ")
            return Observation(f"You teleport to the {self.place}.")
        return Observation(self.look(), won=action.startswith("focus"), done=action.startswith("focus"))

    def look(self) -> str:
        inside = "a plant 1" if self.place == "greenhouse" else "a cupboard. The cupboard door is closed."
        return f"This room is called the {self.place}. In it, you see:\n\t{inside}\nYou also see:\n\tA door"


async def test_in_a_laboratory_rooms_are_sorted_and_a_room_is_shown_behind_what_is_not_there() -> None:
    world = Laboratory(ToyWorlds("scienceworld"), WorldSpec("scienceworld", "find-plant", options=("easy",)))
    lines = (
        "think: I need a [[plant]].",
        "teleport to kitchen",
        "look around",
        "teleport to greenhouse",
        "look around",
    )
    cast = Cast((*lines, "focus on plant"), order="greenhouse; kitchen", there=("plant 1",))
    answer = await think(TASK, InterAct(bench(cast, world)), dict, Silent(), Limits(steps=9), world=world)
    assert answer.solved and "> sorting(plant)\n[greenhouse, kitchen]" in cast.transcript
    assert "> teleport to kitchen\nYou teleport to the kitchen.\n> look around\nplant is not here. This room" in (
        cast.transcript
    )
    assert cast.count("checker") == 2
    assert "freeze water" in str(cast.model.heard[0].messages[0].content), "a laboratory's exemplars"
