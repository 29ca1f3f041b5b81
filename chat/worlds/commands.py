"""Commands that need no model, taken literally: `/play WORLD TASK ...` and `/world take|go on|undo|close|return|pass`.

The panel's buttons say these; nothing here reads a sentence.
"""

from __future__ import annotations

import shlex
from argparse import ArgumentError, ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, NoReturn

from minds.strategies import WORLD_STRATEGIES
from tools.worlds.world import Simulator, WorldFault, WorldSpec

USAGE = (
    "Say `/play WORLD TASK`, with `--variation N`, `--strategy NAME`, `--human` or `--game` behind it, such as "
    "`/play scienceworld boil --variation 3` or `/play alfworld household/pick_and_place_simple --human`."
)
WORLD_USAGE = (
    "Say `/world take`, `/world go on`, `/world undo` (or `undo N`), `/world close`, `/world return N`, or in a game"
    " `/world pass`."
)
Act = Literal["take", "go on", "undo", "close", "return", "pass"]
WORDS: dict[Act, str] = {
    "take": "Let me",
    "go on": "Go on",
    "undo": "Undo",
    "close": "Close",
    "return": "Take up again",
    "pass": "The other’s turn",
}
"""What a command is called on the panel's button."""


@dataclass(frozen=True)
class Control:
    """What is to be done with the task in hand."""

    act: Act
    number: int = 1
    """undo: how many steps; return: which task."""


def is_command(said: str) -> bool:
    """Whether it is one of these commands, well-formed or not."""
    return said.split()[:1] in (["/play"], ["/world"])


def lets_drive(said: str) -> bool:
    """Whether it is one behind which the assistant may act."""
    return said.split()[:1] == ["/play"] or " ".join(said.lower().split()) in ("/world go on", "/world pass")


def control(said: str) -> Control:
    """A `/world` command. Raises WorldFault with what can be said."""
    _, *words = said.split()
    act = " ".join(words).lower()
    if act in ("take", "go on", "undo", "close", "pass"):
        return Control(act)  # type: ignore[arg-type]
    name, number = [*words, ""][0].lower(), [*words, "", ""][1]
    if len(words) == 2 and name in ("undo", "return") and number.isdecimal() and len(number) < 6 and int(number):
        return Control(name, int(number))  # type: ignore[arg-type]
    raise WorldFault(WORLD_USAGE)


def shown(said: str, worded: Callable[[str], str] = str) -> str:
    """What a bubble may show of a `/world` command: the words of its button; other text as it is. `worded`: in the
    page's language."""
    if said.split()[:1] != ["/world"]:
        return said
    try:
        found = control(said)
    except WorldFault:
        return said
    return worded(WORDS[found.act]) + (f" ({found.number})" if found.act == "return" else "")


class Play(NamedTuple):
    """What `/play` asks for."""

    spec: WorldSpec
    strategy: str
    """"" for the default."""
    human: bool
    """The person acts; in a game first."""
    game: bool
    """Then the other one plays the same."""


def spec_of_play(said: str, home: Callable[[str], Simulator]) -> Play:
    """`/play WORLD TASK ...`.

    Raises WorldFault with what can be said instead.
    """
    try:
        given = _play().parse_intermixed_args(shlex.split(said.strip())[1:])
    except (ValueError, ArgumentError):
        raise WorldFault(USAGE) from None
    named, strategy, variation = given.named, given.strategy, given.variation
    if len(named) > 2:
        raise WorldFault(USAGE)
    tasks = home(named[0]).tasks()
    if len(named) == 1 and not tasks:
        raise WorldFault(f"{named[0]} lists no tasks: say `/play {named[0]} PATH` with the path of a game file.")
    if len(named) == 1:
        listed = ", ".join(task.name for task in tasks)
        raise WorldFault(f"Which task of {named[0]}? Say `/play {named[0]} TASK`; the tasks are: {listed}.")
    if strategy and strategy != "auto" and strategy not in WORLD_STRATEGIES:
        raise WorldFault(f"There is no strategy `{strategy}`; choose one of: auto, {', '.join(WORLD_STRATEGIES)}.")
    if not variation.isdecimal() or len(variation) > 9:
        raise WorldFault(f"The variation is `{variation[:60]}`; it must be a whole number from 0.")
    options = given.options if given.options is not None else "easy" if named[0] == "scienceworld" else ""
    spec = WorldSpec(named[0], named[1], int(variation), tuple(filter(None, options.split(","))))
    return Play(spec, strategy, given.human, given.game)


class _Flags(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ArgumentError(None, message)


def _play() -> ArgumentParser:
    made = _Flags(add_help=False, allow_abbrev=False)
    made.add_argument("named", nargs="+")
    for flag, default in (("--variation", "0"), ("--strategy", ""), ("--options", None)):
        made.add_argument(flag, default=default)
    for flag in ("--human", "--game"):
        made.add_argument(flag, action="store_true")
    return made
