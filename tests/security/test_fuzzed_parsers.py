"""Whatever a file, a setting or somebody's words hold: what reads them answers, or says one sentence, and soon.

Hypothesis makes things up, the same ones in every run; DUET_EXAMPLES=2000 tries so many of each.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from datetime import date
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from chat import imports
from chat.backups import is_good, restore
from chat.deletions import deletions
from chat.evaluation.command import EXAMPLE
from chat.evaluation.rubric import FOLDER as RUBRICS
from chat.evaluation.rubric import read_rubric
from chat.evaluation.suite_reader import read_suite
from chat.export import to_json
from chat.faults import ChatFault
from chat.home import find_server
from chat.notebook import WISHES, fulfil
from chat.settings import Settings, _dotenv, chosen, read_settings
from chat.transcript import Transcript
from chat.ui.markup import markdown
from chat.worlds.commands import control, spec_of_play
from memory.memory import MemoryFault
from memory.store import MemoryStore, UserMemory
from memory.times import spans
from minds.dialogue import Reply
from minds.grounds import unsupported
from minds.models.answers import tool_call
from minds.models.catalogue import known, published
from minds.models.keys import addresses, is_local, key_of
from minds.models.language import ModelFault
from minds.models.listing import _listed, _read
from minds.models.spec import parse
from minds.protocol import Reader
from tests.chat.test_foreign import CHATGPT
from tests.memory.embedding import WordVectors
from tests.security.test_foreign_files import exported
from tests.security.test_fuzzed_requests import imports as memory_imports
from tests.security.test_fuzzed_requests import values
from tests.tools.manual import manual
from tools.convert import _unit, convert
from tools.desk import ToolFault
from tools.expression import program
from tools.plain import one_line
from tools.reading import read_document
from tools.worlds.alfworld import AlfWorlds
from tools.worlds.textworld import TextWorlds
from tools.worlds.world import WorldFault, WorldSpec

EXAMPLES = int(os.environ.get("DUET_EXAMPLES") or 20)
FAULTS = (ChatFault, ModelFault, ToolFault, MemoryFault, WorldFault)
LATEST = 2.0
"""Seconds of the processor: the machine may be busy."""
NUMBERS = count()


def fuzzed(*given_: st.SearchStrategy[Any], share: float = 1.0) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """`share`: of the examples, where each costs much."""
    limits = settings(
        max_examples=max(2, int(EXAMPLES * share)), deadline=None, database=None, derandomize=True,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    return lambda test: limits(given(*given_)(test))


def answers(call: Callable[..., object], *values: Any) -> None:
    """It returns or raises one sentence, within LATEST."""
    began = time.process_time()
    try:
        call(*values)
    except FAULTS as fault:
        assert str(fault).strip() and len(str(fault)) < 3000
    assert time.process_time() - began < LATEST


# -- what is made up

BITS = [
    b"", b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"[" * 3000, b"{" * 3000, b"- " * 3000, b'"', b"'", b"\n\n", b"\t",
    b": ", b"&a [*a]", b"&a {b: *a}", b"!!python/object:os.system x", b"<<: *a", b"9" * 400, b"-1", b"1e999", b"NaN",
    b"null", b"true", b"[]", b"{}", b"${HOME}", b"%s%n", b"..", b"/", b"~nobody", b"\xe2\x80\xae", b"\xc2\xb2",
    b"x" * 5000, b"(a+)+$", b"*", b"?", b"---\n", b"#",
]  # fmt: skip
bits = st.sampled_from(BITS) | st.binary(max_size=12)
edits = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 40), bits), min_size=1, max_size=4)


def mutated(good: bytes) -> st.SearchStrategy[bytes]:
    """A good file with a few places of it replaced, or something else altogether."""

    def changed(places: list[tuple[float, int, bytes]]) -> bytes:
        data = good
        for at, gone, put in places:
            start = int(at * len(data))
            data = data[:start] + put + data[start + gone :]
        return data

    return st.one_of(edits.map(changed), edits.map(changed), st.binary(max_size=300), bits)


WORDS = (
    "387*46", "12 km in miles", "15% of 80", "days until 24 December", "^", "**", "9^9", "(", ")", "sqrt", "-", "%",
    "!", "1e308", "/0", " ", "=", "9" * 60, "°F", "to", "between", "29 February", "0001-01-01", "9999-12-31", "+",
    "99999 years", "²", "½", "٣", "ft", "[", "]", "Invoke[True]", "Response[", "SlowMind[", "$x^2$", "$$", "\\frac{",
    "```", "|", "<b>", "http://[", "\ud800", "\0", "\u202e", "last year", "in June", "/play", "/world", "undo",
    "return", "scienceworld", "--variation", "'", "\n", "openai:", "hf:", "embedded", "gguf:", "@http://", "?quant=",
    "strong=", "..", "<think>", "{", "}", "*" * 200, "(" * 200,
)  # fmt: skip
said = st.lists(st.sampled_from(WORDS) | st.text(max_size=8), max_size=12).map("".join)
spaced = st.lists(st.sampled_from(WORDS) | st.text(max_size=8), max_size=8).map(" ".join)
words = said | spaced | st.text(max_size=200)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("parsed")


def named(folder: Path) -> Path:
    """A folder that is new."""
    made = folder / str(next(NUMBERS))
    made.mkdir()
    return made


# -- files


@pytest.mark.slow
@fuzzed(
    mutated((EXAMPLE / "suite.yaml").read_bytes()),
    mutated((EXAMPLE / "viewing.yaml").read_bytes()),
    st.booleans(),
    share=0.5,
)
def test_a_suite_is_read_or_told(folder: Path, suite: bytes, script: bytes, whole: bool) -> None:
    place = named(folder)
    shutil.copy(EXAMPLE / "suite.yaml", place)
    if not whole:
        (place / "suite.yaml").write_bytes(suite)
    (place / "viewing.yaml").write_bytes(script)
    read_suite(place, folder / "bases")  # builds a database once
    answers(lambda: [str(problem) for problem in read_suite(place, folder / "bases")[1]])


@fuzzed(mutated((RUBRICS / "duma.yaml").read_bytes()))
def test_a_rubric_is_read_or_told(folder: Path, data: bytes) -> None:
    path = named(folder) / "rubric.yaml"
    path.write_bytes(data)
    answers(lambda: read_rubric(path.name, path.parent))


@pytest.fixture(scope="module")
def transcript(folder: Path) -> Iterator[Transcript]:
    made = Transcript(folder / "home" / "duet.sqlite")
    yield made
    made.close()


@fuzzed(mutated(json.dumps(exported(3)).encode()) | mutated(json.dumps(CHATGPT).encode()))
def test_an_import_of_a_conversation_is_taken_or_told(transcript: Transcript, data: bytes) -> None:
    def taken() -> None:
        for session in imports.take_in(transcript, "ada", data)[0]:
            transcript.events(session.id)
            to_json(transcript, session.id)

    answers(taken)


@pytest.fixture(scope="module")
def memory(folder: Path) -> Iterator[UserMemory]:
    store = MemoryStore(folder / "memory", WordVectors(), None)
    yield store.user("ada")
    store.close()


@fuzzed(memory_imports | values, st.sampled_from(sorted(WISHES)))
def test_a_wish_about_the_memory_is_fulfilled_or_told(memory: UserMemory, asked: Any, wish: str) -> None:
    for each in ("import", wish):
        about = asked if isinstance(asked, dict) else {"id": asked}
        answers(lambda wish, about: json.dumps(fulfil(memory, wish, about)), each, about)
    json.dumps(fulfil(memory, "export", {}))


@fuzzed(mutated(b"# Returns\n\nSend it back.\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nEnd\n===\n"), words)
def test_a_document_is_read_or_told(data: bytes, name: str) -> None:
    for end in (".md", ".txt", ""):
        answers(lambda named: read_document(named, data), name + end)


@pytest.mark.real
@fuzzed(mutated(manual()), share=0.1)
def test_a_pdf_is_read_or_told(data: bytes) -> None:
    answers(lambda: read_document("manual.pdf", b"%PDF-1.4\n" + data))


@pytest.mark.real
@fuzzed(mutated(b"\x08" + bytes(63) + bytes(range(256)) * 20), share=0.05)
def test_a_game_is_played_or_told(folder: Path, data: bytes) -> None:
    path = named(folder) / "game.z8"
    path.write_bytes(data)

    def played() -> None:
        world = TextWorlds().open(WorldSpec("textworld", str(path)))
        try:
            world.reset()
            world.step("look")
        finally:
            world.close()

    answers(played)


@fuzzed(words)
def test_a_game_that_is_named_somehow_is_told(name: str) -> None:
    answers(lambda: TextWorlds().open(WorldSpec("textworld", name)) if not Path(name).is_absolute() else None)


@fuzzed(
    mutated(b'{"fast_model": "embedded", "slow_model": "openai:m@http://127.0.0.1/v1", "https://h": "key", "url": "u"}')
)
def test_the_homes_small_files_are_read_or_left_aside(folder: Path, data: bytes) -> None:
    home = named(folder)
    for name in ("minds.json", "keys.json", "server.json", "deletions.jsonl", "weights.json"):
        (home / name).write_bytes(data)
    answers(lambda: (chosen(home), addresses(home / "keys.json"), find_server(home), deletions(home), known(home)))
    answers(lambda: key_of("https://h", home / "keys.json"))


@pytest.fixture(scope="module")
def kept(folder: Path) -> bytes:
    """A backup."""
    home = named(folder)
    made = Transcript(home / "duet.sqlite")
    session = made.new_session("ada", "mine").id
    made.append(session, made.begin_turn(session, "hello").turn, "end", {"state": "done"})
    made.close()
    return (home / "duet.sqlite").read_bytes()


@fuzzed(edits, st.binary(max_size=100), share=0.5)
def test_a_backup_is_restored_or_told(folder: Path, kept: bytes, places: Any, deleted: bytes) -> None:
    home, data = named(folder), bytearray(kept)
    for at, _, put in places:
        start = int(at * (len(data) - len(put)))
        data[start : start + len(put)] = put
    file = home / "backup.sqlite"
    file.write_bytes(bytes(data))
    (home / "deletions.jsonl").write_bytes(b'{"kind": "session", "id": "x"}\n' + deleted)

    def restored() -> None:
        is_good(file)
        restore(home, file)
        Transcript(home / "duet.sqlite").close()

    answers(restored)


# -- settings


@fuzzed(mutated(b"DUET_USER=eve\nexport DUET_PORT='7860'\nOPENAI_API_KEY=\"a\\nb\" # c\nDUET_KEYS=https://h/v1=k\n"))
def test_an_env_file_is_read_or_told(folder: Path, data: bytes) -> None:
    place = named(folder)
    (place / ".env").write_bytes(data)
    before, environment = Path.cwd(), dict(os.environ)
    os.chdir(place)
    try:
        answers(_dotenv)
        answers(read_settings)
    finally:
        os.chdir(before)
        for name in set(os.environ) - set(environment):
            del os.environ[name]


NAMES = st.sampled_from([f"DUET_{name.upper()}" for name in Settings.__dataclass_fields__])
MEANT = st.sampled_from(
    [
        "0",
        "-1",
        "nan",
        "inf",
        "1e400",
        "²",
        "9" * 50,
        "~nobody/x",
        "~",
        "on",
        "127.0.0.1",
        "0.0.0.0",
        "::1%eth0",
        "../x",
    ]
)


@fuzzed(st.dictionaries(NAMES, (words | MEANT).filter(lambda text: "\0" not in text), max_size=3))
def test_the_environment_is_read_or_told(folder: Path, environ: dict[str, str]) -> None:
    answers(lambda: read_settings(environ={"DUET_HOME": str(folder / "home"), **environ}))


# -- words


@example("1" + "^9" * 50)
@example("9^" * 3 + "9")
@example("(" * 55 + "1" + ")" * 55)
@example("1-" * 59 + "1")
@example("1 km " * 20 + "in m")
@fuzzed(words)
def test_an_expression_is_worked_out_or_none(text: str) -> None:
    answers(lambda: program(text[:120] + "1", date(2026, 11, 23)))
    answers(lambda: program(text, date(2026, 11, 23)))
    answers(lambda: one_line(text))


@example("m**9**9**9", "m", 1.0)
@example("1/0", "m", 1e308)
@fuzzed(words, words, st.floats())
def test_a_unit_is_converted_or_told(unit: str, to: str, amount: float) -> None:
    answers(lambda: convert(amount, unit, to))
    answers(lambda: convert(amount, unit, unit))


@example("embedded?strong=²")
@example("openai:m@http://[::1")
@example("openai:m@http://h/v1?context=²")
@fuzzed(words)
def test_a_spec_of_a_model_is_read_or_told(text: str) -> None:
    for kind in ("", "openai:", "openai:m@http://", "hf:", "gguf:hf:", "langchain:"):
        answers(lambda spec: (parse(spec).small, parse(spec).number("context", 0)), kind + text)
    answers(lambda: (key_of(text), key_of(f"http://{text}"), is_local(f"http://{text}")))


@fuzzed(words)
def test_a_command_is_taken_or_told(text: str) -> None:
    answers(lambda: control(f"/world {text}"))
    answers(lambda: control("/world undo ²"))
    answers(lambda: spec_of_play(f"/play textworld {text}", lambda name: TextWorlds()))


@fuzzed(words, share=0.3)
def test_a_times_words_name_some_or_none(text: str) -> None:
    from datetime import UTC, datetime

    answers(lambda: spans(text, datetime(2026, 11, 23, tzinfo=UTC)))


# -- what models and their servers say


@example("[" * 5000)
@example("Invoke[True]\nResponse[" + "]" * 5000)
@fuzzed(words)
def test_a_models_words_are_taken_apart_and_shown(text: str) -> None:
    def read() -> None:
        reader = Reader(Reply())
        for piece in (text[i : i + 7] for i in range(0, len(text), 7)):
            reader.feed(piece)
        reader.end()

    answers(read)
    answers(lambda: (unsupported(text, [text[:50]]), tool_call("python", text)))
    answers(lambda: markdown(text, [text[:5]]))


@fuzzed(mutated(b'{"data": [{"id": "m", "context_window": 128000, "meta": {"n_ctx": 8192}}]}'))
def test_a_servers_list_is_read_or_told(data: bytes) -> None:
    answers(lambda: _listed(_read(data, "http://127.0.0.1/v1")))
    answers(lambda: tool_call("python", data.decode(errors="replace")))


@fuzzed(values)
def test_what_the_hub_says_is_read_or_told(told: Any) -> None:
    for found in (told, {"siblings": told}, {"siblings": [{"rfilename": "m.gguf", "lfs": told}], "sha": told}):
        answers(lambda told: published("hf:a/b/m.gguf", told), found)


# -- what was found so, once


@pytest.mark.parametrize(
    "call",
    [
        lambda: TextWorlds().open(WorldSpec("textworld", "*" * 400)),
        lambda: TextWorlds().open(WorldSpec("textworld", "~nobody-of-this-name/a.z8")),
        lambda: AlfWorlds().open(WorldSpec("alfworld", "x" * 400)),
        lambda: read_settings({}, {"DUET_HOME": "~nobody-of-this-name"}),
        lambda: _unit("-"),
    ],
)
def test_what_stumbled_is_told(call: Callable[[], object]) -> None:
    with pytest.raises(FAULTS):
        call()
