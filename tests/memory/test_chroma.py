"""The store: users apart, notes that last, and faults in one sentence."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memory.chroma import ChromaStore
from memory.memory import MemoryFault, MemoryLocked, Note
from tests.memory.embedding import WordVectors

HERE = {"date": "2026-11-21", "session": "s1", "documents": ""}
PRODUCT = Note("t1", "result", "What is 387 times 46?", "17802", "s1", 1.0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
def store(folder: Path) -> Iterator[ChromaStore]:
    with closing(ChromaStore(folder, WordVectors())) as store:
        yield store


def test_a_result_is_found_in_other_words(store: ChromaStore) -> None:
    ada = store.user("ada")
    ada.remember(PRODUCT)
    (found,) = ada.recall("could you multiply 387 by 46?", HERE)
    assert (found.note, found.verified, found.why) == (PRODUCT, True, "")
    assert found.similarity == pytest.approx(1, abs=1e-4)


def test_a_near_question_is_found_and_not_verified(store: ChromaStore) -> None:
    store.user("ada").remember(PRODUCT)
    (found,) = store.user("ada").recall("What is 387 times 47?", HERE)
    assert (found.verified, found.why) == (False, "numbers differ")


def test_the_verified_come_first_then_the_near(store: ChromaStore) -> None:
    ada = store.user("ada")
    for n in range(30):
        ada.remember(Note(f"n{n}", "result", f"What is 387 times {n}?", str(387 * n), "s1", n))
    found = ada.recall("387 * 17", HERE, limit=4)
    assert len(found) == 4
    assert [recall.verified for recall in found] == [True, False, False, False]
    assert found[0].note.answer == str(387 * 17)
    assert list(found[1:]) == sorted(found[1:], key=lambda recall: -recall.similarity)


def test_an_empty_memory_recalls_nothing(store: ChromaStore) -> None:
    ada = store.user("ada")
    assert list(ada.recall("anything at all", HERE)) == []
    assert list(ada.recall("", {}, limit=0)) == []
    assert ada.ids() == set()
    ada.forget(["unknown"])


def test_users_never_mix(store: ChromaStore) -> None:
    store.user("ada").remember(PRODUCT)
    assert list(store.user("bob").recall("What is 387 times 46?", HERE)) == []
    store.user("bob").remember(replace(PRODUCT, answer="bob's"))
    assert [found.note.answer for found in store.user("ada").recall(PRODUCT.question, HERE)] == ["17802"]
    store.delete_user("bob")
    store.delete_user("nobody")
    assert store.users() == {"ada"}
    assert store.user("ada").ids() == {"t1"}
    assert store.user("bob").ids() == set()


def test_a_memory_in_hand_outlives_the_deletion_of_its_user(store: ChromaStore) -> None:
    ada = store.user("ada")
    ada.remember(PRODUCT)
    store.delete_user("ada")
    assert list(ada.recall(PRODUCT.question, HERE)) == []
    ada.remember(PRODUCT)
    assert store.user("ada").ids() == {"t1"}


WEIRD = [
    "",
    " ",
    "Zoë 🙂",
    "../../etc/passwd",
    "a/b\\c",
    "x" * 1000,
    "x" * 1001,
    "ADA",
    "ada",
    "nul\0",
    "\ud800",
    "'; DROP",
]


def test_any_text_names_a_user(store: ChromaStore) -> None:
    for n, name in enumerate(WEIRD):
        store.user(name).remember(replace(PRODUCT, answer=str(n)))
    for n, name in enumerate(WEIRD):
        assert [found.note.answer for found in store.user(name).recall(PRODUCT.question, HERE)] == [str(n)]
    assert store.users() == set(WEIRD)


def test_kind_and_session_narrow_the_search(store: ChromaStore) -> None:
    ada = store.user("ada")
    ada.remember(PRODUCT)
    ada.remember(replace(PRODUCT, id="t2", session="s2"))
    ada.remember(replace(PRODUCT, id="t3", kind="dialogue"))
    ada.remember(replace(PRODUCT, id="t4", kind="dialogue", session="s\0\ud800"))

    def ids(**only: str) -> set[str]:
        return {found.note.id for found in ada.recall(PRODUCT.question, HERE, **only)}  # type: ignore[arg-type]

    assert ids() == {"t1", "t2", "t3", "t4"}
    assert ids(session="s2") == {"t2"}
    assert ids(kind="dialogue") == {"t3", "t4"}
    assert ids(kind="dialogue", session="s\0\ud800") == {"t4"}
    assert ids(kind="result", session="nowhere") == set()


@pytest.mark.parametrize("key", ["date", "session", "documents"])
def test_a_note_holds_only_where_it_was_made(store: ChromaStore, key: str) -> None:
    ada = store.user("ada")
    ada.remember(replace(PRODUCT, depends={key: "one"}))
    assert [found.verified for found in ada.recall(PRODUCT.question, {**HERE, key: "one"})] == [True]
    assert [found.verified for found in ada.recall(PRODUCT.question, {**HERE, key: "two"})] == [False]
    assert [found.verified for found in ada.recall(PRODUCT.question, {})] == [False]


def test_todays_note_is_found_behind_those_of_many_days(store: ChromaStore) -> None:
    ada = store.user("ada")
    question = "What is the date in 100 days from today?"
    ada.remember_all(
        Note(f"d{n}", "result", question, f"answer {n}", "s1", n, {"date": f"day {n}"}) for n in range(120)
    )
    found = ada.recall(question, {**HERE, "date": "day 77"}, limit=1)
    assert [(recall.note.answer, recall.verified) for recall in found] == [("answer 77", True)]


def test_remembering_twice_is_remembering_once_and_the_last_word_counts(store: ChromaStore) -> None:
    ada = store.user("ada")
    for answer in ("first", "second", "17802"):
        ada.remember(replace(PRODUCT, answer=answer))
    assert ada.ids() == {"t1"}
    assert [found.note.answer for found in ada.recall(PRODUCT.question, HERE)] == ["17802"]


def test_forgetting(store: ChromaStore) -> None:
    ada = store.user("ada")
    ada.remember_all(replace(PRODUCT, id=f"t{n}") for n in range(600))
    ada.forget([f"t{n}" for n in range(1, 600)])
    ada.forget([])
    assert ada.ids() == {"t1"} - {"t1"} | {"t0"}


def test_all_is_there_after_reopening(folder: Path) -> None:
    note = replace(PRODUCT, depends={"date": "2026-11-21"}, at=12.5)
    with closing(ChromaStore(folder, WordVectors())) as store:
        store.user("ada").remember(note)
        ada = store.user("ada")
    with pytest.raises(MemoryFault, match="closed"):
        ada.recall("anything", HERE)
    with closing(ChromaStore(folder, WordVectors())) as store:
        assert [found.note for found in store.user("ada").recall(note.question, HERE)] == [note]
        store.close()  # safe to repeat


@pytest.mark.parametrize(
    "text", ["long " * 2000, "control \0\x07\x1b[31m\r\n", "\ud800 lone", "<script>alert(1)</script>", "日本語 🙂", ""]
)
def test_any_text_is_kept_as_it_is(store: ChromaStore, text: str) -> None:
    note = replace(PRODUCT, question=text, answer=text, session=text, depends={"documents": text})
    ada = store.user("ada")
    ada.remember(note)
    assert [found.note for found in ada.recall(text, HERE)] == [note]


def test_sixteen_threads_at_once(store: ChromaStore) -> None:
    def work(n: int) -> None:
        mine, shared = store.user(f"user {n}"), store.user("shared")
        for k in range(6):
            mine.remember(Note(f"{k}", "result", f"What is {n} times {k}?", f"{n}x{k}", "s1", 0))
            shared.remember(Note(f"{n}-{k}", "dialogue", f"secret {n} {k}", "", f"s{n}", 0))
            found = mine.recall(f"{n} * {k}", HERE)
            assert found[0].verified
            assert found[0].note.answer == f"{n}x{k}"
            assert all(recall.note.answer.startswith(f"{n}x") for recall in found)

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(work, range(2, 18)))
    assert len(store.user("shared").ids()) == 16 * 6


def test_no_connection_is_opened_and_chromas_own_embedding_is_never_asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from chromadb.utils.embedding_functions import DefaultEmbeddingFunction

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("reached for the network or a model")

    monkeypatch.setattr(DefaultEmbeddingFunction, "__call__", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setenv("CHROMA_OTEL_COLLECTION_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("CHROMA_API_IMPL=chromadb.api.fastapi.FastAPI\n")
    vectors = WordVectors()
    with closing(ChromaStore(folder, vectors)) as store:
        store.user("ada").remember(PRODUCT)
        assert store.user("ada").recall(PRODUCT.question, HERE)[0].verified
    assert vectors.calls == 2


HOLD = """
import sys, time
from pathlib import Path
from memory.chroma import ChromaStore
from tests.memory.embedding import WordVectors
store = ChromaStore(Path(sys.argv[1]), WordVectors())
print("held", flush=True)
time.sleep(600)
"""


@pytest.fixture
def holder(folder: Path) -> Iterator[subprocess.Popen[str]]:
    root = Path(__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)],
        stdout=subprocess.PIPE, text=True, cwd=root, env={**os.environ, "PYTHONPATH": str(root)},
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "held"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_folder_in_use_says_by_whom_and_death_frees_it(folder: Path, holder: subprocess.Popen[str]) -> None:
    with pytest.raises(MemoryLocked) as fault:
        ChromaStore(folder, WordVectors())
    assert f"process {holder.pid} (" in str(fault.value)
    assert str(folder) in str(fault.value)
    assert "DUET_HOME" in str(fault.value)
    with pytest.raises(MemoryLocked):
        ChromaStore.rebuilt(folder, WordVectors(), [])
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    with closing(ChromaStore(folder, WordVectors())) as store:
        store.user("ada").remember(PRODUCT)


def test_one_process_holds_it_once(store: ChromaStore, folder: Path) -> None:
    with pytest.raises(MemoryLocked, match=f"process {os.getpid()} "):
        ChromaStore(folder, WordVectors())


def test_a_lock_file_of_a_dead_process_is_no_obstacle(folder: Path) -> None:
    folder.mkdir()
    (folder / "lock").write_text("999999\nmain.py serve\n" * 50)
    with closing(ChromaStore(folder, WordVectors())):
        assert (folder / "lock").read_text().startswith(f"{os.getpid()}\n")
        assert "999999" not in (folder / "lock").read_text()


def test_another_programs_transaction_does_not_hang_the_start(folder: Path) -> None:
    ChromaStore(folder, WordVectors()).close()
    with closing(sqlite3.connect(folder / "chroma.sqlite3", isolation_level=None)) as database:
        database.execute("BEGIN EXCLUSIVE")
        with pytest.raises(MemoryLocked, match="a program other than Duet"):
            ChromaStore(folder, WordVectors())
    with closing(ChromaStore(folder, WordVectors())):
        pass


def broken_header(folder: Path) -> None:
    (folder / "chroma.sqlite3").write_bytes(b"no database" * 1000)


def broken_pages(folder: Path) -> None:
    path = folder / "chroma.sqlite3"
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + b"\xff" * (len(whole) - 100))


def broken_tables(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "chroma.sqlite3")) as database:
        database.execute("DROP TABLE collections")
        database.commit()


@pytest.mark.parametrize("harm", [broken_header, broken_pages, broken_tables])
def test_a_damaged_folder_is_named_and_built_again(folder: Path, harm: object) -> None:
    with closing(ChromaStore(folder, WordVectors())) as store:
        store.user("ada").remember(PRODUCT)
    harm(folder)  # type: ignore[operator]
    with pytest.raises(MemoryFault) as fault, closing(ChromaStore(folder, WordVectors())) as store:
        store.user("ada").ids()
    assert "damaged" in str(fault.value)
    assert "\n" not in str(fault.value)
    notes = [("ada", replace(PRODUCT, id=f"t{n}")) for n in range(300)] + [("bob", PRODUCT), ("ada", PRODUCT)]
    with closing(ChromaStore.rebuilt(folder, WordVectors(), notes)) as store:
        assert len(store.user("ada").ids()) == 300
        assert store.user("bob").ids() == {"t1"}
    (aside,) = folder.parent.glob("memory.broken-*")
    assert (aside / "chroma.sqlite3").exists()


def test_a_folder_that_cannot_be_made_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MemoryFault, match="cannot be written"):
        ChromaStore(tmp_path / "file" / "memory", WordVectors())


def test_the_very_question_is_found_without_a_vector(store: ChromaStore, folder: Path) -> None:
    ada = store.user("ada")
    call = Note("t1", "result", "details: H-0421", "It costs 300,000 euros.", "s1", 1.0, {"listings": "1"})
    newer = replace(call, id="t2", answer="It costs 310,000 euros.", at=2.0, depends={"listings": "2"})
    ada.remember_all([call, newer, replace(PRODUCT, id="t3")])
    assert [ada.same("details: H-0421", {"listings": each}) for each in "123"][2] is None
    assert [found.note for each in "12" if (found := ada.same(call.question, {"listings": each}))] == [call, newer]
    ada.remember(replace(newer, question="details: H-0007"))
    assert ada.same(call.question, {"listings": "2"}) is None
    ada.forget(["t1", "nobody"])
    assert ada.same(call.question, {"listings": "1"}) is None
    store.close()
    with closing(ChromaStore(folder, WordVectors())) as opened:
        found = opened.user("ada").same("details: H-0007", {"listings": "2"})
        assert found and found.verified and found.note.answer == newer.answer
    with pytest.raises(MemoryFault):
        ada.same("details: H-0007", {"listings": "2"})
