"""An exported conversation taken in again, and those of others (foreign.py).

The JSON of others is not trusted. Every field is checked and only known ones are taken; a stored result does not become
a note that answers other conversations; and an import never decides to which server a person's words are sent, nor what
all replies are to heed (instructions).
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Annotated, Any, Literal, NoReturn, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model

from chat.export import FORMAT, VERSION
from chat.faults import ChatFault, first_wrong
from chat.foreign import LATEST, conversations
from chat.sessions import Session
from chat.settings import Options, check_options
from chat.tables import picture_ids
from chat.transcript import Place, StoredTurn, Transcript
from chat.uploads import MOST
from minds.dialogue import Event
from tools.apart import Died, Unreadable, apart
from tools.desk import Chunk, ToolFault
from tools.pictures import Drawn, read_picture
from tools.plain import readable
from tools.reading import LONGEST, in_a_line, printable

LIMIT = 20_000_000
"""Bytes of a file that is imported."""
_TOO_LARGE = f"The file is larger than {LIMIT // 1_000_000} MB, which is the most that can be imported."
_ONES = "a .json file that Duet has written, or the conversations.json of an export of ChatGPT or Open WebUI"
SMALL = 100_000
"""Bytes with which no file does harm."""
PATIENCE = 20.0
"""Seconds for a large one."""
PICTURES = 500
"""That the turns of a file show: each is drawn anew by a process of its own."""


def _taken(
    transcript: Transcript, user: str, text: str, defaults: Options, may: Callable[[Options], Options]
) -> tuple[list[Session], int]:
    """All of the file, once all of it is read; what others wrote stays as it is where all of it is here already. One
    that went on there comes anew, whole: here it may have gone on otherwise."""
    found, odd = _read(text)
    mine = defaultdict[float, list[Session]](list)
    for each in transcript.sessions(user):
        mine[each.created].append(each)
    here, new = list[Session](), list[tuple[Any, ...]]()
    for file, turns, events in found:
        again = [each for each in mine[file.created] if file.options is None and _holds(transcript, each, events)]
        here += again[:1]
        new += [] if again else [_whole(user, file, turns, events, defaults)]
    return [*here, *transcript.adopt_all([(session, may(options), *rest) for session, options, *rest in new])], odd


def _holds(transcript: Transcript, session: Session, events: Sequence[Event]) -> bool:
    """Whether the conversation begins with what both sides said in these."""
    said, told = _said(transcript.spoken(session.id)), _said(events)
    return said[: len(told)] == told


def _said(events: Sequence[Event]) -> list[tuple[str, str]]:
    return [(event.kind, str(event.data["text"])) for event in events if event.kind in ("turn", "reply")]


def _whole(
    user: str, file: _File, turns: list[tuple[StoredTurn, int]], events: list[Event], defaults: Options
) -> tuple[Any, ...]:
    """What `Transcript.adopt` stores."""
    session = Session("", user, file.title[:200], file.created, file.updated)
    documents = [
        (one.name, one.digest, [Chunk(one.name, c.place, c.text) for c in one.chunks]) for one in file.documents
    ]
    places = {turn.number: Place(turn.parent, turn.in_view) for turn in file.turns}
    shown = {id_ for event in events for id_ in picture_ids(event.data)}
    given = {each.id: each for each in file.pictures if each.id in shown}
    if len(given) > PICTURES:
        raise _wrong("pictures", f"its turns show {len(given)} of them, and {PICTURES} are the most")
    drawn = {id_: _drawn(one) for id_, one in given.items()}
    options = _options(file.options, defaults) if file.options else defaults
    return session, options, turns, events, documents, places, drawn


def take_in(
    transcript: Transcript,
    user: str,
    data: bytes,
    defaults: Options | None = None,
    may: Callable[[Options], Options] = lambda options: options,
) -> tuple[list[Session], int]:
    """The conversations of a stranger's file, under new ids, and how many of it cannot be read.

    A large one is read by a child process first. `defaults`: what stands where the file's options may not (models that
    are not embedded). `may`: the options as the person may have them. Raises ChatFault, which says what is wrong and
    where; then nothing was stored.
    """
    if len(data) > LIMIT:
        raise ChatFault(_TOO_LARGE)
    if len(data) > SMALL:
        try:
            apart("chat.imports:checked", data, seconds=PATIENCE)
        except Unreadable as wrong:
            raise ChatFault(str(wrong)) from wrong
        except Died as died:
            raise ChatFault("This file takes too much time or memory to read: export a smaller conversation.") from died
    return _taken(transcript, user, data.decode("utf-8-sig", "replace"), defaults or Options(), may)


def checked(data: bytes) -> bool:
    """In the child. Raises ValueError with the sentence of a ChatFault."""
    try:
        _read(data.decode("utf-8-sig", "replace"))
    except ChatFault as fault:
        raise ValueError(str(fault)) from None
    return True


# -- what a file may hold


def _readable(value: Any) -> Any:
    """JSON of any depth, its texts readable."""
    if isinstance(value, dict):
        return {readable(str(key)): _readable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_readable(item) for item in value]
    return readable(value) if isinstance(value, str) else value


Whole = Annotated[int, BeforeValidator(lambda n: int(n) if isinstance(n, float) and n.is_integer() else n)]
"""JSON knows no integers: other programs write 2.0 where Duet writes 2."""
Text = Annotated[str, AfterValidator(readable)]
Number = Annotated[float, Field(gt=-1e15, lt=1e15)]
Count = Annotated[Whole, Field(ge=0, le=1_000_000_000)]
Moment = Annotated[float, Field(ge=0, lt=LATEST)]
Numbered = Annotated[Whole, Field(ge=1, le=1_000_000)]
PictureId = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
Lines = Annotated[list[Text], Field(max_length=2000)]
"""Of a scene: names of things, in the world's own words."""
Score = Annotated[float, Field(ge=-1000, le=1000)] | None
"""Percent, or null where the world keeps none."""
Holder = Literal["person", "slow"]
Ended = Literal["done", "stopped", "interrupted", "failed"]
_STRICT = ConfigDict(strict=True)


class _Form(BaseModel):
    """An object of the file, of which unknown fields are left out."""

    model_config = _STRICT


class _Chunk(_Form):
    """A piece of a document."""

    place: Annotated[str, AfterValidator(lambda place: in_a_line(place)[:LONGEST])]
    text: Annotated[str, AfterValidator(printable)]


class _Document(_Form):
    """An uploaded document."""

    name: Annotated[Text, AfterValidator(lambda name: in_a_line(name).replace("/", "_")[:200])]
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    chunks: list[_Chunk]


class _Picture(_Form):
    """A picture's bytes, in base64."""

    id: PictureId
    name: Text
    data: str


class _Options(_Form):
    """How the conversation is answered."""

    fast_model: Text
    slow_model: Text
    strategy: Text
    temperature: Number
    memory: bool
    world_strategy: Text = ""
    domain: Text = ""
    minds: Text = "both"
    length: Count = 0


class _Turn(_Form):
    """A turn, and where it stands among the others."""

    number: Numbered
    state: Literal[Ended, "open", "discarded"]
    feedback: Annotated[Whole, Field(ge=-1, le=1)]
    parent: Count = 0
    in_view: bool = True


def _form(needed: Mapping[str, Any], **more: Any) -> type[BaseModel]:
    """Of an event's data: fields with what each holds; `more` may be missing."""
    fields: Any = {name: (kind, ...) for name, kind in needed.items()} | {n: (kind, None) for n, kind in more.items()}
    made: type[BaseModel] = create_model("Data", __config__=_STRICT, **fields)
    return made


def _each(names: str, kind: Any) -> dict[str, Any]:
    return dict.fromkeys(names.split(), kind)


_Shown: Any = _form({"id": PictureId, "name": Text} | _each("width height", Count))
"""A picture in the turn that shows it."""
_Scene: Any = _form({"place": Text} | _each("things exits holding", Lines))
"""Where somebody stands in a world."""
_JSON = Annotated[dict[str, Any], AfterValidator(_readable)]
_RUNS = Literal[
    "started", "queued", "paused", "resumed", "steered", "stopped", "interrupted", "finished", "failed", "discarded"
]
_STEP: dict[str, Any] = {"number": Count, "failed": bool, "seconds": Number, "tokens": Count}
_STEP |= _each("thought action argument observation", Text)
_STEPS: dict[str, Any] = {"sources": list[Text], "depends": dict[Text, Text]}
_STEPS |= {"arguments": _JSON}
_OPENED: dict[str, Any] = {"variation": Count, "options": list[Text], "score": Score, "scene": _Scene, "by": Holder}
_WORLD: dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
    "opened": (_OPENED | _each("world task goal text", Text), {"strategy": Text, "game": bool, "how": Text}),
    "wheel": ({"by": Holder}, _each("until steps", Count) | {"how": Text}),
    "undone": ({"to": Count}, _each("trial tokens", Count) | _each("why learnt", Text)),
    **dict.fromkeys(("parked", "reopened", "closed"), ({}, {})),
}
"""state of a `world` event -> what it has besides, and what it may have."""
_EPISODE: dict[str, Any] = {
    "episode": Count,
    "state": Literal["opened", "wheel", "undone", "parked", "reopened", "closed"],
}
WORLDS = {state: _form({**_EPISODE, **needed}, **more) for state, (needed, more) in _WORLD.items()}
_DONE: dict[str, Any] = {"episode": Count, "by": Holder, "score": Score, "done": bool, "won": bool, "scene": _Scene}
DEED = _form({**_STEP, **_DONE}, **_STEPS, **_each("strategy reached wrote", Text))
"""A step that was taken in a world."""
KINDS: dict[str, type[BaseModel]] = {
    "turn": _form({"text": Text}, pictures=Annotated[list[_Shown], AfterValidator(lambda shown: shown[: 2 * MOST])]),
    "reply": _form(
        {"by": Literal["fast", "slow", "memory"], "text": Text, "invoke": bool, "final": bool},
        **_each("slow answer question currency model thinker request from_note note strategy", Text),
        **_each("doubt small cut solved stopped off_record imported recalled world filled", bool),
        **_each("seconds price p similarity", Number),
        **_each("tokens calls episode", Count),
        **_each("unsupported memory sources choices", list[Text]),
        places=dict[Text, list[Text]],
        written=_JSON,
    ),
    "run": _form(
        {"state": _RUNS}, **_each("question text result why strategy thought", Text), resumed=Count, solved=bool
    ),
    "step": _form(_STEP, **_STEPS),
    "world": _form(_EPISODE),
    "summary": _form({"text": Text}, turns=Count, until=Number),  # until: of earlier versions
    "error": _form({"text": Text}, unheard=bool),
    "end": _form({"state": Ended}),
}
"""kind of event -> its data. A reply's `remember` and an end's `said` are left out on purpose:
it was not said here."""


class _Event(_Form):
    """An event, its data still to be checked."""

    turn: Numbered
    kind: Literal["turn", "reply", "run", "step", "world", "summary", "error", "end"]
    at: Moment
    data: dict[str, Any]


class _File(_Form):
    """The whole file."""

    version: Whole
    title: Text
    created: Moment
    updated: Moment
    options: _Options | None
    """None where others wrote the file: as the person's own conversations begin."""
    turns: list[_Turn]
    events: list[_Event]
    documents: list[_Document]
    pictures: list[_Picture] = []


# -- reading it


def _read(text: str) -> tuple[list[tuple[_File, list[tuple[StoredTurn, int]], list[Event]]], int]:
    """Each conversation, its turns each with its feedback, and its events; how many are not. Raises ChatFault."""
    found, odd = _load(text)
    return [_conversation(data) for data in found], odd


def _conversation(data: Mapping[str, Any]) -> tuple[_File, list[tuple[StoredTurn, int]], list[Event]]:
    file = _checked(_File, data)
    for before, turn in pairwise(file.turns if file.version == 1 else ()):
        turn.parent = before.number
    events = [_event(one, f"events[{number}].data") for number, one in enumerate(file.events)]
    _check_tree(file)
    return file, *_turns(file, events)


def _load(text: str) -> tuple[Sequence[Mapping[str, Any]], int]:
    if len(text) > LIMIT or len(text.encode(errors="replace")) > LIMIT:
        raise ChatFault(_TOO_LARGE)
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise ChatFault(f"This file is not JSON: choose {_ONES}.") from None
    if isinstance(data, list) and data:
        return conversations(data)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ChatFault(f"This file is no exported Duet conversation: choose {_ONES}.")
    if data.get("version") not in range(1, VERSION + 1):
        raise ChatFault("This conversation was exported by another version of Duet: update Duet and import it again.")
    return [data], 0


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


Form = TypeVar("Form", bound=BaseModel)


def _checked(form: type[Form], value: object, place: str = "") -> Form:
    try:
        return form.model_validate(value)
    except ValidationError as fault:
        where, what = first_wrong(fault)
        raise _wrong(f"{place}.{where}".strip("."), what) from None


def _wrong(place: str, what: str) -> ChatFault:
    return ChatFault(f"The conversation was not imported, because of `{place[:80]}` in the file: {what}.")


def _event(read: _Event, place: str) -> Event:
    form = KINDS[read.kind]
    if read.kind == "world":
        form = WORLDS.get(str(read.data.get("state")), form)
    elif read.kind == "step" and "episode" in read.data:
        form = DEED
    data = _checked(form, read.data, place).model_dump(exclude_unset=True)
    return Event(0, "", read.turn, read.kind, data, read.at)


def _turns(file: _File, events: list[Event]) -> tuple[list[tuple[StoredTurn, int]], list[Event]]:
    """Every turn begins with what was said, and has an end."""
    by_turn = defaultdict[int, list[Event]](list)
    for event in events:
        by_turn[event.turn].append(event)
    turns, ends = [], []
    for at, turn in enumerate(file.turns):
        own = by_turn.pop(turn.number, [])
        if [event.kind for event in own].count("turn") != 1 or own[0].kind != "turn":
            raise _wrong(f"turns[{at}].number", "it names a turn that does not begin with its `turn` event")
        state = "interrupted" if turn.state == "open" else turn.state
        if own[-1].kind != "end" and state != "discarded":
            ends.append(Event(0, "", turn.number, "end", {"state": state}, own[-1].at))
        turns.append((StoredTurn("", turn.number, str(own[0].data["text"]), state), turn.feedback))
    if by_turn:
        raise _wrong("events", f"they name a turn {min(by_turn)} that it lacks")
    return turns, [*events, *ends]


def _check_tree(file: _File) -> None:
    """Each turn stands after an older one of the file; those in view are one path from a first turn on."""
    known, newest, last = {0}, 0, 0
    for at, turn in enumerate(file.turns):
        if turn.number <= newest:
            raise _wrong(f"turns[{at}].number", "it must be greater than the one before")
        if turn.parent not in known:
            raise _wrong(f"turns[{at}].parent", "it must be the number of a turn before it, or 0")
        if turn.in_view and turn.parent != last:
            raise _wrong(f"turns[{at}].in_view", "it is true of two turns that follow the same one")
        known.add(newest := turn.number)
        last = turn.number if turn.in_view else last


def _options(read: _Options, defaults: Options) -> Options:
    """Where words are sent is for the person who imports to say: of the file's models only embedded ones are taken."""
    given = read.model_dump(exclude_unset=True)
    for mind in ("fast_model", "slow_model"):
        if given[mind].partition(":")[0] != "embedded":
            given[mind] = getattr(defaults, mind)
    return check_options(replace(defaults, **given))


def _drawn(read: _Picture) -> Drawn:
    """A stranger's picture, drawn anew. Raises ChatFault."""
    try:
        return read_picture(read.name, b64decode(read.data, validate=True))
    except ValueError:
        raise _wrong("pictures", f"`{read.name[:40]}` must be base64") from None
    except ToolFault as fault:
        raise ChatFault(f"The conversation was not imported, because of a picture in it: {fault}") from fault
