"""What the memory keeps of a world's task once it is over: its type, what worked there and what failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from chat.worlds.episodes import Record, fold
from chat.worlds.telling import outcome, short_goal
from memory.memory import ASSISTANT, PERSON, Note
from minds.dialogue import Event, clip
from tools.worlds.actions import refused
from tools.worlds.household import KINDS
from tools.worlds.world import WorldSpec

WORKED, FAILED = 800, 300
"""Characters of the actions that are kept."""
TELLING = ("opened", "undone")
"""What becomes of an episode that a note tells of, beside its steps."""


def notes_of_tasks(session: str, events: Sequence[Event], turns: Mapping[int, float]) -> Iterator[Note]:
    """A note for each task that is over and all of which was done in these turns; turn -> when it ended."""
    done_in: dict[int, set[int]] = {}
    for event in (e for e in events if e.kind == "step" or e.data["state"] in TELLING):
        done_in.setdefault(int(str(event.data["episode"])), set()).add(event.turn)
    for record in fold(events):
        if record.deeds and record.last.done and done_in[record.number] <= turns.keys():
            yield _note(session, record, turns[record.deeds[-1].turn])


def _note(session: str, record: Record, at: float) -> Note:
    turn, by_hand = record.deeds[-1].turn, all(deed.by == "person" for deed in record.deeds)
    about = {
        "world": record.spec.world,
        "task": type_of(record.spec),
        "worked": clip("; ".join(_worked(record)), WORKED) if record.last.won else "",
        "failed": clip("; ".join(dict.fromkeys(_failed(record))), FAILED),
    }
    id_, speaker = f"{session}:{turn}:{name_of(record)}", PERSON if by_hand else ASSISTANT
    text = f"{short_goal(record)} ({record.spec.world}): {outcome(record)}."
    return Note(id_, "episode", text, at, session=session, turn=turn, speaker=speaker, about=about)


def _worked(record: Record) -> Iterator[str]:
    """The actions that the world took, in their order; what is repeated is told once."""
    before = ""
    for deed in record.deeds:
        if deed.action != before and not refused(deed.seen.text):
            yield deed.action
        before = deed.action


def _failed(record: Record) -> Iterator[str]:
    """What ended the task unsolved or was learnt of failed trials, and what the world refused."""
    if not record.last.won:
        yield record.meant[-1]
    yield from record.learnt
    yield from (action for _, action in record.lost)
    yield from (action for action, deed in zip(record.meant, record.deeds, strict=True) if refused(deed.seen.text))


def name_of(record: Record) -> str:
    """The end of the id of an episode's note."""
    return f"episode{record.number}"


def type_of(spec: WorldSpec) -> str:
    """A laboratory's task; of a household's the type: `household/pick_heat_then_place_in_recep/Mug/Fridge` has it, as
    the folder of an official game has."""
    parts = [part.partition("-")[0] for part in spec.task.split("/")]
    return next((part for part in parts if part in KINDS), spec.task)


def told(note: Note) -> str:
    """A task as a strategy is told of it that has one of the same type."""
    parts = (("What worked", note.about.get("worked", "")), ("What failed", note.about.get("failed", "")))
    return " ".join([note.text, *(f"{name}: {actions}." for name, actions in parts if actions)])
