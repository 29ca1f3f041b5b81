"""Plays the dialogues through a real Duet whose both minds are the recorded strong model, turn by turn.

python -m tests.strong.play                       replays all, a line for each turn, the table at the end
python -m tests.strong.play --by-hand FOLDER      what is not recorded waits in FOLDER for a reply, and is recorded
python -m tests.strong.play --prune               replays all, and keeps only the recordings that were asked for
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from chat.app import Duet
from chat.bench.ground import a_duet, say
from chat.evaluation.play import final, invoked
from chat.services import Swaps
from chat.settings import Settings
from minds.dialogue import Event
from minds.models import ModelSettings, Role, open_model
from minds.models.language import LanguageModel
from tests.strong.server import PATIENCE, RECORDINGS, Exchange, StrongModel, serving, written

HERE = Path(__file__).parent
DIALOGUES, FURTHER = HERE / "dialogues.jsonl", HERE / "further.jsonl"
IN_WORLD = ("world_open", "world_act", "world_go_on", "world_undo")


@dataclass(frozen=True)
class Played:
    """One turn as it went."""

    dialogue: str
    number: int
    said: str
    kind: str
    calls: int
    tokens: int
    """Of all prompts of the turn, about."""
    tools: tuple[str, ...]
    invoked: bool
    opened: bool
    """A text world was opened."""
    acted: bool
    """Somebody acted in one."""
    asked_world: bool
    """The model called a tool that opens a world or acts in one."""
    text: str
    model_said: str
    """The model's last words to the person, streamed or handed over."""
    by: str
    errors: tuple[str, ...]


def everything() -> list[dict[str, Any]]:
    """All conversations."""
    return [*dialogues(), *dialogues(FURTHER)]


def dialogues(path: Path = DIALOGUES) -> list[dict[str, Any]]:
    """The conversations of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def settings(model: StrongModel, **more: Any) -> Settings:
    """Both minds are the recorded model."""
    return replace(Settings(), fast_model=model.spec, slow_model=model.spec, **more)


def clock(day: str) -> datetime:
    """That morning, in Berlin."""
    return datetime.fromisoformat(f"{day}T10:24").replace(tzinfo=ZoneInfo("Europe/Berlin"))


async def begin(duet: Duet, dialogue: Mapping[str, Any], person: str = "") -> str:
    """A session with the dialogue's documents; of somebody who said nothing before where nobody is named."""
    session = duet.open_session(person or dialogue["id"])
    for document in dialogue.get("documents", ()):
        await duet.runs.add_document(session, document["name"], document["text"].encode())
    return session


async def play(duet: Duet, model: StrongModel, dialogue: Mapping[str, Any], person: str = "") -> list[Played]:
    """All turns. A turn of two texts: the second is said while the slow mind works on the first."""
    session = await begin(duet, dialogue, person)
    played: list[Played] = []
    for said in dialogue["turns"]:
        before = len(model.made)
        for text, events in await _said(duet, model, session, said):
            words = [one for one in model.made[before:] if one.asked.who == "plain" or one.asked.said == text]
            played.append(measured(dialogue["id"], 1 + len(played), text, events, words))
    return played


async def _said(
    duet: Duet, model: StrongModel, session: str, said: str | Sequence[str]
) -> list[tuple[str, list[Event]]]:
    if isinstance(said, str):
        return [(said, await say(duet, session, said))]
    first, meanwhile = said
    with model.holding("slow"):
        turn = await duet.runs.submit(session, first)
        async for event in duet.runs.follow(session):
            if event.turn == turn and event.kind == "run" and event.data["state"] == "started":
                break
        second = await say(duet, session, meanwhile)
    return [(first, [event async for event in duet.runs.wait(session, turn)]), (meanwhile, second)]


def measured(dialogue: str, number: int, said: str, events: Sequence[Event], made: Sequence[Exchange]) -> Played:
    """`made`: what the model was asked in the turn."""
    told = final(list(events))
    tools = tuple(str(e.data["action"]) for e in events if e.kind == "step" and "episode" not in e.data)
    names = [call["name"] for one in made if one.asked.who == "slow" for call in one.calls]
    return Played(
        dialogue,
        number,
        said,
        kind_of(invoked(list(events)), [name for name in names if name != "give_up"], names),
        len(made),
        sum(one.tokens for one in made),
        tools,
        invoked(list(events)),
        any(e.kind == "world" and "task" in e.data for e in events),
        any(e.kind == "step" and "episode" in e.data for e in events),
        any(name in IN_WORLD for name in names),
        str(told.get("text", "")),
        last_words(made),
        str(told.get("by", "")),
        tuple(str(e.data.get("text")) for e in events if e.kind == "error"),
    )


def last_words(made: Sequence[Exchange]) -> str:
    """What the model said last, or why it gave up."""
    last = made[-1] if made else None
    return str(last.calls[0]["arguments"]["why"]) if last and _gave_up(last) else last.content if last else ""


def _gave_up(one: Exchange) -> bool:
    return any(call["name"] == "give_up" for call in one.calls)


def kind_of(thought: bool, tools: Sequence[str], names: Sequence[str]) -> str:
    """What the table calls the turn."""
    if not thought:
        return "direct reply"
    if any(name.startswith("world_") for name in tools):
        return "text world"
    if not tools:
        return "gave up" if names else "slow mind, no tool"
    return f"one tool ({tools[0]})" if len(tools) == 1 else "several tools"


def table(played: Sequence[Played]) -> str:
    """Markdown: kind -> turns, mean calls, mean prompt tokens."""
    kinds = sorted({one.kind for one in played}, key=lambda kind: -sum(one.kind == kind for one in played))
    lines = ["| kind of turn | turns | calls a turn | prompt tokens a turn |", "|---|---:|---:|---:|"]
    for kind in [*kinds, ""]:
        turns = [one for one in played if not kind or one.kind == kind]
        calls, tokens = (sum(getattr(one, name) for one in turns) / len(turns) for name in ("calls", "tokens"))
        lines.append(f"| {kind or '**all**'} | {len(turns)} | {calls:.1f} | {tokens:,.0f} |")
    return "\n".join(lines)


async def play_all(
    model: StrongModel, chosen: Sequence[Mapping[str, Any]], *, person: str = "", at_once: bool = False
) -> list[Played]:
    """In one Duet, one dialogue after the other, or all at once where somebody writes the replies.

    person: who says all of it; by default each dialogue is somebody else's.
    """
    patience = {"max_seconds": PATIENCE, "max_world_seconds": PATIENCE} if at_once else {}

    def opened(spec: str, how: ModelSettings, role: Role) -> LanguageModel:
        return open_model(spec, replace(how, first=PATIENCE, between=PATIENCE) if at_once else how, role)

    now, swaps = clock(chosen[0]["today"]), Swaps(models=opened)
    async with a_duet(settings(model, **patience), lambda: now, warm=False, swaps=swaps) as duet:
        if at_once:
            parts = await asyncio.gather(*(play(duet, model, one, person) for one in chosen))
        else:
            parts = [await play(duet, model, one, person) for one in chosen]
    return [one for part in parts for one in part]


def _lines(played: Sequence[Played]) -> Iterator[str]:
    for one in played:
        yield json.dumps(asdict(one), ensure_ascii=False)


def main() -> None:
    """See the head of the file."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--by-hand", type=Path, metavar="FOLDER")
    arguments.add_argument("--only", help="ids of dialogues, with commas")
    arguments.add_argument("--prune", action="store_true")
    given = arguments.parse_args()
    chosen = everything()
    if given.only:
        chosen = [one for one in chosen if one["id"] in given.only.split(",")]
    if given.by_hand:
        given.by_hand.mkdir(parents=True, exist_ok=True)
    with serving(by_hand=given.by_hand) as model:
        played = asyncio.run(play_all(model, chosen, at_once=given.by_hand is not None))
    print("\n".join(_lines(played)))
    print(table(played))
    print("\n".join(model.unmatched), file=sys.stderr)
    if given.prune and not given.only and not model.unmatched:
        kept = dict.fromkeys(written(replace(one, tokens=0)) for one in model.made)
        RECORDINGS.write_text("\n".join([*kept, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
