"""What a reply costs, by prices that the person gave; without a price for each model that had a part nothing is said.

    DUET_PRICES="EUR gpt-4.1=2/8/0.5 qwen3=0.1/0.3"       or a file with such words; what follows a # is a comment

A word is MODEL=READ/WRITTEN, or MODEL=READ/WRITTEN/CACHED, in money for a million tokens; one without `=` is the
currency. A MODEL is named as in its spec, with or without what stands before it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from chat.faults import ChatFault
from minds.models.meter import Spent
from minds.models.spec import parse

MILLION = 1_000_000
HERE = ("embedded", "gguf", "hf")
"""Models of this machine: nobody is paid."""


@dataclass(frozen=True)
class Price:
    """In money for a token."""

    read: float
    written: float
    cached: float


@dataclass(frozen=True)
class Prices:
    """By the name of a model, or by its whole spec."""

    of: Mapping[str, Price] = field(default_factory=dict)
    currency: str = ""

    def cost(self, spent: Mapping[str, Spent]) -> dict[str, object]:
        """{price, currency} for a reply; empty where a part is not known, or there is nothing to pay."""
        if not self.of:
            return {}
        paid = {spec: one for spec, one in spent.items() if parse(spec).kind not in HERE and one.usage.calls}
        prices = {spec: self.of.get(spec) or self.of.get(parse(spec).name) for spec in paid}
        if not paid or not all(prices[spec] and one.told for spec, one in paid.items()):
            return {}
        price = sum(_cost(one, known) for spec, one in paid.items() if (known := prices[spec]))
        return {"price": round(price, 9), "currency": self.currency}


def _cost(spent: Spent, price: Price) -> float:
    usage = spent.usage
    fresh = usage.read - usage.cached
    return fresh * price.read + usage.cached * price.cached + usage.written * price.written


def read_prices(given: str) -> Prices:
    """Raises ChatFault."""
    words = _words(given)
    table = {name: _price(word, price) for word in words if "=" in word for name, _, price in [word.rpartition("=")]}
    return Prices(table, " ".join(word for word in words if "=" not in word)[:8])


def _words(given: str) -> list[str]:
    if given.strip() and "=" not in given:
        try:
            lines = Path(given.strip()).expanduser().read_text("utf-8").splitlines()
        except (OSError, ValueError, RuntimeError) as error:
            raise ChatFault(
                f"DUET_PRICES is {given!r}, which is no file that can be read, and no MODEL=READ/WRITTEN."
            ) from error
        return [word for line in lines for word in line.partition("#")[0].split()]
    return given.split()


def _price(word: str, given: str) -> Price:
    try:
        read, written, *cached = [float(each) / MILLION for each in given.split("/")]
        price = Price(read, written, *(cached or [read]))
        if not all(math.isfinite(each) and each >= 0 for each in (price.read, price.written, price.cached)):
            raise ValueError(word)
    except (ValueError, TypeError):
        raise ChatFault(
            f"DUET_PRICES has {word!r}: write MODEL=READ/WRITTEN, in money for a million tokens, such as gpt-4.1=2/8."
        ) from None
    return price
