"""One world episode as a file: Markdown to read, JSON to work with."""

from __future__ import annotations

import json
from dataclasses import asdict

from chat.plain import code, line, said
from chat.worlds.episodes import Deed, Record, step_data
from chat.worlds.telling import outcome
from chat.worlds.view import gain

FORMAT, VERSION = "duet episode", 1


def episode_json(record: Record) -> str:
    """Goal, spec, and of each step the action, the observation, the score and who did it."""
    data = {
        "format": FORMAT,
        "version": VERSION,
        "spec": asdict(record.spec),
        "goal": record.goal,
        "score": record.last.score,
        "done": record.last.done,
        "won": record.last.won,
        "opening": {
            "observation": record.opening.text,
            "score": record.opening.score,
            "scene": asdict(record.scene),
        },
        "steps": [{"number": number, **_step(deed)} for number, deed in enumerate(record.deeds, 1)],
    }
    return json.dumps(data, ensure_ascii=False, indent=1)


def _step(deed: Deed) -> dict[str, object]:
    after = step_data(deed.seen, deed.scene, deed.by)
    return {"action": deed.action, "observation": deed.seen.text, "thought": deed.thought, **after}


def episode_markdown(record: Record) -> str:
    """The episode to read."""
    spec = record.spec
    head = [
        f"# {line(record.goal)}",
        f"- World: {line(spec.world)}",
        f"- Task: {code(spec.task)}, variation {spec.variation}",
        *([f"- Options: {line(', '.join(spec.options))}"] if spec.options else []),
        f"- Outcome: {outcome(record)}",
    ]
    blocks = ["\n".join([head[0], "", *head[1:]]), said(record.opening.text)]
    before = record.opening.score
    for number, deed in enumerate(record.deeds, 1):
        blocks += _deed_blocks(number, deed, gain(before, deed.seen.score))
        before = deed.seen.score
    return "\n\n".join(blocks) + "\n"


def _deed_blocks(number: int, deed: Deed, gained: float) -> list[str]:
    who = "you" if deed.by == "person" else "slow mind"
    score = f", {gained:+g}" if gained else ""
    thought = [f"_{line(deed.thought)}_"] if deed.thought else []
    return [f"**{number}. {code(deed.action)}** ({who}{score})", *thought, said(deed.seen.text)]


def file_stem(record: Record) -> str:
    """`scienceworld-boil-3`: safe as the name of a file."""
    name = f"{record.spec.world}-{record.spec.task}-{record.spec.variation}"
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in name)[-80:].strip("-")
