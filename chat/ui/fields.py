"""What an event's data, and what the browser sends, holds, read with care: other versions and hands wrote it too."""

from __future__ import annotations

import json
import math
from pathlib import PurePath
from typing import Any

from pydantic import (
    BaseModel,
    ConfigDict,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
)

from chat.ui.language import _, ngettext, number
from minds.dialogue import Event
from minds.models.catalogue import CATALOGUE
from minds.models.language import WAITS


def strings(sent: str) -> list[str]:
    """A JSON list of texts; what is none of these is left out."""
    try:
        given = json.loads(sent)
    except (ValueError, RecursionError):
        return []
    return [each for each in given if isinstance(each, str)] if isinstance(given, list) else []


class Picture(BaseModel):
    """One that a turn shows."""

    id: str
    name: str = ""
    width: int = 1
    height: int = 1


class Told(BaseModel):
    """An event with what its data holds (minds/dialogue.py); what is of no such kind is missing."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    kind: str = ""
    session: str = ""
    seq: int = 0
    at: float = 0.0
    text: str = ""
    sent: str = ""
    """The id that its sender gave it."""
    by: str = ""
    state: str = ""
    final: bool = False
    pictures: list[Picture] = []
    number: int = 0
    thought: str = ""
    action: str = ""
    argument: str = ""
    arguments: dict[str, Any] = {}
    observation: str = ""
    failed: bool = False
    sources: list[str] = []
    places: dict[str, list[str]] = {}
    """Source -> numbers, names and quotes of the reply that stand there."""
    note: str = ""
    from_note: str = ""
    """The memory's note that answered."""
    rests_on: list[str] = []
    """Notes of the memory that a fast reply rests on."""
    cut: bool = False
    """The model's limit ended the reply."""
    choices: list[str] = []
    """What the person may have meant, to say by a button."""
    doubt: bool = False
    unsupported: list[str] = []
    """Figures of the reply that stand nowhere else."""
    host: str = ""
    """Whose limit is waited for."""
    model: str = ""
    """The spec of the model that worded the reply."""
    thinker: str = ""
    """The spec of the model that found out what it says, where that is another."""
    small: bool = False
    """The model that worded it is a small one."""
    removed: bool = False
    """The words were deleted."""
    request: str = ""
    result: str = ""
    episode: int = 0
    """The world episode that it belongs to."""
    solved: bool | None = None
    """Of the slow mind's reply about an episode: whether the world says that its goal is reached."""
    heard: float = 0.0
    """When a run that a dead server left was last heard of."""
    seconds: float = 0.0
    tokens: int = 0
    calls: int = 0
    price: float | None = None
    currency: str = ""

    @classmethod
    def of(cls, event: Event) -> Told:
        own = {"kind": event.kind, "session": event.session, "seq": event.seq, "at": event.at}
        return Told.model_validate({**event.data, **own})

    @field_validator("*", mode="wrap")
    @classmethod
    def _or_missing(cls, value: Any, read: ValidatorFunctionWrapHandler, about: ValidationInfo) -> Any:
        try:
            return read(value)
        except ValidationError:
            return cls.model_fields[str(about.field_name)].get_default(call_default_factory=True)

    @property
    def awaited(self) -> str:
        """Of a status: what is waited for."""
        limit = _(WAITS["limit"]).format(host=self.host, seconds=number(self.seconds))
        return limit if self.host else self.text

    @property
    def program(self) -> str:
        """What the tool `python` runs; while it does, the log has it as the lone argument."""
        return str(self.arguments.get("program") or self.argument) if self.action == "python" else ""


def cost(told: Told) -> str:
    """`1.2 s · 214 tokens · 3 calls · EUR 0.0024`, as far as it is known."""
    seconds = told.seconds
    words = [lasted(seconds, 1) if seconds >= 0.1 else _("{n} ms").format(n=number(seconds * 1000))] if seconds else []
    words += [in_tokens(told.tokens)] if told.tokens else []
    words += [ngettext("{n} call", "{n} calls", told.calls)] if told.calls else []
    return " · ".join(words if told.price is None else [*words, _money(told.price, told.currency)])


def _money(price: float, currency: str) -> str:
    """`EUR 0.0024`: cents, and of a smaller sum two figures."""
    digits = 2 if price >= 0.1 or price <= 0 else 1 - math.floor(math.log10(price))
    shown = number(price, digits) if digits < 6 else f"< {number(0.0001, 4)}"
    return f"{currency} {shown}".strip()


def lasted(seconds: float, digits: int) -> str:
    return _("{n} s").format(n=number(seconds, digits))


def in_tokens(count: int) -> str:
    return ngettext("{n} token", "{n} tokens", count)


def in_steps(count: int) -> str:
    return ngettext("{n} step", "{n} steps", count)


def model_name(spec: str) -> str:
    """A model's name as a person may say it: without the runtime, the address and the options of its spec."""
    kind, _, name = spec.partition("?")[0].partition(":")
    names = {"openai": name.partition("@http")[0], "hf": name, "gguf": PurePath(name).stem, "langchain": name}
    names["embedded"] = next((weights.title for weights in CATALOGUE if name == weights.name), "")
    return names.get(kind) or (f"{kind}:{name}" if name else kind)
