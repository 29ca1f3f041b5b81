"""What strangers' files do to the process that reads them, they do to that one alone: a dead child is a sentence."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from chat import imports
from chat.evaluation import references
from chat.faults import ChatFault
from chat.transcript import Transcript
from tests.brought import from_json
from tests.tools.manual import manual
from tools import apart, reading
from tools.apart import Died, Unreadable, bare_environment, command
from tools.desk import ToolFault
from tools.reading import read_document
from tools.worlds.textworld import TextWorlds
from tools.worlds.world import WorldFault, WorldSpec

MINE = "tests.security.children"
pytestmark = pytest.mark.real
"""Each begins processes."""


def bomb(lines: int) -> bytes:
    """A PDF whose one page is so large when it is unpacked."""
    packer, many = zlib.compressobj(1), b") Tj ET\n" * 100_000
    pieces = [packer.compress(b"BT /F1 12 Tf (" + b"a" * 100)]
    stream = b"".join([*pieces, *(packer.compress(many) for _ in range(lines // 100_000)), packer.flush()])
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/Contents 4 0 R/MediaBox[0 0 9 9]/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]  # fmt: skip
    body = b"%PDF-1.4\n" + b"".join(b"%d 0 obj%s endobj\n" % (n, part) for n, part in enumerate(parts, 1))
    return body + b"trailer<</Root 1 0 R/Size 6>>\n%%EOF"


@pytest.mark.parametrize("work", ["ends", "kills", "hangs", "spins", "swells", "talks", "floods"])
def test_a_child_that_dies_or_hangs_is_over_soon(work: str) -> None:
    began = time.monotonic()
    with pytest.raises((Died, Unreadable)):
        apart.apart(f"{MINE}:{work}", b"", seconds=3, memory=1_000_000_000)
    assert time.monotonic() - began < 8


def test_a_child_writes_no_file_and_knows_no_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("DUET_TOKEN", "secret")
    with pytest.raises((Died, Unreadable)):
        apart.apart(f"{MINE}:writes", str(tmp_path / "written").encode(), seconds=20)
    assert not (tmp_path / "written").exists() or (tmp_path / "written").stat().st_size == 0
    assert not {"OPENAI_API_KEY", "DUET_TOKEN"} & set(apart.apart(f"{MINE}:tells", b"", seconds=20))


def test_without_the_limits_the_file_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(apart.ROOT)!r}); from {MINE} import writes; writes(sys.argv[1].encode())"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "written")], check=True)
    assert (tmp_path / "written").read_bytes() == b"x"


# -- PDF


def test_a_good_pdf_is_read() -> None:
    assert any("page 1" in chunk.place for chunk in read_document("manual.pdf", manual()))


@pytest.mark.parametrize("seed", range(8))
def test_a_broken_pdf_is_a_sentence_or_text(seed: int) -> None:
    chance, data = random.Random(seed), bytearray(manual())
    for _ in range(seed * 20):
        data[chance.randrange(9, len(data))] = chance.randrange(256)
    try:
        read_document("broken.pdf", bytes(data))
    except ToolFault as fault:
        assert "\n" not in str(fault) and "upload" in str(fault)


HOSTILE: dict[str, Callable[[], bytes]] = {
    "nested": lambda: b"%PDF-1.4\n" + b"[" * 200_000,
    "circle": lambda: b"%PDF-1.4\n1 0 obj<</Kids[1 0 R]/Type/Pages>>endobj trailer<</Root 1 0 R>>",
    "dictionaries": lambda: b"%PDF-1.4\n" + b"<<" * 100_000,
    "xref": lambda: b"%PDF-1.7\nxref\n0 99999999999\ntrailer<</Size 99999999999>>",
    "bomb": lambda: bomb(40_000_000),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_pdf_is_a_sentence(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "PATIENCE", 4.0)
    with pytest.raises(ToolFault, match="upload"):
        read_document("hostile.pdf", HOSTILE[kind]())


# -- games


@pytest.mark.parametrize(
    "data",
    [b"", b"garbage", b"\x08" + bytes(63), b"\x08" * 600, bytes(range(256)) * 40, b"\x08\0" + b"\xff" * 4000,
     b"\x08" + random.Random(1).randbytes(5000)],
)  # fmt: skip
def test_a_bad_game_ends_its_own_process_only(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "bad.z8"
    path.write_bytes(data)
    with pytest.raises(WorldFault) as caught:
        world = TextWorlds().open(WorldSpec("textworld", str(path)))
        try:
            world.reset()
            for _ in range(3):
                world.step("look")
            raise WorldFault("it can be played")  # garbage that the interpreter takes for a story
        finally:
            world.close()
    assert "\n" not in str(caught.value)


def test_without_the_process_a_bad_game_ends_everything(tmp_path: Path) -> None:
    path = tmp_path / "bad.z8"
    path.write_bytes(b"\x08" * 600)
    script = (
        f"import sys; sys.path.insert(0, {str(apart.ROOT)!r})\nfrom pathlib import Path\n"
        "from tools.worlds.textworld_game import TextWorld\nfrom tools.worlds.world import WorldSpec\n"
        f"try:\n    TextWorld(WorldSpec('textworld', ''), Path({str(path)!r})).reset()\n"
        "except BaseException:\n    pass\nprint('still here')"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert "still here" not in ended.stdout


def test_a_game_that_hangs_or_is_killed_is_lost_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tools.worlds import textworld

    silent = [sys.executable, "-c", "import sys\nfor line in sys.stdin: pass"]
    monkeypatch.setattr(textworld, "command", lambda *_: silent)
    monkeypatch.setattr(textworld, "OPEN", 0.3)
    (tmp_path / "game.z8").write_bytes(b"")
    before = threading.active_count()
    with pytest.raises(WorldFault, match="cannot be played"):
        textworld.FarGame(WorldSpec("textworld", ""), tmp_path / "game.z8")
    assert threading.active_count() == before


@pytest.mark.parametrize(
    "answer", ["", "{", "[]", "null", "1", '{"x": 1}', "x" * 9_000_000, '{"made"' + "[" * 100_000],
    ids=["silence", "half", "list", "null", "number", "other", "flood", "nested"],
)  # fmt: skip
def test_a_game_whose_process_was_taken_over_says_nothing_that_is_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    from tools.worlds import textworld

    (tmp_path / "answer").write_text(answer)
    said = f"import sys; sys.stdin.readline(); print(open({str(tmp_path / 'answer')!r}).read(), flush=True)"
    monkeypatch.setattr(textworld, "command", lambda *_: [sys.executable, "-c", said])
    with pytest.raises(WorldFault):
        textworld.FarGame(WorldSpec("textworld", ""), tmp_path / "game.z8")


def test_the_children_run_our_own_modules_wherever_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("tools", "json", "pypdf"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    read_document("manual.pdf", manual())
    assert "-P" in command("tools.apart") and "OPENAI_API_KEY" not in bare_environment()


# -- imports


@pytest.mark.parametrize(
    "text",
    ["", "[" * 100_000, "{" * 100_000, '{"format": ' * 5000, "[[]," * 1_000_000, "9" * 5000, '{"a": 1e999}', "NaN",
     '{"format": "duet conversation", "version": 1, "turns": ' + "[" * 900 + "]" * 900 + "}",
     '"' + "\\ud800" * 99 + '"',
     "{" + ",".join(f'"{n}": {n}' for n in range(100_000)) + "}", "\0" * 1000, "x" * 21_000_000],
    ids=range(13),
)  # fmt: skip
def test_a_hostile_import_is_a_sentence_and_stores_nothing(tmp_path: Path, text: str) -> None:
    transcript = Transcript(tmp_path / "duet.sqlite")
    began = time.monotonic()
    with pytest.raises(ChatFault) as caught:
        from_json(transcript, "ada", text)
    assert time.monotonic() - began < 8 and "\n" not in str(caught.value)
    assert transcript.sessions("ada") == []
    transcript.close()


def exported(turns: int) -> dict[str, Any]:
    """A conversation as Duet writes it, with so many turns."""
    at = 1_700_000_000
    events = [
        {"turn": n, "kind": kind, "at": at, "data": data}
        for n in range(1, turns + 1)
        for kind, data in (("turn", {"text": "x" * 400}), ("end", {"state": "done"}))
    ]
    options = {
        "fast_model": "embedded",
        "slow_model": "embedded",
        "strategy": "react",
        "temperature": 0,
        "memory": True,
    }
    head = {"format": "duet conversation", "version": 1, "title": "t", "created": at, "updated": at, "options": options}
    done = [{"number": n, "state": "done", "feedback": 0} for n in range(1, turns + 1)]
    return {**head, "turns": done, "events": events, "documents": []}


def test_a_large_import_is_read_by_a_child_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    transcript = Transcript(tmp_path / "duet.sqlite")
    data = json.dumps(exported(400)).encode()
    assert len(data) > imports.SMALL
    assert len(transcript.turns_from(imports.take_in(transcript, "ada", data)[0][0].id, 1)) == 400
    wrong = exported(400) | {"title": 7}
    with pytest.raises(ChatFault, match="`title` in the file: input should be a valid string"):
        imports.take_in(transcript, "ada", json.dumps(wrong).encode())
    monkeypatch.setattr(imports, "PATIENCE", 0.01)
    with pytest.raises(ChatFault, match="too much time or memory"):
        imports.take_in(transcript, "ada", data)
    with pytest.raises(ChatFault, match="20 MB"):
        imports.take_in(transcript, "ada", b"x" * (imports.LIMIT + 1))
    assert len(transcript.sessions("ada")) == 1
    transcript.close()


# -- suites

ENDLESS = "(WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c)"


@pytest.mark.parametrize(
    "where", [ENDLESS, "length(zeroblob(900000000))", "length(replace(hex(zeroblob(9000000)), '0', 'xxxxxx'))"]
)
def test_a_suites_condition_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    from tools.domains import BASE

    monkeypatch.setattr(references, "PATIENCE", 0.3)
    with closing(sqlite3.connect(tmp_path / BASE)) as base:
        base.executescript("CREATE TABLE homes(id TEXT, price INTEGER); INSERT INTO homes VALUES ('a', 1)")
    queries = references.Base(tmp_path, "housing", datetime.now(UTC))
    began = time.monotonic()
    with pytest.raises(sqlite3.Error):
        queries._rows(f"SELECT * FROM homes WHERE {where}")
    assert time.monotonic() - began < 5
    assert queries._rows("SELECT price FROM homes WHERE 1") == [{"price": 1}]
