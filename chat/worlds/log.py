"""A conversation's worlds as the log has them: where each stands, who acts there, what is said of it."""

from __future__ import annotations

from typing import Any

from chat.runs import Run, Runs
from chat.sessions import title_of
from chat.transcript import Transcript
from chat.worlds.commands import is_command
from chat.worlds.episodes import Holder, Record, fold, in_hand
from minds.acting import IN_ORDER
from minds.dialogue import Dialogue
from minds.languages import newest


class WorldLog:
    """Reads and writes the events of worlds; opens none."""

    def __init__(self, transcript: Transcript, runs: Runs) -> None:
        self._transcript, self._runs = transcript, runs

    def records(self, session: str) -> tuple[Record, ...]:
        """The session's episodes, the one in hand last."""
        return fold(self._transcript.world_events(session))

    def record(self, session: str, number: int | None = None) -> Record | None:
        """The episode of this number, or the one in hand."""
        records = self.records(session)
        if number is None:
            return in_hand(records)
        return next((r for r in records if r.number == number), None)

    def again(self, session: str, record: Record) -> Record:
        """The same episode as it stands now."""
        return self.record(session, record.number) or record

    def remembers(self, session: str) -> bool:
        """Whether the memory may be used in a conversation."""
        return self._transcript.options(session).memory

    def acts(self, run: Run) -> bool:
        """Whether a run acts in a world, or waits to."""
        events = self._transcript.turn_events(run.turn.session, run.turn.number)
        calls = (str(event.data["action"]) for event in events if event.kind == "act")
        return any("episode" in event.data for event in events) or any(call.startswith(IN_ORDER) for call in calls)

    def language(self, run: Run, before: Dialogue) -> str:
        """That of the person's newest words. What the page's buttons say tells none: commands, and actions."""
        said = [run.turn.said, *(turn.text for turn in reversed(before.turns) if turn.speaker == "user")]
        steps = (event for event in self._transcript.world_events(run.turn.session) if event.kind == "step")
        acted = {_plain(str(event.data["action"])) for event in steps}
        return newest([text for text in said if not is_command(text) and _plain(text) not in acted])

    def state(self, run: Run, number: int, state: str, **more: Any) -> None:
        """What became of an episode."""
        self._runs.emit(run, "world", episode=number, state=state, **more)

    def turn_wheel(self, run: Run, record: Record, to: Holder, **until: int) -> None:
        """Who acts from now on; `until`: up to which step, and `steps`: how many these are."""
        if record.wheel != to or until:
            self.state(run, record.number, "wheel", by=to, **until)

    def step(self, run: Run, number: int, action: str, **more: Any) -> None:
        """One action and what was seen after it."""
        blank = {"thought": "", "argument": "", "failed": False, "tokens": 0, "sources": [], "depends": {}}
        self._runs.emit(run, "step", number=number, action=action, **(blank | more))

    def called(self, run: Run, goal: str) -> None:
        """A conversation that a command begins is called by its task, where nobody named it."""
        if run.turn.number == 1:
            self._transcript.name(run.turn.session, title_of(goal[:1].upper() + goal[1:]))

    def has_interim(self, run: Run) -> bool:
        """Whether something was replied in this turn already: it is taken up again."""
        events = self._transcript.turn_events(run.turn.session, run.turn.number)
        return any(event.kind == "reply" for event in events)

    def say(self, run: Run, text: str, record: Record | None = None, **more: Any) -> None:
        """A reply about the world. What happened there is in the log; no note of it goes into the memory."""
        episode = {"episode": record.number} if record else {}
        reply = {"by": "fast", "invoke": False, "final": True, "seconds": 0.0, "tokens": 0, **episode, **more}
        self._runs.emit(run, "reply", text=text, off_record=True, **reply)


def _plain(text: str) -> str:
    return " ".join(text.lower().split())
