"""A session as a stream of small updates, for as long as a browser listens.

The browser's EventSource reconnects by itself after sleep, reload or a restart of the server, and each connection
starts with the whole view; so a tab may come and go at any time. Only turns with news are rendered again.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from chat.access.person import asking, own_session
from chat.app import Duet
from chat.faults import ChatFault, sentence
from chat.loading import Health
from chat.sessions import Session
from chat.settings import Options
from chat.transcript import siblings
from chat.ui import model_panel, thread
from chat.ui.bubbles import bubbles
from chat.ui.drawing import macros
from chat.uploads import seen_by, unseen
from chat.worlds.view import gains
from minds.dialogue import Event
from minds.models.default import meant
from tools.domains import about

THROTTLE, SHARE = 0.05, 2
"""Seconds between two updates of one tab, and how much longer than making one the pause after it is at least."""
LISTED = 50
"""Conversations of the list in which news are looked for."""
SHOWN = 60
"""Turns that a tab shows at first; more are asked for."""
PULSE = 4.0
"""Seconds after which health is looked at and a sign of life is sent."""

Around = tuple[int, tuple[int, ...]]
"""A turn's thumb, and where it was edited or answered again the numbers of all versions, its own among them."""
PLAIN: Around = (0, ())


class Nudges:
    """Wakes the open tabs for changes that are no events: a thumb, a title, a document."""

    def __init__(self) -> None:
        self._tabs: set[asyncio.Queue[Event | None]] = set()

    def nudge(self) -> None:
        for queue in self._tabs:
            queue.put_nowait(None)

    @contextmanager
    def tab(self) -> Iterator[asyncio.Queue[Event | None]]:
        """A tab's queue of news: events of its session, None for a nudge."""
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        self._tabs.add(queue)
        try:
            yield queue
        finally:
            self._tabs.discard(queue)


class View:
    """What one tab shows of one session (`""`: a conversation not begun), and what of it is news."""

    def __init__(self, duet: Duet, session: str, most: int = SHOWN, turn: int = 0) -> None:
        """`most`: turns that are shown, the newest; or, where `turn` is not among those, the ones around it."""
        self._duet, self._session = duet, session
        self._most, self._turn = most, turn
        self._first = self._earlier = 0
        """The first turn that is shown, and how many there are before it."""
        self._last = self._later = 0
        """The last turn that is shown, and how many there are after it; 0 where the newest is shown."""
        self._events: dict[int, list[Event]] = {}
        self._worlds: list[Event] = []
        """Those of the events that tell of worlds."""
        self._around: dict[int, Around] = {}
        self._dirty: set[int] = set()
        self._sent: dict[str, Any] = {}
        self._drawn = (0, "")
        """The newest turn that was sent, and its HTML."""
        self.last = 0
        if session:
            self._read()

    def after(self, batch: Sequence[Event | None]) -> dict[str, Any]:
        """What is news after these events; a None asks to look at everything."""
        events = [e for e in batch if e is not None]
        if any(_moves(event) for event in events):
            self._read()
        else:
            for event in events:
                self._add(event)
        if len(events) < len(batch) or any(_moves(e) or e.kind in ("turn", "end") for e in events):
            return self.change()
        return self._news({})

    def change(self) -> dict[str, Any]:
        """What differs from what was sent before: `turns` (as `_render` gives them) and the panels around them."""
        duet, panels = self._duet, macros("panels.html")
        options = duet.transcript.options(self._session) if self._session else duet.settings.options
        health = duet.health(options)
        view: dict[str, Any] = {"health": panels.health(health), "list": self._list(), **self._models(options, health)}
        view["desk"] = panels.desk(about(options.domain)) if options.domain else ""
        view["temporary"] = panels.temporary() if options.temporary else ""
        view["running"] = panels.running(self._running())
        if self._session:
            view["title"] = own_session(duet, self._session).title
            view["earlier"], view["later"] = self._earlier, self._later
            documents = duet.transcript.documents(self._session)
            waiting = duet.transcript.waiting(self._session)
            blind = unseen(options) if waiting and not seen_by(options) else ""
            view["documents"] = panels.pictures(self._session, waiting, blind) + panels.documents(documents)
            self._look_around()
        return self._news(view)

    def _models(self, options: Options, health: list[Health]) -> dict[str, Any]:
        """Which models answer, what is offered over the composer, and whether an open picker is out of date."""
        duet, folder = self._duet, self._duet.settings.models_dir
        fast, slow, fetches = meant(options.fast_model, folder), meant(options.slow_model, folder), duet.fetching.all()
        missing = duet.readiness.missing(options) if duet.readiness.offering else []
        stamp = [fast, slow, *((fetch.spec, fetch.state, fetch.done) for fetch in fetches)]
        offer = model_panel.offer(missing, fetches, admin=asking(duet.settings).admin)
        return {"minds": model_panel.minds(fast, slow, health), "offer": offer, "models": stamp}

    def _news(self, view: dict[str, Any]) -> dict[str, Any]:
        if self._session:
            state = self._duet.runs.state(self._session)
            view["bar"] = macros("panels.html").bar(state)
            # Enough of the worlds for the browser to know that it must ask for their panel again; empty without any.
            view["world"] = [len(self._worlds), self._worlds[-1].seq, state] if self._worlds else []
        if "order" not in self._sent or self._dirty or list(self._events) != self._sent["order"]:
            view["order"] = list(self._events)
        news = {key: value for key, value in view.items() if self._sent.get(key) != value}
        self._sent.update(view)
        if turns := self._render():
            news["turns"] = turns
        return news

    def _render(self) -> dict[int, tuple[int, str]]:
        """Number -> how much of its HTML begins as it was sent before, as JavaScript counts, and the rest."""
        newest = max(self._events, default=0)
        dirty, self._dirty = self._dirty & set(self._events), set()
        gained = gains(self._worlds) if dirty else {}
        shown = {}
        for turn in sorted(dirty):
            mark, versions = self._around.get(turn, PLAIN)
            found = bubbles(self._events[turn], {turn: mark}, gained)
            html = thread.turn(found, last=turn == newest and not self._last, versions=versions)
            same = _same(html, self._drawn[1]) if turn == self._drawn[0] else 0
            shown[turn] = (len(html[:same].encode("utf-16-le", "surrogatepass")) // 2, html[same:])
            self._drawn = (turn, html)
        return shown

    def _read(self) -> None:
        transcript, self._events, self._drawn = self._duet.transcript, {}, (0, "")
        self._choose(transcript.turns_from(self._session, 1))
        newest = transcript.newest(self._session) if self._last else 0
        for event in transcript.events(self._session, first=self._first, last=self._last):
            self._add(event)
        self.last = max(self.last, newest)
        self._worlds = [event for event in transcript.world_events(self._session) if event.seq <= self.last]
        self._look_around()
        self._dirty = set(self._events)

    def _choose(self, in_view: list[int]) -> None:
        """Which turns are shown: the newest, or those around one that lies further back."""
        most = max(1, self._most)
        start = max(0, len(in_view) - most)
        if self._turn in in_view[:start]:
            start = max(0, in_view.index(self._turn) - most // 2)
        shown = in_view[start : start + most]
        self._first, self._earlier = (shown or [0])[0], start
        self._later = len(in_view) - start - len(shown)
        self._last = shown[-1] if self._later else 0

    def _add(self, event: Event) -> None:
        if event.seq <= self.last and event in self._events.get(event.turn, ()):
            return  # it was there already when the log was read again
        self.last = max(self.last, event.seq)
        if event.kind == "superseded" or event.turn < self._first:
            return
        if self._last and event.turn > self._last:
            self._later += event.kind == "turn"
            return
        if event.turn not in self._events:
            self._dirty.add(max(self._events, default=event.turn))  # no longer the last one
            self._events[event.turn] = []
        self._events[event.turn].append(event)
        if event.kind == "world" or (event.kind == "step" and "episode" in event.data):
            self._worlds.append(event)
        self._dirty.add(event.turn)

    def _look_around(self) -> None:
        transcript = self._duet.transcript
        marks, versions = transcript.marks(self._session), siblings(transcript.places(self._session))
        around = {turn: (marks.get(turn, 0), tuple(versions.get(turn, ()))) for turn in self._events}
        self._dirty |= {turn for turn, found in around.items() if found != self._around.get(turn, PLAIN)}
        self._around = around

    def _running(self) -> list[tuple[Session, str]]:
        """The person's conversations in which something is being answered."""
        duet, user = self._duet, asking(self._duet.settings).name
        ids = dict.fromkeys(session for session, _ in duet.runs.under_way())
        found = []
        for id_ in ids:
            with suppress(ChatFault):  # deleted at this moment
                if (session := duet.transcript.session(id_)).user == user:
                    found.append((session, duet.runs.state(id_)))
        return found

    def _list(self) -> list[tuple[object, ...]]:
        """Enough of the list for the browser to know that it must ask for it again, and where replies came."""
        user, transcript = asking(self._duet.settings).name, self._duet.transcript
        replied = transcript.replied(user, LISTED)
        newest = transcript.sessions(user, LISTED)
        return [(s.id, s.title, s.updated, replied.get(s.id, 0), s.pinned, s.archived, s.folder) for s in newest]


def _same(one: str, other: str) -> int:
    """With how many letters both begin."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


def _moves(event: Event) -> bool:
    """Whether turns leave the view with it, so that the log is to be read again."""
    return event.kind in ("superseded", "branch") or (event.kind == "turn" and event.data.get("edits") is not None)


async def updates(
    duet: Duet, session: str, nudges: Nudges, most: int = SHOWN, turn: int = 0
) -> AsyncIterator[dict[str, Any]]:
    """Never ends by itself, unless the session is unknown or gone: then the last update is a `fault`."""
    pump: asyncio.Task[None] | None = None
    with nudges.tab() as news:
        try:
            if session:
                own_session(duet, session)
            view = await asyncio.to_thread(View, duet, session, most, turn)
            if session:
                pump = asyncio.create_task(_pump(duet, session, view.last, news))
            yield {"reset": True, "session": session, **await asyncio.to_thread(view.change)}
            rested = 0.0
            while pump is None or not pump.done() or pump.result() is None:
                batch = await _batch(news, rested)
                began = time.monotonic()
                update = await asyncio.to_thread(view.after, batch)
                rested = time.monotonic() + max(THROTTLE, SHARE * (time.monotonic() - began))
                yield update
        except ChatFault as fault:
            yield {"fault": sentence(fault), "gone": True}
        finally:
            if pump:
                pump.cancel()


async def _batch(news: asyncio.Queue[Event | None], rested: float) -> list[Event | None]:
    """The next bunch of news; after silence a nudge, so that health is looked at.

    The first news after a rest goes at once, so that a reply's first words are not kept waiting; what comes before the
    time `rested` (time.monotonic()) is gathered until then.
    """
    try:
        async with asyncio.timeout(PULSE):
            first = await news.get()
    except TimeoutError:
        return [None]
    await asyncio.sleep(max(0.0, rested - time.monotonic()))
    return [first, *(news.get_nowait() for _ in range(news.qsize()))]


async def _pump(duet: Duet, session: str, after: int, news: asyncio.Queue[Event | None]) -> None:
    async for event in duet.runs.follow(session, after):
        news.put_nowait(event)


async def server_sent(source: AsyncIterator[dict[str, Any]]) -> AsyncIterator[str]:
    """Updates in the wire format of server-sent events; an empty one is the sign of life that the browser waits for."""
    yield "retry: 1000\n\n"
    async for update in source:
        yield f"data: {json.dumps(update)}\n\n"
