"""What a turn is asked in: the desk that tools see, what notes are held against, what the memory knows of it."""

from __future__ import annotations

import asyncio
from hashlib import sha256

from chat.counter import asked_as
from chat.parts import Asked, Parts
from memory.memory import Recall
from tools.desk import Desk, Remembered
from tools.domains import Call


class Context:
    """Reads transcript, documents and memory for one turn."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def desk(self, asked: Asked, domain: str = "") -> Desk:
        """What tools may see; of a domain with all that was said and done there before."""
        session, transcript = asked.session, self._parts.transcript

        def recall(text: str) -> list[Remembered]:
            found = self._parts.remembering.search(asked.dialogue.user, session, text)
            # What was told answers; what was asked before mostly repeats the question.
            found = sorted(found, key=lambda r: r.note.question.rstrip().endswith("?"))
            return [Remembered(r.note.question, r.note.answer, r.note.at) for r in found]

        desk = Desk(
            session, self._parts.now(), transcript.chunks(session), self._digest(session), recall, self._parts.embed
        )
        if not domain:
            return desk
        user = asked.dialogue.user if asked.options.memory else ""
        return self._parts.counters.at_desk(desk, asked.said, asked.run.turn.number, user, domain)

    async def recall(self, asked: Asked, question: str) -> Recall | None:
        """A note that answers the question here and now."""
        found = await self._parts.remembering.recall(asked.dialogue.user, question, self._about(asked))
        return next((recall for recall in found if recall.verified), None)

    async def called(self, asked: Asked, call: Call) -> Recall | None:
        """A note of the same call, on the same database, of a domain: no sentence is compared."""

        def found() -> Recall | None:
            of_domain = self._parts.counters.context(asked.options.domain, asked.session, call)
            user, about = asked.dialogue.user, {**self._about(asked), **of_domain}
            return self._parts.remembering.same(user, asked_as(call), about)

        return await asyncio.to_thread(found)

    def _about(self, asked: Asked) -> dict[str, str]:
        """What notes are held against."""
        return {
            "date": self._parts.now().date().isoformat(),
            "session": asked.session,
            "documents": self._digest(asked.session),
        }

    def documents(self, session: str) -> str:
        """The names of what was uploaded, for a prompt; empty for none."""
        names = [document.name for document in self._parts.transcript.documents(session)]
        return f" (documents: {', '.join(names[:5])})" if names else ""

    def _digest(self, session: str) -> str:
        documents = self._parts.transcript.documents(session)
        return sha256("".join(sorted(d.digest for d in documents)).encode()).hexdigest() if documents else ""
