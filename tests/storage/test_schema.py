"""New files and files of earlier versions come to the same tables; what is not ours is left as it is."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from runpy import run_path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError, OperationalError, ProgrammingError

from chat.access.accounts import ACCOUNTS
from chat.tables import TRANSCRIPT
from memory.tables import NOTES
from storage.engine import Damaged, Store, afresh, check, reading, transaction, writer
from storage.schema import Foreign, Newer, Schema
from tools.ledger import LEDGER

SCHEMAS = pytest.mark.parametrize("schema", [TRANSCRIPT, NOTES, LEDGER, ACCOUNTS], ids=lambda s: s.folder.name)


def script(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.executescript(sql)


def first(schema: Schema) -> str:
    """The tables of before Alembic."""
    return str(next(run_path(str(path))["SQL"] for path in schema.folder.glob("r0001*")))


def shape(path: Path) -> dict[str, object]:
    """Columns, indexes and references as SQLite has them; what `NOT NULL` a primary key says for itself left out."""
    with closing(sqlite3.connect(path)) as db:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table' ORDER BY name")]
        return {
            name: (
                sorted((c[1], c[3] or c[5] > 0, c[5]) for c in db.execute(f"PRAGMA table_info({name})")),
                sorted(
                    (i[1] * (i[3] == "c"), *i[2:], *db.execute(f"PRAGMA index_info({i[1]})"))
                    for i in db.execute(f"PRAGMA index_list({name})")
                ),
                db.execute(f"PRAGMA foreign_key_list({name})").fetchall(),
            )
            for name in names
        }


@SCHEMAS
def test_a_file_of_before_alembic_comes_to_the_tables_of_a_new_one(tmp_path: Path, schema: Schema) -> None:
    script(tmp_path / "old", first(schema))
    for name in ("old", "new"):
        Store(tmp_path / name, schema.settle).close()
    assert shape(tmp_path / "old") == shape(tmp_path / "new")
    assert "alembic_version" in shape(tmp_path / "old")


@SCHEMAS
def test_an_index_that_an_old_file_lacks_is_made(tmp_path: Path, schema: Schema) -> None:
    script(tmp_path / "old", first(schema))
    with closing(sqlite3.connect(tmp_path / "old")) as db:
        for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='index' AND sql IS NOT NULL").fetchall():
            db.execute(f"DROP INDEX {name}")
        db.commit()
    for name in ("old", "new"):
        Store(tmp_path / name, schema.settle).close()
    assert shape(tmp_path / "old") == shape(tmp_path / "new")


@SCHEMAS
def test_what_is_foreign_or_newer_is_refused(tmp_path: Path, schema: Schema) -> None:
    script(tmp_path / "foreign", "CREATE TABLE other(x)")
    with pytest.raises(Foreign, match="another program"):
        Store(tmp_path / "foreign", schema.settle)
    Store(tmp_path / "newer", schema.settle).close()
    script(tmp_path / "newer", "UPDATE alembic_version SET version_num='9999'")
    with pytest.raises(Newer, match="newer Duet"):
        Store(tmp_path / "newer", schema.settle)


def test_many_that_open_a_new_file_at_once_make_it_once(tmp_path: Path) -> None:
    def opened(_: int) -> None:
        Store(tmp_path / "file", TRANSCRIPT.settle).close()

    with ThreadPoolExecutor(8) as pool:
        assert len(list(pool.map(opened, range(16)))) == 16


@pytest.mark.real
def test_alembic_is_loaded_only_where_a_migration_is_due(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom chat.tables import TRANSCRIPT\nfrom storage.engine import Store\n"
        "for _ in range(2):\n    Store(Path(sys.argv[1]), TRANSCRIPT.settle).close()\n"
        "sys.exit('alembic' in sys.modules)\n"
    )
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", program, str(tmp_path / "a")], cwd=root, timeout=60).returncode == 0


def test_a_closed_file_stays_closed_and_no_error_tells_what_was_written(tmp_path: Path) -> None:
    store = Store(tmp_path / "file", TRANSCRIPT.settle)
    with pytest.raises(OperationalError) as caught:
        store._write(text("INSERT INTO nothing VALUES (:said)"), {"said": "a secret"})
    assert "a secret" not in str(caught.value)
    store.close()
    store.close()
    with pytest.raises(ProgrammingError, match="closed"):
        store._read(text("SELECT 1"))


def test_a_transaction_that_fails_leaves_no_trace(tmp_path: Path) -> None:
    engine = afresh(writer(tmp_path / "file"))
    with engine.connect() as db, transaction(db):
        db.execute(text("CREATE TABLE a(x)"))
    with pytest.raises(KeyError), engine.connect() as db, transaction(db):
        db.execute(text("INSERT INTO a VALUES (1)"))
        raise KeyError
    with reading(tmp_path / "file").connect() as db:
        assert db.execute(text("SELECT * FROM a")).all() == []
        with pytest.raises(OperationalError, match="readonly"):
            db.execute(text("DELETE FROM a"))


def test_a_damaged_page_is_found(tmp_path: Path) -> None:
    script(tmp_path / "file", "CREATE TABLE a(x); CREATE INDEX b ON a(x);" + "INSERT INTO a VALUES (1);" * 9)
    with closing(sqlite3.connect(tmp_path / "file", isolation_level=None)) as db:
        db.execute("PRAGMA writable_schema=ON")
        db.execute(
            "UPDATE sqlite_master SET rootpage=(SELECT rootpage FROM sqlite_master WHERE name='a') WHERE name='b'"
        )
    with pytest.raises((Damaged, DatabaseError)), reading(tmp_path / "file").connect() as db:
        check(db)
