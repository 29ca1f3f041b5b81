"""What a turn is asked in: the moment, what the memory knows of it, and what tools see of where they are used."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from langchain_core.messages import HumanMessage

from chat.counter import asked_as
from chat.services import Services, TurnRequest
from memory.memory import MemoryFault, Recall
from minds.dialogue import Dialogue, Turn, TurnContext
from prompts import render
from tools.desk import Desk, Remembered
from tools.domains import Call

FACTS = 4
"""Notes of earlier conversations that both minds are told."""
FACT = 300
"""Characters of each; the recall tool has all of it."""
BEARS = 0.3
"""Similarity from which a note bears on a turn: `my dog is sick` and `my dog is called Rex` have 0.32."""
SHARE = 0.5
"""Of a model's context, for the conversation; a small model reads slowly and gets SMALL tokens."""
SMALL, TOKEN = 1500, 3.0
"""Tokens, and characters that are reckoned for each."""
SUMMARY = 700
"""Tokens of a summary."""


class Contexts:
    """Reads transcript, documents and memory for one turn."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def fill(self, asked: TurnRequest, world: str, in_world: bool) -> TurnRequest:
        """The turn with its context, and with as much of the dialogue as the minds have room for.

        world: the open text world in a few lines; in_world: it can be acted in. Raises ModelFault where the rest had
        to be summarised and could not.
        """
        left_out, dialogue = windowed(asked.dialogue, _room(asked))
        now = self._services.now()
        asked = replace(asked, dialogue=dialogue)
        context = TurnContext(
            now=f"{now:%A}, {now.day} {now:%B %Y, %H:%M}" + (f" ({now.tzinfo})" if now.tzinfo else ""),
            summary=await self._summary(asked, left_out),
            facts=await asyncio.to_thread(self._facts, asked) if asked.options.memory or left_out else (),
            documents=tuple(d.name for d in self._services.transcript.documents(asked.session)),
            world=world,
            in_world=in_world,
            running=asked.slow_runs[0].situation() if asked.slow_runs else "",
            policy=asked.briefing.policy() if asked.briefing else "",
        )
        return replace(asked, context=context)

    async def _summary(self, asked: TurnRequest, left_out: tuple[Turn, ...]) -> str:
        """Of the turns that the minds do not see. One call whenever the window has moved, kept with the conversation;
        a small model would take longer to read them again than a person waits: it has what the memory recalls."""
        model = asked.minds.fast.model
        if not left_out or not model.abilities.strong:
            return ""
        last, kept = left_out[-1].at, self._services.transcript.summary(asked.session)
        if kept and kept[0] >= last:
            return kept[1]
        new = [turn for turn in left_out if not kept or turn.at > kept[0]]
        said = "\n".join(f"{turn.speaker}: {turn.text}" for turn in new)
        room = int(_room(asked))
        prompt = render("fast/summary", before=kept[1] if kept else "(nothing)", said=said[-room:])
        pieces = model.stream([HumanMessage(prompt)], max_tokens=SUMMARY, usage=asked.usage)
        text = "".join([piece async for piece in pieces]).strip()
        self._services.transcript.keep_summary(asked.session, last, text)
        return text

    def desk(self, asked: TurnRequest, domain: str = "") -> Desk:
        """What tools may see; of a domain with all that was said and done there before."""
        desk = self.bare_desk(asked.session, asked.dialogue.user, _whose(asked))
        if not domain:
            return desk
        user = asked.dialogue.user if asked.options.memory else ""
        return self._services.counters.at_desk(desk, asked.said, asked.run.turn.number, user, domain)

    def bare_desk(self, session: str, user: str, whose: str | None) -> Desk:
        """Without a turn. whose: the session whose notes may be told, or None for any of the user's."""

        def recall(text: str) -> list[Remembered]:
            found = self._services.remembering.search(user, whose, text)
            # What was told answers; what was asked before mostly repeats the question.
            found = sorted(found, key=lambda r: r.note.question.rstrip().endswith("?"))
            return [Remembered(r.note.question, r.note.answer, r.note.at) for r in found]

        return Desk(
            session, self._services.now(), self._services.transcript.chunks(session), self._digest(session), recall,
            self._services.embed,
        )  # fmt: skip

    async def recall(self, asked: TurnRequest, question: str) -> Recall | None:
        """A note that answers the question here and now."""
        found = await self._services.remembering.recall(asked.dialogue.user, question, self._about(asked))
        return next((recall for recall in found if recall.verified), None)

    async def called(self, asked: TurnRequest, call: Call) -> Recall | None:
        """A note of the same call, on the same database, of a domain: no sentence is compared."""

        def found() -> Recall | None:
            of_domain = self._services.counters.context(asked.options.domain, asked.session, call)
            user, about = asked.dialogue.user, {**self._about(asked), **of_domain}
            return self._services.remembering.same(user, asked_as(call), about)

        return await asyncio.to_thread(found)

    def _facts(self, asked: TurnRequest) -> tuple[str, ...]:
        """What was said before that bears on the turn and does not stand in the dialogue; none where the memory
        cannot be used."""
        try:
            found = self._services.remembering.search(asked.dialogue.user, _whose(asked), asked.said)
        except MemoryFault:
            return ()
        here = {turn.text for turn in asked.dialogue.turns}
        near = [recall.note for recall in found if recall.similarity >= BEARS]
        new = [note for note in near if here.isdisjoint((note.question, note.answer))][:FACTS]
        return tuple(f"the person said: {_clip(note.question)}; you answered: {_clip(note.answer)}" for note in new)

    def _about(self, asked: TurnRequest) -> dict[str, str]:
        """What notes are held against."""
        return {
            "date": self._services.now().date().isoformat(),
            "session": asked.session,
            "documents": self._digest(asked.session),
        }

    def _digest(self, session: str) -> str:
        documents = self._services.transcript.documents(session)
        return sha256("".join(sorted(d.digest for d in documents)).encode()).hexdigest() if documents else ""


def windowed(dialogue: Dialogue, room: float) -> tuple[tuple[Turn, ...], Dialogue]:
    """The turns that are left out, and the dialogue with the newest whole turns that take up at most `room` characters.

    The window moves by half of the room at a time, so that a model's prefix cache holds from one turn to the next.
    """
    turns, first, size = dialogue.turns, 0, 0
    for number, turn in enumerate(turns):
        size += len(turn.text)
        while size > room and first < number and _half(turns, first, number) > 0:
            moved = _half(turns, first, number)
            size -= sum(len(t.text) for t in turns[first : first + moved])
            first += moved
    while first < len(turns) and first and turns[first].speaker != "user":
        first += 1
    return turns[:first], replace(dialogue, turns=turns[first:])


def _half(turns: Sequence[Turn], first: int, last: int) -> int:
    """How many turns from `first` on hold half of what stands before `last`."""
    half, size, count = sum(len(t.text) for t in turns[first:last]) / 2, 0, 0
    for turn in turns[first:last]:
        size, count = size + len(turn.text), count + 1
        if size >= half:
            break
    return count


def _room(asked: TurnRequest) -> float:
    """Characters of the conversation that both minds can read."""
    able = (asked.minds.fast.model.abilities, asked.minds.slow.abilities)
    return min(one.context * SHARE if one.strong else SMALL for one in able) * TOKEN


def _whose(asked: TurnRequest) -> str | None:
    """The session whose notes may be told; any of the person's where the memory is on."""
    return None if asked.options.memory else asked.session


def _clip(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= FACT else text[:FACT].rstrip() + " …"
