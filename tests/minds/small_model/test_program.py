"""A small model thinks by program: written, mended, run as the result; and in words where none comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from chat.app import strategy
from minds.briefing import Request
from minds.dialogue import Answer, Call, Dialogue, Episode, Move, Step, Task, Turn, TurnContext
from minds.models.language import Abilities
from minds.policies.agreement import Way, agree
from minds.slow import Limits, Workbench, think
from minds.small_model.desk import DeskReAct
from minds.small_model.program import ByProgram
from minds.strategies.react import ReAct
from prompts import examples, render
from tests.fakes import SMALL, STRONG, FakeModel, Heard, Sign, tools_of
from tests.minds.test_slow import Ear
from tools.desk import Desk

FENCE = "```python"
ASKED = "What is 387 times 46?"
GOOD, BAD = "print(387 * 46)", "print(387 x 46)"


@pytest.fixture(autouse=True)
def sure_where_two_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """The order of the ways is what is tested, not what was fitted."""

    def chosen(ways: Sequence[Way], said: str, behind: bool = False) -> tuple[int, float]:
        alike = [[agree(a.answer, b.answer, said) for b in ways].count(True) for a in ways]
        return alike.index(max(alike)), float(max(alike) > 1)

    monkeypatch.setattr("minds.small_model.program.chosen", chosen)


def says(*texts: str) -> FakeModel:
    """Text by text; asked for one token more than that it is at its end."""
    left = iter(texts)
    return FakeModel(lambda heard: [] if heard.limit == 1 else [next(left)], abilities=SMALL)


async def solve(model: FakeModel, **more: Any) -> Answer:
    task = Task(
        ASKED, more.pop("said", ASKED), more.pop("dialogue", Dialogue("s", "ada")), more.pop("context", TurnContext())
    )
    tools = tools_of(Desk("s", None))  # type: ignore[arg-type]
    bench = Workbench(model, lambda: tools)
    return await think(task, ByProgram(bench), lambda: tools, more.pop("ear", Ear()), Limits(steps=6))


def programs(model: FakeModel) -> list[Heard]:
    return [heard for heard in model.heard if heard.prefix.startswith(FENCE)]


async def test_figures_of_earlier_conversations_are_not_before_it_but_facts_are() -> None:
    model = says(f"{GOOD}\n", "It is 17802.")
    remembered = TurnContext(facts=("the user told: my dog is 7",), earlier=("the user said: what is 12 times 9?",))
    await solve(model, context=remembered)
    for heard in model.heard:
        assert "my dog is 7" in heard.everything and "12 times 9" not in heard.everything
    assert "12 times 9" in remembered.note()


async def test_a_year_that_nobody_said_goes_back_to_be_mended() -> None:
    guessed, mended = "print(days_between(today(), date(2023, 1, 14)))", "print(387 * 46)"
    model = says(guessed, mended, "It is 17802.")
    found = await solve(model, said="How many days until 14 January?")
    assert found.text == "17802" and [step.argument for step in found.episode.steps] == [mended]
    assert found.asked == 3 and "2023" in model.heard[1].said and 'coming("14 January")' in model.heard[1].said
    stubborn = says(guessed, "print(days_since('14 January 2023'))", mended, "It is 17802.")
    assert (await solve(stubborn, said="How many days until 14 January?")).text == "17802"
    assert stubborn.heard[2].everything.count("Nobody said the year 2023") == 2, "so does a second one"
    named = says(guessed, "It is 5.", guessed)
    await solve(named, said="How many days until 14 January 2023?")
    assert 'coming("14 January")' not in named.heard[1].said, "it was run"
    says_today = says(GOOD, "17802")
    await solve(says_today, context=TurnContext(now="Friday, 27 November 2026"))
    program, *words = says_today.heard
    assert "November 2026" not in program.everything and all("November 2026" in heard.everything for heard in words)


async def test_what_a_program_prints_is_the_result() -> None:
    model, ear = says(f"{GOOD}\n", "It is 17802."), Ear()
    found = await solve(model, ear=ear)
    assert (found.text, found.solved, found.doubt, found.asked) == ("17802", True, False, 2)
    [done] = found.episode.steps
    assert (done.action, done.argument, done.move.first) == ("python", GOOD, True)
    assert found.thought == "It is 17802."
    heard = model.heard[0]
    assert heard.prefix == "```python\n" and "```" in heard.stop and heard.limit


async def test_where_words_say_otherwise_a_second_program_decides() -> None:
    found = await solve(says(GOOD, "It is 999.", GOOD))
    assert (found.text, found.doubt, found.asked) == ("17802", False, 3)
    overruled = await solve(says("print(1 * 5)", "It is 17802.", GOOD))
    assert (overruled.text, overruled.doubt) == ("17802", False)


async def test_where_nothing_agrees_it_says_that_it_is_not_sure() -> None:
    found = await solve(says(GOOD, "It is 999.", "print(1 * 5)"))
    assert (found.text, found.solved, found.doubt) == ("17802", True, True)
    assert [step.move.first for step in found.episode.steps] == [True, False]


@pytest.mark.parametrize(
    "text", [f"```python\n{GOOD}\n```\nThat is it.", f"```py\n{GOOD}\n```", f"```\n{GOOD}", f"\n\n{GOOD}  "]
)
async def test_a_fence_around_a_program_is_no_part_of_it(text: str) -> None:
    found = await solve(says(text, "17802"))
    assert found.episode.steps[0].call.arguments == {"program": GOOD}


@pytest.mark.parametrize(
    "text", [f"```python\n{GOOD}\n```", f"Sure, here it is:\n```py\n{GOOD}\n```\nIt prints.", GOOD]
)
async def test_a_model_that_goes_on_with_nothing_opens_its_fence_itself(text: str) -> None:
    model = says(text, "17802")
    model.abilities = Abilities(schema=True)
    found = await solve(model)
    assert found.episode.steps[0].call.arguments == {"program": GOOD} and found.text == "17802"
    assert (model.heard[0].prefix, model.heard[0].stop) == ("", ())


async def test_an_error_goes_back_to_the_model_once() -> None:
    model = says(BAD, GOOD, "17802")
    found = await solve(model)
    assert (found.text, found.solved) == ("17802", True) and [s.failed for s in found.episode.steps] == [True, False]
    again = model.heard[1]
    assert BAD in str(again.messages[-2].content) and again.last.startswith("Obs: The program failed in line 1")


async def test_after_two_programs_it_answers_in_words_and_says_that_it_is_not_sure() -> None:
    model = says(BAD, BAD, "387 times 46 is 387 times 40 and 387 times 6.\n\nIt is 17802.")
    found = await solve(model)
    assert (found.text, found.solved, found.doubt) == ("It is 17802.", True, True)
    assert len(programs(model)) == 2 and len(model.heard) == 3
    assert model.heard[-1].messages[0].content == render("small/words")


async def test_without_its_check_the_first_program_stands() -> None:
    model = says(GOOD)
    tools = tools_of(Desk("s", None))  # type: ignore[arg-type]
    by_program = ByProgram(Workbench(model, lambda: tools), check=False)
    found = await think(Task(ASKED, ASKED, Dialogue("s", "ada")), by_program, lambda: tools, Ear(), Limits(steps=6))
    assert (found.text, found.doubt, found.asked) == ("17802", True, 1)


async def test_without_a_program_it_answers_in_words() -> None:
    model = says("  ", "It depends.")
    found = await solve(model)
    assert (found.text, found.doubt, found.episode.steps) == ("It depends.", True, ())


async def test_without_words_the_fast_mind_speaks() -> None:
    found = await solve(says("", ""))
    assert (found.text, found.doubt) == ("", True)


async def test_the_head_is_constant_and_shows_how_it_goes() -> None:
    model, other = says(GOOD, "17802"), says(GOOD, "17802")
    turns = (Turn("user", "hi"), Turn("fast", "Hello!"))
    context = TurnContext(now="Monday, 23 November 2026", clock="10:24")
    await solve(model)
    await solve(other, dialogue=Dialogue("t", "ben", turns), context=context, said="and times 46?")
    head = 1 + 2 * len(examples("small/program_examples"))
    assert model.heard[0].messages[:head] == other.heard[0].messages[:head]
    assert not any(known in other.heard[0].everything for known in ("23 November", "10:24")), "it looks them up"
    assert f"Request: {ASKED}" in other.heard[0].last
    assert "Hello!" in other.heard[0].everything


async def test_figures_are_read_as_the_persons_country_writes_them() -> None:
    model = says(GOOD, "It is 17802.")
    before = (Turn("user", "Die Wohnung kostet 1.250,50 Euro im Monat."), Turn("fast", "Das sind 1.386 kg."))
    said = "Und dazu kommen im Monat noch 1.100 Euro; was kostet das im Jahr?"
    await solve(model, said=said, dialogue=Dialogue("s", "ada", before))
    for heard in model.heard:
        assert "1250.50 Euro" in heard.everything and "1100 Euro" in heard.last and "1.100" not in heard.last
        assert "1.386 kg" in heard.everything, "what programs print is written so already"


async def test_what_the_person_adds_is_heard() -> None:
    ear, model = Ear(), says(BAD, GOOD, "17802")
    ear.words = ("there are 14, not 12",)
    await solve(model, ear=ear)
    assert all("there are 14, not 12" in heard.everything for heard in model.heard)


async def test_what_the_person_adds_while_a_program_runs_is_computed_anew() -> None:
    class Late(Ear):
        async def stepped(self, number: int, step: Step) -> None:
            self.words = ("there are 99, not 46",)

    model = says(GOOD, "print(387 * 99)", "38313")
    found = await solve(model, ear=Late())
    assert (found.text, found.doubt) == ("38313", False) and model.heard[1].last.endswith("there are 99, not 46")


@pytest.mark.parametrize(("failed", "text"), [(False, "Solved.\nIn 3 steps."), (True, "There is no such task.")])
async def test_what_a_world_said_is_the_answer_whatever_the_person_adds_meanwhile(failed: bool, text: str) -> None:
    said = "There is no such task.\nThere are: 1." if failed else "Solved.\nIn 3 steps."
    drove = Step(Move("", (Call("world_go_on"),), last=True, worded=True), said, failed=failed)
    task = Task(ASKED, ASKED, Dialogue("s", "ada"), steering=("hurry up",))
    move = await ByProgram(Workbench(says())).act(Episode(task, (drove,)))
    assert (move.answer, move.gave_up, move.worded) == (text, failed, True)


async def test_a_refusal_stands_behind_what_was_done_before_it() -> None:
    took = Step(Move("", (Call("world_act"),), worded=True), "Taken.", told="**Taken**")
    refused = Step(Move("", (Call("world_act"),), worded=True), "The door is locked.\nlook", failed=True)
    task = Task(ASKED, ASKED, Dialogue("s", "ada"))
    move = await ByProgram(Workbench(says())).act(Episode(task, (took, refused)))
    assert (move.answer, move.gave_up) == ("**Taken**\n\nThe door is locked.", True)


async def test_a_list_that_breaks_off_hands_the_turn_back_and_so_do_words_that_do() -> None:
    model = FakeModel(lambda _: ["print('socks: 4')\nprint('soap", Sign.CUT], abilities=SMALL)
    found = await solve(model, said="a packing list, please")
    assert (found.text, found.solved, found.doubt, found.asked) == ("", True, False, 1)
    model = FakeModel(lambda heard: [BAD] if heard.prefix.startswith(FENCE) else ["First, ", Sign.CUT], abilities=SMALL)
    found = await solve(model)
    assert (found.text, found.solved, found.doubt, found.asked) == ("", True, True, 3)


@pytest.mark.parametrize("written", ['print("Ljubljana")', "name = 'Ljubljana'\nprint(f'It is {name}.')"])
async def test_a_program_that_computes_nothing_hands_the_turn_back(written: str) -> None:
    model = says(written)
    found = await solve(model, said="Capital of Slovenia?")
    assert (found.text, found.solved, found.episode.steps, found.asked) == ("", True, (), 1)


@pytest.mark.parametrize(
    ("abilities", "name", "briefing", "kind"),
    [
        (SMALL, "react", None, ByProgram),
        (SMALL, "react", SimpleNamespace(request=Request()), DeskReAct),
        (SMALL, "react", SimpleNamespace(request=None), ReAct),
        (SMALL, "plain", None, ReAct),
        (STRONG, "react", None, ReAct),
        (STRONG, "react", object(), ReAct),
        (Abilities(), "react", None, ByProgram),
    ],
)
def test_only_a_small_model_gets_help_and_only_where_nobody_chose_otherwise(
    abilities: Abilities, name: str, briefing: Any, kind: type
) -> None:
    model = FakeModel(lambda _: [], abilities=abilities)
    assert type(strategy(name, Workbench(model), briefing)) is kind


def test_without_its_program_a_small_model_reasons_as_the_others_do() -> None:
    bench = Workbench(FakeModel(lambda _: [], abilities=SMALL))
    assert type(strategy("react", bench, aids={"gate", "check"})) is ReAct


async def test_a_run_interrupted_behind_its_program_ends_with_what_that_gave() -> None:
    model = says("It is 17802.")
    move = Move("I compute it.", (Call("python", {"program": GOOD}),))
    task = Task(ASKED, ASKED, Dialogue("s", "ada"))
    strategy = ByProgram(Workbench(model))
    again = await strategy.act(Episode(task, (Step(move, "17802"),)))
    assert (again.answer, again.doubt, len(programs(model))) == ("17802", False, 0)


async def test_it_sees_the_end_of_the_conversation_as_far_as_there_is_room() -> None:
    turns = [Turn(by, f"{by} {n} " + "x" * 100) for n in range(12) for by in ("user", "fast")]
    model = says(GOOD, "It is 17802.")
    await solve(model, dialogue=Dialogue("s", "ada", tuple(turns)))
    for heard in model.heard:
        assert "user 11" in heard.everything and "user 6" in heard.everything and "user 2 " not in heard.everything
    long = [Turn(by, f"{by} {n} " + "x" * 2000) for n in range(3) for by in ("user", "fast")]
    model = says(GOOD, "It is 17802.")
    await solve(model, dialogue=Dialogue("s", "ada", tuple(long)))
    assert "user 1 " in model.heard[0].everything and "user 0 " not in model.heard[0].everything


async def test_behind_other_turns_its_words_are_those_of_talk() -> None:
    model, day = says(GOOD, "It is 17802."), TurnContext(now="Friday, 27 November 2026")
    before = Dialogue("s", "ada", (Turn("user", "I have 387 boxes."), Turn("fast", "That is a lot.")))
    found = await solve(model, dialogue=before, context=day)
    program, words = model.heard
    assert found.text == "17802" and words.messages[0].content == render("small/plain", now=day.now)
    assert [m.type for m in words.messages] == ["system", "human", "ai", "human"] and not words.prefix
    assert day.now not in words.last, "told twice, the day was given back for an answer"
    assert program.messages[0].content == render("small/program")


@pytest.mark.parametrize("aside", [True, False])
async def test_what_answers_another_turn_is_no_answer(aside: bool) -> None:
    told, asked = "There are 73 days left from today.", "Can I drink mate behind the pill?"
    before = Dialogue("s", "ada", (Turn("user", "How long until 11 February?"), Turn("slow", told)))
    episode = Episode(Task(asked, asked, before), (Step(Move("", (Call("python", {"program": GOOD}),)), told),))
    for words, answer in (("Wait half an hour before it.", "Wait half an hour before it."), (told, "")):
        model = says(words, "")
        model.aside, model.unfit = model if aside else None, {told}
        found = await ByProgram(Workbench(model, dict)).act(episode)
        assert (found.answer, found.doubt) == (answer, True), "where nothing is one, the fast mind speaks"
        unchecked = await ByProgram(Workbench(model, dict), check=False).act(episode)
        assert unchecked.answer == told, "without its check the first answer stands"


async def test_what_the_person_added_is_a_part_of_what_is_to_be_answered() -> None:
    added, asked_for = ("no, the capital of France",), "15% of 80?"
    task = Task(asked_for, asked_for, Dialogue("s", "ada"), steering=added)
    model = says("", "It is Paris.")
    model.aside = asked = FakeModel(lambda _: ["never"], lambda _: ["never"])
    asked.unfit = {"never said"}
    assert (await ByProgram(Workbench(model, dict)).act(Episode(task))).answer == "It is Paris."
    assert asked.weighed and "15% of 80? no, the capital of France" in asked.weighed[0]
