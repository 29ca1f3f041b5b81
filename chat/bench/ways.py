"""`bench ways --data FILE`: a small model's ways to an answer, each alone and together, on items of one turn.

Of each item a greedy program, a second one and a working in words are kept in --out (ways.jsonl; the same command goes
on there), each with whether it is right. `python main.py train agreement --data OUT/ways.jsonl` fits on such a file
what chooses among them. GSM8K's lines ({"question", "answer"}) are items as well.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from typing import Any

from chat.app import strategy
from chat.bench import Ask
from chat.bench.chat import moment, read_items
from chat.bench.grading_answers import right
from chat.bench.shares import share
from chat.evaluation.folder import RunFolder
from minds.acting import use
from minds.dialogue import Dialogue, Episode, Task, TurnContext
from minds.models.language import LanguageModel, Usage
from minds.policies.agreement import Way, chosen, sure
from minds.slow import Workbench
from minds.strategies.steps import asks

Row = dict[str, Any]


def run(ask: Ask) -> dict[str, object]:
    """Shares right: each way alone, where they agree, and what the fitted choice makes of them."""
    items = [item for item in read_items(ask.file)[: ask.limit] if len(item["turns"]) == 1]
    with closing(ask.folder("ways", model=ask.settings.slow_model)) as folder:
        asyncio.run(_collect(ask, items, folder))
        rows = list(folder.rows("ways"))
    return figures(rows) | {"replies": str(folder.path / "ways.jsonl")}


async def _collect(ask: Ask, items: Sequence[Mapping[str, Any]], folder: RunFolder) -> None:
    from minds.models import ModelSettings, open_model

    done, settings = folder.finished("ways"), ask.settings
    model = open_model(settings.slow_model, ModelSettings(settings.models_dir, settings.home / "logs"), role="slow")
    try:
        for number, item in enumerate(items, 1):
            if item["id"] not in done:
                row = await _row(ask, model, item)
                folder.append("ways", row)
                print(f"{number}/{len(items)} {item['id']} {row['right']}", flush=True)
    finally:
        await model.close()


async def _row(ask: Ask, model: LanguageModel, item: Mapping[str, Any]) -> Row:
    """One item worked out in all ways."""
    from tools.desk import Desk
    from tools.python import make

    at, said = moment(item, ask.settings), item["turns"][0]
    python = make(Desk("", at))
    context = TurnContext(now=f"{at:%A}, {at.day} {at:%B %Y}")
    bench = Workbench(model, lambda: {python.name: python})
    mind: Any = strategy("react", bench)  # a small model's own: no one else may name it
    episode = Episode(Task(said, said, Dialogue("", ""), context))
    ways = []
    for again in (False, True):
        if move := await mind.program(episode, (), again=again):
            step = await use(bench.tools, move, move.calls[0])
            if not step.failed:
                ways.append(mind.way(step, "again" if again else "program"))
    words = await mind.in_words(episode, Usage(logprobs=[]))
    ways += [words] if words.answer else []
    return {
        "id": item["id"], "kind": item["kind"], "said": asks(episode),
        "ways": [asdict(way) for way in ways], "right": [right(item, way.answer) for way in ways],
    }  # fmt: skip


def figures(rows: Sequence[Row]) -> dict[str, object]:
    """Each way alone, any of them, and the fitted choice with its doubts."""
    found: dict[str, object] = {}
    for kind in ("program", "again", "words"):
        hits = [ok for row in rows for way, ok in zip(row["ways"], row["right"], strict=True) if way["kind"] == kind]
        found[kind] = share(sum(hits), len(rows))
    picked = [(row, *chosen([Way(**way) for way in row["ways"]], row["said"])) for row in rows if row["ways"]]
    told = [(row["right"][best], sure(p)) for row, best, p in picked]
    return {
        **found,
        "any": share(sum(any(row["right"]) for row in rows), len(rows)),
        "chosen": share(sum(ok for ok, _ in told), len(rows)),
        "wrong_and_sure": share(sum(not ok and known for ok, known in told), len(rows)),
        "right_and_doubted": share(sum(ok and not known for ok, known in told), len(rows)),
        "n": len(rows),
    }
