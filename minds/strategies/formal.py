"""Actions in formal style (SwiftSage 3.3): `POUR(red paint, wood cup)` for `pour red paint into wood cup`.

A file of templates names each with its arguments, the world's own words and a remark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from minds.strategies.lines import bare, lines_of
from minds.strategies.swift import teleports
from prompts import render
from tools.worlds.world import World

LINE = re.compile(r"^(?P<name>[A-Z_]+)\((?P<arguments>[^)]*)\) = (?P<pattern>[^:]+): (?P<remark>.+)$")
CALL = re.compile(r"[\s,;]*([A-Za-z_]+)[*`]*\s*\(((?:[^()]|\([^()]*\))*)\)")
"""What may stand in brackets within is how a thing is shown: `metal pot (containing water)`."""
INNER = re.compile(r"\([^()]*\)")
KNOWN = ("alfworld", "scienceworld")


@dataclass(frozen=True)
class Templates:
    """Of a world."""

    shown: str
    """As a prompt lists them."""
    patterns: Mapping[str, str]
    """Name -> the world's words: `pour {object} into {other}`."""

    def read(self, written: str) -> list[str]:
        """The actions of a text, in its order, in the world's words; types that are not permitted are left out, and so
        is what stands in a sentence: a line of actions begins with one."""
        found = []
        for name, arguments in (call for line in lines_of(written) for call in _calls(bare(line))):
            names = [part.strip().strip("\"'") for part in INNER.sub("", arguments).split(",")]
            pattern = self.patterns.get(name.upper(), "")
            if pattern and len([part for part in names if part]) >= pattern.count("{"):
                found.append(pattern.format(object=names[0], other=names[-1]))
        return found


def _calls(line: str) -> Iterator[tuple[str, str]]:
    """Name and arguments of the calls that a line begins with, or of one that has no brackets and is all of it."""
    if line.isupper() and "(" not in line:
        yield line, ""
    while found := CALL.match(line):
        yield found[1], found[2]
        line = line[found.end() :]


def templates(world: World, *, both: bool = False) -> Templates:
    """The templates of the world; of one that nothing is written down for, as its present state says. In a laboratory
    one teleports, or walks where that cannot be done; `both`: where it can be, one may walk as well."""
    if world.spec.world not in KNOWN:
        return _of_state(world)
    lines = render(f"strategies/swiftsage/templates_{world.spec.world}").splitlines()
    no = "TELEPORT(room)" if not teleports(world.spec) else "" if both else "GO(room)"
    read = [found for line in lines if (found := LINE.match(line)) and not (no and line.startswith(no))]
    shown = [f"{line['name']}({line['arguments']}): {line['remark']}" for line in read]
    return Templates("\n".join(shown), {line["name"]: line["pattern"] for line in read})


def _of_state(world: World) -> Templates:
    from minds.strategies.nearest import space_of

    patterns = {_name(verb): verb for verb in space_of(world).verbs}
    shown = [
        f"{name}({', '.join(re.findall('{([^{}]+)}', pattern))}): {pattern.format(object='X', other='Y')}"
        for name, pattern in patterns.items()
    ]
    return Templates("\n".join(shown), patterns)


def _name(verb: str) -> str:
    """`move {object} to {other}` -> `MOVE_TO`."""
    return "_".join(re.sub(r"\{[^{}]+\}", "", verb).upper().split())
