"""What of a finished turn becomes a note, and what of the notes the minds are told."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from chat.backups import backup, restore
from chat.export import to_json
from chat.notebook import fulfil
from chat.remembering import notes_of
from chat.settings import Options
from chat.slow_run import changed_a_world
from chat.transcript import siblings
from chat.turn_context import Contexts, within_budget
from memory.memory import ASSISTANT, PERSON, MemoryFault, Note, Recall
from minds.dialogue import Answer, Call, Dialogue, Episode, Move, Step, Task
from tests.brought import from_json
from tests.chat.ground import PRODUCT, SUM, Talk, a_talk, reply

REPLY = {"by": "slow", "text": "The ice was in the metal pot."}
FOUND = {"question": "where was the ice?", "depends": {"world": "w"}}


@pytest.mark.parametrize(
    ("more", "kinds"),
    [
        ({}, ["said", "reply"]),
        ({"remember": FOUND}, ["said", "reply", "found"]),
        ({"world": True, "remember": FOUND}, ["said", "found"]),
        ({"recalled": True}, ["said"]),
        ({"stopped": True}, []),
        ({"off_record": True}, []),
    ],
)
def test_what_a_turn_leaves(more: dict[str, object], kinds: list[str]) -> None:
    """What a text world said is found in its story alone: elsewhere it would pass for what was said of the person."""
    notes = notes_of("s", 3, "where was the ice?", REPLY | more, 0.0)
    assert [note.id for note in notes] == [f"s:3:{kind}" for kind in kinds]


ASKED, ANSWER = "where was the ice?", "In the metal pot."
SAID = Note("a:1:said", "turn", ASKED, 1.0, speaker=PERSON)
REPLIED = Note("a:1:reply", "turn", ANSWER, 1.0, speaker=ASSISTANT)
RESULT = Note("a:1:found", "result", ASKED, 1.0, ANSWER)
AGAIN = Note("b:1:said", "turn", "where  was the ice?", 2.0, speaker=PERSON)


def lines(*found: Recall) -> list[str]:
    return [note.id for _, note in within_budget(found, (), 900)]


def test_nothing_is_told_twice() -> None:
    """A question may stand before its result, which tells the answer as well; not behind it, nor a second time."""
    assert lines(*(Recall(note, 1.0, 0.9) for note in (SAID, REPLIED, RESULT, AGAIN))) == ["a:1:said", "a:1:reply"]
    assert lines(*(Recall(note, 1.0, 0.9) for note in (SAID, RESULT, REPLIED))) == ["a:1:said", "a:1:found"]
    assert lines(*(Recall(note, 1.0, 0.9) for note in (RESULT, AGAIN, SAID))) == ["a:1:found"]


def test_what_a_world_answered_is_told_in_its_own_conversation_alone() -> None:
    """Else a list of drinks "rests on" a coffee machine, for both have a figure."""
    of_a_world = replace(RESULT, depends={"world": "w"})
    assert lines(Recall(of_a_world, 1.0, 0.9), Recall(AGAIN, 1.0, 0.9)) == ["b:1:said"]


def test_a_task_in_a_world_is_told_by_its_own_conversation_and_recalled_in_others() -> None:
    task = Recall(Note("s:1:task", "episode", "boil water: solved", 1.0, session="s"), 1.0, 0.9)
    memory = SimpleNamespace(bearing=lambda *_: [task])
    contexts = Contexts(SimpleNamespace(now=datetime.now, remembering=memory), SimpleNamespace())  # type: ignore[arg-type]
    for session, found in (("s", []), ("t", [task])):
        asked: Any = SimpleNamespace(session=session, options=Options(), dialogue=Dialogue(session, "ada"), said="boil")
        asked.run = SimpleNamespace(turn=SimpleNamespace(number=2))
        assert contexts._found(asked) == found


def test_what_no_longer_holds_does_not_hide_the_same_words_said_anew() -> None:
    old = Note("f", "fact", "lives in Rome", 1.0, about={"value": "Rome", "until": "2026-01-01"})
    gone = Recall(Note("a:1:said", "turn", "I live in Rome", 1.0, speaker=PERSON), 1.0, 0.9, [(old, None)])
    anew = Recall(Note("b:1:said", "turn", "I live in Rome", 2.0, speaker=PERSON), 0.9, 0.9)
    assert lines(gone, anew) == lines(anew, gone)[::-1] == ["a:1:said", "b:1:said"]


async def test_what_one_account_deletes_stays_in_the_conversations_of_another(talk: Talk) -> None:
    about = {"subject": "office", "attribute": "wifi", "value": "tulip42", "quote": "the wifi is tulip42"}
    talk.store.user("eve").keep([Note("s1:1:fact0", "fact", "office, wifi: tulip42", 1.0, session="s1", about=about)])
    export = fulfil(talk.store.user("eve"), "export", {})
    for user in ("ada", "ben"):
        fulfil(talk.store.user(user), "import", export)
    talk.fast.says = lambda _: ["The wifi is tulip42."]
    asked = {user: talk.session(user) for user in ("ada", "ben")}
    for session in asked.values():
        assert reply(await talk.say(session, "which wifi has the office?"))["rests_on"] == ["import:s1:1:fact0"]
    talk.store.user("ada").forget(["import:s1:1:fact0"])
    assert talk.transcript.turn(asked["ada"], 1).said == "removed"
    assert talk.transcript.turn(asked["ben"], 1).said == "which wifi has the office?"


@pytest.mark.parametrize("wish", ["withdraw", "forget"])
async def test_a_thumb_that_is_taken_back_brings_back_nothing_that_the_person_took_out(talk: Talk, wish: str) -> None:
    session = talk.session()
    await talk.say(session, "my ex is Tom")
    memory = talk.store.user("ada")
    for note in talk.kept():
        if not getattr(memory.notes.get(note.id), "out", ""):  # a deletion takes its turn's others along
            fulfil(memory, wish, {"id": note.id, "sure": True})
    await talk.runs.set_feedback(session, 1, -1)
    await talk.runs.set_feedback(session, 1, 1)
    assert not talk.kept()


async def test_a_result_that_was_taken_out_stays_out_when_a_reply_from_it_is_marked_and_unmarked(talk: Talk) -> None:
    first, second = talk.session(), talk.session()
    await talk.say(first, SUM)
    served = reply(await talk.say(second, SUM))["from_note"]
    fulfil(talk.store.user("ada"), "withdraw", {"id": served})
    for value in (-1, 0):
        await talk.runs.set_feedback(second, 1, value)
    assert served not in {note.id for note in talk.kept()}


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_conversation_that_was_deleted_while_the_memory_was_busy_is_not_told(
    talk: Talk, restarted: bool
) -> None:
    session = talk.session()
    await talk.say(session, "my clinic is Meadow")
    talk.store.fault = MemoryFault("The memory is busy: ask again in a minute.")
    await talk.runs.delete(session)
    talk.store.fault = None
    if restarted:
        talk.store._users.pop("ada").close()
        talk.remembering._late.clear()
    await talk.say(talk.session(), "which clinic is mine?")
    assert "Meadow" not in talk.fast.heard[-1].everything
    assert session not in {note.session for note in talk.kept()}


async def test_deleting_a_conversation_leaves_the_others_their_turns(talk: Talk) -> None:
    gone, kept = talk.session(), talk.session()
    await talk.say(gone, SUM)
    assert reply(await talk.say(kept, SUM))["by"] == "memory"
    await talk.runs.delete(gone)
    talk.store._users.pop("ada").close()  # what was deleted is gone through again when it is opened
    await talk.say(kept, "hello")
    assert [turn.text for turn in talk.transcript.dialogue(kept, before=2).turns] == [SUM, PRODUCT]


async def test_what_was_wished_forgotten_goes_everywhere_also_where_its_conversation_is_deleted(talk: Talk) -> None:
    gone, kept = talk.session(), talk.session()
    await talk.say(gone, SUM)
    served = reply(await talk.say(kept, SUM))["from_note"]
    fulfil(talk.store.user("ada"), "forget", {"id": served, "sure": True})
    await talk.runs.delete(gone)
    assert talk.transcript.turn(kept, 1).said == "removed"


@pytest.mark.parametrize("when", ["later", "meanwhile"])
async def test_what_was_replied_from_a_note_is_forgotten_with_it(talk: Talk, when: str) -> None:
    told, asked, held = talk.session(), talk.session(), asyncio.Event()
    await talk.say(told, "my ex is called Ingeborg")
    talk.fast.says = lambda _: ["Your ex is ", *([held] if when == "meanwhile" else []), "called Ingeborg."]
    turn = await talk.runs.submit(asked, "how is my ex called")
    if when == "later":
        await talk.ended(asked, turn)
    else:
        await talk.until(lambda: "1:delta" in talk.view(asked))
    talk.store.user("ada").forget([f"{told}:1:said"])
    held.set()
    await talk.ended(asked, turn)
    if when == "meanwhile":  # it goes when the notes are next opened
        talk.store._users.pop("ada").close()
    assert talk.kept() == [] and talk.transcript.turn(asked, 1).said == "removed"


def test_what_rests_on_what_went_with_a_deleted_note_stays_however_often_the_notes_are_opened(talk: Talk) -> None:
    there, said = talk.transcript, ["my ex is Ingeborg", "b", "c", "d"]
    sessions, rests_on = [talk.session() for _ in said], list[str]()
    for session, words in zip(sessions, said, strict=True):
        there.begin_turn(session, words)
        there.append(session, 1, "reply", {"by": "fast", "text": words, "final": True, "rests_on": rests_on})
        there.set_state(session, 1, "done")
        rests_on = [f"{session}:1:reply"]
    for session in (sessions[0], sessions[3]):
        talk.store.user("ada").forget([f"{session}:1:said"])
        for _ in range(3):
            talk.store._users.pop("ada").close()
            assert talk.kept() and [there.turn(each, 1).said for each in sessions[:3]] == ["removed", "removed", "c"]


@pytest.mark.parametrize("died", ["supersede", "choose"])
async def test_what_is_in_view_is_told_where_a_process_died_between_memory_and_transcript(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, died: str
) -> None:
    session = talk.session()
    await talk.say(session, "the code is red")
    if died == "choose":
        await talk.say(session, "the code is blue", edits=1)
        talk.transcript.choose(session, 1)
    else:
        monkeypatch.delattr("chat.transcript.Transcript.supersede")
        with pytest.raises(AttributeError):
            await talk.runs.undo(session)
    talk.store._users.pop("ada").close()
    assert [note.text for note in talk.kept() if note.speaker == PERSON] == ["the code is red"]


@pytest.mark.parametrize(("tools", "kept_out"), [(["world_act"], True), (["world_story"], False), (["python"], False)])
def test_what_was_done_in_a_world_is_no_answer_to_the_same_words_again(tools: list[str], kept_out: bool) -> None:
    """ "Take it from here" was answered by an action that had been done before, and nothing was done."""
    steps = tuple(Step(Move("", (Call(tool),)), "done") for tool in tools)
    answer = Answer("done", True, Episode(Task("q", "q", Dialogue("s", "")), steps))
    assert changed_a_world(answer) is kept_out


async def test_nothing_is_kept_of_what_was_said_with_the_memory_off_and_busy(talk: Talk) -> None:
    fulfil(talk.store.user("ada"), "off", {})
    talk.transcript.set_remembered("ada", False)  # as chat/app.py does
    talk.store.fault = MemoryFault("The memory is busy: ask again in a minute.")
    assert reply(await talk.say(talk.session(), "my diagnosis is gout"))["off_record"]
    talk.store.fault = None
    for wish in ("list", "on"):
        talk.store._users.pop("ada").close()
        assert not talk.kept()
        fulfil(talk.store.user("ada"), wish, {})


async def test_notes_say_to_the_transcript_that_the_memory_is_off(talk: Talk) -> None:
    """As those do that an earlier version switched off."""
    await talk.say(talk.session(), "hello")
    fulfil(talk.store.user("ada"), "off", {})
    talk.store._users.pop("ada").close()
    assert talk.transcript.remembered("ada")
    talk.store.user("ada")
    assert not talk.transcript.remembered("ada")


async def test_notes_that_are_made_anew_lack_a_conversation_that_is_not_to_be_remembered(talk: Talk) -> None:
    kept, off = talk.session(), talk.session()
    for session, words in ((kept, "my dog is called Rex"), (off, "my diagnosis is gout")):
        await talk.say(session, words)
    talk.transcript.set_options(off, replace(talk.transcript.options(off), memory=False))
    memory = talk.store._users.pop("ada")
    memory.close()
    memory.notes.path.write_bytes(b"no database" * 1000)
    assert {note.session for note in talk.kept()} == {kept}


async def test_an_id_of_a_file_is_no_turn_of_here(talk: Talk) -> None:
    """One with more digits than a number of SQLite has ended every use of the memory."""
    memory = talk.remembering.of("ada")
    memory.keep([Note(f"import:x:{'9' * 25}:said", "turn", "hello", 1.0, session="import:x", turn=1)])
    memory.forget([f"import:x:{'9' * 25}:said"])
    talk.store._users.pop("ada").close()
    assert talk.remembering.of("ada").notes.count() == 0


async def test_what_is_said_after_a_restore_is_not_taken_for_what_was_deleted_before(tmp_path: Path) -> None:
    """Turn numbers began again: a new message had the number of one that was deleted, and was wiped at the next
    opening."""
    async with a_talk(tmp_path) as talk:
        session = talk.session()
        await talk.say(session, "hello")
        copy = backup(tmp_path)
        await talk.say(session, "my old code is red")
        await talk.say(later := talk.session(), "hello")
        for gone, turn in ((session, 2), (later, 1)):
            talk.store.user("ada").forget(talk.store.user("ada").notes.of_session(gone, turn))
    restore(tmp_path, copy)
    async with a_talk(tmp_path) as talk:
        await talk.say(session, "my new code is blue")
        new = talk.transcript.last_turn(session)
    async with a_talk(tmp_path) as talk:
        assert "my new code is blue" in [note.text for note in talk.kept()]
        assert talk.transcript.last_turn(session) == new and new is not None and new.said == "my new code is blue"
        assert [turn.text for turn in talk.transcript.dialogue(session, before=9).turns if turn.speaker == "user"] == [
            "hello",
            "my new code is blue",
        ]
        talk.transcript.choose(session, 1)
        assert not siblings(talk.transcript.places(session)) and "red" not in to_json(talk.transcript, session)
        assert from_json(talk.transcript, "ben", to_json(talk.transcript, session))
