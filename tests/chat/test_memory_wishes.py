"""What is said of the memory in conversation is done: shown, noted, corrected, deleted behind one question, off."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

import chat.idle
from chat.deletions import REMOVED
from chat.notebook import fulfil
from memory.memory import Note
from minds.models.language import ToolCall
from tests.chat.ground import SUM, TIMES, Talk, reply
from tests.fakes import Heard, in_turn, tools_of
from tools import open_tools
from tools.desk import Desk

TOM, TEA = "My ex Tom lives in Rome", "I like tea"


@pytest.fixture
async def talk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Talk]:
    monkeypatch.setattr(chat.idle, "SILENCE", 0.0)
    talk = Talk(tmp_path)

    def tools(domain: str, desk: Desk) -> dict[str, Any]:
        return open_tools(desk, ["memory", "recall"])

    talk.counters.tools = tools  # type: ignore[method-assign]
    yield talk
    await talk.close()


def strong(talk: Talk, **calls: dict[str, Any]) -> None:
    """The fast mind hands these turns over, and the slow mind calls the memory tool so."""
    known = {said.replace("_", " "): arguments for said, arguments in calls.items()}

    def says(heard: Heard) -> Sequence[Any]:
        if heard.found:
            return [heard.found]
        return [ToolCall("think", {"request": heard.said})] if heard.free and heard.said in known else ["Hm."]

    def acts(heard: Heard) -> Sequence[Any]:
        if heard.found:
            return [heard.found]
        said = heard.said.partition("\n\nRequest:")[0]
        return [ToolCall("memory", known[said])] if said in known else [{"facts": []}]

    talk.fast.says, talk.slow.steps = says, acts


def small(talk: Talk, answers: Callable[[str], dict[str, Any]], *wishes: str) -> None:
    """Both minds are small; these turns are heard as wishes about the memory, and read so."""
    talk.made_small()
    talk.gate.needs = lambda said: False
    talk.reader.scopes = dict.fromkeys(wishes, "memory")
    talk.slow.steps = lambda heard: [answers(heard.said)]


async def tell(talk: Talk) -> str:
    session = talk.session()
    for said in (TOM, TEA):
        await talk.say(session, said)
    fact = {"subject": "ex Tom", "attribute": "lives in", "value": "Rome", "quote": TOM, "since": "", "until": ""}
    talk.store.user("ada").keep(
        [
            Note(
                f"{session}:1:fact0",
                "fact",
                f"ex Tom, lives in: Rome ({TOM})",
                1.0,
                session=session,
                turn=1,
                about=fact,
            )
        ]
    )
    return session


def told(talk: Talk) -> list[str]:
    return [note.text for note in talk.store.user("ada").notes.page(limit=100)]


async def test_a_strong_model_shows_what_is_kept(talk: Talk) -> None:
    strong(talk, what_do_you_remember_about_me={"do": "show"})
    await tell(talk)
    text = reply(await talk.say(talk.session(), "what do you remember about me"))["text"]
    assert TOM in text


async def test_what_is_shown_says_when_it_holds(talk: Talk) -> None:
    strong(talk, what_do_you_remember_about_me={"do": "show"})
    await tell(talk)
    [fact] = [note for note in talk.kept() if note.kind == "fact"]
    talk.store.user("ada").keep([replace(fact, about={**fact.about, "since": "2026-12-15"})])
    text = reply(await talk.say(talk.session(), "what do you remember about me"))["text"]
    assert "lives in: Rome, when: 2026-12-15)" in text


async def test_a_strong_model_hears_that_the_memory_is_off(talk: Talk) -> None:
    """It said that nothing is kept, where it only may not look."""
    await tell(talk)
    for session, off in ((talk.session(memory=False), True), (talk.session(), False)):
        await talk.say(session, "what do you remember about me")
        assert ("memory is off here" in talk.fast.heard[-1].everything) == off


async def test_what_was_said_before_the_memory_went_off_is_not_told_to_be_lost(talk: Talk) -> None:
    session = await tell(talk)
    talk.transcript.set_options(session, replace(talk.transcript.options(session), memory=False))
    await talk.say(session, "what do you remember about me")
    heard = talk.fast.heard[-1].everything
    assert talk.kept() and "memory is off here" in heard and "nothing of this conversation is kept" not in heard
    assert "what was kept of them before, here or elsewhere" in heard


async def test_what_is_read_out_has_the_persons_days(talk: Talk) -> None:
    talk.store._zone = ZoneInfo("Pacific/Honolulu")
    strong(talk, forget_all_about_Tom={"do": "forget", "which": "about", "about": "Tom"})
    await tell(talk)
    assert "1969-12-31" in reply(await talk.say(talk.session(), "forget all about Tom"))["text"]


async def test_deleting_asks_once_and_then_no_word_is_left_anywhere(talk: Talk) -> None:
    forget = {"do": "forget", "which": "about", "about": "Tom"}
    strong(talk, forget_all_about_Tom=forget, yes={"do": "confirm"})
    first = await tell(talk)
    session = talk.session()
    asked = reply(await talk.say(session, "forget all about Tom"))
    assert "Shall" in asked["text"] and any(TOM in text for text in told(talk))
    done = reply(await talk.say(session, "yes"))
    assert "Deleted for good" in done["text"]
    assert not [text for text in told(talk) if "Tom" in text] and TEA in told(talk)
    said = [turn.text for turn in talk.transcript.dialogue(first, before=9).turns]
    assert TEA in said and TOM not in said
    assert talk.transcript.turn(first, 1).said == REMOVED
    held = b"".join(path.read_bytes() for path in talk.folder.rglob("*") if path.is_file())
    assert b"Tom" not in held and b"Rome" not in held


async def test_a_deletion_names_all_that_it_will_delete(talk: Talk) -> None:
    """A fact goes with the turn that says it, so the person is asked about both, and told of as many."""
    known = {"do": "forget"}
    strong(talk, forget_where_Tom_lives=known, yes={"do": "confirm"})
    first = await tell(talk)
    known["ids"] = [f"{first}:1:fact0"]  # type: ignore[assignment]
    before, session = {note.id for note in talk.kept()}, talk.session()
    asked = reply(await talk.say(session, "forget where Tom lives"))["text"]
    named = {note for note in before if f"- {note}:" in asked}
    assert f"{first}:1:said" in named and f"these {len(named)} notes" in asked
    assert f"Deleted for good: {len(named)} notes" in reply(await talk.say(session, "yes"))["text"]
    assert {note.id for note in talk.kept()} == before - named


async def test_what_else_a_turn_told_stays_when_one_fact_of_it_is_deleted(talk: Talk) -> None:
    known = {"do": "forget"}
    strong(talk, forget_where_Tom_lives=known, yes={"do": "confirm"})
    first = await tell(talk)
    known["ids"] = [f"{first}:1:fact0"]  # type: ignore[assignment]
    about = {"subject": "user", "attribute": "status", "value": "parted", "quote": "My ex Tom"}
    other = Note(f"{first}:1:fact1", "fact", "user, status: parted", 1.0, session=first, turn=1, about=about)
    talk.store.user("ada").keep([other])
    session = talk.session()
    asked = reply(await talk.say(session, "forget where Tom lives"))["text"]
    assert "Rome" in asked and "parted" not in asked
    await talk.say(session, "yes")
    assert [note.id for note in talk.kept() if note.kind == "fact"] == [other.id]


async def test_deleting_takes_out_the_turns_in_which_the_note_was_shown(talk: Talk) -> None:
    forget = {"do": "forget", "which": "about", "about": "Tom"}
    strong(talk, what_do_you_remember={"do": "show"}, forget_all_about_Tom=forget, yes={"do": "confirm"})
    await tell(talk)
    session = talk.session()
    assert TOM in reply(await talk.say(session, "what do you remember"))["text"]
    await talk.say(session, "forget all about Tom")
    await talk.say(session, "yes")
    held = b"".join(path.read_bytes() for path in talk.folder.rglob("*") if path.is_file())
    assert b"Tom" not in held and b"Rome" not in held


async def test_a_yes_counts_only_in_the_turn_behind_the_question(talk: Talk) -> None:
    forget = {"do": "forget", "which": "about", "about": "Tom"}
    strong(talk, forget_all_about_Tom=forget, yes={"do": "confirm"})
    await tell(talk)
    session = talk.session()
    await talk.say(session, "yes")
    await talk.say(session, "forget all about Tom")
    await talk.say(session, "what is the weather like")
    await talk.say(session, "yes")
    await talk.say(talk.session(), "yes")
    assert any(TOM in text for text in told(talk))


async def test_what_is_to_be_remembered_is_a_fact_at_once_in_the_persons_own_words(talk: Talk) -> None:
    said = "remember that my locker is number 14"
    note = {"do": "note", "subject": "user", "attribute": "locker", "value": "14", "quote": "my locker is number 14"}
    made_up = note | {"quote": "my locker is number 15", "value": "15"}
    strong(talk, **{said.replace(" ", "_"): note, "hello_there": made_up})
    assert "Noted" in reply(await talk.say(talk.session(), said))["text"]
    assert "copy the quote" in reply(await talk.say(talk.session(), "hello there"))["text"]
    assert [note.about["value"] for note in talk.kept() if note.kind == "fact"] == ["14"]


async def test_what_else_is_told_beside_a_wish_is_kept_too(talk: Talk) -> None:
    """The turn can be recalled, and is read for its other facts; what was noted at once stays, and is no news."""
    said = "remember that my locker is number 14, and I have moved to Oslo"
    locker = {"subject": "user", "attribute": "locker", "value": "14", "quote": "my locker is number 14"}
    home = {"subject": "user", "attribute": "lives in", "value": "Oslo", "quote": "I have moved to Oslo"}
    drawn = [fact | {"since": "", "ended": False, "replaces": []} for fact in (home, locker)]
    strong(talk, **{said.replace(" ", "_"): {"do": "note"} | locker})
    acts, read = talk.slow.steps, list[str]()
    assert acts

    def steps(heard: Heard) -> Sequence[Any]:
        if "Kept so far" not in str(heard.messages[-1].content):
            return acts(heard)
        read.append(str(heard.messages[-1].content))
        return [{"facts": drawn}]

    talk.slow.steps = steps
    talk.reader.scopes = {said: "telling"}
    session = talk.session()
    await talk.say(session, said)
    await talk.conversation.idle.settle()
    assert '1. user, locker: "14"' in read[0]
    assert {note.text for note in talk.kept() if note.kind == "turn"} == {said}
    facts = [(note.about["attribute"], note.about["value"]) for note in talk.kept() if note.kind == "fact"]
    assert sorted(facts) == [("lives in", "Oslo"), ("locker", "14")]


async def test_a_correction_names_what_it_takes_the_place_of(talk: Talk) -> None:
    said = "scrap that, Tom went to Oslo"
    note = {"do": "note", "subject": "ex Tom", "attribute": "moved to", "value": "Oslo", "quote": "Tom went to Oslo"}
    strong(talk, Tom_went_to_Oslo=note | {"instead": "Prague"}, **{said.replace(" ", "_"): note | {"instead": "rome"}})
    await tell(talk)
    talk.store.user("ada").changed()
    assert "No fact is kept with" in reply(await talk.say(talk.session(), "Tom went to Oslo"))["text"]
    text = reply(await talk.say(talk.session(), said))["text"]
    assert 'Noted: "Tom went to Oslo"; no longer so:' in text and TOM in text
    current = [note.about["value"] for note in talk.kept() if note.kind == "fact" and note.current]
    assert current == ["Oslo"]


async def test_a_correction_takes_the_place_of_a_value_not_of_a_name_that_stands_in_a_fact(talk: Talk) -> None:
    note = {"do": "note", "subject": "ex Tom", "attribute": "name", "value": "Thom", "quote": "he is called Thom"}
    strong(talk, he_is_called_Thom=note | {"instead": "Tom"})
    await tell(talk)
    assert "No fact is kept with" in reply(await talk.say(talk.session(), "he is called Thom"))["text"]
    assert [note.about["value"] for note in talk.kept() if note.kind == "fact" and note.current] == ["Rome"]


def keep(talk: Talk, subject: str, attribute: str, value: str) -> None:
    """A fact of another conversation."""
    about = {"subject": subject, "attribute": attribute, "value": value, "quote": value}
    talk.store.user("ada").keep([Note("s0:1:fact0", "fact", value, 1.0, session="s0", turn=1, about=about)])


@pytest.mark.parametrize(
    ("subject", "instead", "kept"),
    [
        ("landlord", "Petra from Graz", ("user", "lives in", "Graz")),
        ("landlord", "Petra", ("flat", "rent", "620 to Petra")),
        ("user", "5 Main Street", ("daughter mia", "age", "5")),
    ],
)
async def test_a_correction_ends_no_fact_of_another_that_only_shares_words(
    talk: Talk, subject: str, instead: str, kept: tuple[str, str, str]
) -> None:
    note = {"do": "note", "subject": subject, "attribute": "name", "value": "Petr", "quote": "it is Petr"}
    strong(talk, it_is_Petr=note | {"instead": instead})
    keep(talk, *kept)
    assert "No fact is kept with" in reply(await talk.say(talk.session(), "it is Petr"))["text"]
    assert [note.current for note in talk.kept() if note.kind == "fact"] == [True]


async def test_a_correction_may_say_more_than_is_kept_of_its_subject(talk: Talk) -> None:
    note = {"do": "note", "subject": "Ex  Tom", "attribute": "lives in", "value": "Oslo", "quote": "he is in Oslo"}
    strong(talk, he_is_in_Oslo=note | {"instead": "Rome, Italy"})
    keep(talk, "ex tom", "lives in", "Rome")
    assert "no longer so:" in reply(await talk.say(talk.session(), "he is in Oslo"))["text"]


async def test_nothing_more_is_kept_of_a_conversation_that_is_not_to_be_remembered(talk: Talk) -> None:
    strong(talk, do_not_remember_this={"do": "off"})
    session = talk.session()
    await talk.say(session, TOM)
    await talk.say(session, "do not remember this")
    await talk.say(session, TEA)
    assert talk.kept() == []


@pytest.mark.parametrize(
    "wish", [{"do": "off"}, {"do": "wrong"}, {"do": "forget", "which": "about", "about": "Tom"}], ids=lambda w: w["do"]
)
async def test_what_was_found_for_the_person_is_found_anew_behind_a_wish(talk: Talk, wish: dict[str, Any]) -> None:
    strong(talk, about_it=wish, yes={"do": "confirm"})
    await talk.say(talk.session(), TOM)
    says, talk.fast.says = talk.fast.says, lambda _: ["Tom lives in Rome."]
    await talk.say(session := talk.session(), "where does he live, my ex Tom?")
    talk.fast.says, before = says, talk.remembering.person("ada")
    for said in ("about it", *(["yes"] * (wish["do"] == "forget"))):
        await talk.say(session, said)
    assert talk.remembering.person("ada") != before


async def test_what_the_page_is_deleting_is_neither_told_nor_kept(talk: Talk) -> None:
    """Its deletion can still be taken back; what is said in the conversation does not take it back."""
    forget = {"do": "forget", "which": "conversation"}
    strong(talk, forget_this_conversation=forget, do_not_remember_this={"do": "off"})
    session = talk.session()
    for said in (TOM, TEA):
        await talk.say(session, said)
    fulfil(talk.store.user("ada"), "forget", {"id": f"{session}:1:said", "sure": True})
    asked = reply(await talk.say(session, "forget this conversation"))["text"]
    assert TEA in asked and TOM not in asked
    await talk.say(session, "do not remember this")
    assert TEA in told(talk) and TOM not in told(talk)


async def test_a_small_model_says_in_a_form_which_wish_it_is(talk: Talk) -> None:
    def read(said: str) -> dict[str, Any]:
        wish = {"do": "forget", "which": "about", "about": "Tom"}
        return {"answer": "yes"} if said == "weg damit" else wish

    small(talk, read, "forget all about Tom")
    await tell(talk)
    session = talk.session()
    asked = reply(await talk.say(session, "forget all about Tom"))
    assert asked["text"].startswith("Shall") and "fact0" not in asked["text"] and asked["off_record"]
    assert "Deleted for good" in reply(await talk.say(session, "weg damit"))["text"]
    assert not [text for text in told(talk) if "Tom" in text]


async def test_a_small_model_may_say_that_it_is_no_wish(talk: Talk) -> None:
    small(talk, lambda said: {"do": "none"}, "I never forget a face")
    events = await talk.say(talk.session(), "I never forget a face")
    assert reply(events)["by"] == "fast" and not [e for e in events if e.kind == "step"]


async def test_a_wrong_reply_from_memory_is_out_at_once(talk: Talk) -> None:
    small(talk, lambda said: {"do": "wrong"}, "that's wrong")
    user = talk.store.user("ada")
    user.keep([Note("x:1:found", "result", "What is 387 times 46?", 1.0, "17", "x", 1)])
    session = talk.session()
    assert reply(await talk.say(session, "what is 387 times 46"))["by"] == "memory"
    assert "no longer used" in reply(await talk.say(session, "that's wrong"))["text"]
    note = user.notes.get("x:1:found")
    assert note is not None and note.out


async def test_what_was_said_to_be_wrong_stays_out_when_a_thumb_is_taken_back(talk: Talk) -> None:
    small(talk, lambda said: {"do": "wrong"}, "that's wrong")
    talk.store.user("ada").keep([Note("x:1:found", "result", "What is 387 times 46?", 1.0, "17", "x", 1)])
    session = talk.session()
    await talk.say(session, "what is 387 times 46")
    await talk.say(session, "that's wrong")
    for value in (-1, 0):
        await talk.runs.set_feedback(session, 1, value)
    assert "x:1:found" not in {note.id for note in talk.kept()}


async def worked_out(talk: Talk) -> str:
    """A conversation in which a result was found that is wrong."""
    talk.counters.tools = lambda domain, desk: {**tools_of(desk), **open_tools(desk, ["memory"])}  # type: ignore[method-assign]
    session = talk.session()
    talk.fast.says = lambda heard: [heard.found or ToolCall("think", {"request": heard.said})]
    talk.slow.steps = lambda heard: ["It is 17."] if heard.found else [TIMES]
    await talk.say(session, SUM)
    return session


async def test_a_wrong_reply_that_was_worked_out_just_now_is_not_given_again(talk: Talk) -> None:
    """The corrected one is kept under another question, if at all: it takes no place."""
    session = await worked_out(talk)
    assert reply(await talk.say(talk.session(), SUM))["text"] == "It is 17."
    strong(talk, that_is_wrong={"do": "wrong"})
    assert "no longer used" in reply(await talk.say(session, "that is wrong"))["text"]
    talk.fast.says = lambda heard: ["It is 17802."]
    assert reply(await talk.say(talk.session(), SUM))["text"] == "It is 17802."


async def test_a_strong_model_is_told_that_the_same_question_gets_its_last_reply_again(talk: Talk) -> None:
    session = await worked_out(talk)
    talk.fast.says = lambda heard: ["Hm."]
    await talk.say(session, "thanks")
    assert "Your last reply is kept: the same question gets it again." in talk.fast.heard[-1].everything
    await talk.say(session, SUM)
    await talk.say(session, "hm")
    assert "Your last reply came from memory (worked out on 20" in talk.fast.heard[-1].everything
    await talk.say(session, "bye")
    assert "Your last reply" not in talk.fast.heard[-1].everything
    talk.made_small()
    await talk.say(session, SUM)
    await talk.say(session, "oh")
    assert "Your last reply" not in talk.fast.heard[-1].everything


async def test_that_is_wrong_of_another_reply_is_ordinary_talk(talk: Talk) -> None:
    small(talk, lambda said: {"do": "wrong"}, "that's wrong")
    session = talk.session()
    await talk.say(session, "hello")
    assert reply(await talk.say(session, "that's wrong"))["by"] == "fast"


async def test_where_it_is_off_nothing_is_kept_and_nothing_recalled_in_any_conversation(talk: Talk) -> None:
    await talk.say(talk.session(), "My dog is called Rex")
    before = talk.kept()
    fulfil(talk.store.user("ada"), "off", {})
    session = talk.session()
    await talk.say(session, "What is my dog called?")
    assert "Rex" not in talk.fast.heard[-1].everything and talk.kept() == before
    fulfil(talk.store.user("ada"), "on", {})
    await talk.say(session, "My cat is called Tom")
    assert "Rex" in talk.fast.heard[-1].everything and len(talk.kept()) == len(before) + 2


async def test_a_fast_reply_names_the_notes_that_it_rests_on(talk: Talk) -> None:
    await talk.say(talk.session(), "My dog is called Rex")
    talk.fast.says = lambda heard: ["Your dog is called Rex."]
    session = talk.session()
    rests_on = reply(await talk.say(session, "What is my dog called?"))["rests_on"]
    assert [note.text for note in talk.store.user("ada").notes.of(rests_on)] == ["My dog is called Rex"]
    talk.store.user("ada").forget(rests_on)
    assert "Rex" not in "".join(turn.text for turn in talk.transcript.dialogue(session, before=9).turns)


async def test_what_the_slow_mind_recalled_is_deleted_with_the_note(talk: Talk) -> None:
    await talk.say(talk.session(), "My ex is called Tomislav")
    session, asked = talk.session(), "who did I split up with?"
    talk.fast.says = lambda heard: ["It was T."] if heard.found else ["Hm.", ToolCall("think", {"request": asked})]
    talk.slow.steps = in_turn(ToolCall("recall", {"about": "my ex"}), "Tomislav")
    events = await talk.say(session, asked)
    assert any("Tomislav" in str(event.data.get("observation")) for event in events)
    talk.store.user("ada").forget([note.id for note in talk.kept() if "Tomislav" in note.text])
    assert "Tomislav" not in json.dumps([dict(event.data) for event in talk.transcript.events(session)])
    assert "It was T." not in "".join(turn.text for turn in talk.transcript.dialogue(session, before=9).turns)


async def test_that_is_wrong_takes_out_the_one_note_that_a_reply_rests_on(talk: Talk) -> None:
    small(talk, lambda said: {"do": "wrong"}, "that's wrong")
    await talk.say(talk.session(), "My dog is called Rex")
    talk.fast.says = lambda heard: ["Your dog is called Rex."]
    session = talk.session()
    rests_on = reply(await talk.say(session, "What is my dog called?"))["rests_on"]
    assert len(rests_on) == 1
    assert "no longer used" in reply(await talk.say(session, "that's wrong"))["text"]
    assert not [note for note in talk.kept() if note.id in rests_on]
