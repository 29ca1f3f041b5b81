"""A damaged or foreign database is told, kept and mended; what was deleted stays deleted; files are their owner's."""

from __future__ import annotations

import asyncio
import os
import random
import resource
import shutil
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from threading import Thread, current_thread, main_thread
from types import SimpleNamespace

import pytest
from sqlalchemy.exc import OperationalError

from chat import backups
from chat.backups import COPY, KEPT, backup, daily, finish, is_good, newest_good, prune, restore
from chat.deletions import deletions, record_deletion
from chat.faults import ChatFault, DiskFull, is_disk_full
from chat.home import Home
from chat.sessions import Sessions
from chat.tables import TRANSCRIPT
from chat.transcript import Transcript
from main import main
from storage.engine import writer
from storage.schema import Schema
from tools.desk import Chunk

OLD = Path(__file__).parent / "data" / "old_home.sql"
"""What `sqlite3 duet.sqlite .dump` says of a home that was written before versions were counted."""


def told(home: Path, text: str) -> str:
    """One conversation in which this was said; its id."""
    transcript = Transcript(home / "duet.sqlite")
    session = transcript.new_session("ada", "mine").id
    turn = transcript.begin_turn(session, text).turn
    transcript.append(session, turn, "end", {"state": "done"})
    transcript.close()
    return session


def said(home: Path) -> list[str]:
    transcript = Transcript(home / "duet.sqlite")
    try:
        return [turn.said for turn in transcript.turns_in("done")]
    finally:
        transcript.close()


def foreign(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.executescript(script)


# -- damaged and foreign


@pytest.mark.parametrize(
    "garbage",
    [b"garbage" * 1000, b"x" * 99, b"SQLite format 3\0" + b"\xff" * 4096, b"%PDF-1.7", b"\0" * 8192,
     b"PK\x03\x04" * 100],
)  # fmt: skip
def test_garbage_is_told_with_its_path_and_left_as_it_is(tmp_path: Path, garbage: bytes) -> None:
    file = tmp_path / "duet.sqlite"
    file.write_bytes(garbage)
    with pytest.raises(ChatFault, match=r"damaged|another program") as caught:
        Transcript(file)
    assert str(file) in str(caught.value) and "\n" not in str(caught.value)
    assert file.read_bytes() == garbage


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_page_is_told_or_harmless(tmp_path: Path, seed: int) -> None:
    """A text is shorter than the damage, which so meets more than letters: of these alone SQLite sees nothing."""
    texts = [f"word {number} " * 40 for number in range(30)]
    words = {told(tmp_path, text): text for text in texts}
    file, chance = tmp_path / "duet.sqlite", random.Random(seed)
    data = bytearray(file.read_bytes())
    start = chance.randrange(0, len(data) - 600)
    data[start : start + 512] = chance.randbytes(512)
    file.write_bytes(data)
    try:
        transcript = Transcript(file)
    except ChatFault as fault:
        assert f"{file} is damaged" in str(fault)
        return
    with closing(transcript):
        assert {turn.session: turn.said for turn in transcript.turns_in("done")} == words
        assert {session: transcript.events(session)[0].data["text"] for session in words} == words


@pytest.mark.parametrize(
    ("script", "why"),
    [("CREATE TABLE moz_places(x)", "another program"), ("CREATE TABLE sessions(x)", "another program"),
     ("PRAGMA user_version=7", "another program"),
     ("CREATE TABLE events(x); CREATE TABLE turns(x)", "another program")],
)  # fmt: skip
def test_the_database_of_another_program_is_not_touched(tmp_path: Path, script: str, why: str) -> None:
    file = tmp_path / "duet.sqlite"
    foreign(file, script)
    with pytest.raises(ChatFault, match=why):
        Transcript(file)
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] <= 2


def test_a_home_of_a_newer_duet_is_not_touched(tmp_path: Path) -> None:
    told(tmp_path, "hello")
    foreign(tmp_path / "duet.sqlite", "PRAGMA user_version=99")
    with pytest.raises(ChatFault, match="newer Duet"):
        Transcript(tmp_path / "duet.sqlite")


def test_the_command_line_tells_it_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told(tmp_path, "hello")
    kept = backup(tmp_path)
    (tmp_path / "duet.sqlite").write_bytes(b"garbage" * 1000)
    assert main(["serve", "--port", "0", "--home", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "damaged" in err and "main.py restore" in err and kept.name in err
    assert main(["restore", "--home", str(tmp_path)]) == 0
    assert "is kept as" in capsys.readouterr().out
    assert said(tmp_path) == ["hello"]
    assert [p.read_bytes()[:7] for p in tmp_path.glob("duet.sqlite.aside-*") if p.name[-1].isdigit()] == [b"garbage"]


# -- versions


def test_a_home_of_before_versions_opens_and_goes_on(tmp_path: Path) -> None:
    foreign(tmp_path / "duet.sqlite", OLD.read_text("utf-8"))
    transcript = Transcript(tmp_path / "duet.sqlite")
    [session] = transcript.sessions("ada")
    assert [turn.said for turn in transcript.turns_in("done")] == ["What is 387 times 46?"]
    assert transcript.events(session.id)[0].kind == "turn"
    assert transcript.options(session.id).memory
    assert transcript.begin_turn(session.id, "And 388?").turn == 2
    transcript.close()
    with closing(sqlite3.connect(tmp_path / "duet.sqlite")) as db:
        assert db.execute("SELECT version_num FROM alembic_version").fetchall() == [(TRANSCRIPT.revisions[-1],)]


NEXT = int(TRANSCRIPT.revisions[-1]) + 1


def revised(folder: Path, *steps: str) -> Schema:
    """The transcript's schema with further revisions, each of one statement of Alembic's."""
    shutil.copytree(TRANSCRIPT.folder, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for number, step in enumerate(steps, NEXT):
        (folder / f"r{number:04}_more.py").write_text(
            f"from alembic import op\nimport sqlalchemy as sa\n"
            f"revision, down_revision = '{number:04}', '{number - 1:04}'\n\ndef upgrade():\n    {step}\n"
        )
    return Schema(TRANSCRIPT.tables, folder)


SIZE = "op.add_column('documents', sa.Column('size', sa.Integer, nullable=False, server_default='0'))"


def test_each_revision_is_taken_once(tmp_path: Path) -> None:
    told(tmp_path, "hello")
    schema = revised(tmp_path / "steps", SIZE)
    for _ in range(2):
        Sessions(tmp_path / "duet.sqlite", schema).close()
    with closing(sqlite3.connect(tmp_path / "duet.sqlite")) as db:
        assert db.execute("SELECT version_num FROM alembic_version").fetchall() == [(f"{NEXT:04}",)]
        assert "size" in [row[1] for row in db.execute("PRAGMA table_info(documents)")]


def test_all_revisions_are_taken_or_none(tmp_path: Path) -> None:
    told(tmp_path, "hello")
    before = dump(tmp_path / "duet.sqlite")
    with pytest.raises(ChatFault):
        Sessions(tmp_path / "duet.sqlite", revised(tmp_path / "steps", SIZE, "op.execute('CREATE TABLE nonsense')"))
    assert dump(tmp_path / "duet.sqlite") == before and said(tmp_path) == ["hello"]


def test_a_table_that_is_rewritten_keeps_what_refers_to_it(tmp_path: Path) -> None:
    told(tmp_path, "hello")
    step = "exec(\"with op.batch_alter_table('sessions', recreate='always') as t: t.drop_column('title')\")"
    Sessions(tmp_path / "duet.sqlite", revised(tmp_path / "steps", step)).close()
    with closing(sqlite3.connect(tmp_path / "duet.sqlite")) as db:
        assert "title" not in [row[1] for row in db.execute("PRAGMA table_info(sessions)")]
        assert db.execute("SELECT said FROM turns").fetchall() == [("hello",)]


def test_a_home_of_a_later_revision_is_not_touched(tmp_path: Path) -> None:
    Sessions(tmp_path / "duet.sqlite", revised(tmp_path / "steps", SIZE)).close()
    before = dump(tmp_path / "duet.sqlite")
    with pytest.raises(ChatFault, match="newer Duet"):
        Transcript(tmp_path / "duet.sqlite")
    assert dump(tmp_path / "duet.sqlite") == before


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        return list(db.iterdump())


# -- backups


def test_a_restore_brings_back_what_was_said_and_nothing_that_was_deleted(tmp_path: Path) -> None:
    kept, gone = told(tmp_path, "keep this"), told(tmp_path, "forget this word")
    backup(tmp_path)
    transcript = Transcript(tmp_path / "duet.sqlite")
    transcript.delete(gone)
    transcript.close()
    assert deletions(tmp_path) == [("session", gone)]
    assert "forget" not in (tmp_path / "deletions.jsonl").read_text()
    restore(tmp_path)
    assert said(tmp_path) == ["keep this"]
    with closing(sqlite3.connect(tmp_path / "duet.sqlite")) as db:
        assert db.execute("SELECT count(DISTINCT segid) FROM found_idx").fetchone() == (1,), "its parts keep words"
    transcript = Transcript(tmp_path / "duet.sqlite")
    assert [session.id for session in transcript.sessions("ada")] == [kept]
    transcript.close()
    assert b"forget this word" not in (tmp_path / "duet.sqlite").read_bytes()


def test_a_restore_brings_back_nothing_that_was_set_by_somebody_who_is_deleted(tmp_path: Path) -> None:
    with closing(Transcript(tmp_path / "duet.sqlite")) as transcript:
        for user in ("ada", "bob"):
            transcript.instruct(user, f"call me {user}")
        backup(tmp_path)
        transcript.disown("bob")
    restore(tmp_path)
    with closing(Transcript(tmp_path / "duet.sqlite")) as transcript:
        assert [transcript.own(user).instructions for user in ("ada", "bob")] == ["call me ada", ""]


def test_no_copy_is_left_of_a_backup_that_was_broken_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told(tmp_path, "keep this")
    backup(tmp_path)
    before = files(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(backups, "_examine", interrupt)
        with pytest.raises(KeyboardInterrupt):
            backup(tmp_path, tmp_path / "mine.sqlite")
        assert files(tmp_path) == before
        with pytest.raises(KeyboardInterrupt):
            restore(tmp_path, backups.backups(tmp_path)[0])
    (tmp_path / "duet.sqlite.part").write_bytes(b"of a restore that was killed")
    finish(tmp_path)
    assert files(tmp_path) == before


def interrupt(*_: object) -> str:
    raise KeyboardInterrupt


def files(home: Path) -> set[str]:
    return {str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()}


def test_nothing_is_left_beside_copies_that_are_no_longer_kept(tmp_path: Path) -> None:
    told(tmp_path, "keep this")
    backup(tmp_path)
    folder = tmp_path / "backups"
    for more in ("", "-wal", "-shm", ".part"):
        (folder / f"duet-20200101-000000.sqlite{more}").write_bytes(b"old")
        os.utime(folder / f"duet-20200101-000000.sqlite{more}", (1, 1))
    (folder / "duet-29990101-000000.sqlite.part").write_bytes(b"being made now")
    for day in range(1, KEPT):
        shutil.copy(backups.backups(tmp_path)[0], folder / f"duet-2999010{day}-000000.sqlite")
    prune(tmp_path)
    assert len(backups.backups(tmp_path)) == KEPT
    assert [path.name for path in folder.iterdir() if path.suffix != ".sqlite"] == ["duet-29990101-000000.sqlite.part"]


def test_a_copy_is_read_where_nothing_can_be_written(tmp_path: Path) -> None:
    told(tmp_path, "keep this")
    copy = backup(tmp_path)
    assert is_good(copy) and [*copy.parent.iterdir()] == [copy], "nothing is written beside it"
    assert copy.read_bytes()[18:20] == b"\x01\x01", "a head that says WAL asks for files beside it"


def test_a_backup_into_a_folder_gets_its_usual_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told(tmp_path, "keep this")
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path / "there")
    assert main(["backup", ".", "--home", str(tmp_path)]) == 0
    assert [path.match(COPY) for path in (tmp_path / "there").iterdir()] == [True]


class Killed(BaseException):
    """As kill -9 is: nothing after it happens."""


@pytest.mark.parametrize("moment", range(1, 7))
def test_a_restore_that_is_killed_loses_neither_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    told(tmp_path, "before the backup")
    backup(tmp_path)
    crashed = sqlite3.connect(tmp_path / "duet.sqlite")  # keeps the log beside the file, as a killed server does
    crashed.execute("SELECT 1 FROM turns").fetchall()
    told(tmp_path, "after the backup")
    assert (tmp_path / "duet.sqlite-wal").exists()
    replace, moves = Path.replace, 0

    def move(path: Path, to: Path) -> Path:
        nonlocal moves
        moves += 1
        if moves == moment:
            raise Killed
        return replace(path, to)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", move)
        with suppress(Killed):
            restore(tmp_path)
    crashed.close()
    finish(tmp_path)
    assert sorted(said(tmp_path)) in (["before the backup"], ["after the backup", "before the backup"])
    kept = [
        said_in(path) for path in [*tmp_path.glob("duet.sqlite.aside-*"), tmp_path / "duet.sqlite"] if is_main(path)
    ]
    assert any("after the backup" in texts for texts in kept)


def is_main(path: Path) -> bool:
    return not path.name.endswith(("-wal", "-shm"))


def said_in(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        return [str(row[0]) for row in db.execute("SELECT said FROM turns")]


def test_without_the_record_it_would_come_back(tmp_path: Path) -> None:
    gone = told(tmp_path, "forget this word")
    backup(tmp_path)
    transcript = Transcript(tmp_path / "duet.sqlite")
    transcript.delete(gone)
    transcript.close()
    (tmp_path / "deletions.jsonl").unlink()
    restore(tmp_path)
    assert said(tmp_path) == ["forget this word"]


def test_a_removed_document_stays_removed(tmp_path: Path) -> None:
    session = told(tmp_path, "hello")
    transcript = Transcript(tmp_path / "duet.sqlite")
    document = transcript.add_document(session, "a.md", "0" * 64, [Chunk("a.md", "", "text")])
    backup(tmp_path)
    transcript.remove_document(session, document.id)
    transcript.close()
    restore(tmp_path)
    transcript = Transcript(tmp_path / "duet.sqlite")
    assert transcript.documents(session) == []
    transcript.close()


def test_what_nobody_deleted_of_their_own_is_not_written_down(tmp_path: Path) -> None:
    """A restore would take it from its person."""
    session, other = told(tmp_path, "hello"), told(tmp_path, "hello")
    with closing(Transcript(tmp_path / "duet.sqlite")) as transcript:
        document = transcript.add_document(session, "a.md", "0" * 64, [Chunk("a.md", "", "text")])
        transcript.share(session, steps=False)
        [link] = transcript.links(session)
        transcript.remove_document(other, document.id)
        transcript.take_back(other, link.id)
        assert transcript.documents(session) == [document] and transcript.links(session) == [link]
    assert deletions(tmp_path) == []


def test_a_deletion_that_cannot_be_written_down_whole_is_refused_and_spoils_no_other(tmp_path: Path) -> None:
    record_deletion(tmp_path, "session", "first")
    room = (tmp_path / "deletions.jsonl").stat().st_size + 20
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        with pytest.raises(OSError) as caught:
            record_deletion(tmp_path, "session", "second")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert is_disk_full(caught.value)
    record_deletion(tmp_path, "session", "third")
    assert deletions(tmp_path) == [("session", "first"), ("session", "third")]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null\n1\n", '{"kind": "session"}', '{"kind": "session", "id": "x"}\n{"ki']
)
def test_a_broken_record_of_deletions_is_read_as_far_as_it_goes(tmp_path: Path, text: str) -> None:
    (tmp_path / "deletions.jsonl").write_text(text)
    assert len(deletions(tmp_path)) <= 1


def test_damaged_backups_are_passed_over(tmp_path: Path) -> None:
    told(tmp_path, "hello")
    good = backup(tmp_path)
    (tmp_path / "backups" / "duet-99990101-000000.sqlite").write_bytes(b"garbage" * 100)
    foreign(tmp_path / "backups" / "duet-99990102-000000.sqlite", "CREATE TABLE x(y)")
    assert newest_good(tmp_path) == good and is_good(good)


@pytest.mark.parametrize("name", ["missing.sqlite", "garbage.sqlite", "foreign.sqlite", "."])
def test_what_is_no_backup_is_not_restored(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    told(tmp_path, "hello")
    (tmp_path / "garbage.sqlite").write_bytes(b"garbage" * 1000)
    foreign(tmp_path / "foreign.sqlite", "CREATE TABLE x(y)")
    assert main(["restore", "--home", str(tmp_path), str(tmp_path / name)]) == 2
    assert "no whole backup" in capsys.readouterr().err
    assert said(tmp_path) == ["hello"]


def test_nothing_is_restored_under_a_running_duet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told(tmp_path, "hello")
    backup(tmp_path)
    held = Home(tmp_path)
    assert main(["restore", "--home", str(tmp_path)]) == 2
    assert "in use by" in capsys.readouterr().err
    assert main(["backup", "--home", str(tmp_path)]) == 0  # beside it, though
    held.release()


async def test_a_backup_is_made_each_day_and_the_last_seven_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(tmp_path, "hello")
    made = [backup(tmp_path).rename(tmp_path / "backups" / "duet-20260101-000000.sqlite")]
    for day in range(2, 10):
        made.append(made[0].with_name(f"duet-2026010{day}-000000.sqlite"))
        made[-1].write_bytes(made[0].read_bytes())
    for path in made:
        os.utime(path, (time.time() - backups.DAY - 9,) * 2)
    task = asyncio.create_task(daily(tmp_path))
    async with asyncio.timeout(10):
        while len(backups.backups(tmp_path)) != backups.KEPT or backups.backups(tmp_path)[0] in made:
            await asyncio.sleep(0.02)
    task.cancel()
    assert backups.backups(tmp_path)[1:] == made[:-7:-1]


async def test_nobody_waits_while_a_backup_is_looked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told(tmp_path, "hello")
    threads = list[Thread]()

    def looked(path: Path) -> bool:
        threads.append(current_thread())
        return is_good(path)

    monkeypatch.setattr(backups, "is_good", looked)
    task = asyncio.create_task(daily(tmp_path))
    async with asyncio.timeout(10):
        while not threads:
            await asyncio.sleep(0.02)
    task.cancel()
    assert main_thread() not in threads


def fill(monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies find a full disk."""
    monkeypatch.setattr(backups, "writer", lambda path, *pragmas: writer(path, "max_page_count=4", *pragmas))


async def test_backups_go_on_once_a_full_disk_has_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    told(tmp_path, "hello")
    monkeypatch.setattr(backups, "LOOK", 0.02)
    with monkeypatch.context() as full:
        fill(full)
        with pytest.raises(ChatFault, match="the disk is full"):
            backup(tmp_path)
        assert list((tmp_path / "backups").iterdir()) == []
        task = asyncio.create_task(daily(tmp_path))
        async with asyncio.timeout(10):
            while len(caplog.messages) < 2:
                await asyncio.sleep(0.02)
    async with asyncio.timeout(10):
        while not backups.backups(tmp_path):
            await asyncio.sleep(0.02)
    task.cancel()


def test_a_restore_onto_a_full_disk_is_told_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told(tmp_path, "hello")
    backup(tmp_path)
    fill(monkeypatch)
    assert main(["restore", "--home", str(tmp_path)]) == 2
    assert "full): nothing was changed" in capsys.readouterr().err
    assert said(tmp_path) == ["hello"] and not list(tmp_path.glob("*.part*"))


def test_a_backup_with_a_name_is_neither_the_newest_nor_pruned(tmp_path: Path) -> None:
    told(tmp_path, "hello")
    daily_one = backup(tmp_path)
    named = backup(tmp_path, tmp_path / "backups" / "duet-before-update.sqlite")
    prune(tmp_path)
    assert backups.backups(tmp_path) == [daily_one] and newest_good(tmp_path) == daily_one and named.exists()


def test_a_backup_of_a_clock_that_is_a_little_ahead_is_the_newest(tmp_path: Path) -> None:
    told(tmp_path, "hello")
    for day in range(1, 8):
        backup(tmp_path).rename(tmp_path / "backups" / f"duet-2026010{day}-000000.sqlite")
    newest = backup(tmp_path)
    os.utime(newest, (time.time() + 60,) * 2)
    prune(tmp_path)
    assert backups.backups(tmp_path)[0] == newest


def test_the_backup_of_a_newer_duet_is_told_as_such(tmp_path: Path) -> None:
    told(tmp_path, "hello")
    newer = backup(tmp_path)
    foreign(newer, "PRAGMA user_version=99")
    with pytest.raises(ChatFault, match="backup of a newer Duet"):
        restore(tmp_path, newer)


def test_the_last_whole_backup_is_kept_however_old(tmp_path: Path) -> None:
    told(tmp_path, "hello")
    good = backup(tmp_path, tmp_path / "duet.copy")
    (tmp_path / "backups").mkdir()
    old = good.replace(tmp_path / "backups" / "duet-20200101-000000.sqlite")
    for day in range(9):
        (tmp_path / "backups" / f"duet-2026010{day}-000000.sqlite").write_bytes(b"garbage")
    prune(tmp_path)
    assert old.exists() and len(backups.backups(tmp_path)) == backups.KEPT + 1


# -- whose files they are


def test_the_home_and_what_lies_in_it_are_the_owners_alone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    home.chmod(0o755)
    (home / "duet.sqlite").touch(0o644)
    (home / "duet.sqlite").chmod(0o644)
    held = Home(home)
    transcript = Transcript(home / "duet.sqlite")
    gone = transcript.new_session("ada").id
    transcript.delete(gone)
    held.announce("http://127.0.0.1:1")
    backup(home)
    modes = {p.relative_to(home).as_posix(): p.stat().st_mode & 0o077 for p in (home, *home.rglob("*"))}
    assert len(modes) >= 8 and set(modes.values()) == {0}, modes
    transcript.close()
    held.release()


def test_without_its_own_mode_the_file_would_be_readable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storage.engine.own", lambda path: None)
    before = os.umask(0o022)
    try:
        told(tmp_path, "hello")
    finally:
        os.umask(before)
    assert (tmp_path / "duet.sqlite").stat().st_mode & 0o044


def test_a_full_disk_is_no_fault_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite says `disk I/O error` where there is no room for what it keeps beside the file."""
    error = OperationalError("", None, sqlite3.OperationalError("disk I/O error"))
    assert "make it writable" in str(backups.fault_of(error, tmp_path / "duet.sqlite"))
    monkeypatch.setattr("chat.backups.shutil.disk_usage", lambda _: SimpleNamespace(free=0))
    assert isinstance(backups.fault_of(error, tmp_path / "duet.sqlite"), DiskFull)


async def test_a_clock_that_ran_ahead_keeps_no_day_from_its_backup(tmp_path: Path) -> None:
    told(tmp_path, "hello")
    ahead = backup(tmp_path).rename(tmp_path / "backups" / "duet-20990101-000000.sqlite")
    os.utime(ahead, (4e9, 4e9))
    task = asyncio.create_task(daily(tmp_path))
    async with asyncio.timeout(10):
        while len(found := backups.backups(tmp_path)) < 2:
            await asyncio.sleep(0.02)
    task.cancel()
    assert newest_good(tmp_path) == found[0] != ahead == found[1]
