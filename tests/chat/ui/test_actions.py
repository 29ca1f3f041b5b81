from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from chat.settings import Options
from chat.ui.actions import Actions
from chat.ui.follow import Nudges
from tests.chat.ui.fake import FakeDuet, fake_duet


@pytest.fixture
def duet(tmp_path: Path) -> FakeDuet:
    return fake_duet(tmp_path)


@pytest.fixture
def actions(duet: FakeDuet) -> Actions:
    return Actions(duet, Nudges())  # type: ignore[arg-type]


async def test_the_first_message_begins_a_conversation(duet: FakeDuet, actions: Actions) -> None:
    answer = await actions.do("send", "", {"text": "hello"})
    assert [s.id for s in duet.transcript.sessions("ada")] == [answer["open"]]
    await duet.runs._tasks[answer["open"]]
    again = await actions.do("send", answer["open"], {"text": "and again"})
    assert again == {}, "who has gone on to another conversation meanwhile is not taken back"


async def test_a_first_message_whose_answer_was_lost_begins_one_conversation(duet: FakeDuet, actions: Actions) -> None:
    first = await actions.do("send", "", {"text": "hello", "id": "1-2"})
    assert await actions.do("send", "", {"text": "hello", "id": "1-2"}) == first
    assert await actions.do("send", first["open"], {"text": "hello", "id": "1-2"}) == {}
    assert len(duet.transcript.turns_from(first["open"], 1)) == 1
    assert (await actions.do("send", "", {"text": "hello", "id": "3-4"})) != first


async def test_what_was_taken_back_or_says_something_else_is_sent(duet: FakeDuet, actions: Actions) -> None:
    session = (await actions.do("send", "", {"text": "hello", "id": "1-2"}))["open"]
    await actions.do("undo", session, {})
    assert (await actions.do("send", "", {"text": "hello", "id": "1-2"}))["open"] != session
    await actions.do("send", session, {"text": "hello", "id": "1-2"})
    assert len(duet.transcript.turns_from(session, 1)) == 1
    await actions.do("send", session, {"text": "other words", "id": "1-2"})
    for odd in (None, 7, "", "no id", "a\n", "a" * 65):
        await actions.do("send", session, {"text": "hello", "id": odd})
        await actions.do("send", session, {"text": "hello", "id": odd})
    assert len(duet.transcript.turns_from(session, 1)) == 14


async def test_a_refused_first_message_leaves_no_conversation(duet: FakeDuet, actions: Actions) -> None:
    answer = await actions.do("send", "", {"text": "   "})
    assert "empty" in answer["fault"] and answer["refused"] == "   "
    assert duet.transcript.sessions("ada") == []


async def test_turns_are_edited_retried_and_undone(duet: FakeDuet, actions: Actions) -> None:
    session = (await actions.do("send", "", {"text": "one"}))["open"]
    await actions.do("edit", session, {"turn": "1", "text": "uno"})
    await actions.do("retry", session, {"turn": 2})
    await duet.runs._tasks[session]
    said = [e.data["text"] for e in duet.transcript.events(session) if e.kind == "turn"]
    assert said == ["uno"]
    assert await actions.do("undo", session, {}) == {"box": "uno"}
    assert [e for e in duet.transcript.events(session) if e.kind == "turn"] == []


async def test_a_program_is_run_again_and_nothing_is_kept(duet: FakeDuet, actions: Actions) -> None:
    session = (await actions.do("send", "", {"text": "one"}))["open"]
    await duet.runs._tasks[session]
    before = duet.transcript.events(session)
    assert await actions.do("rerun", session, {"text": "print(6 * 7)"}) == {"output": "42", "failed": False}
    wrong = await actions.do("rerun", session, {"text": "print(1 / 0)"})
    assert wrong["failed"] and "division by zero" in wrong["output"]
    assert duet.transcript.events(session) == before
    for session, text in (("", "print(1)"), ("nobodys", "print(1)")):
        assert "fault" in await actions.do("rerun", session, {"text": text})


async def test_thumbs_titles_and_documents(duet: FakeDuet, actions: Actions, tmp_path: Path) -> None:
    session = (await actions.do("send", "", {"text": "one"}))["open"]
    assert await actions.do("feedback", session, {"turn": 1, "value": "-1"}) == {}
    assert duet.transcript.marks(session).get(1, 0) == -1
    await actions.do("rename", session, {"text": " Sums "})
    assert duet.transcript.session(session).title == "Sums"
    assert "title" in (await actions.do("rename", session, {"text": " "}))["fault"]
    (tmp_path / "a.md").write_text("words")
    await actions.add_files(session, [str(tmp_path / "a.md")])
    [document] = duet.transcript.documents(session)
    await actions.do("remove-document", session, {"document": document.id})
    assert duet.transcript.documents(session) == []


async def test_a_broken_document_does_not_lose_the_good_one(duet: FakeDuet, actions: Actions, tmp_path: Path) -> None:
    for name in ("bad.pdf", "good.md"):
        (tmp_path / name).write_text("words")
    answer = await actions.add_files("", [str(tmp_path / "bad.pdf"), str(tmp_path / "good.md")])
    assert "bad.pdf" in answer["fault"]
    assert [d.name for d in duet.transcript.documents(answer["open"])] == ["good.md"]
    assert len(duet.transcript.sessions("ada")) == 1


async def test_runs_are_stopped_paused_and_resumed(duet: FakeDuet, actions: Actions) -> None:
    duet.runs.pace = 0.05
    session = (await actions.do("send", "", {"text": "387 please"}))["open"]
    await actions.do("pause", session, {})
    assert duet.runs.state(session) == "paused"
    await actions.do("resume", session, {})
    assert duet.runs.state(session) == "slow"
    await actions.do("stop", session, {})
    assert duet.runs.state(session) == "idle"


async def test_deleting_tells_the_tab_to_leave(duet: FakeDuet, actions: Actions) -> None:
    session = (await actions.do("send", "", {"text": "one"}))["open"]
    assert await actions.do("delete", session, {}) == {"deleted": session}
    assert duet.transcript.sessions("ada") == []


async def test_all_are_deleted_once_it_was_told_how_many(duet: FakeDuet, actions: Actions) -> None:
    foreign = duet.transcript.new_session("bob").id
    opened = [(await actions.do("send", "", {"text": text}))["open"] for text in ("one", "two")]
    assert await actions.do("delete-all", "", {}) == {"count": 2}
    assert len(duet.transcript.sessions("ada")) == 2
    gone = await actions.do("delete-all", opened[0], {"value": 1})
    assert gone == {"deleted": opened[0], "said": "2 conversations deleted."}
    assert duet.transcript.sessions("ada") == [] and duet.transcript.session(foreign)


async def test_a_temporary_conversation_is_not_remembered_and_goes(duet: FakeDuet, actions: Actions) -> None:
    opened = str((await actions.do("unremembered", "", {}))["open"])
    options = duet.transcript.options(opened)
    assert options.temporary and not options.memory
    assert duet.transcript.outlived(time.time() + 1) == [opened]
    await actions.set_options(opened, replace(options, length=80))
    assert duet.transcript.options(opened).temporary
    await actions.set_options(opened, replace(options, memory=True))
    assert not duet.transcript.options(opened).temporary, "what is remembered is kept"


async def test_an_import_says_how_much_of_it_came(actions: Actions, tmp_path: Path) -> None:
    node = {"message": {"author": {"role": "user"}, "content": {"parts": ["hello"]}}}
    chats = [{"create_time": 1_700_000_000, "mapping": {"a": node}}] * 2
    said = []
    for data in (chats, [*chats, {"mapping": 3}]):
        path = tmp_path / "own" / "conversations.json"
        path.parent.mkdir()
        path.write_text(json.dumps(data))
        said.append((await actions.import_conversation(str(path)))["said"])
    assert said == [
        "2 conversations imported.",
        "2 conversations imported. 1 in the file cannot be read.",
    ]


async def test_sessions_of_others_are_unknown(duet: FakeDuet, actions: Actions) -> None:
    foreign = duet.transcript.new_session("bob").id
    for what in ("send", "delete", "rename", "stop", "undo"):
        assert "There is no conversation" in (await actions.do(what, foreign, {"text": "x"}))["fault"]
    assert [s.id for s in duet.transcript.sessions("bob")] == [foreign]
    assert actions.options(foreign) == duet.settings.options


async def test_what_makes_no_sense_is_a_sentence(duet: FakeDuet, actions: Actions) -> None:
    assert "not begun" in (await actions.do("stop", "", {}))["fault"]
    session = duet.transcript.new_session("ada").id
    for what, data in (("dance", {}), ("edit", {"turn": "x"}), ("feedback", {}), ("retry", {"turn": 7})):
        fault = (await actions.do(what, session, data))["fault"]
        assert fault.endswith(".") and len(fault.splitlines()) == 1


async def test_options_are_checked_and_belong_to_the_conversation(duet: FakeDuet, actions: Actions) -> None:
    warm = replace(Options(), temperature=0.7, memory=False, world_strategy="oracle")
    answer = await actions.set_options("", warm)
    assert answer["options"] == "" and actions.options(answer["open"]) == warm
    assert actions.options("") == duet.settings.options
    for bad in (
        replace(warm, slow_model="nonsense:x"),
        replace(warm, strategy="guess"),
        replace(warm, temperature=9.0),
        replace(warm, world_strategy="guess"),
    ):
        fault = (await actions.set_options(answer["open"], bad))["options"]
        assert fault.endswith(".") and fault.count("\n") == 0
    assert actions.options(answer["open"]) == warm
