"""The file of accounts: what an earlier version wrote opens, what is none of ours is told and left as it is."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from sqlalchemy import text as sql
from sqlalchemy.exc import IntegrityError, OperationalError

from chat.access.accounts import FILE, Accounts, Person, has_accounts
from chat.faults import ChatFault, DiskFull

ADA, EVE = Person("ada", admin=True), Person("eve", admin=False)
PASSWORD = "a good password"
OLD = """
CREATE TABLE IF NOT EXISTS accounts(
    name TEXT PRIMARY KEY, password TEXT NOT NULL, role TEXT NOT NULL, made REAL NOT NULL);
CREATE TABLE IF NOT EXISTS signed_in(
    id TEXT PRIMARY KEY, name TEXT NOT NULL REFERENCES accounts(name) ON DELETE CASCADE, until REAL NOT NULL);
CREATE TABLE IF NOT EXISTS tokens(
    id TEXT PRIMARY KEY, name TEXT NOT NULL REFERENCES accounts(name) ON DELETE CASCADE,
    label TEXT NOT NULL, made REAL NOT NULL);
CREATE TABLE IF NOT EXISTS elsewhere(identity TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS secret(value TEXT NOT NULL);
"""
"""As accounts were kept before Alembic."""


def script(home: Path, sql: str) -> None:
    with closing(sqlite3.connect(home / FILE)) as db:
        db.executescript(sql)


def old_file(home: Path) -> None:
    """ada has a password; eve is known elsewhere; `gone` had an account once. `s` is signed in, `duet_t` a token."""
    token, signed = (sha256(made).hexdigest() for made in (b"duet_t", b"s"))
    script(home, OLD)
    with closing(sqlite3.connect(home / FILE)) as db, db:
        db.execute("INSERT INTO secret VALUES ('the secret')")
        db.execute("INSERT INTO accounts VALUES ('ada',?,'admin',1.5)", [PasswordHasher().hash(PASSWORD)])
        db.execute("INSERT INTO accounts VALUES ('eve','','user',2.5)")
        db.execute("INSERT INTO signed_in VALUES (?,'ada',?)", [signed, time.time() + 1000])
        db.execute("INSERT INTO tokens VALUES (?,'eve','laptop',3.5)", [token])
        db.execute("INSERT INTO elsewhere VALUES ('https://x 1','eve'), ('https://x 2','gone')")


# -- of earlier versions


def test_a_file_of_before_alembic_keeps_all_that_it_held(tmp_path: Path) -> None:
    old_file(tmp_path)
    for _ in range(2):  # brought up to date, and opened as it is then
        with closing(Accounts(tmp_path)) as accounts:
            assert accounts.all() == [ADA, EVE] and accounts.secret == "the secret"
            assert accounts.check("ada", PASSWORD) == ADA and accounts.check("eve", "") is None
            assert accounts.signed_in("s") == ADA and accounts.of_token("duet_t") == EVE
            assert [(token.label, token.made) for token in accounts.tokens("eve")] == [("laptop", 3.5)]
            assert accounts.arrive("https://x 1", "another name") == EVE
            with pytest.raises(ChatFault, match="was removed"):
                accounts.arrive("https://x 3", "gone")
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


def test_a_file_of_before_people_were_known_elsewhere_opens(tmp_path: Path) -> None:
    old_file(tmp_path)
    script(tmp_path, "DROP TABLE elsewhere")
    with closing(Accounts(tmp_path)) as accounts:
        assert accounts.of_token("duet_t") == accounts.arrive("https://x 1", "eve") == EVE


# -- none of ours


@pytest.mark.parametrize(
    "garbage", [b"garbage" * 1000, b"x" * 99, b"SQLite format 3\0" + b"\xff" * 4096, b"\0" * 8192], ids=len
)
def test_a_damaged_file_opens_nothing_and_is_left_as_it_is(tmp_path: Path, garbage: bytes) -> None:
    (tmp_path / FILE).write_bytes(garbage)
    with pytest.raises(ChatFault, match="cannot be opened") as caught:
        has_accounts(tmp_path)
    assert str(tmp_path / FILE) in str(caught.value) and "\n" not in str(caught.value)
    assert (tmp_path / FILE).read_bytes() == garbage


def test_two_tables_of_the_same_pages_open_nothing(tmp_path: Path) -> None:
    Accounts(tmp_path).close()
    script(
        tmp_path,
        "PRAGMA writable_schema=ON; UPDATE sqlite_master SET rootpage="
        "(SELECT rootpage FROM sqlite_master WHERE name='secret') WHERE name='tokens'",
    )
    with pytest.raises(ChatFault, match="cannot be opened"):
        Accounts(tmp_path)


@pytest.mark.parametrize(
    "sql", ["CREATE TABLE moz_places(x)", "CREATE TABLE accounts(x)", "CREATE TABLE elsewhere(x)",
            "PRAGMA user_version=7"],
)  # fmt: skip
def test_the_database_of_another_program_is_not_touched(tmp_path: Path, sql: str) -> None:
    script(tmp_path, sql)
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(ChatFault, match="another program"):
        has_accounts(tmp_path)
    assert (tmp_path / FILE).read_bytes() == before


def test_a_folder_in_its_place_is_told(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(ChatFault, match="cannot be opened"):
        Accounts(tmp_path)


# -- what it keeps, and how


@pytest.fixture
def modes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Of the file whenever SQLite is given it; nothing that was deleted is overwritten unless it is asked to."""
    found: list[int] = []
    connect = sqlite3.connect

    def opened(path: Path, **options: Any) -> sqlite3.Connection:
        found.append(path.stat().st_mode & 0o777 if path.exists() else 0)
        db: sqlite3.Connection = connect(path, **options)
        db.execute("PRAGMA secure_delete=OFF")
        return db

    monkeypatch.setattr("storage.engine.sqlite3.connect", opened)
    return found


@pytest.mark.usefixtures("modes")
def test_what_goes_with_a_removed_account_leaves_no_byte(tmp_path: Path) -> None:
    old_file(tmp_path)
    with closing(Accounts(tmp_path)) as accounts:
        assert b"laptop" in (tmp_path / FILE).read_bytes()
        accounts.remove("eve")
        assert accounts.of_token("duet_t") is None and accounts.tokens("eve") == []
        assert b"laptop" not in (tmp_path / FILE).read_bytes()


def test_the_file_is_its_owners_from_the_first_byte(tmp_path: Path, modes: list[int]) -> None:
    before = os.umask(0)
    try:
        Accounts(tmp_path / "home").close()
    finally:
        os.umask(before)
    assert modes == [0o600] and (tmp_path / "home").stat().st_mode & 0o777 == 0o700


def test_an_account_that_cannot_be_made_whole_leaves_no_trace(tmp_path: Path) -> None:
    with closing(Accounts(tmp_path)) as accounts:
        script(tmp_path, "CREATE TRIGGER no BEFORE INSERT ON elsewhere BEGIN SELECT RAISE(ABORT, 'no'); END")
        with pytest.raises(IntegrityError):
            accounts.arrive("https://x 1", "ada")
        assert accounts.all() == []


def test_halves_of_characters_stand_for_nobody_else(tmp_path: Path) -> None:
    with closing(Accounts(tmp_path)) as accounts:
        accounts.arrive("https://x a?", "ada")
        with pytest.raises(ChatFault, match="cannot be stored"):
            accounts.arrive("https://x a\ud800", "eve")


def fill(accounts: Accounts) -> None:
    """The file cannot grow."""
    [[pages]] = accounts._read(sql("PRAGMA page_count"))
    accounts._read(sql(f"PRAGMA max_page_count={pages}"))


def test_a_full_disk_is_told_and_changes_nothing(tmp_path: Path) -> None:
    with closing(Accounts(tmp_path)) as accounts:
        accounts.add("ada", PASSWORD)
        fill(accounts)
        with pytest.raises(DiskFull):
            for _ in range(1_000):
                accounts.sign_in("ada")
        assert accounts.check("ada", PASSWORD)


def test_nobody_is_told_to_move_accounts_away_where_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OperationalError("", None, sqlite3.OperationalError("database or disk is full"))

    monkeypatch.setattr(Accounts, "_read", full)
    with pytest.raises(DiskFull):
        Accounts(tmp_path)
