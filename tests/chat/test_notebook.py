"""What a person can see of the memory and do with it, on every way to it."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from chat.commands import memory as on_command_line
from chat.faults import ChatFault
from chat.notebook import WISHES, as_text, fulfil
from chat.remembering import RESTORED
from chat.settings import Settings
from memory.memory import Note
from memory.store import MemoryStore, UserMemory
from memory.undo import Undo
from tests.fakes import FlatEmbedder

REX = Note("s1:1:said", "turn", "My dog is called Rex.", 1_780_000_000.0, session="s1", turn=1, speaker="user")
SUM = Note("s1:2:found", "result", "What is 387 times 46?", 1_781_000_000.0, "17802", "s1", 2)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[UserMemory]:
    with closing(MemoryStore(tmp_path, FlatEmbedder(), None)) as store:
        store.user("ada").keep([REX, SUM])
        yield store.user("ada")


def ids(answer: dict[str, object]) -> list[str]:
    return [note["id"] for note in answer["notes"]]  # type: ignore[attr-defined]


def test_it_is_listed_searched_and_narrowed(memory: UserMemory) -> None:
    assert ids(fulfil(memory, "list", {})) == [SUM.id, REX.id]
    assert ids(fulfil(memory, "search", {"words": "dogs"})) == [REX.id]
    assert ids(fulfil(memory, "list", {"kind": "result"})) == [SUM.id]
    assert ids(fulfil(memory, "list", {"until": "2026-06-01"})) == [REX.id]
    assert fulfil(memory, "list", {"limit": 1})["more"]
    with pytest.raises(ChatFault, match="no kind `dialogue`"):
        fulfil(memory, "list", {"kind": "dialogue"})
    for name in ("limit", "skip"):
        with pytest.raises(ChatFault, match="is no number"):
            fulfil(memory, "list", {name: "many"})


def test_days_are_the_persons(tmp_path: Path) -> None:
    """Behind Auckland's midnight, wherever this machine stands."""
    at = datetime(2026, 11, 21, 12, tzinfo=UTC).timestamp()
    with closing(MemoryStore(tmp_path, FlatEmbedder(), None, ZoneInfo("Pacific/Auckland"))) as store:
        ada = store.user("ada")
        ada.keep([replace(REX, at=at), replace(HOME, out="wrong")])
        ada.keep([replace(HOME, id="s3:1:fact0", session="s3", at=at, about={**PARIS, "value": "Berlin"})])
        [_, note] = fulfil(ada, "list", {"since": "2026-11-22", "until": "2026-11-22"})["notes"]
        assert (note["id"], note["day"]) == (REX.id, "2026-11-22 01:00")
        assert fulfil(ada, "forget", {"since": "2026-11-21", "until": "2026-11-21"})["ids"] == []
        ada.restore([HOME.id])
        assert (closed := ada.notes.get(HOME.id)) and closed.about["until"] == "2026-11-22"


def test_a_fact_that_was_closed_wrongly_holds_again(memory: UserMemory) -> None:
    """By a rent of another person, say: that one is right, and stays."""
    memory.keep([HOME])
    memory.close_fact(HOME, "2026-11-22", "s3:1:fact0")
    assert not fulfil(memory, "show", {"id": HOME.id})["note"]["current"]
    assert fulfil(memory, "restore", {"id": HOME.id})["note"]["current"]
    newer = replace(HOME, id="s4:1:fact0", session="s4", at=HOME.at + 9, about={**PARIS, "value": "Berlin"})
    memory.keep([newer])
    memory.close_fact(HOME, "2026-11-22", newer.id)
    assert not fulfil(memory, "restore", {"id": HOME.id})["note"]["current"], "the person lives in one place"


def test_a_turn_that_nobody_took_out_is_not_brought_back_with_a_fact(memory: UserMemory) -> None:
    memory.keep([TOLD, HOME])
    memory.close_fact(HOME, "2026-11-22", "s3:1:fact0")
    fulfil(memory, "restore", {"id": HOME.id})
    assert (told := memory.notes.get(TOLD.id)) and RESTORED not in told.about


def test_what_is_edited_is_given_from_then_on(memory: UserMemory) -> None:
    fulfil(memory, "edit", {"id": REX.id, "text": "My dog is called Max."})
    assert ids(fulfil(memory, "search", {"words": "Max"})) == [REX.id]
    assert ids(fulfil(memory, "search", {"words": "Rex"})) == []
    with pytest.raises(ChatFault, match="what the note is to hold"):
        fulfil(memory, "edit", {"id": REX.id, "text": " "})


def test_pinned_notes_come_first_and_taken_out_ones_say_why(memory: UserMemory) -> None:
    fulfil(memory, "pin", {"id": REX.id})
    assert ids(fulfil(memory, "list", {})) == [REX.id, SUM.id]
    assert fulfil(memory, "withdraw", {"id": SUM.id})["note"]["out"]
    assert memory.same(SUM.text, {}) is None
    assert fulfil(memory, "restore", {"id": SUM.id})["note"]["current"]
    assert memory.same(SUM.text, {}) is not None
    assert memory.same(SUM.text, {"instructions": "others"}) is None


def test_forgetting_asks_once_and_then_deletes(memory: UserMemory) -> None:
    asked = fulfil(memory, "forget", {"words": "dog"})
    assert asked == {"asks": "1 note will be deleted for good.", "ids": [REX.id], "beside": 0}
    assert fulfil(memory, "forget", {"id": REX.id, "sure": True})["forgotten"] == 1
    assert ids(fulfil(memory, "list", {})) == [SUM.id]
    with pytest.raises(ChatFault, match="Say what to forget"):
        fulfil(memory, "forget", {"sure": True})


def test_what_is_forgotten_is_what_is_listed_with_the_same_filters(memory: UserMemory) -> None:
    memory.keep([Note(f"s3:{n}:said", "turn", f"tea {n}", 1_780_000_000.0 + n, session="s3") for n in range(120)])
    fact = Note("s4:1:fact0", "fact", "Ada likes tea", 1.0, about={"until": "2026-01-01"})
    memory.keep([fact])
    for only in (
        {"kind": "turn", "words": "tea"},
        {"state": "former"},
        {"until": "2000-01-01"},
        {"since": "2026-06-01"},
    ):
        listed = fulfil(memory, "list", {**only, "limit": 1000})
        asked = fulfil(memory, "forget", only)
        assert sorted(asked["ids"]) == sorted(ids(listed)) and listed["found"] == len(asked["ids"])
        assert asked["asks"].startswith(f"{len(asked['ids'])} note")
        assert fulfil(memory, "forget", {"ids": asked["ids"], "sure": True})["forgotten"] == listed["found"]
        assert fulfil(memory, "list", only)["found"] == 0
        assert fulfil(memory, "undo", {}) == {"undone": listed["found"]}
        assert fulfil(memory, "list", {**only, "limit": 1000})["notes"] == listed["notes"]


def test_it_says_what_goes_with_it(memory: UserMemory) -> None:
    memory.keep([Note("s1:1:fact0", "fact", "dog: Rex", 1.0, session="s1", turn=1, about={"value": "Rex"})])
    assert fulfil(memory, "forget", {"kind": "fact"})["asks"] == (
        "1 note will be deleted for good, with 1 note of the same turns."
    )


def test_a_deletion_is_taken_back_until_the_notes_are_closed(tmp_path: Path) -> None:
    for undone in (True, False):
        with closing(MemoryStore(tmp_path, FlatEmbedder(), None)) as store:
            ada, gone = store.user("ada"), list[str]()
            ada.forgotten = lambda ids, gone=gone: gone.extend(ids) or ()  # type: ignore[misc]
            ada.keep([REX])
            ada.withdraw([REX.id], "wrong")
            assert fulfil(ada, "forget", {"id": REX.id, "sure": True})["undo"]
            assert fulfil(ada, "list", {})["count"] == 0 and not gone
            with pytest.raises(ChatFault, match="no note"):
                fulfil(ada, "restore", {"id": REX.id})
            if undone:
                fulfil(ada, "undo", {})
                assert fulfil(ada, "show", {"id": REX.id})["note"]["out"] == "wrong"
    with closing(MemoryStore(tmp_path, FlatEmbedder(), None)) as store:
        assert gone == store.user("ada").notes.gone() == [REX.id]
        with pytest.raises(ChatFault, match="nothing to undo"):
            fulfil(store.user("ada"), "undo", {})


@pytest.mark.parametrize(("wish", "left"), [({"all": True}, 1), ({"ids": [REX.id, SUM.id]}, 2)])
def test_with_everything_goes_what_was_moved_aside(memory: UserMemory, wish: dict[str, object], left: int) -> None:
    folder = memory.notes.path.parent
    for name in (f"{folder.name}.broken-1", "another.broken-1"):
        (folder.parent / name).mkdir()
    fulfil(memory, "forget", {"id": SUM.id, "sure": True})
    fulfil(memory, "undo", {})
    assert len(list(folder.parent.glob("*.broken-*"))) == 2
    fulfil(memory, "forget", {**wish, "sure": True})
    assert len(list(folder.parent.glob("*.broken-*"))) == left
    assert (folder.parent / "another.broken-1").is_dir()


def test_a_deletion_that_a_crash_interrupted_is_carried_out(memory: UserMemory) -> None:
    fulfil(memory, "forget", {"id": REX.id, "sure": True})
    Undo(memory.notes, memory.keep, memory.forget)  # as the next process does, where this one did not close its notes
    assert memory.notes.get(REX.id) is None


def test_a_note_whose_edit_was_undone_is_found_by_its_meaning(tmp_path: Path) -> None:
    with closing(MemoryStore(tmp_path, FlatEmbedder())) as store:
        ada = store.user("ada")
        for wish, asked in ((None, {}), ("edit", {"id": REX.id, "text": "My dog is called Max."}), ("undo", {})):
            fulfil(ada, wish, asked) if wish else ada.keep([REX])
            store.settle()
            assert not ada.notes.to_index()


def test_an_edit_is_undone_and_leaves_no_word_behind(memory: UserMemory) -> None:
    fulfil(memory, "edit", {"id": REX.id, "text": "My dog is called Max."})
    assert fulfil(memory, "undo", {}) == {"undone": 1} and memory.notes.get(REX.id) == REX
    fulfil(memory, "edit", {"id": REX.id, "text": "My dog is called Max."})
    memory.forget([REX.id])
    assert not memory.notes.meta("undo")


@pytest.mark.parametrize("seconds", [0.2, 300.0])
def test_when_an_edit_can_no_longer_be_undone_no_old_word_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    monkeypatch.setattr("memory.undo.SECONDS", seconds)
    with closing(MemoryStore(tmp_path, FlatEmbedder(), None)) as store:
        ada = store.user("ada")
        ada.keep(replace(REX, id=f"s1:{n}:said", text=f"zebra{n}") for n in range(3))
        for n in (1, 0):
            fulfil(ada, "edit", {"id": f"s1:{n}:said", "text": "horse"})
        for _ in range(200 if seconds < 1 else 0):  # the time may be over, the notes are open all the same
            if not held(tmp_path, b"zebra0", b"zebra1"):
                break
            time.sleep(0.05)
        assert bool(held(tmp_path, b"zebra0", b"zebra1")) == (seconds > 1)
    assert not held(tmp_path, b"zebra0", b"zebra1") and held(tmp_path, b"zebra2")


def held(folder: Path, *words: bytes) -> list[str]:
    """The files with one of these words."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if any(word in path.read_bytes() for word in words)]


def test_what_merely_stands_beside_the_words_is_not_forgotten(memory: UserMemory) -> None:
    memory.keep([Note(f"s9:{n}:said", "turn", text, 1.0, session="s9") for n, text in enumerate(["a secret", "tea"])])
    assert fulfil(memory, "forget", {"words": "secret"})["ids"] == ["s9:0:said"]


def exported(*notes: dict[str, object]) -> dict[str, object]:
    return {"format": "duet-memory-1", "notes": list(notes)}


def test_an_export_comes_back_elsewhere_and_what_was_deleted_stays_deleted(memory: UserMemory, tmp_path: Path) -> None:
    before = json.loads(json.dumps(fulfil(memory, "export", {})))
    memory.forget([REX.id])
    assert fulfil(memory, "import", before) == {"imported": 0, "read": 2}
    with closing(MemoryStore(tmp_path / "other", FlatEmbedder(), None)) as store:
        ben = store.user("ben")
        for new in (2, 0):
            assert fulfil(ben, "import", before)["imported"] == new
        assert ids(fulfil(ben, "list", {})) == [f"import:{SUM.id}", f"import:{REX.id}"]
        again = json.loads(json.dumps(fulfil(ben, "export", {})))
        assert fulfil(ben, "import", again)["imported"] == 0
        assert fulfil(memory, "import", again)["imported"] == 0
        ben.forget([f"import:{REX.id}"])
        assert fulfil(ben, "import", again)["imported"] == 0


@pytest.mark.parametrize("edited", [False, True])
def test_whatever_duet_keeps_comes_back_from_its_export(memory: UserMemory, tmp_path: Path, edited: bool) -> None:
    steps = "\n".join(f"python[{'x' * 200}] gave {'y' * 300}" for _ in range(300))
    silent = Note("s3:1:reply", "turn", "", 1.0, session="s3", turn=1, speaker="assistant")
    memory.keep([HOME, silent, replace(SUM, about={"model": "m", "strength": "1", "evidence": steps})])
    if edited:
        fulfil(memory, "edit", {"id": HOME.id, "text": "word " * 1000})
        fulfil(memory, "withdraw", {"id": SUM.id, "why": "because " * 400})
    export = json.loads(json.dumps(fulfil(memory, "export", {})))
    with closing(MemoryStore(tmp_path / "other", FlatEmbedder(), None)) as store:
        assert fulfil(store.user("ben"), "import", export) == {"imported": 4, "read": 4}


def test_a_fact_of_a_file_takes_the_place_of_none_of_here(memory: UserMemory) -> None:
    own, read, last = (
        replace(HOME, id=town, at=at, session=town, about={**PARIS, "value": town, **more})
        for town, at, more in (("Oslo", 1.0, {}), ("Rome", 2.0, {"imported": "2026-11-21"}), ("Bergen", 3.0, {}))
    )
    memory.keep([last])
    for old in (own, read):
        memory.close_fact(old, "2026-11-21", last.id)
    memory.withdraw([last.id], "wrong")
    assert (note := memory.notes.get(own.id)) and note.current


def test_of_a_fact_that_is_confirmed_and_one_of_here_the_newest_holds(memory: UserMemory) -> None:
    memory.keep([HOME])
    rows = [
        {"id": town, "kind": "fact", "text": town, "at": at, "about": {**PARIS, "value": town}}
        for town, at in (("Oslo", 0.5), ("Rome", 2.0))
    ]
    fulfil(memory, "import", exported(*rows))
    for id_, current in (("Oslo", ["Paris", "Rome"]), ("Rome", ["Rome"])):
        fulfil(memory, "confirm", {"id": f"import:{id_}"})
        facts = memory.notes.facts("user", "lives in", PARIS["quote"])
        assert sorted(note.about["value"] for note in facts) == current


def test_a_file_of_any_numbers_can_be_deleted_and_hides_nothing(memory: UserMemory) -> None:
    """Its deletion failed, and with it every use of the memory from then on; or it stayed, seen by nobody."""
    again = {**PARIS, "again": "x:" + "9" * 5_000}
    rows: list[dict[str, object]] = [
        {"id": f"x:{'9' * 25}:said", "kind": "turn", "text": "hello", "at": 1.0, "session": "x", "turn": 1},
        {"id": "y", "kind": "fact", "text": "Paris", "at": 1.0, "session": "x", "turn": 1, "about": again},
        {"id": "z", "kind": "turn", "text": "hidden", "at": 1.0, "out": "it is being deleted"},
    ]
    told: list[str] = []
    memory.forgotten = lambda ids: told.extend(ids) or ()  # type: ignore[func-returns-value]
    assert fulfil(memory, "import", exported(*rows))["imported"] == 2
    fulfil(memory, "forget", {"all": True, "sure": True})
    memory.undo.end()
    assert len(told) == 4 and not memory.notes.page() and not memory.notes.get("import:z")


def test_an_export_has_turns_in_their_order_also_where_one_is_pinned(memory: UserMemory, tmp_path: Path) -> None:
    memory.keep(replace(REX, id=f"s1:{n}:said", turn=n, text=f"word{n}", at=REX.at + n) for n in (2, 3))
    fulfil(memory, "pin", {"id": REX.id})
    with closing(MemoryStore(tmp_path / "other", FlatEmbedder(), None)) as store:
        ben = store.user("ben")
        fulfil(ben, "import", json.loads(json.dumps(fulfil(memory, "export", {}))))
        beside = {row.text: (row.before, row.seq, row.after) for row in ben.notes.rows(range(1, 9)).values()}
    assert [beside[text] for text in (REX.text, "word2", "word3")] == [(0, 1, 2), (1, 2, 3), (2, 3, 0)]


def test_an_edit_leaves_no_note_that_says_nothing(memory: UserMemory) -> None:
    memory.keep([HOME])
    for edit in (
        {"id": SUM.id, "text": SUM.text, "answer": " "},
        {"id": HOME.id, "text": f"user, lives in: ({PARIS['quote']})"},
        {"id": HOME.id, "answer": "Graz"},
        {"id": REX.id, "text": "x" * 1_000_001},
    ):
        with pytest.raises(ChatFault, match="what the note is to hold"):
            fulfil(memory, "edit", edit)
    fulfil(memory, "edit", {"id": REX.id, "text": "My dog is called Max.", "answer": ""})
    assert memory.notes.get(SUM.id) == SUM and memory.notes.get(HOME.id) == HOME


def test_an_imported_result_answers_once_it_is_confirmed(memory: UserMemory) -> None:
    row = {
        "id": "x",
        "kind": "result",
        "text": "What is 6 times 7?",
        "at": 1,
        "answer": "42",
        "about": {"strength": "1"},
    }
    fulfil(memory, "import", exported(row))
    note = fulfil(memory, "show", {"id": "import:x"})["note"]
    assert note["imported"] and "strength" not in note["about"]
    assert memory.same("What is 6 times 7?", {}) is None
    assert not fulfil(memory, "confirm", {"id": "import:x"})["note"]["imported"]
    assert memory.same("What is 6 times 7?", {}) is not None


def test_a_turn_may_be_numbered_with_a_point(memory: UserMemory) -> None:
    row = {"id": "x", "kind": "turn", "text": "hello", "at": 1, "turn": 2.0}
    assert fulfil(memory, "import", exported(row))["imported"] == 1


FACT = {"id": "f", "kind": "fact", "text": "cat", "at": 1.0}
ABOUT = {"subject": "user", "attribute": "pet", "value": "cat", "quote": "I have a cat"}


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({}, "no export of a memory"),
        ({"format": "duet-memory-1"}, "`notes` in it: field required"),
        (exported({"id": "x"}), "`notes[0].kind` in it: field required"),
        ({"format": "duet-memory-1", "notes": ["x"]}, "`notes[0]`"),
        (exported({**FACT, "kind": "order"}), "`notes[0].kind`"),
        (exported({**FACT, "about": ABOUT}, FACT), "`notes[1]` in it: a fact has `about.subject`"),
        (exported({**FACT, "about": {**ABOUT, "quote": ""}}), "`notes[0]` in it: a fact has `about.quote`"),
        (exported({**FACT, "kind": "result"}), "a result has an `answer`"),
        (exported({**FACT, "about": {**ABOUT, "value": 7}}), "`notes[0].about.value` in it: "),
        (exported({**FACT, "at": "today"}), "`notes[0].at` in it: "),
        (exported({**FACT, "at": float("nan")}), "`notes[0].at` in it: "),
        (exported({**FACT, "text": ""}), "`notes[0].text` in it: "),
        (exported({**FACT, "turn": -1}), "`notes[0].turn` in it: "),
        (exported({**FACT, "turn": 2.5}), "`notes[0].turn` in it: "),
        (exported({**FACT, "pinned": "yes"}), "`notes[0].pinned` in it: "),
        (exported({**FACT, "order": "now"}), "`notes[0].order` in it: "),
    ],
)
def test_what_is_no_export_is_refused_whole(memory: UserMemory, wrong: dict[str, object], says: str) -> None:
    with pytest.raises(ChatFault) as told:
        fulfil(memory, "import", wrong)
    assert says in str(told.value) and "\n" not in str(told.value)
    assert memory.notes.count() == 2


@pytest.mark.parametrize("wish", ["show", "edit", "pin", "withdraw", "restore", "confirm", "forget"])
def test_an_unknown_note_is_a_sentence(memory: UserMemory, wish: str) -> None:
    with pytest.raises(ChatFault, match="no note `nowhere`"):
        fulfil(memory, wish, {"id": "nowhere", "text": "x"})
    assert wish in WISHES
    with pytest.raises(ChatFault, match="There is no `burn`"):
        fulfil(memory, "burn", {})


def test_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(home=tmp_path / "home", user="ada")
    export = tmp_path / "export.json"
    export.write_text(json.dumps(exported({"id": "a", "kind": "turn", "text": "I have a cat", "at": 1})))
    assert on_command_line(settings, "import", {"what": [str(export)]}) == 0
    on_command_line(settings, "search", {"what": ["cat"]})
    assert "I have a cat" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    with pytest.raises(ChatFault, match="--yes"):
        on_command_line(settings, "forget", {"what": ["import:a"]})
    on_command_line(settings, "forget", {"what": ["import:a"], "yes": True})
    on_command_line(settings, "list", {})
    assert "I have a cat" not in capsys.readouterr().out


PARIS = {"subject": "user", "attribute": "lives in", "value": "Paris", "quote": "I live in Paris"}
HOME = Note("s2:1:fact0", "fact", "user, lives in: Paris (I live in Paris)", 1.0, session="s2", turn=1, about=PARIS)
TOLD = Note("s2:1:said", "turn", "I live in Paris", 1.0, session="s2", turn=1, speaker="user")


def state(memory: UserMemory, *ids: str) -> list[bool]:
    """Which are in use."""
    return [not note.out for id_ in ids if (note := memory.notes.get(id_))]


def test_a_fact_that_is_corrected_says_the_new_value_and_its_turn_is_told_no_more(memory: UserMemory) -> None:
    memory.keep([TOLD, HOME])
    fulfil(memory, "edit", {"id": HOME.id, "text": "user, lives in: Berlin"})
    note = memory.notes.get(HOME.id)
    assert note and note.about["value"] == "Berlin" and state(memory, TOLD.id) == [False]
    fulfil(memory, "undo", {})
    note = memory.notes.get(HOME.id)
    assert note and note.about["value"] == "Paris" and state(memory, TOLD.id) == [True]


@pytest.mark.parametrize("subject", ["Tante Weiß Groß", "Re: home"])
def test_the_value_of_a_corrected_fact_is_whole_whatever_its_subject(memory: UserMemory, subject: str) -> None:
    about = {"subject": subject, "attribute": "likes", "value": "coffee", "quote": "coffee"}
    memory.keep([replace(HOME, text=f"{subject}, likes: coffee", about=about)])
    for text in (f"{subject}, likes: tea", f"{subject.upper()}, likes: tea"):
        fulfil(memory, "edit", {"id": HOME.id, "text": text})
        note = memory.notes.get(HOME.id)
        assert note and note.about["value"] == "tea"


def test_a_fact_that_is_given_its_value_alone_says_what_it_is_about(memory: UserMemory) -> None:
    memory.keep([replace(HOME, text="Tante Weiß, lives in: Paris (Paris)", about={**PARIS, "subject": "tante weiss"})])
    edited = fulfil(memory, "edit", {"id": HOME.id, "text": "Graz (Austria)"})["note"]
    assert edited["text"] == "Tante Weiß, lives in: Graz (Austria)" and edited["about"]["value"] == "Graz (Austria)"


@pytest.mark.parametrize("behind", ["", " (I live in Paris)"])
def test_only_its_own_quote_is_cut_off_an_edited_fact(memory: UserMemory, behind: str) -> None:
    memory.keep([HOME])
    edited = fulfil(memory, "edit", {"id": HOME.id, "text": f"user, lives in: Graz (Austria){behind}"})["note"]
    assert edited["text"] == "user, lives in: Graz (Austria)" and edited["about"]["value"] == "Graz (Austria)"


def test_undoing_an_edit_leaves_what_was_done_since(memory: UserMemory) -> None:
    memory.keep([TOLD, HOME])
    for done in (
        lambda: memory.close_fact(HOME, "2026-11-21", "s3:1:fact0"),
        lambda: fulfil(memory, "withdraw", {"id": HOME.id}),
    ):
        memory.keep([HOME])
        fulfil(memory, "edit", {"id": HOME.id, "text": "user, lives in: Berlin"})
        done()
        with pytest.raises(ChatFault, match="nothing to undo"):
            fulfil(memory, "undo", {})
        note = memory.notes.get(HOME.id)
        assert note and not note.current
    memory.restore([HOME.id])
    fulfil(memory, "edit", {"id": HOME.id, "text": "user, lives in: Rome"})
    fulfil(memory, "pin", {"id": HOME.id})
    fulfil(memory, "undo", {})
    note = memory.notes.get(HOME.id)
    assert note and note.pinned and note.text == note.about["quote"] == "user, lives in: Berlin"


def test_a_fact_that_is_taken_out_goes_with_its_turn_and_comes_back_with_it(memory: UserMemory) -> None:
    memory.keep([TOLD, HOME])
    fulfil(memory, "withdraw", {"id": HOME.id})
    assert state(memory, HOME.id, TOLD.id) == [False, False]
    fulfil(memory, "restore", {"id": HOME.id})
    assert state(memory, HOME.id, TOLD.id) == [True, True]


@pytest.mark.parametrize("wish", ["edit", "withdraw"])
def test_what_becomes_of_a_result_becomes_of_the_reply_that_told_it(memory: UserMemory, wish: str) -> None:
    asked, told = (replace(REX, id=f"s1:2:{kind}", turn=2) for kind in ("said", "reply"))
    memory.keep([asked, replace(told, text="It is 17802.", speaker="assistant")])
    fulfil(memory, wish, {"id": SUM.id, "answer": "17803"})
    assert state(memory, asked.id, told.id) == [True, False]
    fulfil(memory, "restore" if wish == "withdraw" else "undo", {"id": SUM.id})
    assert state(memory, told.id) == [True]


@pytest.mark.parametrize("wish", ["edit", "withdraw", "forget"])
def test_what_becomes_of_a_fact_becomes_of_every_turn_that_told_it(memory: UserMemory, wish: str) -> None:
    again = replace(TOLD, id="s3:4:said", session="s3", turn=4)
    memory.keep([TOLD, again, replace(HOME, about={**PARIS, "again": "s3:4"})])
    fulfil(memory, wish, {"id": HOME.id, "text": "user, lives in: Berlin", "sure": True})
    assert state(memory, TOLD.id, again.id) == [False, False]
    fulfil(memory, "restore" if wish == "withdraw" else "undo", {"id": HOME.id})
    assert state(memory, TOLD.id, again.id) == [True, True]


def test_what_is_done_to_notes_makes_results_about_the_person_stale(memory: UserMemory) -> None:
    memory.keep([TOLD, HOME])
    before = memory.notes.meta("person")
    fulfil(memory, "list", {})
    assert memory.notes.meta("person") == before
    fulfil(memory, "withdraw", {"id": HOME.id})
    assert memory.notes.meta("person") != before


def test_a_terminal_is_told_what_was_done_in_words(tmp_path: Path) -> None:
    with closing(MemoryStore(tmp_path / "memory", FlatEmbedder())) as store:
        memory = store.user("ada")
        memory.keep([TOLD, HOME])
        export = fulfil(memory, "export", {})
        assert as_text(fulfil(memory, "import", export)) == "0 of 2 notes imported."
        assert as_text(fulfil(memory, "forget", {"id": HOME.id, "sure": True})) == "2 notes forgotten."
        assert as_text(fulfil(memory, "undo", {})) == "2 notes undone."
