"""The store: users apart, notes that last, an index that can be made again, deletions that delete."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from shutil import rmtree
from threading import Event
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

import memory.chroma
import memory.store
import memory.vectors
from memory.chroma import EMBEDDED, Index, Indexes, OnServer
from memory.memory import MemoryBusy, MemoryFault, MemoryLocked, Note, Wanted
from memory.notes import Notes
from memory.store import MemoryStore, UserMemory
from memory.tables import TOLD_AGAIN
from storage.engine import writer
from tests.memory.embedding import WordVectors

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
REX = Note("s1:1:said", "turn", "My dog is called Rex.", NOW.timestamp() - 9e5, session="s1", turn=1, speaker="user")
PRODUCT = Note("s1:2:found", "result", "What is 387 times 46?", 1.0, "17802", "s1", 2)


class Meanings(WordVectors):
    """Words with one meaning have one vector."""

    SAME: ClassVar = {"physician": "doctor", "medic": "doctor", "costly": "expensive", "pricey": "expensive"}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return super().embed([" ".join(self.SAME.get(word, word) for word in text.lower().split()) for text in texts])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memory"


class Server:
    """A real Chroma server, which can be ended and started again."""

    def __init__(self, place: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port = listener.getsockname()[1]
        self._command = [
            str(Path(sys.executable).with_name("chroma")), "run", "--path", str(place), "--host", "127.0.0.1",
            "--port", str(self.port),
        ]  # fmt: skip
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def indexes(self) -> Indexes:
        return OnServer(f"http://127.0.0.1:{self.port}")

    def start(self) -> None:
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(300):
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.1)
        raise AssertionError("the Chroma server did not answer")

    def pause(self) -> None:
        """It takes what is sent, and says nothing."""
        assert self._process
        self._process.send_signal(signal.SIGSTOP)

    def end(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait(30)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("chroma"))
    server.start()
    yield server
    server.end()


@pytest.fixture(params=["embedded", pytest.param("server", marks=pytest.mark.real)])
def indexes(request: pytest.FixtureRequest) -> Indexes:
    """Chroma in each user's folder, and on a server."""
    found: Indexes = EMBEDDED if request.param == "embedded" else request.getfixturevalue("server").indexes
    return found


@pytest.fixture
def store(folder: Path, indexes: Indexes) -> Iterator[MemoryStore]:
    with closing(MemoryStore(folder, Meanings(), indexes)) as store:
        yield store


def found(memory: UserMemory, text: str, wanted: Wanted = Wanted(), limit: int = 10) -> list[str]:  # noqa: B008
    return [recall.note.id for recall in memory.recall(text, NOW, wanted, limit)]


def turn(number: int, text: str, session: str = "s1", speaker: str = "user") -> Note:
    return Note(
        f"{session}:{number}:said",
        "turn",
        text,
        NOW.timestamp() - 1000 + number,
        session=session,
        turn=number,
        speaker=speaker,
    )


def test_what_is_kept_is_found_at_once_by_its_stems(store: MemoryStore) -> None:
    ada = store.user("ada")
    ada.keep([REX])
    assert found(ada, "how are the dogs called?") == [REX.id]


def test_until_its_vector_is_made_a_note_has_no_likeness(store: MemoryStore) -> None:
    ada = store.user("ada")
    ada.keep([turn(2, "doctor expensive")])
    store.settle()
    ada.vectors.stop()
    ada.keep([REX])
    assert {recall.note.id: recall.similarity > 0 for recall in ada.recall("doctor, is Rex well?", NOW)} == {
        "s1:2:said": True,
        REX.id: False,
    }


def test_without_the_vector_index_what_shares_no_word_is_not_found(store: MemoryStore, tmp_path: Path) -> None:
    note = turn(1, "doctor expensive")
    store.user("ada").keep([note])
    store.settle()
    assert found(store.user("ada"), "pricey physician") == [note.id]
    with closing(MemoryStore(tmp_path / "words", Meanings(), None)) as words:
        words.user("ada").keep([note])
        assert found(words.user("ada"), "pricey physician") == []


def test_a_reply_is_found_by_the_words_of_the_question_before_it(store: MemoryStore) -> None:
    ada = store.user("ada")
    ada.keep([turn(1, "Where did you spend your holidays?"), turn(2, "In Crete, with Ines.", speaker="Ben")])
    assert set(found(ada, "holidays")) == {"s1:1:said", "s1:2:said"}


def test_users_never_mix(store: MemoryStore) -> None:
    names = ["ada", "Ada", "ada ", "", "../ada", "ä" * 300, "a\0b"]
    for number, name in enumerate(names):
        store.user(name).keep([turn(number, f"secret {number}")])
    store.settle()
    for number, name in enumerate(names):
        assert found(store.user(name), "secret") == [f"s1:{number}:said"]
    store.user("ada").forget(["s1:0:said"])
    assert found(store.user("ada"), "secret") == [] and found(store.user("Ada"), "secret") == ["s1:1:said"]


@pytest.mark.parametrize(
    "text", ["a\0b", "\ud800", "'; DROP TABLE notes; --", '"', "x" * 50_000, "日本語", "NEAR(a b)"]
)
def test_any_text_is_kept_and_can_be_asked_for(store: MemoryStore, text: str) -> None:
    ada = store.user("ada")
    ada.keep([turn(1, text)])
    store.settle()
    assert found(ada, text) in ([], ["s1:1:said"])
    assert ada.notes.count() == 1


def test_a_session_and_kinds_narrow_the_search_speaker_and_time_only_rank(store: MemoryStore) -> None:
    ada = store.user("ada")
    ada.keep([turn(1, "tea with Ben", speaker="Ben"), turn(1, "tea with Ann", "s2", "Ann"), PRODUCT])
    assert found(ada, "tea", Wanted(session="s2")) == ["s2:1:said"]
    assert found(ada, "387 tea", Wanted(("result",))) == [PRODUCT.id]
    for speaker, first in (("Ben", "s1:1:said"), ("Ann", "s2:1:said")):
        ids = found(ada, "tea", Wanted(speaker=speaker))
        assert ids[0] == first and len(ids) == 2
    assert len(found(ada, "tea", Wanted(since=1.0, until=2.0))) == 2


def test_a_time_that_is_named_raises_what_was_said_then(store: MemoryStore) -> None:
    ada = store.user("ada")
    days = {"march": datetime(2026, 3, 10, tzinfo=UTC), "july": datetime(2026, 7, 10, tzinfo=UTC)}
    ada.keep(
        Note(name, "turn", "We went hiking.", at.timestamp(), session=name, speaker="user") for name, at in days.items()
    )
    assert found(ada, "Where did we go hiking in March 2026?")[0] == "march"
    assert found(ada, "Where did we go hiking in July 2026?")[0] == "july"


def test_a_note_that_was_taken_out_is_not_given_until_it_is_brought_back(store: MemoryStore) -> None:
    ada = store.user("ada")
    ada.keep([REX])
    store.settle()
    ada.withdraw([REX.id], "you said that it is wrong")
    assert found(ada, "dog called Rex") == []
    assert [note.out for note in ada.notes.page()] == ["you said that it is wrong"]
    ada.restore([REX.id])
    assert found(ada, "dog called Rex") == [REX.id]


def test_deleting_leaves_no_word_on_the_disk_and_the_note_never_comes_back(folder: Path) -> None:
    with closing(MemoryStore(folder, Meanings())) as store:
        ada = store.user("ada")
        ada.keep([turn(1, "hello there"), turn(2, "my quixotic secret"), turn(3, "bye then")])
        store.settle()
        ada.forget(["s1:2:said"])
        ada.keep([turn(2, "my quixotic secret")])
        store.settle()
        assert "s1:2:said" not in found(ada, "quixotic secret") and ada.notes.count() == 2
    held = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert b"quixot" not in held and b"hello there" in held


def test_while_much_is_deleted_others_have_their_turn(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storage.engine.AT_ONCE", 1, raising=False)
    monkeypatch.setattr("storage.engine.BREATH", 0.5, raising=False)
    notes, asked, write = store.user("ada").notes, list[Future[object]](), Notes._write_beside
    notes.keep([REX, PRODUCT])
    with ThreadPoolExecutor(1) as other:

        def written(*place: Any) -> None:
            if asked:
                asked[0].result(5)
            asked.append(other.submit(notes.set_meta, "name", "value"))
            time.sleep(0.1)
            write(*place)

        monkeypatch.setattr(Notes, "_write_beside", written)
        notes.delete([REX.id, PRODUCT.id])
    assert notes.count() == 0


def harm_missing(chroma: Path) -> None:
    rmtree(chroma)


def harm_truncated(chroma: Path) -> None:
    with (chroma / "chroma.sqlite3").open("r+b") as file:
        file.truncate(1000)


def harm_overwritten(chroma: Path) -> None:
    (chroma / "chroma.sqlite3").write_bytes(b"no database at all" * 100)


def harm_vectors(chroma: Path) -> None:
    for file in chroma.glob("*/data_level0.bin"):
        os.truncate(file, file.stat().st_size // 3)


def harm_newer(chroma: Path) -> None:
    """As another version of Chroma leaves it: with a step that this one does not know."""
    with closing(sqlite3.connect(chroma / "chroma.sqlite3")) as db, db:
        db.execute("UPDATE migrations SET filename = 'changed', hash = 'changed'")


HARMS = [harm_missing, harm_truncated, harm_overwritten, harm_vectors, harm_newer]


@pytest.mark.slow
@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_index_is_made_again_and_words_answer_meanwhile(folder: Path, harm: Callable[[Path], None]) -> None:
    with closing(MemoryStore(folder, Meanings())) as store:
        store.user("ada").keep([turn(2, "doctor expensive"), REX])
        store.settle()
    harm(next(folder.glob("*/chroma")))
    with closing(MemoryStore(folder, Meanings())) as store:
        ada = store.user("ada")
        assert found(ada, "called Rex")[0] == REX.id
        store.settle()
        assert found(ada, "pricey physician")[0] == "s1:2:said"
        assert ada.notes.in_index() == 2


@pytest.mark.real
@pytest.mark.parametrize("harm", HARMS)
def test_a_large_index_that_is_harmed_loses_nothing(folder: Path, harm: Callable[[Path], None]) -> None:
    """So large that Chroma has written its vectors into files of their own."""
    with closing(MemoryStore(folder, WordVectors())) as store:
        store.user("ada").keep(turn(n, f"word{n} was said", f"s{n}") for n in range(1500))
        store.settle()
    harm(next(folder.glob("*/chroma")))
    with closing(MemoryStore(folder, WordVectors())) as store:
        ada = store.user("ada")
        assert all(f"s{n}:{n}:said" in found(ada, f"word{n}") for n in range(0, 1500, 50))
        store.settle()
        assert ada.notes.count() == ada.notes.in_index() == ada.vectors._ready().count() == 1500
        row = WordVectors().embed(["word77 was said"])[0]
        assert ada.notes.rows(ada.vectors.nearest("said", row, 1)).popitem()[1].id == "s77:77:said"


def test_an_index_outlives_a_long_wait_for_the_notes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storage.engine.PATIENCE", 0.02)
    with closing(MemoryStore(folder, WordVectors())) as store:
        ada = store.user("ada")
        ada.keep([REX])
        store.settle()
        index = ada.vectors._index
        with ada.notes._transaction():
            ada.vectors.follow()
            store.settle()
        assert index is not None and ada.vectors._index is index and ada.notes.in_index() == 1


def test_vectors_of_another_embedder_are_made_again(folder: Path, indexes: Indexes) -> None:
    class Other(Meanings):
        name = "other"

    with closing(MemoryStore(folder, Meanings(), indexes)) as store:
        store.user("ada").keep([REX])
        store.settle()
    other = Other()
    with closing(MemoryStore(folder, other, indexes)) as store:
        store.user("ada")
        store.settle()
        assert other.calls == 1 and store.user("ada").notes.meta("embedder") == "other"


def test_all_is_there_after_reopening_and_no_vector_is_made_anew(folder: Path, indexes: Indexes) -> None:
    with closing(MemoryStore(folder, Meanings(), indexes)) as store:
        store.user("ada").keep([turn(2, "doctor expensive"), REX])
        store.settle()
    again = Meanings()
    with closing(MemoryStore(folder, again, indexes)) as store:
        store.user("ada")
        store.settle()
        assert again.calls == 0 and store.user("ada").notes.page() == [turn(2, "doctor expensive"), REX]
        assert found(store.user("ada"), "pricey physician")[0] == "s1:2:said"


def test_of_an_index_that_was_closed_too_soon_only_what_changed_is_put_again(
    folder: Path, indexes: Indexes, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(MemoryStore(folder, Meanings(), indexes)) as store:
        ada = store.user("ada")
        ada.keep([turn(2, "doctor expensive"), REX, turn(3, "bye")])
        store.settle()
        ada.vectors.stop()  # nothing is put any more, nor dropped
        ada.keep([turn(2, "medic costly")])
        ada.notes.delete([REX.id])
    again, put = list[int](), Index.put

    def noted(index: Index, group: str, rows: Any) -> None:
        again.extend(rows)
        put(index, group, rows)

    monkeypatch.setattr(Index, "put", noted)
    with closing(MemoryStore(folder, Meanings(), indexes)) as store:
        ada = store.user("ada")
        store.settle()
        assert again == [1] and ada.vectors._ready().count() == ada.notes.in_index() == 2
        assert found(ada, "pricey physician")[0] == "s1:2:said"


@pytest.mark.real
def test_while_a_server_is_away_words_answer_and_then_all_is_there(tmp_path: Path, folder: Path) -> None:
    own = Server(tmp_path / "chroma")
    own.start()
    try:
        with closing(MemoryStore(folder, Meanings(), own.indexes)) as store:
            ada = store.user("ada")
            ada.keep([turn(2, "doctor expensive"), REX])
            store.settle()
            own.end()
            assert found(ada, "pricey physician") == [] and found(ada, "dogs called")[0] == REX.id
            ada.keep([turn(3, "costly medic", "s2")])
            store.settle()
            ada.forget([REX.id])
            store.settle()
            assert ada.notes.in_index() == 1, "what the server has must not be thrown away"
            own.start()
            found(ada, "wakes it up")
            store.settle()
            assert set(found(ada, "pricey physician")) == {"s1:2:said", "s2:3:said"}
            assert ada.vectors._ready().count() == ada.notes.in_index() == 2
    finally:
        own.end()


@pytest.mark.real
def test_a_server_that_says_nothing_holds_nobody_up(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory.chroma, "PATIENCE", 0.5)
    own = Server(tmp_path / "chroma")
    own.start()
    try:
        with closing(MemoryStore(folder, Meanings(), own.indexes)) as store:
            ada = store.user("ada")
            ada.keep([REX])
            store.settle()
            own.pause()
            for _ in range(2):  # amid a search, and when it is to be opened again
                assert found(ada, "dogs called") == [REX.id]
                store.settle()
    finally:
        own.end()


@pytest.mark.real
def test_on_a_server_two_homes_with_users_of_one_name_share_nothing(tmp_path: Path, server: Server) -> None:
    with (
        closing(MemoryStore(tmp_path / "one", Meanings(), server.indexes)) as one,
        closing(MemoryStore(tmp_path / "other", Meanings(), server.indexes)) as other,
    ):
        for store, text in ((one, "doctor expensive"), (other, "tea in Oslo")):
            store.user("ada").keep([turn(1, text)])
            store.settle()
        other.user("ada").forget(["s1:1:said"])
        assert found(one.user("ada"), "pricey physician") == ["s1:1:said"]
        assert one.user("ada").vectors._ready().count() == 1


def no_database(path: Path) -> None:
    path.write_bytes(b"no database" * 1000)


def folder_in_its_place(path: Path) -> None:
    path.unlink()
    path.mkdir()


def run(*statements: str) -> Callable[[Path], None]:
    def runs(path: Path) -> None:
        with closing(sqlite3.connect(path)) as db:
            db.executescript(";".join(statements))

    return runs


@pytest.mark.parametrize(
    "harm",
    [
        no_database,
        folder_in_its_place,
        run("DROP TABLE notes", "CREATE TABLE notes (x)"),
        run("ALTER TABLE notes RENAME pinned TO stuck"),
        run("DROP TABLE words"),
    ],
)
def test_notes_that_cannot_be_read_are_moved_aside(folder: Path, harm: Callable[[Path], None]) -> None:
    with closing(MemoryStore(folder, Meanings())) as store:
        store.user("ada").keep([REX])
        store.settle()
    harm(next(folder.glob("*/notes.sqlite")))
    with closing(MemoryStore(folder, Meanings())) as store:
        store.user("ada").keep([PRODUCT])
        assert store.user("ada").notes.count() == 1
    assert list(folder.glob("*.broken-*"))


def test_notes_that_cannot_be_opened_just_now_stay_where_they_are(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too many open files, or a full disk, had all notes moved aside, and the memory was empty from then on."""
    with closing(MemoryStore(folder, Meanings(), None)) as store:
        store.user("ada").keep([REX])
    with closing(MemoryStore(folder, Meanings(), None)) as store:
        for fault in (OSError(24, "Too many open files"), sqlite3.OperationalError("database or disk is full")):
            with (
                monkeypatch.context() as patch,
                pytest.raises(MemoryFault, match=r"Too many open files|disk .* is full"),
            ):
                patch.setattr("storage.engine.sqlite3.connect", raising(fault))
                store.user("ada")
        assert store.user("ada").notes.get(REX.id) == REX
    assert not list(folder.glob("*.broken-*"))


def raising(fault: Exception) -> Callable[..., object]:
    def fails(*_: object, **__: object) -> object:
        raise fault

    return fails


@pytest.mark.parametrize("opened", [True, False])
def test_notes_that_another_process_holds_are_busy_and_stay_where_they_are(
    folder: Path, monkeypatch: pytest.MonkeyPatch, opened: bool
) -> None:
    monkeypatch.setattr(writer, "__kwdefaults__", {"timeout": 0.01})
    with closing(MemoryStore(folder, Meanings(), None)) as store:
        store.user("ada").keep([REX])
        if not opened:
            store._users.pop("ada").close()
        with closing(sqlite3.connect(next(folder.glob("*/notes.sqlite")), isolation_level=None)) as other:
            other.execute(f"PRAGMA locking_mode={'NORMAL' if opened else 'EXCLUSIVE'}")
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(MemoryBusy, match="busy"):
                store.user("ada").keep([PRODUCT])
        store.user("ada").keep([PRODUCT])
        assert store.user("ada").notes.count() == 2


def test_the_least_used_are_closed_and_opened_again(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory.store, "OPEN", 3)
    monkeypatch.setattr(memory.store, "AMID", 0.0)
    opened: list[str] = []
    store.opened = lambda memory: opened.append(memory.name)
    for name in "abcde":
        store.user(name).keep([turn(1, f"I am {name}")])
    assert found(store.user("a"), "I am") == ["s1:1:said"]
    assert opened == [*"abcde", "a"]
    held = [os.path.realpath(path) for path in Path("/proc/self/fd").iterdir()]
    assert len([path for path in held if path.startswith(f"{tmp_path}/") and "notes.sqlite" in path]) < 12


def open_now(store: MemoryStore) -> str:
    return "".join(sorted(store._users))


def test_who_can_still_undo_is_closed_only_where_too_many_can(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory.store, "OPEN", 2)
    monkeypatch.setattr(memory.store, "AMID", 0.0)
    monkeypatch.setattr(memory.store, "AT_MOST", 4)

    def leaves(name: str) -> None:
        store.user(name).keep([REX])
        store.user(name).undo.leave([REX.id])
        store.settle()  # nobody is closed amid their work

    leaves("a")
    for name in "xyz":
        store.user(name)
    assert open_now(store) == "az" and store.user("a").undo.back() == [REX.id]
    for name in "abcde":
        leaves(name)
    assert open_now(store) == "bcde"
    assert store.user("a").notes.count() == 0, "its deletion was carried out when it was closed"
    for user in list(store._users.values()):
        user.undo.drop()
    store.settle()
    store.user("z")
    assert open_now(store) == "az"


def test_nobody_is_closed_amid_their_work_or_makes_others_wait(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory.store, "OPEN", 2)
    monkeypatch.setattr(memory.store, "AMID", 0.0)
    monkeypatch.setattr(memory.store, "AT_MOST", 2)
    with store.user("a").notes._transaction():
        for name in "xyz":
            store.user(name)
        assert open_now(store) == "az"
    closing_, done, close = Event(), Event(), UserMemory.close

    def slowly(memory: UserMemory) -> None:
        closing_.set()
        assert done.wait(20)
        close(memory)

    with monkeypatch.context() as patch, ThreadPoolExecutor(2) as pool:
        patch.setattr(UserMemory, "close", slowly)
        other = pool.submit(store.user, "b")
        assert closing_.wait(20)
        store.user("z").keep([REX])
        again = pool.submit(store.user, "a")
        assert not again.done() and open_now(store) == "bz"
        done.set()
        assert other.result(20).name == "b" and again.result(20).notes.count() == 0


def test_nobody_waits_for_others_who_are_opened_or_has_notes_before_they_are_made_to_agree(store: MemoryStore) -> None:
    """Of a deletion that a crash interrupted, say, all users waited for minutes."""
    begun, done, agreed = Event(), Event(), list[str]()

    def slowly(memory: UserMemory) -> None:
        if memory.name == "a":
            begun.set()
            assert done.wait(20)
        agreed.append(memory.name)

    store.opened = slowly
    with ThreadPoolExecutor(2) as pool:
        first, _ = pool.submit(store.user, "a"), begun.wait(20)
        second = pool.submit(lambda: (store.user("a"), [*agreed])[1])
        store.user("b")
        assert not (first.done() or second.done())
        done.set()
        assert second.result(20) == ["b", "a"] and first.result(20) is store.user("a")


def test_notes_that_could_not_be_made_to_agree_are_made_to_when_they_are_next_asked_for(store: MemoryStore) -> None:
    opened, faults = list[str](), [MemoryBusy("busy")]

    def agree(memory: UserMemory) -> None:
        if faults:
            raise faults.pop()
        opened.append(memory.name)

    store.opened = agree
    with pytest.raises(MemoryBusy):
        store.user("a")
    assert store.user("a").notes.count() == 0 and opened == ["a"]


def test_a_fault_while_one_is_closed_keeps_nobody_else_open(folder: Path) -> None:
    store = MemoryStore(folder, Meanings(), None)
    for name in "ab":
        store.user(name).keep([REX])
        store.user(name).undo.leave([REX.id])
        store.user(name).forgotten = raising(OSError(28, "No space left on device"))  # type: ignore[assignment]
    store.close()
    with closing(MemoryStore(folder, Meanings(), None)) as store:
        assert [store.user(name).notes.count() for name in "ab"] == [0, 0]


def test_the_memory_can_be_closed_while_somebody_keeps_something(folder: Path) -> None:
    """Each waited for the other, for a minute."""
    store, begun = MemoryStore(folder, Meanings(), None), Event()

    def notes() -> Iterator[Note]:
        begun.set()
        while not store._closed:
            time.sleep(0.01)
        store.user("ada")
        yield REX

    ada = store.user("ada")
    with ThreadPoolExecutor(1) as pool:
        kept = pool.submit(lambda: ada.keep(notes()))
        assert begun.wait(20)
        began = time.monotonic()
        store.close()
        assert time.monotonic() - began < 20
        with pytest.raises(MemoryFault, match="closed"):
            kept.result(20)


def test_what_many_change_at_a_time_is_counted_each(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a result that one of the changes should have ended is given again."""
    ada, meta = store.user("ada"), Notes.meta

    def slowly(notes: Notes, name: str) -> str:
        value = meta(notes, name)
        time.sleep(0.02)
        return value

    monkeypatch.setattr(Notes, "meta", slowly)
    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(ada.changed) for _ in range(8)]:
            done.result(20)
    assert ada.person == "8"


def test_nobody_is_closed_who_was_asked_for_just_now(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory.store, "OPEN", 1)
    asked = [store.user(name) for name in "abc"]
    for each in asked:
        each.keep([REX])
        assert found(each, "Rex") == [REX.id]
    store.settle()  # who is at work is not closed
    for each in asked:
        each.asked -= memory.store.AMID
    store.user("d")
    assert open_now(store) == "d"


def test_what_a_crash_keeps_from_being_brought_back_is_deleted_as_it_was_to_be(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(MemoryStore(folder, Meanings(), None)) as store, monkeypatch.context() as patch:
        ada = store.user("ada")
        ada.keep([REX])
        ada.undo.leave([REX.id])
        patch.setattr(ada.notes, "mark", lambda *_: 1 / 0)
        with pytest.raises((MemoryFault, ZeroDivisionError)):
            ada.undo.back()
        ada.undo._timer.cancel()
        patch.setattr(ada.undo, "end", lambda: None)  # the process died
    with closing(MemoryStore(folder, Meanings(), None)) as store:
        assert store.user("ada").notes.get(REX.id) is None


def test_an_index_that_rests_is_opened_for_the_next_search(
    folder: Path, indexes: Indexes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory.store, "INDEXES", 1)
    monkeypatch.setattr(memory.vectors, "OPENING", 60.0)
    with closing(MemoryStore(folder, Meanings(), indexes)) as store:
        users = [store.user(name) for name in "abc"]
        for user in users:
            user.keep([turn(2, "doctor expensive"), REX])
        store.settle()
        for user in (*users, *users):
            assert found(user, "pricey physician")[0] == "s1:2:said"
            store.settle()
            assert [other.name for other in users if other.vectors._index] == [user.name]


def test_a_deletion_leaves_no_more_indexes_open_than_there_may_be(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory.store, "INDEXES", 1)
    with closing(MemoryStore(folder, Meanings())) as store:
        users = [store.user(name) for name in "abc"]
        for user in users:
            user.keep([REX])
        store.settle()
        for user in users:
            user.forget([REX.id])
        for _ in range(2):
            store.settle()
        assert [user.name for user in users if user.vectors._index] == ["c"]


def test_while_much_of_one_is_put_into_the_index_others_have_theirs(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever took in a large file had everybody found by words alone for minutes."""
    monkeypatch.setattr(memory.vectors, "BATCH", 1)
    monkeypatch.setattr(memory.vectors, "OPENING", 60.0)
    with closing(MemoryStore(folder, Meanings())) as store:
        ben = store.user("ben")
        ben.keep([turn(1, "doctor expensive")])
        store.settle()
        ben.vectors.rest()
        store.settle()
        ada = store.user("ada")
        ada.keep(turn(number, f"words {number}") for number in range(300))
        assert found(ben, "pricey physician") == ["s1:1:said"]
        assert ada.notes.to_index()
        store.settle()
        assert not ada.notes.to_index()


def test_a_batch_that_fails_ends_the_wait_and_the_next_note_has_it_go_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Who waited for the vectors waited for ever, and `indexing 32 of 200` was shown meanwhile."""
    monkeypatch.setattr(memory.vectors, "BATCH", 1)
    with ThreadPoolExecutor(1) as waits, closing(MemoryStore(folder, Meanings())) as store:
        ada, put = store.user("ada"), list[int]()

        def fails(index: Index, todo: Sequence[tuple[int, Note, bytes]]) -> None:
            put.append(len(todo))
            if len(put) > 2:
                raise RuntimeError("no vector")

        with monkeypatch.context() as patch:
            patch.setattr(ada.vectors, "_put", fails)
            ada.keep(turn(number, f"words {number}") for number in range(9))
            waits.submit(store.settle).result(20)
            store._worker.submit(lambda: None).result(20)  # it is told of behind the wait
        assert ada.vectors.progress == (0, 0) and "no vector" in caplog.text
        ada.keep([turn(9, "words 9")])
        store.settle()
        assert ada.notes.in_index() == 10


def test_a_turn_between_others_that_were_deleted_stands_beside_those_that_are_left(store: MemoryStore) -> None:
    ada = store.user("ada")
    ada.keep(turn(number, f"word{number}") for number in range(1, 9))
    ada.forget([f"s1:{number}:said" for number in (1, 6, 4, 3, 8)])
    rows = list(ada.notes.rows(range(1, 9)).values())
    assert [(row.before, row.seq, row.after) for row in rows] == [(0, 2, 5), (2, 5, 7), (5, 7, 0)]
    assert found(ada, "word7")[:2] == ["s1:7:said", "s1:5:said"] and not ada.notes.search("word6", ("turn",), "", 9)


def test_how_large_the_notes_are_is_told_while_files_of_the_index_go(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, stat = store.user("ada"), Path.stat
    ada.keep([REX])
    store.settle()
    (going := ada.notes.path.parent / "going").touch()
    (ada.notes.path.parent / "gone").symlink_to("nowhere")

    def goes(path: Path, **more: Any) -> os.stat_result:
        found = stat(path, **more)
        if path == going:
            going.unlink()
        return found

    monkeypatch.setattr(Path, "stat", goes)
    assert ada.notes.size() > 10_000


def test_sixteen_threads_at_once(store: MemoryStore) -> None:
    def keep(number: int) -> int:
        ada = store.user("ada")
        ada.keep([turn(number, f"number {number}", f"s{number}")])
        return len(found(ada, f"number {number}"))

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(keep, range(64)))
    store.settle()
    assert store.user("ada").notes.in_index() == 64


WRITE = """
import sys, itertools
from pathlib import Path
from memory.memory import Note
from memory.store import MemoryStore
from tests.memory.embedding import WordVectors
memory = MemoryStore(Path(sys.argv[1]), WordVectors()).user("ada")
for number in itertools.count():
    memory.keep([Note(f"n{number}", "turn", f"word{number} was said", number, session="s")])
    print(number, flush=True)
"""
HOLD = """
import sys, time
from pathlib import Path
from memory.store import MemoryStore
from tests.memory.embedding import WordVectors
store = MemoryStore(Path(sys.argv[1]), WordVectors())
print("held", flush=True)
time.sleep(600)
"""


def started(program: str, folder: Path) -> subprocess.Popen[str]:
    root = Path(__file__).parents[2]
    return subprocess.Popen(
        [sys.executable, "-c", program, str(folder)],
        stdout=subprocess.PIPE, text=True, cwd=root, env={**os.environ, "PYTHONPATH": str(root)},
    )  # fmt: skip


@pytest.mark.real
def test_every_acknowledged_note_outlives_a_kill(folder: Path) -> None:
    with started(WRITE, folder) as process:
        assert process.stdout is not None
        while (last := int(process.stdout.readline())) < 500:
            pass
        process.send_signal(signal.SIGKILL)
        last = max([last, *(int(line) for line in process.stdout.read().split())])
    with closing(MemoryStore(folder, WordVectors())) as store:
        ada = store.user("ada")
        assert all(f"n{number}" in found(ada, f"word{number}") for number in range(last + 1))
        assert ada.notes.count() >= last + 1


@pytest.mark.real
def test_a_folder_in_use_says_by_whom_and_death_frees_it(folder: Path) -> None:
    with started(HOLD, folder) as holder:
        assert holder.stdout is not None and holder.stdout.readline().strip() == "held"
        with pytest.raises(MemoryLocked, match=f"process {holder.pid} .*DUET_HOME"):
            MemoryStore(folder, WordVectors())
        holder.kill()
    with closing(MemoryStore(folder, WordVectors())) as store:
        store.user("ada").keep([REX])


def test_a_folder_that_cannot_be_made_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MemoryFault, match="DUET_HOME"):
        MemoryStore(tmp_path / "file" / "memory", WordVectors())


def test_a_closed_memory_says_so(store: MemoryStore) -> None:
    ada = store.user("ada")
    store.close()
    with pytest.raises(MemoryFault, match="memory is closed"):
        store.user("ada")
    with pytest.raises(MemoryFault, match="memory is closed"):
        ada.keep([REX])


def test_facts_that_were_told_again_are_found_by_their_index(store: MemoryStore) -> None:
    """Of thousands of facts few are: read one by one they took a fifth of a recall."""
    with closing(sqlite3.connect(store.user("ada").notes.path)) as db:
        plan = db.execute(f"EXPLAIN QUERY PLAN SELECT * FROM notes WHERE {TOLD_AGAIN}").fetchall()
    assert "notes_told_again" in str(plan)
