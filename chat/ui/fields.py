"""What an event's data holds, read with care: older versions and other hands wrote it too."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

from minds.models.catalogue import CATALOGUE

Data = Mapping[str, object]


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


def cost(data: Data) -> str:
    """`1.2 s · 214 tokens · 3 calls`, as far as it is known."""
    seconds, tokens, calls = real(data, "seconds"), whole(data, "tokens"), whole(data, "calls")
    words = [f"{seconds:.1f} s" if seconds >= 0.1 else f"{seconds * 1000:.0f} ms"] if seconds else []
    words += [f"{tokens:,} tokens"] if tokens else []
    return " · ".join(words + ([f"{calls} call{'' if calls == 1 else 's'}"] if calls else []))


def model_name(spec: str) -> str:
    """A model's name as a person may say it: without the runtime, the address and the options of its spec."""
    kind, _, name = spec.partition("?")[0].partition(":")
    names = {"openai": name.partition("@http")[0], "hf": name, "gguf": PurePath(name).stem, "langchain": name}
    names["embedded"] = next((weights.title for weights in CATALOGUE if name == weights.name), "")
    return names.get(kind) or (f"{kind}:{name}" if name else kind)
