"""A short Python program in a sandbox: sums, dates, units and whatever else is worked out step by step."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from langchain_core.tools import BaseTool
from pydantic import Field

from tools.convert import convert
from tools.desk import Artifact, Desk, Search, ToolFault
from tools.documents import search, whole
from tools.recall import remember
from tools.sandbox import chemistry, places
from tools.sandbox.dates import Clock
from tools.sandbox.runs import run
from tools.typed import typed_tool

SEARCHES = 20
"""In documents and memory, in one program."""
FUNCTIONS = """
convert(amount, unit, to) -> float # units
today() -> date
now(zone="") -> datetime # "Asia/Tokyo", "Tokyo"
convert_time(when, zone, to) -> datetime # when: "09:30"
weekday(day)
add_months(day, months)
days_until(day), days_since(day), days_between(first, last)
age(born, on=None)
working_days(first, last, country="") # inclusive; "DE": without its holidays
add_working_days(day, number, country="") -> date
public_holidays(country, year) -> list[(date, name)]
city(name, country="") -> dict # name, country, population, latitude, longitude, zone
country(name) -> dict # name, code, capital, population, area (km²), currency, continent
distance(start, end) # straight km; "Paris, Texas"
element(name) -> dict # symbol, name, number, mass
molar_mass(formula) # g/mol, "Ca(OH)2"
search_documents(question, document="")
read_document(document) # all of it
recall(about) # said earlier
""".strip()
"""What a program has without an import, as the model reads it. A day is a date or "2026-03-01".

Money at a rate that is given needs none: it is a product, and a table of rates would be yesterday's.
"""


Program = Annotated[str, Field(description="A short Python program that prints its result")]


def make(desk: Desk) -> BaseTool:
    return typed_tool(
        "python",
        "Runs a Python program, gives what it prints. No files, network, yield, inheritance. math, datetime... can "
        f"be imported; these need no import:\n{FUNCTIONS}",
        partial(execute, desk=desk),
    )


def execute(program: Program, desk: Desk) -> tuple[str, Artifact]:
    """What the program prints, and what that depends on. Raises ToolFault."""
    clock, used = Clock(desk.now), _Used(desk)
    printed = run(
        program,
        {
            **clock.functions(),
            **places.functions(),
            **chemistry.functions(),
            "convert": convert,
            "search_documents": used.search_documents,
            "read_document": used.read_document,
            "recall": used.recall,
        },
        clock,
    )
    artifact: Artifact = {}
    if depends := {**clock.asked, **used.depends}:
        artifact["depends"] = depends
    if used.sources:
        artifact["sources"] = list(dict.fromkeys(used.sources))
    if used.passages:
        artifact["passages"] = used.passages
    return printed, artifact


class _Used:
    """The person's documents and memory as a program may ask them, with what was asked."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._asked = 0
        self.depends: dict[str, str] = {}
        self.sources: list[str] = []
        self.passages: list[tuple[str, str]] = []

    def search_documents(self, question: str, document: str = "") -> str:
        return self._noted(*search(str(question), self._desk, str(document)))

    def read_document(self, document: str) -> str:
        return self._noted(*whole(str(document), self._desk))

    def recall(self, about: str) -> str:
        return self._noted(*remember(Search(about=str(about)), self._desk))

    def _noted(self, text: str, artifact: Artifact) -> str:
        self._asked += 1
        if self._asked > SEARCHES:
            raise ToolFault(f"at most {SEARCHES} searches in one program")
        self.depends.update(artifact.get("depends", {}))
        self.sources += artifact.get("sources", [])
        self.passages += artifact.get("passages", [])
        return text
