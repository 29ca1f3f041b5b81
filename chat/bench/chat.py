"""`bench chat --data FILE`: everyday questions, each asked in a conversation of its own by a user of its own.

A line of data: {"id", "kind", "turns": [...], "expect": {...}, "today": ISO date, "documents": [...]}; what `expect`
may hold is in grading_answers.py; documents are files beside the data, uploaded before the first turn. The clock stands
at ten on that day. Only the last turn is graded, and of it only what is asserted (`answer`). `--bare` asks the model of
--slow-model alone, without Duet. Replies are kept in the folder of --out as they come; the same command goes on with
it, and grades all of it anew.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from datetime import date, datetime
from datetime import time as clock
from functools import partial
from itertools import count
from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import Field, FilePath
from pydantic.dataclasses import dataclass as pydantic_dataclass

from chat.app import Duet
from chat.bench import Ask
from chat.bench.cases import Row, play_all, read_cases
from chat.bench.figures import share, wilson
from chat.bench.grading_answers import Expect
from chat.bench.ground import Opens, a_duet, a_model, say
from chat.evaluation.play import final, taken
from chat.services import Swaps
from chat.settings import Settings
from minds.dialogue import Event
from minds.models import open_model
from minds.models.language import LanguageModel, Usage
from tools.reading import read_document

Word = Annotated[str, Field(min_length=1)]
ALONE = "You are a helpful assistant. Today is {today}. Think step by step, then give the answer."
TALK = "talk"
"""The kind of item that asks for a text and for nothing to be asserted: all that a model alone says is its answer."""
TEN = clock(10)
WRITTEN = 512
"""Tokens that a model alone may write in a reply."""


@pydantic_dataclass(frozen=True)
class Item:
    """What a person says in turn, and what the last reply must assert."""

    id: Word
    kind: Word
    turns: Annotated[tuple[str, ...], Field(min_length=1)]
    expect: Expect
    today: date | None = None
    documents: tuple[FilePath, ...] = ()

    def right(self, answer: str) -> bool:
        return self.expect.met(answer, self.turns, self.today)


@dataclass(frozen=True)
class Reply:
    """What came of one item: a line of the file."""

    id: str
    answer: str
    """The one thing asserted."""
    doubt: bool
    text: str
    """The whole reply to the last turn."""
    model: str
    seconds: float
    tokens: int
    """Paid in all turns: read anew, and written."""
    calls: int
    """Of models."""


def run(ask: Ask, opens: Opens = open_model) -> dict[str, object]:
    """Shares of the items: right (with a 95% interval), wrong without doubt, right with doubt; what an item cost."""
    items = read_items(ask.file("tests/data/chat/dev.jsonl"), ask.limit)
    model = f"bare {ask.settings.slow_model}" if ask.bare else minds_of(ask.settings)
    with closing(ask.folder("chat", model=model)) as folder:
        play = partial(play_all, folder, "replies", items, row_of=Reply, tell=_told)
        if ask.bare:
            replies = play(a_model(ask.settings, "slow", opens), partial(alone, ask.settings))
        else:
            replies = play(dual(ask.settings, opens), Dual.play)
    return figures([*items.values()], replies) | {"replies": str(folder.path)}


def _told(item: Item, reply: Reply) -> str:
    mark = ("right" if item.right(reply.answer) else "WRONG") + (" doubted" if reply.doubt else "")
    return f"{mark} {item.id} {reply.seconds:.1f} s"


def read_items(path: Path, limit: int | None = None) -> dict[str, Item]:
    """By id. Raises ChatFault where the file is none of items."""
    numbers, known = count(), set[str]()

    def before(row: Row) -> Row:
        row = _of_gsm8k(next(numbers), row) if "question" in row else row
        if row["id"] in known:  # its reply would be taken for the other's
            raise ValueError(f"the id {row['id']!r} is there twice")
        known.add(row["id"])
        return row | {"documents": [path.parent / name for name in row.get("documents") or ()]}

    return {item.id: item for item in read_cases(path, Item, before)[:limit]}


def _of_gsm8k(number: int, row: Row) -> Row:
    """A line of GSM8K (Cobbe et al. 2021): {"question", "answer": a number}."""
    expect = {"number": float(row["answer"]), "tolerance": 0.01}
    return {"id": f"gsm8k-{number}", "kind": "gsm8k", "turns": [row["question"]], "expect": expect}


# -- playing


def minds_of(settings: Settings) -> str:
    return " + ".join(dict.fromkeys((settings.fast_model, settings.slow_model)))


def moment(day: date | None, settings: Settings) -> datetime:
    """Ten o'clock of that day where the person is; now, where no day is given."""
    zone = ZoneInfo(settings.timezone) if settings.timezone else None
    at = datetime.combine(day, TEN) if day else datetime.now(zone)
    return at.replace(tzinfo=zone) if zone else at.astimezone()


@asynccontextmanager
async def dual(settings: Settings, opens: Opens) -> AsyncIterator[Dual]:
    """Raises ChatFault where a part of Duet does not start."""
    player = Dual(settings)
    async with a_duet(settings, lambda: player.now, swaps=Swaps(models=opens)) as player.duet:
        yield player


class Dual:
    """Duet, in whose memory no two items meet."""

    duet: Duet

    def __init__(self, settings: Settings) -> None:
        self.now, self._settings = moment(None, settings), settings

    async def play(self, id_: str, item: Item) -> Reply:
        began = time.monotonic()
        session, turns = await self.said(item, item.turns)
        seconds = time.monotonic() - began
        await self.gone(session)
        return reply_of(id_, turns, minds_of(self._settings), seconds)

    async def said(self, item: Item, turns: Sequence[str]) -> tuple[str, list[list[Event]]]:
        """A conversation of the item's day in which these turns are said, and what came of each."""
        self.now = moment(item.today, self._settings)
        session = self.duet.open_session(f"user {item.id}")
        for path in item.documents:
            await self.duet.runs.add_document(session, path.name, path.read_bytes())
        return session, [await say(self.duet, session, text) for text in turns]

    async def gone(self, session: str) -> None:
        await self.duet.runs.delete(session)
        await self.duet.remembering.settle()


def reply_of(id_: str, turns: Sequence[Sequence[Event]], model: str, seconds: float) -> Reply:
    """What the events of all turns come to. A turn that failed asserts nothing."""
    errors = [str(event.data["text"]) for turn in turns for event in turn if event.kind == "error"]
    last = final(turns[-1])
    text = str(last.get("text", ""))
    tokens, calls = (sum(taken(turn, what) for turn in turns) for what in ("tokens", "calls"))
    answer, doubt = str(last.get("answer", text)), bool(last.get("doubt"))
    return Reply(id_, answer, doubt, text or " ".join(errors), model, round(seconds, 2), tokens, calls)


async def alone(settings: Settings, model: LanguageModel, id_: str, item: Item) -> Reply:
    """A model alone: greedy, step by step, with its own earlier replies before it, and all documents whole."""
    day = moment(item.today, settings)
    messages: list[BaseMessage] = [SystemMessage(ALONE.format(today=f"{day:%A}, {day.day} {day:%B %Y}"))]
    began, usage, text = time.monotonic(), Usage(), ""
    for said in ("\n\n".join([*map(written_out, item.documents), item.turns[0]]), *item.turns[1:]):
        messages.append(HumanMessage(said))
        pieces = model.stream(messages, max_tokens=WRITTEN, temperature=0.0, usage=usage)
        text = "".join([piece async for piece in pieces]).strip()
        messages.append(AIMessage(text))
    seconds, spec = round(time.monotonic() - began, 2), f"bare {model.spec}"
    answer = text if item.kind == TALK else conclusion(text)
    return Reply(id_, answer, False, text, spec, seconds, usage.paid, len(item.turns))


def written_out(document: Path) -> str:
    """Its name and all its text, as a person would paste it."""
    chunks = read_document(document.name, document.read_bytes())
    return "\n\n".join([f"{document.name}:", *(chunk.text for chunk in chunks)])


def conclusion(text: str) -> str:
    """Where a model alone asserts its answer: at most the last two sentences of the last paragraph with words in it."""
    paragraphs = [part.strip() for part in re.split(r"\n\s*\n", text) if re.search(r"\w", part)]
    sentences = re.split(r"(?<=[.!?])\s+(?=\S)", paragraphs[-1]) if paragraphs else []
    return " ".join(sentences[-2:])


# -- figures


def figures(items: Sequence[Item], replies: Sequence[Reply]) -> dict[str, object]:
    """All graded as they stand in the file."""
    graded = [(item.kind, item.right(reply.answer), reply) for item, reply in zip(items, replies, strict=True)]
    n, good = len(graded), sum(ok for _, ok, _ in graded)
    asked, hit = Counter(kind for kind, _, _ in graded), Counter(kind for kind, ok, _ in graded if ok)
    return {
        "accuracy": share(good, n),
        "accuracy_95": wilson(good, n),
        "wrong_and_sure": share(sum(not ok and not reply.doubt for _, ok, reply in graded), n),
        "right_and_doubted": share(sum(ok and reply.doubt for _, ok, reply in graded), n),
        "seconds_an_item": share(sum(reply.seconds for reply in replies), n),
        "tokens_an_item": share(sum(reply.tokens for reply in replies), n),
        "by_kind": {kind: f"{hit[kind]}/{asked[kind]}" for kind in sorted(asked)},
        "n": n,
    }
