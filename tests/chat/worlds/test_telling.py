"""An episode in sentences."""

from __future__ import annotations

from dataclasses import replace

from chat.worlds.episodes import Deed, Record
from chat.worlds.telling import ending, handled, room, said_story, short_goal, standing, state_lines, story
from minds.dialogue import Answer, Dialogue, Episode, Task
from tests.fakes import SMALL, STRONG
from tools.worlds.world import Observation, Scene, WorldSpec

SPEC = WorldSpec("scienceworld", "boil")
GOAL = "Your task is to boil water. For compounds without a boiling point, combusting is also acceptable."
HALL, LAB = Scene("hallway"), Scene("kitchen", ("stove",))
DEEDS = (
    Deed("go to kitchen", Observation("You move to the kitchen.", score=0.0), LAB, "person"),
    Deed("activate stove", Observation("The stove is now activated.", score=25.0), LAB, "slow", "It must get hot."),
)


def record(*deeds: Deed, number: int = 1) -> Record:
    return Record(number, SPEC, GOAL, Observation("A hallway.", score=0.0), HALL, deeds)


def test_where_it_stands() -> None:
    assert short_goal(record()) == "boil water"
    assert standing(record(*DEEDS)) == "Goal: boil water. So far 2 steps, score 25 of 100. Place: kitchen."


def test_how_it_went_by_the_engines_word() -> None:
    won = Deed("x", Observation("", score=100.0, done=True, won=True), LAB, "slow")
    lost = Deed("x", Observation("", score=-100.0, done=True), LAB, "slow")
    assert ending(record(won)).startswith("Done: boil water.")
    assert "failed" in ending(record(lost)) and "-100" in ending(record(lost))
    assert "own solution" in ending(record(won), oracle=True)
    answer = Answer("", False, Episode(Task("", "", Dialogue("", ""))), "steps")
    assert "2 steps that I may take" in ending(record(*DEEDS), answer) and "Done" not in ending(record(*DEEDS), answer)


def test_a_story_tells_who_did_what_and_why() -> None:
    lines = story(record(*DEEDS)).splitlines()
    assert lines[0] == "Task 1 (scienceworld): boil water. For compounds without a boiling point, " + (
        "combusting is also acceptable."
    )
    assert lines[1] == "The person asks; of the steps 1 are the person's own, 1 the assistant's."
    assert lines[2].startswith("not finished yet after 2 steps, score 25 of 100. Who acts: the assistant.")
    assert lines[4] == "1. go to kitchen (the person): You move to the kitchen."
    assert lines[5] == "2. activate stove (the assistant) [It must get hot.]: The stove is now activated."
    assert story(record()).endswith("Nothing was done here yet.")


def test_a_story_is_told_as_the_assistant_says_it_to_the_person() -> None:
    taken = Deed("pick up pot", Observation("You take it."), replace(LAB, holding=("pot",)), "person")
    lines = said_story(record(*DEEDS, DEEDS[1], taken, *DEEDS)).splitlines()
    assert lines[1] == "You took 3 steps (1, 4 to 5), I took 3 steps (2 to 3, 6)." and "Who acts: I." in lines[2]
    assert lines[3] == "1. go to kitchen (you): You move to the kitchen."
    assert lines[4] == "2. activate stove (I): The stove is now activated. [It must get hot.]"
    assert "pot: found at kitchen and taken (step 4, by you)." in lines


def test_a_story_tells_what_became_of_each_thing() -> None:
    held = [replace(scene, holding=(name,)) for scene, name in ((HALL, "plate 1"), (LAB, "plate 1"), (HALL, "fork"))]
    done = [("take plate 1 from shelf 2", held[0]), ("go to sinkbasin 1", held[1])]
    done += [("clean plate 1 with sinkbasin 1", held[1]), ("pick up fork", held[2]), ("drop fork", HALL)]
    done += [("move fridge to glass cup", HALL)]  # "The fridge is not moveable."
    told = record(*[Deed(action, Observation("Done."), scene, "slow") for action, scene in done])
    assert handled(told) == {
        "plate 1": ["found at shelf 2 and taken (step 1)", "cleaned with sinkbasin 1 (step 3)"],
        "fork": ["found at kitchen and taken (step 4)", "put down at hallway (step 5)"],
    }
    lines = story(told).splitlines()
    assert lines[-3] == "Thing by thing:" and lines[-1].startswith("fork: found at kitchen and taken (step 4); put")
    assert "Thing by thing" not in story(record(Deed("go to kitchen", Observation(""), LAB, "slow")))


def test_a_long_story_leaves_out_its_beginning() -> None:
    told = story(record(*DEEDS * 200), limit=1500)
    assert len(told) < 1700 and "The first " in told and "\n400. activate stove" in told


def test_a_strong_model_has_room_for_the_first_of_many_steps() -> None:
    long = record(*[Deed(f"open cabinet {n}", Observation("y" * 200), LAB, "slow") for n in range(54)])
    assert "\n1. open cabinet 0" in story(long, room(STRONG)) and "The first " not in story(long, room(STRONG))
    assert "The first " in story(long, room(SMALL)) and len(story(long, room(SMALL))) < 6000
    assert room(replace(STRONG, context=8192)) < 8192 * 2 <= room(STRONG)


def test_the_state_names_the_open_world_and_the_others() -> None:
    won = Deed("x", Observation("", score=100.0, done=True, won=True), LAB, "slow")
    lines = state_lines(record(*DEEDS, number=2), [record(won)]).splitlines()
    assert lines[0].startswith("A text world is open, task 2 (scienceworld): boil water.")
    assert lines[1].startswith("Last done there: activate stove (the assistant). The stove is now activated.")
    assert lines[2] == "Other tasks in text worlds: task 1, boil water: solved after 1 step, score 100 of 100."
    assert state_lines(None, []) == ""
