"""Cases that are played as whole turns of a conversation: from words to what was done, graded, timed, resumed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import quantiles
from typing import Any

from pydantic import TypeAdapter

from chat.bench import Ask
from chat.bench.ground import final
from chat.bench.shares import wilson
from minds.dialogue import Event


@dataclass(frozen=True)
class Played:
    """One case, played."""

    number: int
    says: str
    group: str
    """Figures are told for each group, too."""
    right: bool
    did: tuple[str, ...]
    expect: tuple[str, ...]
    reply: str
    seconds: float
    calls: int
    tokens: int


def played(
    number: int, says: str, group: str, right: bool, did: Sequence[str], expect: Sequence[str], events: list[Event]
) -> Played:
    """From the turn's events."""
    reply = final(events)
    took = round(events[-1].at - events[0].at, 3)
    cost = [int(reply.get(key, 0)) for key in ("calls", "tokens")]
    return Played(number, says, group, right, tuple(did), tuple(expect), str(reply.get("text", "")), took, *cost)


class Replies:
    """The cases that were played, one a row of the folder of `--out`, where one is given: it goes on there."""

    def __init__(self, name: str, ask: Ask) -> None:
        self._name, self._folder = name, ask.folder(name) if ask.out else None
        rows = self._folder.rows(name) if self._folder else ()
        self.all = {row["number"]: TypeAdapter(Played).validate_python(row) for row in rows}

    def add(self, one: Played) -> None:
        self.all[one.number] = one
        mark = "right" if one.right else "WRONG"
        print(f"{mark} {one.seconds:5.1f}s {one.says!r} -> {one.did or one.reply[:80]} ({one.expect})", flush=True)
        if self._folder:
            self._folder.append(self._name, asdict(one))

    def close(self) -> None:
        """Another run may then use the folder."""
        if self._folder:
            self._folder.close()

    def figures(self) -> dict[str, object]:
        """Accuracy with its interval, in all and by group; seconds, calls and tokens a turn."""
        rows = list(self.all.values())
        groups = sorted({row.group for row in rows})
        return {
            **accuracy(rows),
            "groups": {group: accuracy([row for row in rows if row.group == group]) for group in groups},
            **_seconds([row.seconds for row in rows]),
            "calls": round(sum(row.calls for row in rows) / max(1, len(rows)), 2),
            "tokens": round(sum(row.tokens for row in rows) / max(1, len(rows))),
        }


def accuracy(rows: Sequence[Played]) -> dict[str, object]:
    right = sum(row.right for row in rows)
    low, high = (round(bound, 3) for bound in wilson(right, len(rows)))
    return {"cases": len(rows), "right": right, "accuracy": round(right / max(1, len(rows)), 3), "ci95": [low, high]}


def _seconds(seconds: Sequence[float]) -> dict[str, float]:
    cuts = quantiles(seconds, n=20, method="inclusive") if len(seconds) > 1 else [*seconds] * 19 or [0.0] * 19
    return {"seconds_p50": round(cuts[9], 2), "seconds_p95": round(cuts[18], 2)}


def acted(events: Sequence[Event]) -> list[str]:
    """The actions that were taken in a world."""
    return [str(event.data["action"]) for event in events if event.kind == "step" and "episode" in event.data]


def opened(events: Sequence[Event]) -> Mapping[str, Any] | None:
    """The world that was opened."""
    return next((e.data for e in events if e.kind == "world" and e.data.get("state") == "opened"), None)
