"""Reads `expect`: what the reply to a turn should say, call, change, ask and offer, with every query answered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from chat.evaluation.script_nodes import Fields, nearest, scalar
from chat.evaluation.script_queries import Scope, Unanswered, plain
from chat.evaluation.scripts import CallWanted, Expect, Fact, Invite, Names, Signs

if TYPE_CHECKING:
    from yaml.nodes import Node

KEYS = (
    "facts", "names", "says", "says_not", "calls", "no_calls", "changes", "must_mine", "invite", "invoke", "trade",
    "repeat_of", "order", "within",
)  # fmt: skip
_INVITE = ("right", "wrong", "allowed")


@dataclass(frozen=True)
class Ids:
    """How a home is named in words, so that a number that does not exist is found."""

    pattern: re.Pattern[str]
    table: str


@dataclass
class Known:
    """What the readers of one dialogue may refer to."""

    scope: Scope
    signs: Signs
    ids: Ids | None = None
    absent: tuple[str, ...] = ()
    """Ids that are named on purpose though they do not exist."""

    def words(self, fields: Fields, name: str) -> str:
        """The text under a key, filled in."""
        return self.filled(fields, fields.value(name), fields.text(name)) if name in fields else ""

    def filled(self, fields: Fields, node: Node, said: str) -> str:
        try:
            text = self.scope.filled(said)
        except Unanswered as problem:
            fields.page.wrong(_line_in(node, said, str(problem)), str(problem))
            return said
        for missing in self.missing(text):
            fields.page.wrong(
                node, f"There is no {missing} in this database: take one from a query, or list it under `absent`."
            )
        return text

    def missing(self, text: str) -> list[str]:
        """Ids in a text that are not in the database, unless they are meant to be missing."""
        if not self.ids:
            return []
        named = dict.fromkeys(self.ids.pattern.findall(text))
        known = self.scope.base.has_id
        return [n for n in named if n not in self.absent and not known(self.ids.table, n.upper())]

    def is_tool(self, fields: Fields, node: Node, name: str) -> bool:
        if name in self.scope.base.tools:
            return True
        domain = self.scope.base.domain
        fields.page.wrong(
            node, f"There is no tool `{name}` in the domain `{domain}`{nearest(name, self.scope.base.tools)}"
        )
        return False

    def tools(self, fields: Fields, name: str) -> tuple[str, ...]:
        return tuple(tool for tool, node in fields.lines(name) if self.is_tool(fields, node, tool))

    def demands(self, fields: Fields, name: str) -> tuple[str, ...]:
        found = []
        for demand, node in fields.lines(name):
            if demand in self.signs.asks:
                found.append(demand)
            else:
                how = nearest(demand, self.signs.asks)
                fields.page.wrong(node, f"`{demand}` has no sign under `signs: asks:` in suite.yaml{how}")
        return tuple(found)

    def fact(self, fields: Fields, node: Node, reference: str) -> Fact | None:
        if self.scope.bound.get(reference.partition(".")[0], "") is None:
            return None  # its query failed, which is said there
        try:
            return self.scope.fact(reference)
        except Unanswered as problem:
            fields.page.wrong(node, str(problem))
            return None


def read_expect(fields: Fields, known: Known) -> Expect:
    """Of the key `expect` of a turn; what is not there is not expected."""
    inner = fields.inner("expect", KEYS, "`expect`")
    if inner is None:
        return Expect()
    return Expect(
        facts=_facts(inner, "facts", known),
        names=_names(inner, known),
        says=_patterns(inner, "says", known),
        says_not=_patterns(inner, "says_not", known),
        calls=_calls(inner, known),
        no_calls=known.tools(inner, "no_calls"),
        changes=_changes(inner, known),
        must_mine=known.demands(inner, "must_mine"),
        invite=cast(Invite, inner.choice("invite", _INVITE, "allowed")),
        invoke=inner.flag("invoke", None, "either"),
        trade=bool(inner.flag("trade")),
        repeat_of=inner.whole("repeat_of", 0, 1) if "repeat_of" in inner else None,
        order=known.tools(inner, "order"),
        within=_seconds(inner),
    )


def _facts(fields: Fields, key: str, known: Known) -> tuple[Fact, ...]:
    """`best.price`, or {name: "{best}.sold_at", value: "{sale.price}"}."""
    found: list[Fact | None] = []
    for node in fields.items(key):
        said = scalar(node)
        if said is not None:
            found.append(known.fact(fields, node, said.strip()))
        elif (own := fields.page.fields(node, ("name", "value"), "a fact")) and own.needs("name", "value"):
            value = known.words(own, "value")
            number = re.fullmatch(r"-?\d+(?:\.\d+)?", value)
            found.append(Fact(known.words(own, "name"), float(value) if number and "." in value else _typed(value)))
    return tuple(fact for fact in found if fact)


def _typed(value: str) -> Any:
    return int(value) if re.fullmatch(r"-?\d+", value) else {"true": True, "false": False}.get(value, value)


def _names(fields: Fields, known: Known) -> Names:
    """`best`, [best, second] (all of them), or {any: ..., all: ..., none: ...}."""
    import yaml

    if "names" in fields and isinstance(fields.value("names"), yaml.MappingNode):
        inner = fields.inner("names", ("any", "all", "none"), "`names`")
        return Names(*(_ids(inner, key, known) for key in ("any", "all", "none"))) if inner else Names()
    return Names(all=_ids(fields, "names", known))


def _ids(fields: Fields, key: str, known: Known) -> tuple[str, ...]:
    found: list[str] = []
    for said, node in fields.lines(key):
        if known.ids and known.ids.pattern.fullmatch(said):
            if not known.missing(said):
                found.append(said)
            else:
                known.filled(fields, node, said)
        elif known.scope.bound.get(said, "") is not None:
            try:
                found += known.scope.ids(said)
            except Unanswered as problem:
                fields.page.wrong(node, str(problem))
    return tuple(dict.fromkeys(found))


def _patterns(fields: Fields, key: str, known: Known) -> tuple[re.Pattern[str], ...]:
    found = []
    for said, node in fields.lines(key):
        try:
            pattern = fields.pattern_of(known.scope.filled(said, re.escape), node)
        except Unanswered as problem:
            fields.page.wrong(node, str(problem))
            continue
        if pattern:
            found.append(pattern)
    return tuple(found)


def _calls(fields: Fields, known: Known) -> tuple[CallWanted, ...]:
    """`search`, `details|compare`, {search: [Riverside, "300000"]}, {search: {contains: ..., gives: found.count}}."""
    import yaml

    found: list[CallWanted] = []
    for node in fields.items("calls"):
        if isinstance(node, yaml.MappingNode):
            one = fields.page.fields(node, (), "a call")
            for names in one or ():
                assert one is not None
                found.append(_call(one, names, known))
        elif said := scalar(node):
            found.append(CallWanted(_alternatives(fields, node, said, known)))
    return tuple(call for call in found if call.tools)


def _call(one: Fields, names: str, known: Known) -> CallWanted:
    import yaml

    tools = _alternatives(one, one.at(names), names, known)
    if not isinstance(one.value(names), yaml.MappingNode):
        return CallWanted(tools, tuple(known.filled(one, node, said) for said, node in one.lines(names)))
    inner = one.inner(names, ("contains", "gives"), "a call")
    if inner is None:
        return CallWanted(())
    contains = tuple(known.filled(inner, node, said) for said, node in inner.lines("contains"))
    return CallWanted(tools, contains, _facts(inner, "gives", known))


def _alternatives(fields: Fields, node: Node, said: str, known: Known) -> tuple[str, ...]:
    return tuple(tool for part in said.split("|") if known.is_tool(fields, node, tool := part.strip()))


def _changes(fields: Fields, known: Known) -> tuple[Mapping[str, str], ...]:
    """[{kind: viewing, done: made, home: "{best}", at: "{slot}"}], or `none`, which is the default."""
    found = []
    for node in fields.items("changes"):
        if scalar(node) == "none":
            continue
        one = fields.page.fields(node, (), "a change")
        if one is None or not one.needs("kind", "done"):
            continue
        one.choice("done", ("made", "cancelled"), "made")
        found.append({name: plain(known.words(one, name)) for name in one})
    return tuple(found)


def _seconds(fields: Fields) -> float | None:
    said = fields.text("within")
    if said and not re.fullmatch(r"\d+(?:\.\d+)?", said):
        fields.wrong("within", f"`within` is `{said}`: it should be a number of seconds, such as 30.")
        return None
    return float(said) if said else None


def _line_in(node: Node, said: str, problem: str) -> int:
    """The line of a text of several in which the name stands that the problem is about."""
    name = re.search(r"`\{?(\w+)", problem)
    at = said.find("{" + name[1]) if name else -1
    block = getattr(node, "style", "") in ("|", ">")
    lines = said[:at].count("\n") + 1 if block and at >= 0 else 0
    return int(node.start_mark.line) + 1 + lines
