"""What a turn is asked in: the moment, what the memory knows of it, and what tools see of where they are used."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from functools import partial
from hashlib import sha256
from itertools import accumulate

from langchain_core.messages import HumanMessage

from chat.facts import Told
from chat.keeping import Keeping
from chat.notebook import seconds
from chat.remembering import said_id
from chat.services import Services, TurnRequest
from chat.worlds.kept import told as task_told
from chat.worlds.worlds import Worlds
from memory.memory import ASSISTANT, PERSON, Kind, Note, Recall, Wanted
from memory.times import day_of
from minds.about import nearest
from minds.dialogue import Call, Dialogue, Picture, SaidBefore, Turn, TurnContext, bytes_of, clip, within
from minds.layers import BAR, alike
from minds.models.answers import whole
from minds.models.language import ModelFault
from minds.pictures import ROOM
from prompts import render
from tools.desk import Desk, Kept, Search, ToolFault
from tools.documents import near

BUDGET, SMALL_BUDGET = 900, 300
"""Tokens of what both minds are told from memory; a small model reads slowly."""
OVERLOOKED = 4
"""Turns at the end of a conversation, both speakers', that a small model reads well."""
KNOWN = 300
"""Of BUDGET, for what strong minds are told in every turn: the person's own facts."""
SAID = 80
"""Characters of the words in which a fact was told, up to which they stand in the place of its value."""
CANDIDATES = 24
"""Notes that are looked at for it."""
WHOLE = 2_000
"""Tokens beside BUDGET in which strong minds are told the best notes of several lines as they stand: code and tables
are of no use in part."""
FACT, SHOWN, FIRST_SHOWN = 300, 600, 4_000
"""Characters of each that the minds are told, and that the recall tool shows; of the one that it finds best."""
BEARS = 0.3
"""Similarity from which a note bears on a turn: `my dog is sick` and `my dog is called Rex` have 0.32."""
NEAR = 0.15
"""Similarity from which a passage of a document may tell what is asked: all of 24 questions come so near, of 16 turns
about something else three (chosen on them)."""
RECALLED = 10
PAST, HERE, REPLIES, OWN = 600, 8, 2, "person"
"""Tokens of what was said before that trained layers answer from; the last turns of this conversation, and the replies,
that may be among it; the scope of the turns that they are asked about (memory/turns.py)."""
KINDS: dict[str, tuple[Kind, ...]] = {
    "anything": ("turn", "result", "fact", "episode"), "said": ("turn",), "found": ("result",), "fact": ("fact",),
    "episode": ("episode",),
}  # fmt: skip
"""What the recall tool calls them."""
SHARE = 0.5
"""Of a model's context, for the conversation; a small model reads slowly and gets SMALL tokens."""
SMALL, TOKEN = 1500, 3.0
"""Tokens, and bytes that are reckoned for each: most scripts that take more bytes a character take more tokens."""
PICTURES = 8
"""That the minds are shown at most, the newest; of older ones they read that they were shown."""
log = logging.getLogger("duet.context")
SUMMARY = 700
"""Tokens of a summary."""


class Contexts:
    """Reads transcript, documents and memory for one turn."""

    def __init__(self, services: Services, worlds: Worlds) -> None:
        self._services, self._worlds = services, worlds

    async def fill(self, asked: TurnRequest, scope: str = "") -> TurnRequest:
        """The turn with its context, and with as much of the dialogue as the minds have room for. A desk has no text
        world. scope: of the turn, as it was learned."""
        world, in_world = ("", False) if asked.options.domain else self._worlds.standing(asked.session)
        left_out, dialogue = windowed(asked.dialogue, _room(asked))
        now = self._services.now()
        asked = self._with_pictures(replace(asked, dialogue=dialogue))
        looks = asked.options.memory or left_out or not _strong(asked)
        moment = await asyncio.to_thread(self._moment, asked) if asked.options.memory else {}
        found = await asyncio.to_thread(self._found, asked) if looks else ()
        recalled = await asyncio.to_thread(self._recalled, asked, found) if looks else ()
        about, of_duet = await asyncio.to_thread(self._itself, asked)
        past = await asyncio.to_thread(self._past, asked, found) if scope == OWN else ()
        looks_for, near = ("", 0.0) if in_world else await self._looks_for(asked)
        desk, strong = asked.briefing, _strong(asked)
        context = TurnContext(
            now=_day(now),
            clock=f"{now:%H:%M}" + (f" ({now.tzinfo})" if now.tzinfo else ""),
            summary=await self._summary(asked, left_out),
            facts=tuple(line for line, note in recalled if note.kind == "fact"),
            earlier=tuple(line for line, note in recalled if note.kind != "fact"),
            past=past,
            documents=self._documents(asked),
            looks_for=looks_for,
            near=near,
            world=world,
            in_world=in_world,
            last_reply=await asyncio.to_thread(self._last_reply, asked),
            off="" if asked.options.memory or not _strong(asked) else render("memory/off"),
            running="\n".join(run.situation() for run in asked.slow_runs),
            beside=tuple(asked.unanswered) if strong else (),
            instructions=self._instructions(asked),
            pictures=asked.pictures,
            about=about,
            of_duet=of_duet,
            policy=desk.policy(strong=strong) if desk else "",
            waiting=desk.asked() if desk and strong else "",
        )
        return replace(asked, context=context, moment=moment, recalled=[note for _, note in recalled])

    def _itself(self, asked: TurnRequest) -> tuple[tuple[str, ...], bool]:
        """What a small model is told of Duet itself. Where there are documents, "the PDF" is one of these."""
        if _strong(asked) or asked.options.domain or self._services.transcript.documents(asked.session):
            return (), False
        return nearest(asked.said, self._services.embed)

    def _documents(self, asked: TurnRequest) -> tuple[str, ...]:
        """Their names; for a strong model, which knows what a new version is, with when they came."""
        there, zone = self._services.transcript.documents(asked.session), self._services.now().tzinfo
        if not _strong(asked):
            return tuple(document.name for document in there)
        return tuple(f'"{d.name}" uploaded {datetime.fromtimestamp(d.added, zone):%Y-%m-%d %H:%M}' for d in there)

    async def _looks_for(self, asked: TurnRequest) -> tuple[str, float]:
        """By which words two small minds search the uploaded documents, and how near something comes: the person's, or
        what they are in English where these find less."""
        slow = asked.minds.slow
        if slow.abilities.strong or asked.minds.fast.model.abilities.strong or asked.options.domain:
            return "", 0.0
        if not (chunks := await asyncio.to_thread(self._services.transcript.chunks, asked.session)):
            return "", 0.0
        english = self._services.english
        words = {asked.said: 0.0} | ({await english(asked.said, slow, asked.usage): 0.0} if english else {})
        for one in words:
            words[one] = await asyncio.to_thread(near, one, chunks, self._services.embed)
        best = max(words, key=lambda one: words[one])
        return (best, words[best]) if words[best] >= NEAR else ("", 0.0)

    def _with_pictures(self, asked: TurnRequest) -> TurnRequest:
        """With the bytes of the newest pictures, where a mind that answers can see."""
        if not asked.shows or not asked.seeing:
            return asked
        wanted = [picture.id for turn in asked.dialogue.turns for picture in turn.pictures]
        wanted = [*wanted, *(picture.id for picture in asked.pictures)][-PICTURES:]
        data = self._services.transcript.picture_data(asked.session, wanted)

        def filled(pictures: Sequence[Picture]) -> tuple[Picture, ...]:
            return tuple(replace(picture, data=data.get(picture.id, b"")) for picture in pictures)

        turns = tuple(replace(turn, pictures=filled(turn.pictures)) for turn in asked.dialogue.turns)
        return replace(asked, pictures=filled(asked.pictures), dialogue=replace(asked.dialogue, turns=turns))

    def _instructions(self, asked: TurnRequest) -> str:
        """The person's for all conversations, then those for this one."""
        own = self._services.transcript.own(asked.dialogue.user).instructions
        return "\n".join(filter(None, (own, asked.options.instructions)))

    async def _summary(self, asked: TurnRequest, left_out: tuple[Turn, ...]) -> str:
        """Of the turns that the minds do not see. One call whenever the window has moved, kept with the conversation;
        a small model would take longer to read them again than a person waits: it has what the memory recalls."""
        model = asked.minds.fast.model
        if not left_out or not model.abilities.strong:
            return ""
        held, before = self._services.transcript.summary(asked.session) or (0, "")
        if held >= len(left_out):
            return before
        text, room = before or "(nothing)", model.abilities.room(SUMMARY)
        for part in parted(left_out[held:], _room(asked)):
            said = "\n".join(f"{turn.speaker}: {turn.text}" for turn in part)
            prompt = render("fast/summary", before=text, said=said[: int(_room(asked))])
            pieces = model.stream([HumanMessage(prompt)], max_tokens=room, usage=asked.usage)
            try:
                text = (await whole(pieces)).strip()
            except ModelFault as fault:  # the turn can be answered without, and the next one asks again
                log.warning("summary: %s", fault)
                return before
        self._services.transcript.keep_summary(asked.session, len(left_out), text)
        return text

    def desk(self, asked: TurnRequest, domain: str = "") -> Desk:
        """What tools may see; of a domain with all that was said and done there before."""
        desk = self.bare_desk(asked.session, asked.dialogue.user, _whose(asked), _texts(asked))
        if asked.options.memory:
            desk = replace(desk, keeper=self.keeping(asked))
        if not domain:
            return desk
        user = asked.dialogue.user if asked.options.memory else ""
        return self._services.counters.at_desk(desk, asked.said, asked.run.turn.number, user, domain)

    def bare_desk(self, session: str, user: str, whose: str | None, here: Collection[str] = ()) -> Desk:
        """Without a turn. whose: the session whose notes may be told, or None for any of the user's; here: what its
        mind reads in the dialogue."""
        transcript = self._services.transcript

        def recall(search: Search) -> list[Kept]:
            zone = self._services.now().tzinfo
            return [
                Kept(r.note.id, told(r, SHOWN if number else FIRST_SHOWN, zone))
                for number, r in enumerate(self._searched(user, search, whose, here))
            ]

        return Desk(
            session, self._services.now(), transcript.chunks(session), self._digest(session), recall,
            embed=self._services.embed,
        )  # fmt: skip

    def _searched(self, user: str, search: Search, whose: str | None, here: Collection[str]) -> Sequence[Recall]:
        """What the recall tool finds. What stands in the dialogue, or bears on the words too little, is found only
        where nothing else is, so that nobody is told that it was never said."""
        bearing, now = self._services.remembering.bearing, self._services.now()
        since, until = seconds(search.since, now.tzinfo), seconds(search.until, now.tzinfo, days=1)
        wanted = Wanted(KINDS[search.kind], whose or "", search.speaker, since, until)
        found = bearing(user, search.about, now, wanted, RECALLED + len(here))
        shown = [r for r in found if r.note.current or r.note.kind == "fact"]
        like = self._like(user, search, shown)
        elsewhere = [r for r in like if not _stands(r.note, here)]
        return (elsewhere or like or shown)[:RECALLED]

    def _like(self, user: str, search: Search, found: Sequence[Recall]) -> Sequence[Recall]:
        """What bears on the words, or has them all; everything where a time or a speaker says what is meant."""
        if search.since or search.until or search.speaker:
            return found
        unlike = [r.note.id for r in found if not _bears(r)]
        worded = self._services.remembering.worded(user, search.about, unlike)
        return [r for r in found if r.note.id in worded or _bears(r)]

    def keeping(self, asked: TurnRequest) -> Keeping:
        """What is kept of the person, as this turn may show and change it."""
        services, turn, now = self._services, asked.run.turn, self._services.now()
        told = Told(
            asked.dialogue.user, turn.session, turn.number, turn.said, now.timestamp(), asked.minds.slow, now.tzinfo
        )
        return Keeping(services.remembering, services.transcript, told)

    def _last_reply(self, asked: TurnRequest) -> str:
        """For a strong model, which hears from nobody else that a reply came from memory or may come from it; a small
        one is asked beforehand what is wished of the memory."""
        if not (_strong(asked) and asked.options.memory and asked.dialogue.turns):
            return ""
        keeping = self.keeping(asked)
        try:
            note = keeping.last
        except ToolFault:  # the memory cannot be used, so that it gives nothing
            return ""
        if note is None:
            return ""
        day = day_of(note.at, keeping.told.zone)
        given = f"came from memory (worked out on {day})" if keeping.replied.get("from_note") else "is kept"
        return render("memory/last_reply", came=given)

    async def recall(self, asked: TurnRequest, question: str) -> tuple[Note, float] | None:
        """A note that answers the question here and now, and how sure that is; none may where it is of a picture."""
        if asked.shows:
            return None
        strength, remembering = int(asked.minds.slow.abilities.strong), self._services.remembering
        about = self._about(asked)
        found = await asyncio.to_thread(remembering.answer, asked.dialogue.user, question, about, strength)
        if found is None:
            return None
        note, word_for_word = found
        if word_for_word:
            return note, 1.0
        try:  # 0 where the model has no layers that can be asked
            likeness = await alike(asked.minds.slow, question, note.text, asked.usage)
        except ModelFault:  # whoever answers the turn tells it
            return None
        return (note, likeness) if likeness >= BAR else None

    async def called(self, asked: TurnRequest, call: Call) -> tuple[Note, float] | None:
        """A note of the same call, on the same database, of a domain: no sentence is compared."""
        counters, same = self._services.counters, self._services.remembering.same
        of_domain = await asyncio.to_thread(counters.context, asked.options.domain, asked.session, call)
        about = {**self._about(asked), **of_domain}
        note = await asyncio.to_thread(same, asked.dialogue.user, call.asked_as, about)
        return (note, 1.0) if note else None

    def _found(self, asked: TurnRequest) -> Sequence[Recall]:
        """What the memory finds for a turn; nothing where it cannot be used. What was done in this conversation's own
        worlds these tell; what was said behind the turn (it is resumed) is no answer of before."""
        wanted, now = Wanted(KINDS["anything"], _whose(asked) or ""), self._services.now()
        found = self._services.remembering.bearing(asked.dialogue.user, asked.said, now, wanted, CANDIDATES)
        here, number = [r.note for r in found if r.note.session == asked.session], asked.run.turn.number
        left = {note.id for note in here if note.kind == "episode" or note.turn > number}
        return [r for r in found if r.note.id not in left]

    def _recalled(self, asked: TurnRequest, found: Sequence[Recall]) -> Sequence[tuple[str, Note]]:
        """What was said before that bears on the turn and does not stand in the dialogue. A small model overlooks what
        the person said there some turns ago: it is told that as well, but no reply of its own, which it would give
        again to another question."""
        now = self._services.now()
        if _strong(asked):
            known = self._known(asked)
            listed = {note.id for _, note in known}
            others = [
                r for r in found if r.note.id not in listed and (r.note.kind, r.note.text) != ("turn", asked.said)
            ]
            left = BUDGET - sum(_tokens(line) for line, _ in known)
            return [*known, *within_budget(others, _texts(asked), left, WHOLE, now.tzinfo)]
        here = _texts(asked)
        told = [r for r in found if (r.note.kind, r.note.speaker) != ("turn", ASSISTANT)]
        told = [r for r in told if r.note.speaker == PERSON or r.note.kind == "fact" or not _stands(r.note, here)]
        return within_budget(told, here[-OVERLOOKED:], SMALL_BUDGET, zone=now.tzinfo)

    def _past(self, asked: TurnRequest, found: Sequence[Recall]) -> tuple[SaidBefore, ...]:
        """What the memory holds of what was said that is nearest to the turn, and of this conversation, oldest first,
        for layers that answer from it, or say that it was not told. Nothing where another answer is asked for."""
        if asked.minds.fast.model.recalls is None or asked.run.fresh:
            return ()
        noted, number = partial(self._services.remembering.noted, asked.dialogue.user), asked.run.turn.number
        notes = [note for recall in found for note in (recall.note, *(n for pair in recall.former for n in pair if n))]
        told = {note.id: note for note in noted([said_id(n.session, n.turn) for n in notes if n.kind == "fact"])}
        here = noted([said_id(asked.session, before) for before in range(number - 1, max(number - HERE, 1) - 1, -1)])
        lines = {note.id: note for note in (*(_telling(note, told) for note in notes), *here) if _is_line(note, asked)}
        replies = [note.id for note in lines.values() if note.speaker == ASSISTANT][REPLIES:]
        return _fitting([lines[id_] for id_ in lines if id_ not in replies], self._services.now().tzinfo)

    def _known(self, asked: TurnRequest) -> Sequence[tuple[str, Note]]:
        """What the person told of themselves, however little the turn sounds like it: a strong model sees by itself
        that an allergy bears on what to cook, and asks nobody."""
        if not asked.options.memory:
            return ()
        here, zone, budget = "\n".join(_texts(asked)), self._services.now().tzinfo, KNOWN
        lines: list[tuple[str, Note]] = []
        for note in self._services.remembering.known(asked.dialogue.user):
            attribute, value, quote = (note.about[name] for name in ("attribute", "value", "quote"))
            words = quote if len(quote) <= SAID else value  # "14 years" alone tells nobody what of
            line = f"{day_of(note.at, zone)}, of the user: {attribute} {_quoted(words, FACT)}{_when(note)}"
            if quote not in here and (budget := budget - _tokens(line)) >= 0:
                lines.append((line, replace(note, text=value)))  # what may rest on it is looked for by what is told
        return lines

    def _moment(self, asked: TurnRequest) -> dict[str, str]:
        return {"date": self._today(), "person": self._services.remembering.person(asked.dialogue.user)}

    def _today(self) -> str:
        return self._services.now().date().isoformat()

    def _about(self, asked: TurnRequest) -> dict[str, str]:
        """What notes are held against."""
        return {
            "date": self._today(),
            "documents": self._digest(asked.session),
            "world": digest_of(asked.context.world),
            "instructions": digest_of(asked.context.instructions),
        }

    def _digest(self, session: str) -> str:
        documents = self._services.transcript.documents(session)
        return sha256("".join(sorted(d.digest for d in documents)).encode()).hexdigest() if documents else ""


def digest_of(text: str) -> str:
    """Of the open world as it stands, or of instructions; empty for none."""
    return sha256(text.encode()).hexdigest()[:16] if text else ""


def windowed(dialogue: Dialogue, room: float) -> tuple[tuple[Turn, ...], Dialogue]:
    """The turns that are left out, and the dialogue with the newest whole turns that take up at most `room` bytes.

    The window moves by half of the room at a time, so that a model's prefix cache holds from one turn to the next. The
    last exchange always stays, clipped where it alone is too large: what comes next may be about it.
    """
    turns, first, size = dialogue.turns, 0, 0
    for number, turn in enumerate(turns):
        size += _size(turn)
        while size > room and first < number and _half(turns, first, number) > 0:
            moved = _half(turns, first, number)
            size -= sum(map(_size, turns[first : first + moved]))
            first += moved
    while first < len(turns) and first and turns[first].speaker != "user":
        first += 1
    first = min(first, max((number for number, turn in enumerate(turns) if turn.speaker == "user"), default=0))
    return turns[:first], replace(dialogue, turns=_clipped(turns[first:], room))


def _clipped(turns: Sequence[Turn], room: float) -> tuple[Turn, ...]:
    """The turns in order, the newest as they stand while there is room; what is over it is cut, and marked as such."""
    kept: list[Turn] = []
    for turn in reversed(turns):
        kept.insert(0, replace(turn, text=clip(turn.text, within(turn.text, room))))
        room -= _size(turn)
    return tuple(kept)


def _half(turns: Sequence[Turn], first: int, last: int) -> int:
    """How many turns from `first` on hold half of what stands before `last`."""
    sizes = list(accumulate(map(_size, turns[first:last])))
    return next((count for count, size in enumerate(sizes, 1) if size >= sizes[-1] / 2), 0)


def parted(turns: Sequence[Turn], room: float) -> list[list[Turn]]:
    """The turns in order, in parts of at most `room` bytes, or of one turn."""
    parts: list[list[Turn]] = []
    size = 0.0
    for turn in turns:
        size += bytes_of(turn.text)
        if not parts or size > room:
            parts.append([])
            size = bytes_of(turn.text)
        parts[-1].append(turn)
    return parts


def _size(turn: Turn) -> int:
    return bytes_of(turn.text) + ROOM * len(turn.pictures)


def _room(asked: TurnRequest) -> float:
    """Bytes of the conversation that both minds can read."""
    able = (asked.minds.fast.model.abilities, asked.minds.slow.abilities)
    return min(one.context * SHARE if one.strong else SMALL for one in able) * TOKEN


def _whose(asked: TurnRequest) -> str | None:
    """The session whose notes may be told; any of the person's where the memory is on."""
    return None if asked.options.memory else asked.session


def _texts(asked: TurnRequest) -> Sequence[str]:
    """All that both minds read in the dialogue."""
    return [turn.text for turn in asked.dialogue.turns]


def _bears(recall: Recall) -> bool:
    """Also where nobody knows yet how like it is."""
    return not recall.similarity or recall.similarity >= BEARS


def _telling(note: Note, told: Mapping[str, Note]) -> Note:
    """Of a fact the turn that tells it, where that is kept and its beginning has the fact's words; else the note."""
    turn = told.get(said_id(note.session, note.turn)) if note.kind == "fact" else None
    return turn if turn and not turn.imported and note.about["quote"] in clip(turn.text, FACT) else note


def _is_line(note: Note, asked: TurnRequest) -> bool:
    """Whether it is read for an answer: no asking of the same before, and nothing that only a file says."""
    return note.kind in ("turn", "fact") and not (note.out or note.imported or note.text in ("", asked.said))


def _fitting(notes: Sequence[Note], zone: tzinfo | None) -> tuple[SaidBefore, ...]:
    """Those that PAST tokens hold, the first before the others, each with its day, oldest first."""
    budget, lines = PAST, list[tuple[float, SaidBefore]]()
    for note in notes:
        day, words = _day(datetime.fromtimestamp(note.at, zone)), clip(" ".join(note.line.split()), FACT)
        if (needs := _tokens(day + words)) <= budget:
            budget -= needs
            lines.append((note.at, SaidBefore(day, words, note.id, note.speaker == ASSISTANT)))
    return tuple(said for _, said in sorted(lines, key=lambda line: line[0]))


def _stands(note: Note, here: Collection[str]) -> bool:
    """Whether its words or its answer are among these."""
    return note.text in here or (note.answer != "" and note.answer in here)


def within_budget(
    found: Sequence[Recall], here: Collection[str], budget: int, whole: int = 0, zone: tzinfo | None = None
) -> Sequence[tuple[str, Note]]:
    """The best that bear on the turn and do not stand in the dialogue, each as it is told, as many as `budget` tokens
    hold; of several lines, as they stand as long as `whole` tokens more hold that. Nothing is told twice.

    zone: the person's, whose days are told; without one this machine's.
    """
    lines: list[tuple[str, Note]] = []
    listed = set[str]()
    closing = {recall.note.about.get("by") for recall in found} - {None}
    for recall in found:
        note = recall.note
        if not _bears(recall) or _stands(note, here) or _listed(recall, listed) or _ends(note, closing):
            continue
        if note.kind == "result" and (note.imported or "world" in note.depends):  # a world tells of itself
            continue
        line = told(recall, FACT, zone)
        budget -= _tokens(line)
        if budget < 0:
            break
        words = note.text + note.answer  # of a result the lines stand in its answer
        if "\n" in words and (needs := _tokens(words)) <= whole:
            whole, line = whole - needs, told(recall, max(len(words), SHOWN), zone)
        lines.append((line, note))
        listed |= set() if recall.former else {_words(note.text), _words(note.answer)}
    return lines


def _listed(recall: Recall, listed: Collection[str]) -> bool:
    """Whether all that it tells is told already: of a result its answer. What no longer holds is told each time."""
    return not recall.former and _words(recall.note.answer or recall.note.text) in listed


def _ends(note: Note, closing: Collection[str | None]) -> bool:
    """Whether a fact only says that another, which is told with its end, is no longer so."""
    return note.id in closing and bool(note.about.get("until")) and "by" not in note.about


def _words(text: str) -> str:
    return " ".join(text.split())


def told(recall: Recall, most: int, zone: tzinfo | None = None) -> str:
    """A note as quoted data: when, by whom, and the words between quotation marks, with their lines where there is room
    for all of them (code and tables); behind them what of it no longer holds. Of a task in a text world there is what
    worked as well, where there is room."""
    note = recall.note
    day = day_of(note.at, zone) + ", from an imported file" * note.imported
    words = _quoted(task_told(note) if note.kind == "episode" and most > FACT else note.text, most)
    if note.kind == "result":
        return f"{day}, worked out: {words} gave {_quoted(note.answer, most)}"
    if note.kind == "fact":
        own = [pair for pair in recall.former if pair[0].id == note.id]
        return f"{day}, the user told: {words}{_when(note)}{_former(own)}"
    who = {PERSON: "the user", ASSISTANT: "you"}.get(note.speaker, note.speaker or "you")
    there = [pair for pair in recall.former if pair[0].about["value"].casefold() in note.text.casefold()]
    return f"{day}, {who} {'did' if note.kind == 'episode' else 'said'}: {words}{_former(there)}"


def _when(fact: Note) -> str:
    """From when it holds, or when it takes place."""
    since = fact.about.get("since", "")
    return f" (when: {_quoted(since, FACT)})" if since else ""


def _former(facts: Sequence[tuple[Note, Note | None]]) -> str:
    lines = []
    for old, new in facts:
        was, told = _quoted(old.about["value"], FACT), f": {_quoted(new.about['quote'], FACT)}" if new else ""
        lines.append(f" ({was} is no longer so, as was told on {old.about['until']}{told})")
    return "".join(lines)


def _quoted(text: str, most: int) -> str:
    if "\n" in text.strip() and most > FACT and len(text) <= most:
        return f"\n~~~~\n{re.sub('~{4,}', '~~~', text.strip())}\n~~~~"
    text = " ".join(text.replace('"', "'").split())
    return f'"{text}"' if len(text) <= most else f'"{text[:most].rstrip()} …"'


def _strong(asked: TurnRequest) -> bool:
    return asked.minds.fast.model.abilities.strong and asked.minds.slow.abilities.strong


def _day(moment: datetime) -> str:
    return f"{moment:%A}, {moment.day} {moment:%B %Y}"


def _tokens(text: str) -> int:
    return int(bytes_of(text) / TOKEN) + 1
