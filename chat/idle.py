"""Work for when nobody speaks: given up at once when somebody does, and taken up again behind the turn.

Facts are drawn out so (chat/facts.py), and a conversation is named after its first exchange: by a strong fast mind
whose words cost nothing. Nobody pays for a call that was not asked for: behind an address elsewhere the person's first
words stay the title, and so they do where the model is small: its titles repeat what was replied.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable

from langchain_core.messages import HumanMessage, SystemMessage

from chat.facts import Told, draw_out
from chat.faults import ChatFault
from chat.services import HERE, Services
from memory.memory import MemoryFault
from minds.dialogue import Dialogue
from minds.models.keys import is_local
from minds.models.language import Busy, LanguageModel, Missing, ModelFault, NoProtocol, Unreachable
from minds.models.spec import parse
from minds.strategies.steps import closed
from prompts import render

log = logging.getLogger("duet.idle")
SILENCE = 2.0
"""Seconds until the work begins."""
READ = 600
"""Characters of each side that the model is shown."""
LONGEST = 48
NEVER = 2**31
"""A turn that no conversation has."""
_TITLE = {"type": "string", "minLength": 3, "maxLength": LONGEST}
FORM: dict[str, object] = {"title": "Name", **closed({"title": _TITLE})}
Work = Callable[[], Awaitable[None]]


class Idle:
    """What waits is done one after the other; what fails is told in the log and left."""

    def __init__(self) -> None:
        self._waiting: deque[Work] = deque()
        self._task: asyncio.Task[None] | None = None

    def give_way(self) -> None:
        """Somebody speaks: the model is theirs."""
        if self._task:
            self._task.cancel()
            self._task = None

    def go_on(self, *more: Work) -> None:
        """A turn is over; `more` waits too."""
        self._waiting.extend(more)
        if self._waiting and self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._do_all())

    async def settle(self) -> None:
        """Waits until everything is done."""
        if self._task:
            await asyncio.gather(self._task, return_exceptions=True)

    async def _do_all(self) -> None:
        await asyncio.sleep(SILENCE)
        while self._waiting:
            try:
                await self._waiting[0]()
            except (ModelFault, MemoryFault, ChatFault) as fault:
                log.warning("%s", fault)
            except Exception:  # what waits behind it is done all the same
                log.exception("idle work")
            self._waiting.popleft()
        self._task = None


class AfterTurn:
    """What a turn leaves to be done for it."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._reading: dict[tuple[str, int], asyncio.Task[None]] = {}

    async def facts(self, user: str) -> None:
        """The facts of what a user told, also of what was left at the last stop."""
        remembering = self._services.remembering
        for session, turn, at in await asyncio.to_thread(remembering.unread, user):
            try:
                await self._read(self._told(user, session, turn, at))
            except Exception as fault:  # what was told behind it is read all the same
                log.warning("facts: %s", fault)
                away = isinstance(fault, Unreachable | Busy | Missing | MemoryFault)
                if away and not isinstance(fault, NoProtocol):  # it is read once they are there again
                    return
            await asyncio.to_thread(remembering.was_read, user, session, turn)

    async def _read(self, told: Told) -> None:
        """A call that is paid for ends also where somebody speaks meanwhile: whoever takes the turn up again waits for
        it, and asks no second time."""
        turn = (told.session, told.turn)
        if is_free(told.model):
            await draw_out(self._services.remembering, told)
            return
        if turn not in self._reading:
            self._reading[turn] = asyncio.create_task(draw_out(self._services.remembering, told))
        try:
            await asyncio.shield(self._reading[turn])
        finally:
            if self._reading[turn].done():
                del self._reading[turn]

    def _told(self, user: str, session: str, turn: int, at: float) -> Told:
        """Raises ChatFault where it is not in view any more, ModelFault."""
        transcript = self._services.transcript
        said = transcript.turn(session, turn).said
        options = transcript.options_of(session, transcript.turn_events(session, turn))
        slow, zone = self._services.minds(options).slow, self._services.now().tzinfo
        before = transcript.dialogue(session, before=turn).last
        return Told(user, session, turn, said, at, slow, zone, before)

    async def title(self, session: str) -> None:
        """Of a conversation, where nobody has given one. Raises ModelFault, ChatFault."""
        transcript = self._services.transcript
        if not transcript.unnamed(session):
            return
        model = self._services.minds(transcript.options(session)).fast.model
        if not (model.abilities.strong and is_free(model)):
            return
        if title := await title_of(transcript.dialogue(session, before=NEVER), model):
            transcript.name(session, title)


def is_free(model: LanguageModel) -> bool:
    """Whether a call of this model costs nothing: weights of this machine, or a server of its own network."""
    try:
        spec = parse(model.spec)
    except ModelFault:
        return False
    return spec.kind in HERE or (bool(spec.base_url) and is_local(spec.base_url))


async def title_of(dialogue: Dialogue, model: LanguageModel) -> str:
    """A title for what was said; empty where nothing has been answered yet. Raises ModelFault."""
    said = next((turn.text for turn in dialogue.turns if turn.speaker == "user"), "")
    replied = next((turn.text for turn in dialogue.turns if turn.speaker == "fast" and not turn.invoke), "")
    if not replied:
        return ""
    exchange = render("fast/to_name", said=said[:READ], replied=replied[:READ])
    asked, most = [SystemMessage(render("fast/name")), HumanMessage(exchange)], model.abilities.room(40)
    answer = await model.structured(asked, FORM, max_tokens=most)
    return " ".join(str(answer.get("title", "")).split()).strip(" .\"'“”„")[:LONGEST]
