"""What the memory recalls of long conversations in LoCoMo's form, through the call that a turn makes.

A file is what LoCoMo publishes, a list of {"qa", "conversation": {"session_1", "session_1_date_time", ...}}, or one of
these, or one conversation with its `qa` beside the sessions.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chat.app import Duet
from chat.bench import Ask
from chat.bench.figures import middle, rounded
from chat.bench.ground import a_duet
from chat.faults import ChatFault
from chat.turn_context import SMALL_BUDGET, within_budget
from memory.memory import Note, Recall, Wanted
from memory.store import UserMemory

CATEGORIES = {1: "several hops", 2: "time", 3: "open domain", 4: "one hop"}
WAYS = ("recalled", "within the budget", "bm25", "cosine", "fusion")


@dataclass(frozen=True)
class Asked:
    """One question with the turns that answer it."""

    question: str
    category: int
    evidence: frozenset[str]

    def share(self, ids: Sequence[str]) -> float:
        """Of the turns that answer it, those that were found."""
        return len(self.evidence.intersection(ids)) / len(self.evidence)


async def locomo(ask: Ask, folder: Path) -> dict[str, object]:
    """Each conversation is one user's past; each question is asked in a new conversation. Raises ChatFault."""
    shares: list[list[list[float]]] = []
    """Of each question, by the ways and at 5 and 10."""
    categories, seconds = list[int](), list[float]()
    told = {name: data for path in sorted(folder.glob("*.json")) for name, data in conversations(path).items()}
    async with a_duet(ask.settings, warm=False) as duet:
        for name, data in told.items():
            memory, now = await asyncio.to_thread(_loaded, duet, name, data)
            await duet.remembering.settle()
            for asked in list(questions(data))[: ask.limit]:
                began = time.monotonic()
                recalled = duet.remembering.bearing(name, asked.question, now, Wanted())
                seconds.append(time.monotonic() - began)
                ways = _ways(memory, asked.question, recalled)
                shares.append([[asked.share(ways[way][:most]) for most in (5, 10)] for way in WAYS])
                categories.append(asked.category)
            if shares:
                print(f"{name}: recall@10 {np.mean(shares, axis=0)[0, 1]:.3f} so far", flush=True)
    if not shares:
        raise ChatFault(
            f"There is nothing to ask in {folder}: it holds LoCoMo's conversations as JSON files, with their `qa`."
        )
    found = {way: _recall(np.array(shares)[:, number]) for number, way in enumerate(WAYS)}
    for way, recall in found.items():
        print(f"{way:18} {rounded(recall)}")
    own = np.array(shares)[:, 0]
    return {
        **found.pop("recalled"),
        "by_category": {CATEGORIES[n]: _recall(own[np.equal(categories, n)]) for n in sorted({*categories})},
        "n": len(own),
        "recall_at_10_of": {way.replace(" ", "_"): recall["recall_at_10"] for way, recall in found.items()},
        "p50_ms": 1000 * middle(seconds),
    }


def _recall(shares: NDArray[np.float64]) -> dict[str, float]:
    """The means of shares at 5 and 10, shape (questions, 2)."""
    at5, at10 = shares.mean(0).tolist()
    return {"recall_at_5": at5, "recall_at_10": at10}


def questions(data: Mapping[str, Any]) -> Iterator[Asked]:
    """Those of categories 1 to 4 that name evidence."""
    for qa in data["qa"]:
        evidence = frozenset(re.findall(r"D\d+:\d+", " ".join(qa.get("evidence") or ())))
        if evidence and int(qa["category"]) in CATEGORIES:
            yield Asked(str(qa["question"]), int(qa["category"]), evidence)


def conversations(path: Path) -> dict[str, dict[str, Any]]:
    """A file's, by name, each with its `qa` beside its sessions. Raises ChatFault for what is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise ChatFault(f"{path.name} cannot be read as a conversation: {fault}.") from fault
    named = (
        {f"{path.stem}-{n}": one for n, one in enumerate(found, 1)} if isinstance(found, list) else {path.stem: found}
    )
    return {name: _flat(name, one) for name, one in named.items()}


def _flat(name: str, sample: Any) -> dict[str, Any]:
    data = {**sample, **sample.get("conversation", {})} if isinstance(sample, dict) else {}
    if not (data.get("qa") and data.get("session_1") and data.get("session_1_date_time")):
        raise ChatFault(f"{name} is no conversation of LoCoMo: it needs `qa`, `session_1` and `session_1_date_time`.")
    return data


def _loaded(duet: Duet, user: str, data: Mapping[str, Any]) -> tuple[UserMemory, datetime]:
    """The user's memory, and the day after the last session."""
    memory, last = duet.remembering.of(user), datetime.fromtimestamp(0).astimezone()
    for number in takewhile(lambda number: f"session_{number}_date_time" in data, count(1)):
        began = datetime.strptime(data[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").astimezone()
        last = max(last, began)
        memory.keep(_notes(data.get(f"session_{number}", ()), number, began.timestamp()))
    return memory, last + timedelta(days=1)


def _notes(turns: Sequence[Mapping[str, Any]], session: int, at: float) -> Iterator[Note]:
    for place, turn in enumerate(turns):
        photo = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
        yield Note(
            turn["dia_id"], "turn", turn["text"] + photo, at + place, session=f"session {session}", turn=place + 1,
            speaker=turn["speaker"],
        )  # fmt: skip


def _ways(memory: UserMemory, question: str, recalled: Sequence[Recall]) -> dict[str, list[str]]:
    """Ids by each way of ranking; the last three from the same notes, beside it."""
    told = within_budget(recalled, set(), SMALL_BUDGET)
    words = memory.notes.rows(own := memory.notes.search(question, ("turn",), "", 50))
    near = memory.notes.rows(seqs := memory.vectors.nearest("said", memory._embedder.embed([question])[0], 50))
    bm25 = [words[seq].id for seq in own if seq in words]
    cosine = [near[seq].id for seq in seqs if seq in near]
    fused = {id_: sum(1 / (60 + way.index(id_)) for way in (bm25, cosine) if id_ in way) for id_ in {*bm25, *cosine}}
    ids = [recall.note.id for recall in recalled]
    return {
        "recalled": ids, "within the budget": ids[: len(told)], "bm25": bm25, "cosine": cosine,
        "fusion": sorted(fused, key=lambda id_: -fused[id_]),
    }  # fmt: skip
