"""The slow mind's steps and words as events of its run."""

from __future__ import annotations

from chat.runs import Run, Runs
from minds.dialogue import Call, Move, Step

FIRST = "first"
"""Who words a first answer, which is checked before the reply is final."""


class Narrator:
    """The slow loop's listener: every step becomes an event before the loop goes on."""

    def __init__(self, run: Run, runs: Runs) -> None:
        self._run, self._runs = run, runs
        self._move = 0
        self.saying = ""
        """What the slow mind has said so far of its answer."""

    def aloud(self, piece: str) -> None:
        """It may yet turn out to be the thought of a step."""
        self.saying += piece
        self._runs.emit(self._run, "delta", by="slow", move=self._move, text=piece)

    async def acting(self, number: int, move: Move, call: Call) -> None:
        self.saying = ""
        self._runs.emit(
            self._run, "act", number=number, thought=move.thought, action=call.action, argument=call.argument
        )

    async def stepped(self, number: int, step: Step) -> None:
        self._run.steps.append(f"{step.action}[{step.argument[:200]}] gave {step.observation[:200]}")
        self._runs.emit(
            self._run,
            "step",
            number=number,
            thought=step.move.thought,
            action=step.action,
            argument=step.argument,
            arguments=dict(step.call.arguments),
            observation=step.observation,
            failed=step.failed,
            seconds=round(step.seconds, 3),
            tokens=step.move.tokens,
            sources=list(step.sources),
            depends=dict(step.depends),
            **_found(step),
        )
        if step.move.first and not step.failed:
            self._runs.emit(self._run, "delta", by=FIRST, text=step.observation)

    async def checkpoint(self) -> tuple[str, ...]:
        await self._run.going.wait()
        self._move += 1
        return tuple(self._run.steering)


def _found(step: Step) -> dict[str, object]:
    """What a domain's tool found, changed and asks."""
    found = {"facts": dict(step.facts), "changes": list(step.changes), "asks": step.asks, "told": step.told}
    return {name: value for name, value in found.items() if value}
