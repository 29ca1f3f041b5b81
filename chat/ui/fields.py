"""What an event's data, and what the browser sends, holds, read with care: other versions and hands wrote it too."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from chat.ui.language import N_, _, ngettext, number
from minds.models.catalogue import CATALOGUE

if TYPE_CHECKING:
    from fastapi import Request

    from minds.dialogue import Event

Data = Mapping[str, object]
UNREADABLE = N_("The page sent nothing that can be read; reload it and try again.")
UNKNOWN = N_("The page asks for what this Duet does not know: reload it.")


async def json_object(request: Request) -> dict[str, Any] | None:
    """The body of a request, where it is a JSON object."""
    try:
        asked = await request.json()
        # Halves of characters, which nobody typed, can be neither stored nor sent back.
        asked = json.loads(json.dumps(asked, ensure_ascii=False).encode(errors="replace"))
    except (ValueError, RecursionError):
        return None
    return asked if isinstance(asked, dict) else None


def strings(sent: str) -> list[str]:
    """A JSON list of texts; what is none of these is left out."""
    try:
        given = json.loads(sent)
    except (ValueError, RecursionError):
        return []
    return [each for each in given if isinstance(each, str)] if isinstance(given, list) else []


def text(data: Data, key: str = "text") -> str:
    return str(data.get(key) or "")


def whole(data: Data, key: str) -> int:
    return int(real(data, key))


def real(data: Data, key: str) -> float:
    value = data.get(key)
    return float(value) if isinstance(value, int | float) else 0.0


def texts(data: Data, key: str) -> list[str]:
    value = data.get(key)
    return [str(each) for each in value] if isinstance(value, list | tuple) else []


def texts_by(data: Data, key: str) -> dict[str, list[str]]:
    value = data.get(key)
    return {str(name): texts(value, name) for name in value} if isinstance(value, dict) else {}


def pictures(event: Event) -> list[dict[str, Any]]:
    """What a turn shows, each with whose conversation it is of."""
    given = event.data.get("pictures")
    known = [each for each in given if isinstance(each, Mapping) and each.get("id")] if isinstance(given, list) else []
    return [
        {"session": event.session, "id": text(each, "id"), "name": text(each, "name")}
        | {side: max(1, whole(each, side)) for side in ("width", "height")}
        for each in known
    ]


def cost(data: Data) -> str:
    """`1.2 s · 214 tokens · 3 calls · EUR 0.0024`, as far as it is known."""
    seconds, tokens, calls = real(data, "seconds"), whole(data, "tokens"), whole(data, "calls")
    words = [lasted(seconds, 1) if seconds >= 0.1 else _("{n} ms").format(n=number(seconds * 1000))] if seconds else []
    words += [in_tokens(tokens)] if tokens else []
    words += [ngettext("{n} call", "{n} calls", calls)] if calls else []
    return " · ".join(words + ([_money(data)] if "price" in data else []))


def _money(data: Data) -> str:
    """`EUR 0.0024`: cents, and of a smaller sum two figures."""
    price = real(data, "price")
    digits = 2 if price >= 0.1 or price <= 0 else 1 - math.floor(math.log10(price))
    shown = number(price, digits) if digits < 6 else f"< {number(0.0001, 4)}"
    return f"{text(data, 'currency')} {shown}".strip()


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
