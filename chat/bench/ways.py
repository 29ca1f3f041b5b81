"""`bench ways --data FILE`: a small model's ways to an answer, each alone and together.

Of each item's last turn a greedy program, a second one and a working in words are kept in --out (ways.jsonl; the same
command goes on there), each with whether it is right; the turns before it are said to Duet.
`python main.py train agreement --data OUT/ways.jsonl` fits on such a file what chooses among them. GSM8K's lines
({"question", "answer"}) are items as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any

from chat.app import strategy
from chat.bench import Ask
from chat.bench.cases import play_all
from chat.bench.chat import Dual, Item, dual, read_items
from chat.bench.figures import share
from chat.bench.ground import Opens
from chat.faults import ChatFault
from minds.acting import use
from minds.dialogue import Episode, Task, TurnContext
from minds.models import open_model
from minds.models.language import Usage
from minds.policies.agreement import Way, chosen, sure
from minds.slow import Workbench
from minds.strategies.steps import asks
from tools.desk import Desk
from tools.python import make


@dataclass(frozen=True)
class Worked:
    """One item, worked out in all ways."""

    id: str
    kind: str
    said: str
    ways: list[dict[str, Any]]
    right: list[bool]
    behind: bool = False
    """Said behind other turns."""

    def __str__(self) -> str:
        return f"{self.id} {self.right}"


def run(ask: Ask, opens: Opens = open_model) -> dict[str, object]:
    """Shares right: each way alone, where they agree, and what the fitted choice makes of them."""
    items = read_items(ask.file("tests/data/chat/dev.jsonl"), ask.limit)
    with closing(ask.folder("ways", model=ask.settings.slow_model)) as folder:
        rows = play_all(folder, "ways", items, dual(ask.settings, opens), _in_all_ways, Worked)
    return figures(rows) | {"replies": str(folder.path / "ways.jsonl")}


async def _in_all_ways(player: Dual, name: str, item: Item) -> Worked:
    session, _ = await player.said(item, item.turns[:-1])
    duet, last = player.duet, item.turns[-1]
    dialogue = duet.transcript.dialogue(session, before=len(item.turns))
    python = make(Desk("", player.now))
    bench = Workbench(duet.minds(duet.settings.options).slow, lambda: {python.name: python})
    if bench.model.abilities.strong:
        raise ChatFault(f"`{bench.model.spec}` is a strong model, which has no such ways: name an embedded one.")
    context = TurnContext(now=f"{player.now:%A}, {player.now.day} {player.now:%B %Y}")
    episode = Episode(Task(last, last, dialogue, context))
    ways = await _ways(bench, episode)
    await player.gone(session)
    graded = [item.right(way.answer) for way in ways]
    return Worked(name, item.kind, asks(episode), [asdict(way) for way in ways], graded, bool(dialogue.turns))


async def _ways(bench: Workbench, episode: Episode) -> list[Way]:
    """All that give an answer."""
    mind: Any = strategy("react", bench)  # a small model's own: no one else may name it
    ways = []
    for again in (False, True):
        move = await mind.program(episode, (), again=again)
        if move and move.calls:
            step = await use(bench.tools, move, move.calls[0])
            ways += [] if step.failed else [mind.way(step, "again" if again else "program")]
    words = await mind.in_words(episode, Usage(logprobs=[]))
    return ways + ([words] if words.answer else [])


def figures(rows: Sequence[Worked]) -> dict[str, object]:
    """Each way alone, any of them, and the fitted choice with its doubts."""

    def of_all(hits: Iterable[bool]) -> float:
        return share(sum(hits), len(rows))

    graded = [(way["kind"], ok) for row in rows for way, ok in zip(row.ways, row.right, strict=True)]
    picked = [(row, *chosen([Way(**way) for way in row.ways], row.said, row.behind)) for row in rows if row.ways]
    told = [(row.right[best], sure(p)) for row, best, p in picked]
    return {
        **{kind: of_all(ok for one, ok in graded if one == kind) for kind in ("program", "again", "words")},
        "any": of_all(any(row.right) for row in rows),
        "chosen": of_all(ok for ok, _ in told),
        "wrong_and_sure": of_all(not ok and known for ok, known in told),
        "right_and_doubted": of_all(ok and not known for ok, known in told),
        "n": len(rows),
    }
