"""What was found once is given again where it still holds, and never else."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest

from chat.export import to_json
from memory.memory import PERSON, MemoryFault, Note
from memory.store import MemoryStore
from minds.models.language import ModelFault, ToolCall
from tests.brought import from_json
from tests.chat.ground import (
    AGAIN,
    OTHERWISE,
    PRODUCT,
    SUM,
    TIMES,
    Talk,
    a_talk,
    names,
    reply,
    slow_run,
    small_talk,
    tells,
    thinks,
)
from tests.fakes import FakeModel, Heard, in_turn
from tests.memory.embedding import WordVectors
from tools import open_tools
from tools.desk import Desk


async def test_the_same_again_comes_from_memory(talk: Talk) -> None:
    await talk.say(talk.session(), SUM)
    asked = len(talk.slow.heard)
    events = await talk.say(talk.session(), AGAIN)
    said = reply(events)
    assert (said["by"], said["invoke"]) == ("memory", False) and "17802" in said["text"]
    assert (said["answer"], said["doubt"], said["calls"]) == (said["text"], False, 0)
    assert not [n for n in names(events) if n.startswith(("run", "step"))] and len(talk.slow.heard) == asked


@pytest.mark.parametrize(("found", "by"), [("same", "memory"), ("different", "slow"), (None, "slow")])
async def test_a_likely_result_is_given_again_where_trained_layers_find_it_the_same(
    talk: Talk, found: str | None, by: str
) -> None:
    await talk.say(talk.session(), SUM)
    if found:
        talk.slow.trained = FakeModel(lambda _: ["any"], in_turn(found, found))
    assert reply(await talk.say(talk.session(), OTHERWISE))["by"] == by


async def test_long_questions_are_compared_by_their_words_alone(talk: Talk) -> None:
    contract = f"The rent is {'due on the first of the month, ' * 20} and so on. What is 387 times 46?"
    await talk.say(talk.session(), contract)
    talk.slow.trained = FakeModel(lambda _: ["any"], lambda _: ["same"])
    assert reply(await talk.say(talk.session(), f"{contract} And why?"))["by"] == "slow"
    assert reply(await talk.say(talk.session(), contract))["by"] == "memory"
    assert not talk.slow.trained.heard


async def test_what_was_found_in_another_language_is_worded_in_the_persons(talk: Talk) -> None:
    told = "There are 84 days in twelve weeks."
    talk.slow.steps = lambda heard: [told if heard.found else ToolCall("python", {"program": "print(12 * 7)"})]
    thinks(talk)
    await talk.say(talk.session(), "How many days are there in 12 weeks of marathon training?")
    talk.slow.trained = FakeModel(lambda _: ["any"], lambda _: ["same"])
    talk.fast.says = lambda heard: ["Zwölf Wochen haben 84 Tage."] if "84 days" in heard.everything else ["?"]
    said = reply(await talk.say(talk.session(), "Wie viele Tage haben denn 12 Wochen Marathon Training?"))
    assert (said["by"], said["text"]) == ("memory", "Zwölf Wochen haben 84 Tage.")
    assert said["answer"] == told
    talk.fast.says = lambda heard: [ModelFault("gone")]
    said = reply(await talk.say(talk.session(), "Wie viele Tage haben eigentlich 12 Wochen Marathon Training?"))
    assert (said["by"], said["text"]) == ("memory", told)


@pytest.mark.parametrize(
    ("scope", "by"), [("memory", "memory"), ("telling", "memory"), ("moment", "slow"), ("dialogue", "slow")]
)
async def test_what_asks_the_same_as_a_question_is_one_itself(talk: Talk, scope: str, by: str) -> None:
    await talk.say(talk.session(), SUM)
    talk.reader.scopes = {AGAIN: scope}
    assert reply(await talk.say(talk.session(), AGAIN))["by"] == by


async def test_the_memory_is_asked_before_the_fast_mind(either: Talk) -> None:
    await either.say(either.session(), SUM)
    heard = len(either.fast.heard)
    assert names(await either.say(either.session(), AGAIN)) == ["turn", "reply", "end-done"]
    assert len(either.fast.heard) == heard and len(either.gate.asked) <= 1


async def test_the_memory_is_asked_again_with_what_the_fast_mind_made_of_the_turn(talk: Talk) -> None:
    await talk.say(talk.session(), SUM)
    thinks(talk, SUM)
    asked = len(talk.slow.heard)
    events = await talk.say(talk.session(), "and with that number?")
    assert reply(events)["by"] == "memory" and "17802" in reply(events)["text"]
    assert "interim" in names(events) and len(talk.slow.heard) == asked


async def test_what_leans_on_the_conversation_is_not_answered_from_memory(talk: Talk) -> None:
    session = talk.session()
    thinks(talk, SUM)
    await talk.say(session, "and times 46?")
    thinks(talk, "What is 12 times 46?")
    assert "552" in reply(await talk.say(session, "and times 46?"))["text"]


async def test_a_question_that_leans_on_what_was_said_is_thought_about_anew(talk: Talk) -> None:
    """ "How many people live there?" was answered with those of Paris when Rome was spoken of."""
    asks, plainly = "How many people live there, in 10 words?", "How many, in 10 words?"
    talk.reader.scopes = {asks: "dialogue"}
    session = talk.session()
    thinks(talk)
    for millions, said in enumerate((asks, asks, plainly), 1):
        call = ToolCall("multiply", {"one": millions, "other": 10**6})
        talk.slow.steps = lambda heard, call=call: [heard.found or call]
        found = reply(await talk.say(session, said))
        assert (found["by"], f"{millions}000000" in found["text"]) == ("slow", True)


async def test_what_was_found_today_is_given_again_behind_a_month_of_days(talk: Talk) -> None:
    days = [f"2026-11-{day:02}" for day in range(1, 31)]
    found = (Note(day, "result", SUM, 1.0, day, depends={"date": day}, about={"strength": "1"}) for day in days)
    talk.store.user("ada").keep(found)
    for day in (days[0], days[-1]):
        answer = talk.remembering.answer("ada", SUM, {"date": day, "world": "w"}, 1)
        assert answer and answer[0].id == day
    assert talk.remembering.answer("ada", SUM, {"world": "w"}, 1) is None


@pytest.mark.parametrize("now", ["taken back", "brought back", "deleted"])
async def test_what_was_found_for_the_person_goes_with_what_it_was_found_by(talk: Talk, now: str) -> None:
    talk.reader.scopes = {SUM: "person"}
    told, asked = talk.session(), talk.session()
    await talk.say(told, "the factor is 46")
    await talk.say(told, "the factor is 45", edits=1)
    await talk.say(asked, SUM)
    assert reply(await talk.say(asked, SUM))["by"] == "memory"
    runs = talk.runs
    await (runs.undo(told) if now == "taken back" else runs.delete(told) if now == "deleted" else runs.choose(told, 1))
    assert reply(await talk.say(asked, SUM))["by"] == "slow"


async def test_another_user_and_another_question_do_not_get_it(talk: Talk) -> None:
    await talk.say(talk.session(), SUM)
    assert reply(await talk.say(talk.session("ben"), SUM))["by"] == "slow"
    assert reply(await talk.say(talk.session(), "What is 387 times 47?"))["by"] == "slow"


async def test_asked_again_on_purpose_the_memory_keeps_silent(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, SUM)
    turn = await talk.runs.retry(session, 1)
    assert reply(await talk.ended(session, turn))["by"] == "slow"
    assert {e.turn for e in talk.transcript.events(session)} == {turn}


async def test_memory_may_be_off_and_nothing_is_kept_even_after_a_restart(talk: Talk) -> None:
    await talk.say(talk.session(memory=False), SUM)
    await talk.say(talk.session(memory=False), "hello")
    assert talk.notes() == set()
    assert reply(await talk.say(talk.session(memory=False), SUM))["by"] == "slow"
    talk.remembering.reconcile(talk.store.user("ada"))
    assert talk.notes() == set()


async def test_memory_and_transcript_agree_without_mending(talk: Talk) -> None:
    session = talk.session()
    for said in ("hello", SUM, AGAIN, "thanks"):
        await talk.say(session, said)
    await talk.say(session, "gone")
    await talk.runs.undo(session)
    await talk.remembering.settle()
    before = talk.kept()
    talk.remembering.reconcile(talk.store.user("ada"))
    assert talk.kept() == before and talk.notes() == {"result", "turn"}


async def test_what_a_crash_or_a_lost_folder_took_is_remembered_again(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, SUM)
    await talk.say(session, "taken back")
    before, last = talk.kept(), talk.transcript.last_turn(session)
    assert last is not None
    talk.store._users.pop("ada").close()
    rmtree(talk.store._folder("ada"))
    talk.transcript.supersede(session, last.number)
    assert talk.kept() == [note for note in before if note.turn != last.number]


async def test_what_was_deleted_for_good_does_not_come_back_from_the_transcript(talk: Talk) -> None:
    await talk.say(talk.session(), SUM)
    memory = talk.store.user("ada")
    memory.forget([note.id for note in talk.kept()])
    memory.notes.set_meta("transcript", "0")
    talk.remembering.reconcile(memory)
    assert talk.kept() == []


async def test_what_was_recalled_is_not_kept_again(talk: Talk) -> None:
    await talk.say(talk.session(), SUM)
    before = len(talk.kept())
    assert reply(await talk.say(talk.session(), AGAIN))["by"] == "memory"
    assert len(talk.kept()) == before


async def test_a_thumb_down_on_a_reply_from_memory_takes_the_note_out_and_it_can_be_brought_back(talk: Talk) -> None:
    await talk.say(talk.session(), SUM)
    session = talk.session()
    served = reply(await talk.say(session, AGAIN))
    await talk.runs.set_feedback(session, 1, -1)
    assert reply(await talk.say(talk.session(), "What is 387 x 46?"))["by"] == "slow"
    note = talk.store.user("ada").notes.get(served["from_note"])
    assert note is not None and note.out
    talk.store.user("ada").restore([note.id])
    assert note.id in {kept.id for kept in talk.kept()}


@pytest.mark.parametrize("done", ["marked wrong", "asked again"])
async def test_with_a_wrong_result_goes_the_reply_that_told_it_first(talk: Talk, done: str) -> None:
    await talk.say(talk.session(), SUM)
    before, session = {note.id for note in talk.kept()}, talk.session()
    await talk.say(session, AGAIN)
    await (talk.runs.set_feedback(session, 1, -1) if done == "marked wrong" else talk.runs.retry(session, 1))
    talk.store._users.pop("ada").close()
    left = before & {note.id for note in talk.kept()}
    assert {id_.rpartition(":")[2] for id_ in before - left} == {"reply", "found"}
    if done == "marked wrong":
        await talk.runs.set_feedback(session, 1, 0)
        assert before <= {note.id for note in talk.kept()}


async def test_a_thumb_that_is_taken_back_brings_the_notes_back(talk: Talk) -> None:
    await talk.say(talk.session(), SUM)
    session = talk.session()
    await talk.say(session, AGAIN)
    kept = {note.id for note in talk.kept()}
    await talk.runs.set_feedback(session, 1, -1)
    assert {note.id for note in talk.kept()} < kept
    await talk.runs.set_feedback(session, 1, 0)
    assert {note.id for note in talk.kept()} == kept
    assert reply(await talk.say(talk.session(), AGAIN))["by"] == "memory"


async def test_a_retry_of_a_reply_from_memory_takes_the_note_out(talk: Talk) -> None:
    await talk.say(talk.session(), SUM)
    session = talk.session()
    served = reply(await talk.say(session, AGAIN))
    await talk.ended(session, await talk.runs.retry(session, 1))
    note = talk.store.user("ada").notes.get(served["from_note"])
    assert note is not None and note.out


async def test_a_strong_model_is_not_served_what_a_weak_one_thought(talk: Talk) -> None:
    await talk.say(talk.session(), SUM)
    memory = talk.store.user("ada")
    found = next(note for note in talk.kept() if note.kind == "result")
    assert found.about["strength"] == "1" and "multiply" in found.about["evidence"]
    memory.keep([replace(found, about={**found.about, "strength": "0"})])
    assert reply(await talk.say(talk.session(), AGAIN))["by"] == "slow"


async def test_what_the_person_tells_makes_results_about_the_person_stale(talk: Talk) -> None:
    thinks(talk)
    asks, tells_it = "How far is my office, 12 or 13 km?", "I have moved to Berlin."
    talk.reader.scopes = {asks: "person", tells_it: "telling"}
    talk.slow.steps = lambda heard: ["13 km." if heard.found else ToolCall("python", {"program": "print(12 * 13)"})]
    assert reply(await talk.say(talk.session(), asks))["by"] == "slow"
    assert reply(await talk.say(talk.session(), asks))["by"] == "memory"
    await talk.say(talk.session(), tells_it)
    assert reply(await talk.say(talk.session(), asks))["by"] == "slow"


@pytest.mark.parametrize("changes", ["person", "day"])
async def test_what_was_found_before_something_changed_is_no_answer_behind_it(talk: Talk, changes: str) -> None:
    """The result of a run was stamped with what the person told while it went on, or with the day of its end."""
    thinks(talk)
    asks, tells_it, held = "How far is my office, 12 or 13 km?", "I have moved to Berlin.", asyncio.Event()
    talk.reader.scopes = {asks: "person" if changes == "person" else "day", tells_it: "telling"}
    talk.slow.steps = lambda heard: [held, "12 km."] if heard.found else [ToolCall("multiply", {"one": 12, "other": 1})]
    session = talk.session()
    turn = await talk.runs.submit(session, asks)
    await talk.until(lambda: len(talk.slow.heard) >= 2)
    if changes == "person":
        talk.fast.says = small_talk
        await talk.say(talk.session(), tells_it)
        thinks(talk)
    else:
        talk.now += timedelta(days=1)
    held.set()
    assert reply(await talk.ended(session, turn))["remember"]
    assert reply(await talk.say(talk.session(), asks))["by"] == "slow"
    assert reply(await talk.say(talk.session(), asks))["by"] == "memory"


@pytest.mark.parametrize("of", ["all", "one"])
async def test_what_was_found_under_other_instructions_is_no_answer(talk: Talk, of: str) -> None:
    async def by(user: str, instructions: str) -> object:
        talk.transcript.instruct(user, instructions if of == "all" else "")
        session = talk.session(user, **({"instructions": instructions} if of == "one" else {}))
        return reply(await talk.say(session, SUM))["by"]

    assert [await by("ada", words) for words in ("", "Answer in French.")] == ["slow", "slow"]
    assert [await by("ben", words) for words in ("Be brief.", "Be brief.", "")] == ["slow", "memory", "slow"]


async def test_a_result_of_today_is_no_answer_tomorrow(talk: Talk) -> None:
    thinks(talk)
    asks = "What day is it today?"
    talk.slow.steps = lambda heard: [heard.found or ToolCall("today")]
    assert reply(await talk.say(talk.session(), asks))["by"] == "slow"
    assert reply(await talk.say(talk.session(), asks))["by"] == "memory"
    talk.now += timedelta(days=1)
    assert reply(await talk.say(talk.session(), asks))["by"] == "slow"


async def test_documents_that_change_make_old_results_stale(talk: Talk) -> None:
    session = talk.session()
    thinks(talk)
    talk.slow.steps = lambda heard: [
        "Free after six." if heard.found else ToolCall("documents", {"question": "parking"})
    ]
    asks = "What does the handbook say about parking?"
    await talk.runs.add_document(session, "handbook.md", b"# Parking\n\nParking is free after six.")
    assert reply(await talk.say(session, asks))["by"] == "slow"
    assert reply(await talk.say(session, asks))["by"] == "memory"
    added = await talk.runs.add_document(session, "new.md", b"# Parking\n\nParking costs 5 euros now.")
    assert reply(await talk.say(session, asks))["by"] == "slow"
    talk.transcript.remove_document(session, added.id)
    assert reply(await talk.say(session, asks))["by"] == "memory"
    assert reply(await talk.say(talk.session(), asks))["by"] == "slow"


@pytest.mark.parametrize("rebuilt", [False, True])
async def test_a_thumb_down_forgets_what_was_replied_and_nothing_that_was_told(talk: Talk, rebuilt: bool) -> None:
    session = talk.session()
    await talk.say(session, SUM)
    await talk.runs.set_feedback(session, 1, -1)
    if rebuilt:
        talk.store._users.pop("ada").close()
        rmtree(talk.store._folder("ada"))
    assert [(note.text, note.speaker) for note in talk.kept()] == [(SUM, PERSON)]
    assert reply(await talk.say(talk.session(), SUM))["by"] == "slow"


async def test_deleting_a_conversation_forgets_what_it_found(talk: Talk) -> None:
    gone, kept = talk.session(), talk.session()
    await talk.say(gone, SUM)
    await talk.say(kept, "hello")
    await talk.runs.delete(gone)
    assert {note.session for note in talk.kept()} == {kept}
    assert reply(await talk.say(kept, SUM))["by"] == "slow"


async def test_a_memory_that_fails_is_in_nobodys_way(talk: Talk) -> None:
    session = talk.session()
    talk.store.fault = MemoryFault("The memory is in use by another process: stop it.")
    assert "17802" in reply(await talk.say(session, SUM))["text"]
    assert reply(await talk.say(session, SUM))["by"] == "slow"
    await talk.runs.undo(session)
    await talk.runs.set_feedback(session, 1, -1)
    assert "another process" in talk.remembering.fault
    await talk.runs.delete(session)
    talk.store.fault = None
    await talk.say(talk.session(), SUM)
    assert not talk.remembering.fault


async def test_what_was_steered_is_not_remembered_for_the_question_alone(talk: Talk) -> None:
    session = talk.session()
    turn, held = await slow_run(talk, session)
    tells(talk, "steer", "in metric units")
    await talk.say(session, "in metric units please")
    talk.fast.says = small_talk
    held.set()
    assert "remember" not in reply(await talk.ended(session, turn))
    assert "result" not in talk.notes()


async def test_a_reply_whose_figures_are_marked_is_not_given_again(talk: Talk) -> None:
    talk.fast.says = lambda heard: ["That is 18702."] if heard.found else small_talk(heard)
    assert reply(await talk.say(talk.session(), SUM))["unsupported"] == ["18702"]
    assert reply(await talk.say(talk.session(), AGAIN))["by"] == "slow"


async def test_what_rests_on_a_fact_that_may_be_corrected_is_not_kept(talk: Talk) -> None:
    talk.fast.says = lambda _: ["Good."]
    await talk.say(talk.session(), "Our cabin costs 387 a week")
    leaning = "What do 46 weeks of our cabin cost?"
    talk.fast.says = lambda heard: [heard.found] if heard.found else ["So.", ToolCall("think", {"request": leaning})]
    talk.slow.steps = in_turn(TIMES, PRODUCT)
    assert "remember" not in reply(await talk.say(talk.session(), leaning))


async def test_a_slow_reply_is_not_kept_where_the_person_wished_so_meanwhile(talk: Talk) -> None:
    session = talk.session()

    def wished(heard: Heard) -> Sequence[Any]:
        talk.transcript.set_options(session, replace(talk.transcript.options(session), memory=False))
        return [heard.found] if heard.found else [TIMES]

    talk.slow.steps = wished
    await talk.say(session, SUM)
    assert not talk.kept()


async def test_an_imported_conversation_is_not_what_the_person_said(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, "My account is DE99")
    from_json(talk.transcript, "eve", to_json(talk.transcript, session))
    assert not talk.store.user("eve").notes.count()


# -- what the recall tool finds

LONG = "The harbour was quiet that evening and we ate soup with bread while rain fell on every roof of the old town"


async def recalls(talk: Talk, session: str, about: str) -> str:
    """What the slow mind is told where it recalls something."""

    def tools(domain: str, desk: Desk) -> Any:
        return open_tools(desk, ["recall"])

    talk.counters.tools = tools  # type: ignore[method-assign]
    await talk.remembering.settle()
    thinks(talk)
    talk.slow.steps = in_turn(ToolCall("recall", {"about": about}), "So it was.")
    events = await talk.say(session, "go and look")
    [observed] = [event.data["observation"] for event in events if event.kind == "step"]
    return str(observed)


async def test_recall_finds_earlier_conversations_behind_what_stands_in_this_one(talk: Talk) -> None:
    await talk.say(talk.session(), "The tide at Husum turns late")
    session = talk.session()
    for letter in "abcdefghijkl":
        await talk.say(session, f"tide tide tide {letter}")
    found = await recalls(talk, session, "tide")
    assert "turns late" in found and "tide tide" not in found


async def test_recall_never_says_that_what_stands_in_this_conversation_was_not_said(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, "The tide at Husum turns late")
    assert "turns late" in await recalls(talk, session, "tide")


async def test_recall_leaves_out_what_is_unlike_but_for_what_has_all_the_words(tmp_path: Path) -> None:
    store: Any = MemoryStore(tmp_path / "memory", WordVectors())
    async with a_talk(tmp_path, store=store) as talk:
        await talk.say(talk.session(), "My boat lies in the harbour")
        await talk.say(talk.session(), LONG)
        both = await recalls(talk, talk.session(), "harbour")
        assert "My boat" in both and "soup" in both
        boat = await recalls(talk, talk.session(), "my boat in the harbour")
        assert "My boat" in boat and "soup" not in boat
