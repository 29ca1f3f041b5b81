"""An exported conversation taken in again.

The JSON of others is not trusted. Every field is checked and only known ones are taken; a stored result does not become
a note that answers other conversations; and an import never decides to which server a person's words are sent.
"""

from __future__ import annotations

import json
import math
import re
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from chat.faults import ChatFault
from chat.pictures import MOST as MOST_PICTURES
from chat.plain import readable
from chat.settings import Options, check_options
from chat.transcript import OPEN, Place, Session, StoredTurn, Transcript
from minds.dialogue import Event
from tools.apart import Died, Unreadable, apart
from tools.desk import Chunk, ToolFault
from tools.pictures import Drawn, read_picture

_Turn = tuple[StoredTurn, int]
_Document = tuple[str, str, Sequence[Chunk]]
_Picture = tuple[str, str, bytes]
"""Id, name, bytes as the file has them."""
PICTURE = r"[0-9a-f]{32}"
FORMAT, VERSION = "duet conversation", 2
"""Version 1 knew no turns beside those in view."""
LIMIT = 20_000_000
"""Bytes of a file that is imported."""
_TOO_LARGE = f"The file is larger than {LIMIT // 1_000_000} MB, which is the most that can be imported."
SMALL = 100_000
"""Bytes with which no file does harm."""
PATIENCE = 20.0
"""Seconds for a large one."""
MOST = 200_000
"""Items of one list."""


def from_json(transcript: Transcript, user: str, text: str, defaults: Options | None = None) -> Session:
    """The conversation of an exported file as a new one of `user`, under a new id.

    `defaults`: what stands where the file's options may not (models that are not embedded). Raises ChatFault, which
    says what is wrong and where; then nothing was stored.
    """
    session, options, turns, events, documents, places, pictures = _read(text, user, defaults or Options())
    drawn = {id_: _drawn(name, data) for id_, name, data in pictures}
    return transcript.adopt(session, options, turns, events, documents, places, drawn)


def _drawn(name: str, data: bytes) -> Drawn:
    """A stranger's picture, drawn anew. Raises ChatFault."""
    try:
        return read_picture(name, data)
    except ToolFault as fault:
        raise ChatFault(f"The conversation was not imported, because of a picture in it: {fault}") from fault


def _read(
    text: str, user: str, defaults: Options
) -> tuple[Session, Options, list[_Turn], list[Event], list[_Document], dict[int, Place], list[_Picture]]:
    data = _Part(_load(text), "")
    if data.value.get("format") != FORMAT:
        raise ChatFault("This file is no exported Duet conversation: choose a .json file that Duet has written.")
    if data.value.get("version") not in range(1, VERSION + 1):
        raise ChatFault("This conversation was exported by another version of Duet: update Duet and import it again.")
    session = Session("", user, data.text("title")[:200], data.moment("created"), data.moment("updated"))
    options = _options(data.part("options"), defaults)
    events = [_event(part) for part in data.parts("events")]
    turns, events = _turns(data.parts("turns"), events)
    documents = [_document(part) for part in data.parts("documents")]
    places = _places(data.parts("turns")) if data.value["version"] > 1 else {}
    pictures = [_picture(part) for part in data.parts("pictures")] if "pictures" in data.value else []
    return session, options, turns, events, documents, places, pictures


def take_in(transcript: Transcript, user: str, data: bytes, defaults: Options | None = None) -> Session:
    """`from_json` for a stranger's file: a large one is read by a child process first. Raises ChatFault."""
    if len(data) > LIMIT:
        raise ChatFault(_TOO_LARGE)
    if len(data) > SMALL:
        try:
            apart("chat.imports:checked", data, seconds=PATIENCE)
        except Unreadable as wrong:
            raise ChatFault(str(wrong)) from wrong
        except Died as died:
            raise ChatFault("This file takes too much time or memory to read: export a smaller conversation.") from died
    return from_json(transcript, user, data.decode("utf-8", "replace"), defaults)


def checked(data: bytes) -> bool:
    """In the child. Raises ValueError with the sentence of a ChatFault."""
    try:
        _read(data.decode("utf-8", "replace"), "", Options())
    except ChatFault as fault:
        raise ValueError(str(fault)) from None
    return True


def _load(text: str) -> dict[str, Any]:
    if len(text) > LIMIT or len(text.encode(errors="replace")) > LIMIT:
        raise ChatFault(_TOO_LARGE)
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise ChatFault("This file is not JSON: choose a .json file that Duet has written.") from None
    if not isinstance(data, dict):
        raise ChatFault("This file is no exported Duet conversation: choose a .json file that Duet has written.")
    return data


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


class _Part:
    """An object of the file and where it stands; each getter checks what it takes."""

    def __init__(self, value: Any, where: str) -> None:
        self.where = where
        if not isinstance(value, dict):
            self.wrong("", "must be an object")
        self.value: dict[str, Any] = value

    def wrong(self, name: str, what: str) -> NoReturn:
        place = f"{self.where}.{name}".strip(".") or "the file"
        raise ChatFault(f"The conversation was not imported, because `{place[:80]}` in the file {what}.")

    def take(self, name: str, check: Check) -> Any:
        value, fault = check(self.value.get(name))
        return self.wrong(name, fault) if fault else value

    def text(self, name: str) -> str:
        return str(self.take(name, _text))

    def whole(self, name: str, low: int, high: int) -> int:
        value = self.value.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            self.wrong(name, f"must be a whole number from {low} to {high}")
        return value

    def moment(self, name: str) -> float:
        """Seconds since the epoch that a calendar can show."""
        value = float(self.take(name, _number))
        return value if 0 <= value < 2.5e11 else self.wrong(name, "must be a time")

    def part(self, name: str) -> _Part:
        return _Part(self.value.get(name), f"{self.where}.{name}".strip("."))

    def parts(self, name: str) -> list[_Part]:
        value = self.value.get(name)
        if not isinstance(value, list):
            self.wrong(name, "must be a list")
        if len(value) > MOST:
            self.wrong(name, f"has more than {MOST} items")
        return [_Part(item, f"{self.where}.{name}[{i}]".strip(".")) for i, item in enumerate(value)]


Check = Callable[[Any], tuple[Any, str]]
"""(the value to keep, what is wrong with it or "")."""


def _text(value: Any) -> tuple[Any, str]:
    return (readable(value), "") if isinstance(value, str) else (None, "must be text")


def _flag(value: Any) -> tuple[Any, str]:
    return value, "" if isinstance(value, bool) else "must be true or false"


def _number(value: Any) -> tuple[Any, str]:
    fine = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15 and math.isfinite(value)
    return value, "" if fine else "must be a number"


def _texts(value: Any) -> tuple[Any, str]:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return [readable(item) for item in value], ""
    return None, "must be a list of texts"


def _map(value: Any) -> tuple[Any, str]:
    if isinstance(value, dict) and all(isinstance(item, str) for item in value.values()):
        return {readable(key): readable(item) for key, item in value.items()}, ""
    return None, "must be an object of texts"


def _standing(value: Any) -> tuple[Any, str]:
    """Sources, each with what stands there."""
    lists = list(value.values()) if isinstance(value, dict) else [None]
    if any(_texts(each)[1] for each in lists):
        return None, "must be an object of lists of texts"
    return {readable(key): _texts(each)[0] for key, each in value.items()}, ""


def _shown(value: Any) -> tuple[Any, str]:
    """The pictures of a turn."""
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        return None, "must be a list of objects"
    kept = [{name: each.get(name) for name in ("id", "name", "width", "height")} for each in value[:MOST_PICTURES]]
    if not all(re.fullmatch(PICTURE, str(each["id"])) and isinstance(each["name"], str) for each in kept):
        return None, "must hold an id and a name of each picture"
    if any(_count(each[side])[1] for each in kept for side in ("width", "height")):
        return None, "must hold width and height of each picture"
    return [each | {"name": readable(each["name"])} for each in kept], ""


def _arguments(value: Any) -> tuple[Any, str]:
    """A call's arguments: JSON of any depth, its texts readable."""
    return (_readable(value), "") if isinstance(value, dict) else (None, "must be an object")


def _readable(value: Any) -> Any:
    if isinstance(value, dict):
        return {readable(str(key)): _readable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_readable(item) for item in value]
    return readable(value) if isinstance(value, str) else value


def _lines(value: Any) -> tuple[Any, str]:
    """Texts of a scene: names of things, in the world's own words."""
    kept, fault = _texts(value)
    return kept, fault or ("must hold at most 2000 texts" if len(kept) > 2000 else "")


def _score(value: Any) -> tuple[Any, str]:
    """Percent, or null where the world keeps none."""
    if value is None:
        return None, ""
    kept, fault = _number(value)
    return kept, fault or ("" if -1000 <= kept <= 1000 else "must be a score from -100 to 100")


def _count(value: Any) -> tuple[Any, str]:
    fine = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 1_000_000_000
    return value, "" if fine else "must be a whole number from 0"


def _scene(value: Any) -> tuple[Any, str]:
    if not isinstance(value, dict):
        return None, "must be an object"
    scene = {}
    for name, check in _SCENE.items():
        scene[name], fault = check(value.get(name))
        if fault:
            return None, f"has a `{name}` that {fault}"
    return scene, ""


def _one_of(*choices: str) -> Check:
    return lambda value: (value, "" if value in choices else f"must be one of {', '.join(choices)}")


_SCENE: dict[str, Check] = {"place": _text, "things": _lines, "exits": _lines, "holding": _lines}
_ENDS = ("done", "stopped", "interrupted", "failed")
_RUNS = (
    *("started", "queued", "paused", "resumed", "steered", "stopped"),
    *("interrupted", "finished", "failed", "discarded"),
)
_STEP: dict[str, Check] = {"number": _number, "thought": _text, "action": _text, "argument": _text}
_STEP |= {"observation": _text, "failed": _flag, "seconds": _number, "tokens": _number}
_STEP |= {"sources?": _texts, "depends?": _map, "arguments?": _arguments}
_HOLDER = _one_of("person", "slow")
_IN_WORLD: dict[str, Check] = {"by": _HOLDER, "score": _score, "done": _flag, "won": _flag, "scene": _scene}
_IN_WORLD |= {"strategy?": _text, "reached?": _text, "wrote?": _text}
"""What a step has besides when it was taken in a world."""
_OPENED: dict[str, Check] = {"world": _text, "task": _text, "variation": _count, "options": _texts, "goal": _text}
_OPENED |= {"text": _text, "score": _score, "scene": _scene, "by": _HOLDER, "strategy?": _text}
_UNDONE: dict[str, Check] = {"to": _count, "trial?": _count, "why?": _text, "learnt?": _text, "tokens?": _count}
_WORLD: dict[str, dict[str, Check]] = {"opened": _OPENED, "wheel": {"by": _HOLDER}, "undone": _UNDONE}
_WORLD |= {"parked": {}, "reopened": {}, "closed": {}}
"""state of a `world` event -> what it has besides."""
_REPLY: dict[str, Check] = {"by": _one_of("fast", "slow", "memory"), "text": _text, "invoke": _flag, "final": _flag}
_REPLY |= {"seconds?": _number, "tokens?": _number, "p?": _number, "similarity?": _number, "question?": _text}
_REPLY |= {
    "slow?": _text,
    "answer?": _text,
    "doubt?": _flag,
    "calls?": _number,
    "price?": _number,
    "currency?": _text,
    "model?": _text,
    "thinker?": _text,
    "small?": _flag,
    "request?": _text,
    "unsupported?": _texts,
    "places?": _standing,
    "cut?": _flag,
    "solved?": _flag,
    "stopped?": _flag,
    "off_record?": _flag,
    "imported?": _flag,
    "recalled?": _flag,
    "world?": _flag,
    "from_note?": _text,
    "memory?": _texts,
    "sources?": _texts,
    "note?": _text,
    "episode?": _count,
    "strategy?": _text,
    "choices?": _texts,
}
_RUN: dict[str, Check] = {"state": _one_of(*_RUNS), "question?": _text, "text?": _text, "result?": _text}
_RUN |= {"resumed?": _number, "solved?": _flag, "why?": _text, "strategy?": _text, "thought?": _text}
KINDS: dict[str, dict[str, Check]] = {
    "turn": {"text": _text, "pictures?": _shown},
    "reply": _REPLY,
    "run": _RUN,
    "step": _STEP,
    "world": {"episode": _count, "state": _one_of(*_WORLD)},
    "summary": {"until": _number, "text": _text},
    "error": {"text": _text},
    "end": {"state": _one_of(*_ENDS)},
}
"""kind -> field -> check; a field with `?` may be missing. A reply's `remember` is left out on purpose."""


def _event(part: _Part) -> Event:
    kind = part.value.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        part.wrong("kind", "is no kind of event that Duet knows")
    given = part.part("data")
    data = _taken(given, KINDS[kind])
    if kind == "world":
        data |= _taken(given, _WORLD[data["state"]])
    elif kind == "step" and "episode" in given.value:
        data |= _taken(given, {"episode": _count, **_IN_WORLD})
    return Event(0, "", part.whole("turn", 1, 1_000_000), kind, data, part.moment("at"))


def _taken(given: _Part, checks: Mapping[str, Check]) -> dict[str, Any]:
    data = {}
    for name, check in checks.items():
        field, optional = name.rstrip("?"), name.endswith("?")
        if not optional or field in given.value:
            data[field] = given.take(field, check)
    return data


def _turns(parts: Sequence[_Part], events: list[Event]) -> tuple[list[_Turn], list[Event]]:
    """Each turn with its feedback, and all events: every turn begins with what was said, and has an end."""
    by_turn: dict[int, list[Event]] = {}
    for event in events:
        by_turn.setdefault(event.turn, []).append(event)
    turns, last = [], 0
    for part in parts:
        number = part.whole("number", last + 1, 1_000_000)
        state = part.take("state", _one_of(OPEN, "discarded", *_ENDS))
        own = by_turn.pop(number, [])
        if [e.kind for e in own].count("turn") != 1 or own[0].kind != "turn":
            part.wrong("number", "names a turn that does not begin with its `turn` event")
        state = "interrupted" if state == OPEN else state
        if own[-1].kind != "end" and state in _ENDS:
            events.append(Event(0, "", number, "end", {"state": state}, own[-1].at))
        turns.append((StoredTurn("", number, str(own[0].data["text"]), state), part.whole("feedback", -1, 1)))
        last = number
    if by_turn:
        raise ChatFault(
            f"The conversation was not imported, because its events name a turn {min(by_turn)} that it lacks."
        )
    return turns, events


def _places(parts: Sequence[_Part]) -> dict[int, Place]:
    """Where each turn stands: after an older one of the file; those in view are one path from a first turn on."""
    places: dict[int, Place] = {}
    last = 0
    for part in parts:
        number, parent = part.value["number"], part.whole("parent", 0, 1_000_000)
        in_view = bool(part.take("in_view", _flag))
        if parent and parent not in places:
            part.wrong("parent", "must be the number of a turn before it, or 0")
        if in_view and parent != last:
            part.wrong("in_view", "is true of two turns that follow the same one")
        places[number] = Place(parent, in_view)
        last = number if in_view else last
    return places


def _options(part: _Part, defaults: Options) -> Options:
    """Where words are sent is for the person who imports to say: of the file's models only embedded ones are taken."""
    options = Options(
        _model(part.text("fast_model"), defaults.fast_model),
        _model(part.text("slow_model"), defaults.slow_model),
        part.text("strategy"),
        float(part.take("temperature", _number)),
        part.take("memory", _flag),
        part.text("world_strategy") if "world_strategy" in part.value else defaults.world_strategy,
        part.text("domain") if "domain" in part.value else "",
    )
    return check_options(options)


def _model(spec: str, default: str) -> str:
    return spec if spec.partition(":")[0] == "embedded" else default


def _picture(part: _Part) -> _Picture:
    id_, data = part.text("id"), part.text("data")
    if not re.fullmatch(PICTURE, id_):
        part.wrong("id", "must be 32 hexadecimal digits")
    try:
        return id_, part.text("name"), b64decode(data, validate=True)
    except ValueError:
        return part.wrong("data", "must be base64")


def _document(part: _Part) -> _Document:
    name, digest = part.text("name").replace("/", "_")[:200], part.text("digest")
    if not re.fullmatch(r"[0-9a-f]{64}", digest):
        part.wrong("digest", "must be 64 hexadecimal digits")
    return name, digest, [Chunk(name, chunk.text("place"), chunk.text("text")) for chunk in part.parts("chunks")]
