"""A small model in worlds: one typed call out of what the learned weights find near, or none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from minds import reading
from minds.choosing import chosen
from minds.dialogue import Call, Dialogue, Episode, Move, Reply, Step, Task, Turn, TurnContext
from minds.models.language import Usage
from minds.policies.wishes import HEADS, OVER, Likely, Ranked
from minds.reading import CONTROLS
from minds.slow import Workbench
from minds.small_model import worlds
from minds.small_model.fast import SmallFast
from minds.small_model.worlds import Heeding, WorldStep
from tests.fakes import FakeGate, FakeModel, flat, in_turn
from tools.worlds.actions import ActionSpace, action_space
from tools.worlds.tool import WorldState

MUG = ("take mug 1 from desk 1", "move mug 1 to desk 1", "go to desk 1", "look")
OPEN = WorldState((1,), 1, 1, True, action_space(MUG), "person", ("go to desk 1",), "On the desk 1, you see a mug 1.")
LIKELY = Likely(
    0.9, True, {"put_somewhere": 0.6, "boil": 0.4}, {"Mug": 0.5, "SoapBar": 0.5}, {"Desk": 0.9, "Sofa": 0.1}
)
INSTEAD = dict.fromkeys((*HEADS, "TALK", "AGAIN", "OTHER"), 0.04)


class FakeWishes:
    """Everything that is said may be about a world, where it holds the word."""

    def wish(self, said: str, *, retold: bool = False) -> Likely:
        found = replace(LIKELY, drive="person" if "myself" in said else "assistant")
        found = replace(found, things={"Mug": 0.4, "SoapBar": 0.3, "Pan": 0.3}) if retold else found
        return found if "wish" in said else replace(found, p=0.0, wished=False)

    def meant(self, said: str) -> tuple[float, bool]:
        return 1.0, "mug" in said

    def another(self, said: str, goal: str) -> bool:
        return "chocolate" in said

    def driver(self, said: str, *, on: bool = False) -> str | None:
        return None if on else self.wish(said).drive

    def over(self, said: str, *, left: bool = False) -> tuple[dict[str, float], bool]:
        return dict.fromkeys((*OVER, "OTHER", "UNDO", "ACTION"), 1 / len(OVER)), "behind" in said

    def ranked(self, said: str, space: ActionSpace, recent: object, embed: object) -> Ranked:
        ranked = dict(zip(MUG, (0.5, 0.44, 0.0, 0.0), strict=True))
        return Ranked(ranked | dict.fromkeys(set(space.admissible) - set(MUG), 0.4), INSTEAD)

    def further(self, said: str, space: object, recent: object, done: int, embed: object) -> dict[str, float]:
        return {MUG[done]: 0.7, "DONE": 0.2} if "and then" in said else {}


def heeding() -> Heeding:
    return Heeding(FakeWishes(), FakeGate(), flat)  # type: ignore[arg-type]


def step(*written: str, further: str = "", state: WorldState = OPEN) -> tuple[WorldStep, FakeModel]:
    """The model weighs what it would write, one thing after the other, above all else."""
    model = FakeModel(lambda _: [further], in_turn(*written))
    tools: Callable[[], Any] = lambda: dict.fromkeys(CONTROLS.values())  # noqa: E731
    return WorldStep(Workbench(model, tools, aids={"world": lambda: state}), heeding()), model


async def moved(said: str, *written: str, further: str = "", state: WorldState = OPEN) -> Move | None:
    task = Task(said, said, Dialogue("s", "u"), TurnContext(world="Tasks.", in_world=state.open))
    return await step(*written, further=further, state=state)[0].move(Episode(task))


async def test_an_action_is_called_by_its_parts() -> None:
    move = await moved("the mug", "take mug 1 from desk 1")
    assert move and move.worded and not move.last, "there may be more in the words"
    [call] = move.calls
    part = {"verb": "take {object} from {other}", "object": "mug 1", "other": "desk 1"}
    assert (call.tool, call.arguments) == ("world_act", {"acts": [part]})


async def test_what_was_seen_elsewhere_is_gone_to_first() -> None:
    state = replace(OPEN, afar=("take cup 2 from shelf 1",))
    move = await moved("the mug's cup", "take cup 2 from shelf 1", state=state)
    assert move and [(act["verb"], act["object"]) for act in move.calls[0].arguments["acts"]] == [
        ("go to {object}", "shelf 1"),
        ("take {object} from {other}", "cup 2"),
    ]
    unclear = await moved("the mug", "UNCLEAR", state=state)
    assert unclear and "take cup 2 from shelf 1" not in unclear.choices, "a button does one action"


async def test_what_the_words_ask_for_behind_an_action_is_done_and_then_told() -> None:
    took = Step(Move("", (Call("world_act", {}),), worded=True), "Taken.", told="**Taken**")
    task = Task("", "take it and then put it down", Dialogue("s", "u"))
    world, _ = step()
    move = await world.further(Episode(task, (took,)))
    assert [act["verb"] for act in move.calls[0].arguments["acts"]] == ["move {object} to {other}"]
    told = await step()[0].further(Episode(replace(task, said="take it"), (took,)))
    assert told.answer == "**Taken**" and told.worded and not told.calls
    most = await world.further(Episode(task, (took,) * 4))
    assert most.answer and not most.calls, "so many actions, and no more"


@pytest.mark.parametrize(("finds", "acts"), [("take mug 1 from desk 1", True), ("DONE", False)])
async def test_a_further_action_is_done_where_trained_layers_find_it_asked_for_too(finds: str, acts: bool) -> None:
    took = Step(Move("", (Call("world_act", {}),), worded=True), "Taken.", told="**Taken**")
    world, model = step()
    model.trained = FakeModel(lambda _: [""], in_turn(finds))
    heard = Task("", "take it and then stop", Dialogue("s", "u"))
    move = await world.further(Episode(heard, (took,)))
    assert bool(move.calls) is acts and "Done for this: \n" not in model.trained.heard[0].last
    assert (await step()[0].further(Episode(replace(heard, said="take it"), (took,)))).answer == "**Taken**"


async def test_of_several_things_to_be_done_one_is_read_after_the_other_in_the_state_as_it_then_stands() -> None:
    told = Step(Move("", (Call("world_act", {}),), worded=True), "Done.", told="**Done**")
    task = Task("", "put the mug down, over there", Dialogue("s", "u"), TurnContext(world="Tasks.", in_world=True))
    both = "take the mug\nput the mug on the desk\nthe mug is blue"
    world, model = step("UNCLEAR", "take mug 1 from desk 1", "move mug 1 to desk 1", "NOTHING", further=both)
    task = replace(task, said="take the mug and put it on the desk")
    first = await world.move(Episode(task))
    assert first and first.calls[0].arguments["acts"][0]["verb"] == "take {object} from {other}"
    then = await world.further(Episode(task, (told,)))
    assert then.calls[0].arguments["acts"][0]["verb"] == "move {object} to {other}"
    last = await world.further(Episode(task, (told, told)))
    assert last.answer == "**Done**\n\n**Done**", "what is only said beside it is none"
    assert [call.last.partition("Said: ")[2] for call in model.heard if "Said: " in call.last][-2:] == both.split("\n")[
        1:
    ]


async def test_where_what_comes_behind_is_unclear_it_is_asked_with_what_was_done() -> None:
    told = Step(Move("", (Call("world_act", {}),), worded=True), "Done.", told="**Done**")
    task = Task("", "take the mug and put it somewhere", Dialogue("s", "u"), TurnContext(in_world=True))
    take, parted = "take mug 1 from desk 1", "take the mug\nput the mug there\nwash it"
    world, _ = step(take, take, "UNCLEAR", further=parted)
    assert await world.move(Episode(task))
    asks = await world.further(Episode(task, (told,)))
    assert asks.answer and asks.answer.startswith("**Done**\n\n") and "`take mug 1 from desk 1`" in asks.answer
    assert asks.answer.endswith("Not done yet: wash it.") and asks.choices and asks.gave_up


async def test_where_the_first_part_is_no_action_the_whole_is_read() -> None:
    world, _ = step("take mug 1 from desk 1", "NOTHING", further="dear mug\ntake the mug")
    move = await world.move(
        Episode(Task("", "dear mug, please be taken", Dialogue("s", "u"), TurnContext(in_world=True)))
    )
    assert move and move.calls[0].arguments["acts"][0]["verb"] == "take {object} from {other}"


async def test_what_the_next_part_asks_for_too_is_done_once() -> None:
    told = Step(Move("", (Call("world_act", {}),), worded=True), "Done.", told="**Done**")
    task = Task("", "go to the mug and then move it", Dialogue("s", "u"), TurnContext(in_world=True))
    take, move = "take mug 1 from desk 1", "move mug 1 to desk 1"
    world, model = step(take, take, move, further="take the mug and then move it\nmove the mug")
    assert await world.move(Episode(task))
    again = await world.further(Episode(task, (told,)))
    assert again.calls[0].arguments["acts"][0]["verb"] == "move {object} to {other}"
    await world.further(Episode(task, (told, told)))
    assert sum(call.last.endswith("Said: move the mug") for call in model.heard) == 1


async def test_more_parts_than_a_turn_may_act_are_told_as_not_done() -> None:
    told = Step(Move("", (Call("world_act", {}),), worded=True), "Done.", told="**Done**")
    task = Task("", "take the mug and so forth", Dialogue("s", "u"), TurnContext(in_world=True))
    take = "take mug 1 from desk 1"
    world, _ = step(take, take, further="\n".join(f"take the mug {n}" for n in range(5)))
    assert await world.move(Episode(task))
    last, left = await world.further(Episode(task, (told,) * 4)), "; ".join(f"take the mug {n}" for n in range(1, 5))
    assert last.answer and last.answer.endswith(f"Not done yet: {left}.")


async def test_only_the_last_part_may_leave_or_hand_over() -> None:
    told = Step(Move("", (Call("world_act", {}),), worded=True), "Done.", told="**Done**")
    task = Task("", "take the mug, let me go, and look", Dialogue("s", "u"), TurnContext(in_world=True))
    take = "take mug 1 from desk 1"
    world, _ = step(take, take, "LEAVE", further="take the mug\nleave the mug\nlook")
    assert await world.move(Episode(task))
    stopped = await world.further(Episode(task, (told,)))
    assert stopped.answer == "**Done**\n\nNot done yet: leave the mug; look."
    world, _ = step(take, take, "LEAVE", further="take the mug\nleave the mug")
    assert await world.move(Episode(task))
    assert (await world.further(Episode(task, (told,)))).calls[0].tool == CONTROLS["LEAVE"]


async def test_a_part_that_asks_for_what_was_just_done_is_not_done_again() -> None:
    task = Task("", "go on and take the mug", Dialogue("s", "u"), TurnContext(in_world=True))
    take = "take mug 1 from desk 1"
    world, _ = step(take, take, take, "UNCLEAR", further="take the mug\ntake the mug then\nwash it")
    move = await world.move(Episode(task))
    assert move and move.calls
    then = await world.further(Episode(task, (Step(move, "Done.", told="**Done**"),)))
    assert not then.calls and str(then.answer).startswith("**Done**\n\n"), "the part behind it is unclear"


async def test_what_is_to_be_done_before_the_assistant_goes_on_is_done_first() -> None:
    told = Step(Move("", (Call("world_act", {}),), worded=True), "Done.", told="**Done**")
    task = Task("", "take the mug, then you finish it", Dialogue("s", "u"), TurnContext(in_world=True))
    world, _ = step("ASSISTANT", "take mug 1 from desk 1", "ASSISTANT", further="take the mug\nfinish it")
    first = await world.move(Episode(task))
    assert first and first.calls[0].tool == worlds.ACT and not first.last
    assert (await world.further(Episode(task, (told,)))).calls[0].tool == CONTROLS["ASSISTANT"]


async def test_a_few_words_ask_for_one_thing_and_are_not_parted() -> None:
    world, model = step("take mug 1 from desk 1", further="a\nb")
    assert await world.move(Episode(Task("", "take the mug", Dialogue("s", "u"), TurnContext(in_world=True))))
    assert not any(call.last == "take the mug" for call in model.heard)


async def test_the_model_reads_only_what_is_near() -> None:
    world, model = step("NOTHING")
    await world.move(Episode(Task("the mug", "the mug", Dialogue("s", "u"), TurnContext(in_world=True))))
    assert "move mug 1 to desk 1" in model.heard[0].last and "look" not in model.heard[0].last
    assert list(Ranked(dict(zip(MUG, (1.0, 0.0, 0.0, 0.0), strict=True)), INSTEAD).near()) == [*MUG[:2]]


async def test_neither_the_model_nor_the_learned_odds_decide_alone() -> None:
    usage, odds = Usage(), {"a": 0.9, "b": 0.1, "c": 0.0}
    sure, unsure = FakeModel(lambda _: [""], in_turn("b")), FakeModel(lambda _: [""], in_turn("c"))
    assert await chosen(sure, [], "", odds, usage) == "b"
    assert await chosen(unsure, [], "", odds, usage) == "a"


async def test_a_control_is_called_and_what_is_unclear_is_said() -> None:
    undone, unclear = await moved("mug", "UNDO"), await moved("mug", "UNCLEAR")
    assert undone and undone.calls[0].tool == "world_undo"
    assert unclear and unclear.gave_up and "`take mug 1 from desk 1`" in str(unclear.answer)
    assert unclear.choices == ("take mug 1 from desk 1", "move mug 1 to desk 1")


async def test_an_action_that_is_not_likely_enough_is_offered() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worlds, "MEANT", 1.0)
        asked = await moved("the mug", "take mug 1 from desk 1")
    assert asked and not asked.calls and asked.gave_up and asked.choices[0] == "take mug 1 from desk 1"


async def test_an_open_task_can_be_begun_anew() -> None:
    move = await moved("the mug, myself", "AGAIN")
    assert move and move.calls == (Call("world_return", {"task": 1, "anew": True, "drive": "person"}),)


async def test_a_correction_opens_another_task_by_the_wish_made_whole() -> None:
    for said, state in (("no, the mug", OPEN), ("the other one behind", OVER_STATE)):
        world, model = step("OTHER", "put_somewhere", "mug", "desk", further="I wish for a mug", state=state)
        context = TurnContext(world="Tasks.", in_world=state.open)
        move = await world.move(Episode(Task(said, said, Dialogue("s", "u"), context)))
        assert move and move.calls[0].tool == "world_open"
        [asked] = [seen.last for seen in model.heard if "Task: " in seen.last]
        assert asked == f"Task: {state.goal}\nOther: {said}"


async def test_what_cannot_be_done_in_an_open_world_begins_no_other() -> None:
    move = await moved("I wish for the mug", "NOTHING")
    assert move and not move.calls and move.gave_up and "`take mug 1 from desk 1`" in (move.answer or "")


async def test_a_wish_opens_a_world_by_the_models_call() -> None:
    move = await moved("a wish", "put_somewhere", "mug", "any", state=WorldState())
    assert move and move.calls[0].tool == "world_open"
    goal = {"kind": "put_somewhere", "thing": "mug", "place": "", "drive": "assistant"}
    assert move.calls[0].arguments == {"world": "household", **goal}


async def test_a_household_wish_that_names_no_thing_is_asked_back(monkeypatch: pytest.MonkeyPatch) -> None:
    unnamed = Likely(1.0, True, {"put_somewhere": 0.9, "boil": 0.1}, {"Mug": 0.4, "Cup": 0.3}, {"Fridge": 0.9})
    monkeypatch.setattr(FakeWishes, "wish", lambda *_: unnamed)
    move = await moved("a wish", "put_somewhere", state=WorldState())
    assert move and not move.calls and move.gave_up and "which thing" in str(move.answer)


async def test_what_is_asked_back_is_in_the_persons_language(monkeypatch: pytest.MonkeyPatch) -> None:
    german, over = replace(OPEN, goal="cool a mug", language="German"), replace(OVER_STATE, language="German")
    asked = [
        await moved("mug", "UNCLEAR", state=german),
        await moved("no, the mug", "OTHER", state=german),
        await moved("open it, behind", "ACTION", state=over),
    ]
    unnamed = Likely(1.0, True, {"put_somewhere": 0.9, "boil": 0.1}, {"Mug": 0.4, "Cup": 0.3}, {"Fridge": 0.9})
    monkeypatch.setattr(FakeWishes, "wish", lambda *_: unnamed)
    asked.append(await moved("a wish", "put_somewhere", state=WorldState(language="German")))
    assert [str(move and move.answer) for move in asked] == [
        "Ich bin nicht sicher, was dort zu tun ist. Am nächsten kommt jetzt: `take mug 1 from desk 1`, "
        "`move mug 1 to desk 1`.",
        "Ich hatte verstanden, dass du dies möchtest: cool a mug. Sag mir den ganzen Wunsch noch einmal, mit dem, was"
        " anders sein soll.",
        "Diese Aufgabe ist vorbei (put a mug on the desk), dort lässt sich nichts mehr tun. Sag, dass du sie noch"
        " einmal von vorn willst, oder nenne eine andere Aufgabe.",
        "Was soll dort getan werden, und womit? Gerade ist kein Haushalt offen. Zum Beispiel: eine Tasse auf den"
        " Schreibtisch stellen, einen Apfel kühlen, das Buch unter der Lampe ansehen.",
    ]


async def test_who_acts_is_heard_by_learned_layers_alone() -> None:
    for said, drive in (("a wish", "assistant"), ("a wish of mine, myself", "person")):
        move = await moved(said, "put_somewhere", "mug", "desk", state=WorldState())
        assert move and move.calls[0].arguments["drive"] == drive


OVER_STATE = WorldState((1, 2), 2, 5, goal="put a mug on the desk")


async def test_a_task_that_is_over_can_be_asked_about_begun_anew_or_gone_on_with() -> None:
    asked = await moved("the one behind", "STORY", state=OVER_STATE)
    assert asked and asked.calls == (Call("world_story", {"task": 2}),) and not asked.last
    again = await moved("the one behind, myself", "AGAIN", state=OVER_STATE)
    assert again and again.calls == (Call("world_return", {"task": 2, "anew": True, "drive": "person"}),)
    on = await moved("the one behind", "ON", state=replace(OVER_STATE, hand=0))
    assert on and on.calls == (Call("world_return", {"task": 2, "anew": False, "drive": "assistant"}),) and on.last


async def test_a_task_that_was_left_is_gone_on_with_by_whoever_acted_there() -> None:
    on = await moved("the one behind", "ON", state=replace(OVER_STATE, hand=0, left=True))
    assert on and on.calls == (Call("world_return", {"task": 2, "anew": False, "drive": None}),)


async def test_a_task_that_is_over_holds_nobody() -> None:
    talk = await moved("the one behind", "NONE", state=OVER_STATE)
    assert talk and talk.answer == "" and not talk.calls
    back = await moved("behind", "UNDO", state=OVER_STATE)
    assert back and back.calls == (Call("world_undo", {}),)
    left = await moved("the one behind", "LEAVE", state=replace(OVER_STATE, hand=0))
    assert left and not left.calls, "there is nothing left to leave"


async def test_a_step_in_a_task_that_is_over_begins_nothing_anew() -> None:
    move = await moved("open it, behind", "ACTION", state=OVER_STATE)
    assert move and not move.calls and "put a mug on the desk" in str(move.answer) and move.world
    wish = await moved("a wish behind", "ACTION", "put_somewhere", "mug", "desk", state=OVER_STATE)
    assert wish and wish.calls[0].tool == "world_open"


async def test_handing_over_and_undo_may_be_for_a_number_of_steps() -> None:
    some = await moved("two moves with the mug for you", "ASSISTANT", " 2")
    assert some and some.calls == (Call("world_go_on", {"steps": 2}),)
    none = await moved("you take both to drawer 2, the mug first", "ASSISTANT", " any")
    assert none and none.calls == (Call("world_go_on", {}),)
    nought = await moved("0 worries with the mug, you finish", "ASSISTANT", " any")
    assert nought and nought.calls == (Call("world_go_on", {}),), "no tool takes nought steps"
    back = await moved("take back 3, the mug too", "UNDO", " 3")
    assert back and back.calls == (Call("world_undo", {"steps": 3}),)


async def test_a_question_about_a_task_is_answered_from_its_story() -> None:
    told = Step(Move("", (Call("world_story", {}),)), "1. go to desk 1 (the person): a mug 1. " * 200, told="- mug 1")
    task = Task("which mug?", "which mug?", Dialogue("s", "u"))
    world, model = step(further="The first:\nthe blue one.")
    move = await world.answered(Episode(task, (told,)))
    assert move.answer == "The first:\nthe blue one.\n\n- mug 1" and move.worded and not move.calls
    assert "which mug?" in model.heard[0].last and len(model.heard[0].last) < 3500


async def test_trained_layers_name_the_steps_that_an_answer_rests_on_and_read_them_whole_in_english() -> None:
    lines = [f"{number}. go to desk {number} (you): {'a mug, ' * 40}and key {number}" for number in range(1, 9)]
    told = Step(Move("", (Call("world_story", {}),)), "\n".join(["Task 1", *lines]), told="Done.\n- You took 8 steps.")
    said = "Auf welchem Schreibtisch liegt eigentlich der Schlüssel 5?"
    world, model = step("else")
    written = iter(["On which desk is key 5?", "Steps: 2, 5", "On desk 5."])
    model.trained = model.recounts = FakeModel(lambda _: [next(written)])
    move = await world.answered(Episode(Task("", said, Dialogue("s", "u"), TurnContext(world="Tasks.")), (told,)))
    assert move.thought == "Steps: 2, 5" and str(move.answer).startswith("On desk 5.\n\n- 2 (by you)")
    _, first, again = model.recounts.heard
    assert "key 5" not in first.last.partition("Question:")[0] and again.last == f"{lines[1]}\n{lines[4]}"
    assert first.last.endswith("Question: On which desk is key 5?")


@pytest.mark.parametrize(("wrote", "shown"), [("Steps: none", "none"), ("Steps: 12", "12. look (I): a"), ("?", "none")])
def test_only_steps_that_there_are_are_shown_again(wrote: str, shown: str) -> None:
    assert reading.again("Task 1\n1. look (you): b\n12. look (I): a\nThing by thing:", wrote) == shown


async def test_what_a_laboratory_is_to_work_with_is_chosen_among_what_there_is_or_is_any() -> None:
    for written, thing in (("apple juice", "apple juice"), ("any", "")):
        move = await moved("a wish", "boil", written, state=WorldState())
        assert move and move.calls[0].arguments["thing"] == thing


async def test_none_is_plain_talk_where_the_gate_says_so() -> None:
    talk, work = await moved("a wish", "none"), await moved("a wish of 3", "none")
    assert talk is not None and talk.answer == "" and not talk.calls
    assert work is None  # the ordinary path


async def test_the_fast_mind_hands_the_turn_on_in_the_persons_words() -> None:
    fast = SmallFast(FakeModel(lambda _: ["Hello."]), FakeGate(), heeding())
    reply = Reply()
    said = [piece async for piece in fast.reply(Dialogue("s", "u"), "a wish", TurnContext(), reply)]
    assert (reply.invoke, reply.request) == (True, "a wish") and len(said) == 1
    assert not fast.model.heard  # type: ignore[attr-defined]


async def test_another_language_is_read_in_english_and_put_into_it_once() -> None:
    model, hears = FakeModel(lambda _: ["a wish"]), heeding()
    said, behind = "Würdest du bitte die Tasse in den Schrank stellen?", TurnContext(world="Tasks.")
    assert [await hears.english(said, behind, model) for _ in range(2)] == ["a wish"] * 2
    assert len(model.heard) == 1 and len(model.heard[0].messages) > 4
    for text, context in (("put the mug there", behind), (said, TurnContext()), (said * 9, behind)):
        assert await hears.english(text, context, model) == text, "English, no task about, too long for a wish"
    assert len(model.heard) == 1


async def test_what_a_model_is_not_sure_to_have_put_into_english_stays_as_it_was_said() -> None:
    model = FakeModel(lambda _: ["put the bread on the countertop"])
    model.odds = -0.9
    said, behind = "Zakaj se čebele pozimi stisnejo v gručo?", TurnContext(world="Tasks.")
    assert await heeding().english(said, behind, model) == said


async def test_a_wish_is_read_in_the_persons_words_and_an_action_in_english() -> None:
    said = "Würdest du bitte die Tasse auf den Schreibtisch stellen?"
    for english, state, read in (("a wish", WorldState(), f"Wish: {said}"), ("the mug", OPEN, "Said: the mug")):
        acts, model = step("put_somewhere", "mug", "desk", state=state, further=english)
        context = TurnContext(world="Tasks.", in_world=state.open)
        await acts.move(Episode(Task(said, said, Dialogue("s", "u"), context)))
        assert model.heard[-1].messages[-1].text.endswith(read)


async def test_what_the_english_lost_can_still_be_chosen() -> None:
    german = await moved(
        "Stell die Pfanne bitte auf den Schreibtisch.", "put_somewhere", "pan", "desk", further="a wish"
    )
    assert german and german.calls[0].arguments["thing"] == "pan"


async def test_layers_that_were_trained_for_it_put_every_short_turn_into_english() -> None:
    model, hears = FakeModel(lambda _: ["one"]), heeding()
    model.trained = FakeModel(lambda _: ["a wish"])
    assert await hears.english("Würdest du bitte die Tasse wegstellen?", TurnContext(), model) == "a wish"
    assert len(model.trained.heard[0].messages) == 2 and not model.heard


async def test_what_the_slow_mind_hands_back_empty_is_answered() -> None:
    fast = SmallFast(FakeModel(lambda _: ["Hello."]), FakeGate(), heeding())
    pieces = fast.word(Dialogue("s", "u"), "a wish", TurnContext(), Turn("fast", "One moment.", invoke=True), "")
    assert "".join([piece async for piece in pieces]) == "Hello."
