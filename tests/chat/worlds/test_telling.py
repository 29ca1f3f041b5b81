"""An episode in sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chat.worlds.episodes import Deed, Record
from chat.worlds.telling import (
    both,
    deeds_since,
    ending,
    handled,
    room,
    said_story,
    short_goal,
    standing,
    state_lines,
    story,
    taken_back,
)
from minds.dialogue import Answer, Dialogue, Episode, Task, Why
from prompts import examples, spoken
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


CONDUCTS = "determine if fork is electrically conductive. First, focus on the fork. If it is electrically conductive,\
 place it in the red box. If it is electrically nonconductive, place it in the green box."
MELTS = "measure the melting point of tin. First, focus on the thermometer. If the melting point of tin is above 200.0\
 degrees celsius, focus on the red box. If it is below 200.0 degrees celsius, focus on the green box."
TWO = "find the animal with the longest life span, then the shortest life span."
READ = "the thermometer measures a temperature of 240 degrees celsius"


@pytest.mark.parametrize(
    ("task", "goal", "did", "found"),
    [
        ("test-conductivity", CONDUCTS, {"move fork to green box": ""}, "it is electrically nonconductive"),
        (
            "measure-melting-point-known-substance",
            MELTS,
            {"focus on thermometer": "", "use thermometer on tin": READ, "focus on red box": ""},
            f"the melting point of tin is above 200.0 degrees celsius ({READ})",
        ),
        (
            "lifespan-longest-lived-then-shortest-lived",
            TWO,
            {"focus on tortoise": "", "focus on ant": ""},
            "tortoise, ant",
        ),
    ],
)
def test_what_a_solved_task_found_out_is_told_by_its_own_goal_and_actions(
    task: str, goal: str, did: dict[str, str], found: str
) -> None:
    deeds = [Deed(action, Observation(seen), LAB, "slow") for action, seen in did.items()]
    open_ = replace(record(*deeds), spec=WorldSpec("scienceworld", task), goal=f"Your task is to {goal}")
    assert "found out" not in ending(open_) and "found out" not in story(open_)
    won = replace(deeds[-1], seen=Observation("", score=100.0, done=True, won=True))
    solved = replace(open_, deeds=(*deeds[:-1], won))
    assert ending(solved).endswith(f"What was found out: {found}.")
    assert story(solved).endswith(f"What was found out: {found}.")
    assert ending(solved, language="German").endswith(f"Herausgefunden: {found}.")
    assert "found out" not in ending(replace(solved, spec=SPEC)), "boiling water is done for its own sake"


@pytest.mark.parametrize(
    ("why", "text", "told"),
    [
        ("steps", "", "Mehr Schritte darf ich in einem Lauf nicht machen: 1."),
        ("tokens", "", "Die Tokens für einen Lauf sind aufgebraucht."),
        ("time", "", "Die Zeit für einen Lauf ist aufgebraucht."),
        ("lost", "", spoken("worlds/stuck", "German")),
        ("gave up", "I see no way.", "I see no way."),
    ],
)
def test_why_it_was_not_done_is_told_in_the_persons_language(why: Why, text: str, told: str) -> None:
    answer = Answer(text, False, Episode(Task("", "", Dialogue("", ""))), why)
    assert ending(record(*DEEDS), answer, 1, language="German") == (
        f"Ich habe es nicht geschafft. {told} Zuletzt habe ich dies getan: `activate stove`."
        " Schritte bisher: 2; Punktestand: 25 von 100."
    )


def test_what_the_person_did_last_is_not_told_as_ones_own() -> None:
    answer = Answer("I see no way.", False, Episode(Task("", "", Dialogue("", ""))), "gave up")
    assert ending(record(*DEEDS), answer, 1).count("The last thing I did: `activate stove`.") == 1
    assert "last thing I did" not in ending(record(*DEEDS, DEEDS[0]), answer, 3)


def test_how_it_went_is_told_in_the_persons_language() -> None:
    won = Deed("x", Observation("", score=100.0, done=True, won=True), LAB, "slow")
    lost = Deed("x", Observation("", done=True), LAB, "slow")
    done = "Die Welt sagt, dass es gelöst ist. Schritte: 1; Punktestand: 100 von 100."
    assert ending(record(won), language="German") == f"Erledigt: boil water. {done}"
    by = "nach der Lösung des Simulators gespielt, nicht selbst überlegt"
    assert ending(record(won), oracle=True, language="German") == f"Erledigt ({by}): boil water. {done}"
    assert ending(record(lost), language="German") == (
        "Es ist misslungen: Die Welt hat diese Aufgabe beendet. Schritte: 1; Punkte gibt es hier keine."
        " Wünsch sie dir noch einmal, dann beginnt sie von vorn."
    )
    assert ending(record(*DEEDS), language="German") == (
        "Sie ist nicht fertig geworden. Schritte: 2; Punktestand: 25 von 100."
    )
    assert standing(record(lost), "German") == "Ziel: boil water. Schritte bisher: 1. Ort: kitchen. Es ist vorbei."
    assert both(record(*DEEDS, *DEEDS), "German") == "Schritte: du 2 (1, 3), ich 2 (2, 4)."
    assert taken_back(
        record(), replace(record(), lost=(("", "focus on pot"), ("again", "focus on pot"))), "German"
    ) == (" Unterwegs habe ich zurückgenommen, was die Aufgabe ungelöst beendet hatte: `focus on pot`.")


def test_no_other_language_is_told_in_english_words() -> None:
    answer = Answer("", False, Episode(Task("", "", Dialogue("", ""))), "steps")
    for language, _ in examples("worlds/done")[1:]:
        told = ending(record(*DEEDS), answer, language=language) + both(record(*DEEDS), language)
        assert " step" not in told and " to " not in told and "$" not in told, language


def test_a_story_tells_who_did_what_and_why() -> None:
    lines = story(record(*DEEDS)).splitlines()
    assert lines[0] == "Task 1 (scienceworld): boil water. For compounds without a boiling point, " + (
        "combusting is also acceptable."
    )
    assert lines[1] == "The person asks; of the steps 1 are the person's own, 1 the assistant's."
    assert lines[2].startswith("not finished yet after 2 steps, score 25 of 100. Who acts: the assistant.")
    assert lines[4] == "1. go to kitchen (the person): You move to the kitchen. In view: stove.", (
        "a laboratory says less"
    )
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


WHICH_ONE = Observation("Ambiguous request: Please enter the number:\n0:\tmove pot\n1:\tmove pot (in cupboard)\n")


def test_a_number_counts_as_the_action_that_it_answers_the_question_of() -> None:
    moved = replace(LAB, things=("stove", "pot"))
    done = [("move pot to stove", WHICH_ONE, LAB), ("0", Observation("You move the pot to the stove."), moved)]
    done += [("use pot", WHICH_ONE, moved)]  # nobody has answered yet
    told = record(*[Deed(action, seen, scene, "slow") for action, seen, scene in done])
    assert handled(told) == {"pot": ["put in or on stove (step 2)"]}
    answer = Answer("I see no way.", False, Episode(Task("", "", Dialogue("", ""))), "gave up")
    assert "The last thing I did: `move pot to stove`." in ending(replace(told, deeds=told.deeds[:2]), answer)


@pytest.mark.parametrize("seen", ["Nothing happens.", "No known action matches that input.", "You can't do that."])
def test_what_a_simulator_refused_became_of_nothing(seen: str) -> None:
    assert handled(record(Deed("heat mug 1 with microwave 1", Observation(seen), LAB, "person"))) == {}


def test_a_long_story_leaves_out_its_beginning() -> None:
    told = story(record(*DEEDS * 200), limit=1500)
    assert len(told) < 1700 and "The first " in told and "\n400. activate stove" in told


def test_a_strong_model_has_room_for_the_first_of_many_steps() -> None:
    long = record(*[Deed(f"open cabinet {n}", Observation("y" * 200), LAB, "slow") for n in range(54)])
    assert "\n1. open cabinet 0" in story(long, room(STRONG)) and "The first " not in story(long, room(STRONG))
    assert "The first " in story(long, room(SMALL)) and len(story(long, room(SMALL))) < 6000
    assert room(replace(STRONG, context=8192)) < 8192 * 2 <= room(STRONG)


def test_where_all_steps_fit_each_is_told_whole() -> None:
    seen = f"On the counter you see {', '.join(f'a cup {n}' for n in range(40))}, and a tomato 1."
    plan = f"I asked Sage. {'Then the next thing. ' * 9}Q5: none"
    look = Deed("go to counter", Observation(seen), LAB, "slow", plan)
    assert seen in story(record(look), room(STRONG)) and plan in story(record(look), room(STRONG))
    assert "tomato" not in story(record(*[look] * 60), room(STRONG)), "first steps are worth more than long ones"


def test_a_number_is_told_with_what_it_chose() -> None:
    told = record(Deed("focus on pot", WHICH_ONE, LAB, "person"), Deed("1", Observation("You focus."), LAB, "person"))
    assert told.named == ("focus on pot", "1: move pot (in cupboard)")
    assert "\n2. 1: move pot (in cupboard) (the person): You focus." in story(told)
    assert "Last done there: 1: move pot (in cupboard) (the person)." in state_lines(told, [])


def test_what_was_done_in_one_go_is_told_in_a_line() -> None:
    deeds = [Deed(action, Observation("."), LAB, "slow") for action in ("open door", "wait", "wait", "look")]
    assert deeds_since(record(*deeds), 1) == "`wait` (2 times); `look`"
    many = [Deed(f"open cabinet {n}", Observation("."), LAB, "slow") for n in range(30)]
    assert deeds_since(record(*many), 0).startswith("...; `open cabinet 6`; ")


def test_the_state_names_the_open_world_and_the_others() -> None:
    won = Deed("x", Observation("", score=100.0, done=True, won=True), LAB, "slow")
    lines = state_lines(record(*DEEDS, number=2), [record(won)]).splitlines()
    assert lines[0].startswith("A text world is open, task 2 (scienceworld): boil water.")
    assert lines[1].startswith("Last done there: activate stove (the assistant). The stove is now activated.")
    assert lines[2] == "Other tasks in text worlds: task 1, boil water: solved after 1 step, score 100 of 100."
    assert state_lines(None, []) == ""
