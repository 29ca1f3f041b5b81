"""How quick the memory is with many notes of one user, and what many users cost a server.

Notes are two questions of the training data each; their vectors are made of their words' own, since embedding 100,000
takes an hour. The question's embedding by the real model is timed apart.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import datetime
from functools import cache
from itertools import chain
from pathlib import Path
from random import Random
from typing import TypeVar
from zlib import crc32

import numpy as np
import psutil
from numpy.typing import NDArray

from chat.bench.figures import middle, rounded
from chat.bench.load import talk
from chat.bench.server import serving
from chat.settings import Settings
from memory.bert import WIDTH
from memory.embedder import Embedder
from memory.memory import KINDS, Note, Wanted
from memory.store import MemoryStore, UserMemory
from minds.training.turns.data import by_people

T = TypeVar("T")
QUESTIONS, WRITES, EACH, AT_ONCE = 60, 100, 100, 10
"""EACH: notes of one of many users; AT_ONCE: how many of these talk."""


class OfWords:
    """A text's vector is the sum of its words' own, which chance made."""

    name = Embedder.name

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit length, float32, (len(texts), 384)."""
        rows = np.stack([sum((_word(word) for word in text.lower().split()), _word("")) for text in texts])
        unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit


@cache
def _word(word: str) -> NDArray[np.float32]:
    return np.random.default_rng(crc32(word.encode())).standard_normal(WIDTH).astype(np.float32)


def scale(settings: Settings, sizes: Sequence[int], users: int) -> dict[str, object]:
    """Milliseconds (p50) of a recall by filter and of a write; of a server of one and of many: MB, files, start."""
    embedder = Embedder()
    embedder.warm()
    embedding = _ms(lambda text: embedder.embed([text]), _sentences()[:QUESTIONS])
    figures: dict[str, object] = {"embedding_ms": middle(embedding)}
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="duet-bench-") as folder:
            figures[f"notes_{size}"] = _of_one(Path(folder), size)
            print(size, rounded(figures[f"notes_{size}"]), flush=True)
    one, many = (_of_many(settings, count) for count in (1, users))
    return figures | {"users_1": one, f"users_{users}": many}


def _of_one(folder: Path, size: int) -> dict[str, object]:
    with closing(MemoryStore(folder, OfWords())) as store:
        memory = store.user("person")
        notes = list(_notes(size))
        for start in range(0, size, 1000):
            memory.keep(notes[start : start + 1000])
        store.settle()
        recalls = {name: _recall(memory, wanted) for name, wanted in _filters(notes).items()}
        worked = _recall(memory, Wanted(), time.process_time)
        writes = _ms(lambda note: memory.keep([note]), _notes(WRITES, "fresh"))
    told = {"recall_ms": recalls, "processor_ms": worked}
    return {**told, "write_ms": middle(writes), "slowest_write_ms": max(writes)}


def _filters(notes: Sequence[Note]) -> dict[str, Wanted]:
    old, new = notes[len(notes) // 3].at, notes[len(notes) // 2].at
    kinds: dict[str, Wanted] = {kind: Wanted((kind,)) for kind in KINDS}
    return {
        "none": Wanted(), **kinds, "session": Wanted(KINDS, notes[len(notes) // 2].session),
        "speaker": Wanted(KINDS, speaker="user"), "time": Wanted(KINDS, since=old, until=new),
    }  # fmt: skip


def _recall(memory: UserMemory, wanted: Wanted, clock: Callable[[], float] = time.perf_counter) -> float:
    """Milliseconds; by `time.process_time` what other work on the machine does not change."""
    now = datetime.now().astimezone()
    asked = [note.text for note in _notes(QUESTIONS, "asked")]
    assert any(memory.recall(text, now, wanted) for text in asked)
    return middle(_ms(lambda text: memory.recall(text, now, wanted), asked, clock))


def _notes(count: int, seed: str = "kept") -> Iterator[Note]:
    """One an hour, twenty a conversation, of all kinds: six turns, two facts, a result and an episode in ten."""
    rng, sentences = Random(seed), _sentences()
    kinds = [KINDS[0]] * 6 + [KINDS[2]] * 2 + [KINDS[1], KINDS[3]]
    began = time.time() - count * 3600
    for n in range(count):
        text, speaker = " ".join(rng.sample(sentences, 2)), ("user", "assistant")[n % 2]
        session = f"{seed}{n // 20}"
        yield Note(f"{session}:{n}:note", kinds[n % 10], text, began + n * 3600, "", session, n, speaker)


@cache
def _sentences() -> list[str]:
    return sorted({text for group in by_people() for text in group.same})


def _ms(work: Callable[[T], object], given: Iterable[T], clock: Callable[[], float] = time.perf_counter) -> list[float]:
    """What the work takes with each that is given."""
    took = list[float]()
    for one in given:
        began = clock()
        work(one)
        took.append((clock() - began) * 1000)
    return took


def _of_many(settings: Settings, users: int) -> dict[str, object]:
    """Each has notes and says one thing to a server with a scripted model; then it is looked at."""
    names = [f"user{number}" for number in range(users)]

    def prepare(home: Path) -> None:
        with closing(MemoryStore(home / "memory", OfWords())) as store:
            for name in names:
                store.user(name).keep(_notes(EACH, name))
                store.settle()

    with serving(settings, users=names, prepare=prepare) as server:
        server.end()
        started = server.start()
        turns = asyncio.run(_all_talk(server.address.url, server.tokens))
        process = psutil.Process(server.address.pid)
        return {
            "mb": round(process.memory_info().rss / 1e6),
            "files": process.num_fds(),
            "start_s": started,
            "turn_s": middle(turns),
        }


async def _all_talk(url: str, tokens: Sequence[str]) -> list[float]:
    """Seconds of each one's turn."""
    room = asyncio.Semaphore(AT_ONCE)
    return [*chain(*await asyncio.gather(*(talk(url, token, 1, room) for token in tokens)))]
