"""Reads one dialogue: its turns in order, branches that can be reached, repeats of what was asked before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from chat.evaluation.script_expect import Known, read_expect
from chat.evaluation.script_nodes import Fields, nearest
from chat.evaluation.scripts import Branch, Expect, Goal, Names, Turn, When

if TYPE_CHECKING:
    from yaml.nodes import Node

TURN = ("person", "branches", "goal", "expect", "tells", "later")
BRANCH = ("when", "else", "person", "expect", "tells")
GOAL = ("persona", "goal", "facts", "most", "ends")
WHEN = ("contains", "matches", "offered", "asked_for", "called")
MOST = 40
"""Turns of a dialogue."""


def read_turns(fields: Fields, known: Known) -> tuple[Turn, ...]:
    """All turns; problems are on the page."""
    nodes = fields.items("turns")
    if "turns" in fields and not nodes:
        fields.wrong("turns", "`turns` is empty: add at least one `- person: ...`.")
    if len(nodes) > MOST:
        fields.wrong("turns", f"{len(nodes)} turns are too many: at most {MOST} make a dialogue.")
    turns: list[Turn] = []
    for number, node in enumerate(nodes, 1):
        turns.append(_turn(node, number, fields, known))
    _repeats(turns, fields, nodes)
    return tuple(_inherited(turn, turns) for turn in turns)


def _turn(node: Node, number: int, fields: Fields, known: Known) -> Turn:
    line = int(node.start_mark.line) + 1
    empty = Turn(number, line, Expect(), person="")
    turn = fields.page.fields(node, TURN, "a turn")
    if turn is None:
        return empty
    empty = replace(empty, later=_later(turn, number))
    ways = [name for name in ("person", "branches", "goal") if name in turn]
    if len(ways) != 1:
        how = f"has {' and '.join(f'`{way}`' for way in ways)}" if ways else "says nothing"
        if ways or not turn.unknown:
            fields.page.wrong(line, f"Turn {number} {how}: give it one of `person`, `branches` or `goal`.")
        return empty
    if ways == ["branches"]:
        branches = _branches(turn, number, known)
        return replace(empty, person=None, branches=branches, expect=branches[0].expect) if branches else empty
    expect, tells = read_expect(turn, known), known.demands(turn, "tells")
    if ways == ["goal"]:
        return replace(empty, person=None, expect=expect, goal=_goal(turn, known), tells=tells)
    return replace(empty, expect=expect, person=known.words(turn, "person"), tells=tells)


def _later(turn: Fields, number: int) -> bool:
    """Whether the person comes back with this turn."""
    if "later" not in turn:
        return False
    later = bool(turn.flag("later"))
    if later and number == 1:
        turn.wrong("later", "Nobody comes back with the first turn: move `later: true` to the turn after a break.")
    if later and "branches" in turn:
        turn.wrong("later", "Who comes back does not go on from the last reply: give the turn `person: ...`.")
    if not later and turn.value("later").value == "false":
        turn.wrong("later", "`later: false` is how every turn is: take it out, or write `later: true`.")
    return later


# -- branches


def _branches(turn: Fields, number: int, known: Known) -> tuple[Branch, ...]:
    """Each with what it expects: its own, or else what the turn expects."""
    nodes = turn.items("branches")
    if number == 1:
        turn.wrong("branches", "The first turn has no reply before it to branch on: give it `person: ...`.")
    shared, tells = read_expect(turn, known), known.demands(turn, "tells")
    found: list[Branch] = []
    for node in nodes:
        own = turn.page.fields(node, BRANCH, "a branch")
        if own is None:
            continue
        when = _when(own, known)
        _reachable(when, found, own, node)
        expect = read_expect(own, known) if "expect" in own else shared
        mine = known.demands(own, "tells") if "tells" in own else tells
        person = _said(own, known)
        found.append(Branch(when, person, expect, mine))
    if found and all(branch.when is not None for branch in found):
        turn.wrong("branches", "The last branch must be `else`, for when no other holds: add `- else: ...`.")
    if not nodes:
        turn.wrong("branches", "`branches` is empty: add `- when: ...` and `- else: ...`, or use `person`.")
    return tuple(found)


def _said(own: Fields, known: Known) -> str:
    """`person: words`, or `else: words` in short."""
    if "person" in own or "else" not in own:
        own.needs("person")
        return known.words(own, "person")
    return known.words(own, "else")


_NEVER = When("matches", "")
"""In place of a condition that cannot be read, which is said where it stands."""


def _when(own: Fields, known: Known) -> When | None:
    if "else" in own:
        if "when" in own:
            own.wrong("when", "A branch has `when` or `else`, not both: take one out.")
        return None
    if not own.needs("when"):
        return _NEVER
    inner = own.inner("when", WHEN, "`when`")
    if inner is None or len(inner.found) != 1:
        if inner is not None and not inner.unknown:
            own.wrong("when", f"`when` needs exactly one condition of: {', '.join(WHEN)}.")
        return _NEVER
    kind = next(iter(inner))
    value = known.words(inner, kind)
    _condition(kind, value, inner, known)
    return When(cast(Any, kind), value)


def _condition(kind: str, value: str, inner: Fields, known: Known) -> None:
    if kind == "matches":
        inner.patterns(kind)
    elif kind == "called":
        known.is_tool(inner, inner.value(kind), value)
    elif kind == "asked_for":
        known.demands(inner, kind)
    elif kind == "offered" and value not in known.signs.offers:
        inner.wrong(
            kind,
            f"`{value}` has no sign: add it to `signs: offers:` in suite.yaml{nearest(value, known.signs.offers)}",
        )


def _reachable(when: When | None, before: list[Branch], own: Fields, node: Node) -> None:
    if any(branch.when is None for branch in before):
        own.page.wrong(node, "This branch can never be reached: it stands behind `else`. Put `else` last.")
        return
    for number, branch in enumerate(before, 1):
        if when and branch.when and _covers(branch.when, when):
            own.page.wrong(
                node, f"This branch can never be reached: branch {number} holds whenever it does. Change one of them."
            )
            return


def _covers(first: When, second: When) -> bool:
    if first.kind == second.kind == "contains":
        return first.value.lower() in second.value.lower()
    return first == second != _NEVER


# -- goals and repeats


def _goal(turn: Fields, known: Known) -> Goal | None:
    inner = turn.inner("goal", GOAL, "a goal")
    if inner is None or not inner.needs("persona", "goal"):
        return None
    facts = tuple(known.filled(inner, node, said) for said, node in inner.lines("facts"))
    ends = inner.patterns("ends")
    return Goal(
        known.words(inner, "persona"),
        known.words(inner, "goal"),
        facts,
        inner.whole("most", 6, 1, MOST),
        ends[0] if ends else None,
    )


def _repeats(turns: list[Turn], fields: Fields, nodes: Iterable[Node]) -> None:
    targets = {turn.number: way.repeat_of for turn in turns for way in turn.ways if way.repeat_of}
    for turn, node in zip(turns, nodes, strict=True):
        target = targets.get(turn.number)
        if target is None or target < turn.number:
            continue
        line = _repeat_line(node)
        circle = _circle(turn.number, targets)
        if circle:
            way = " -> ".join(map(str, circle))
            sentence = f"`repeat_of` goes round in a circle ({way}): name the earlier turn."
        elif target > len(turns):
            sentence = f"`repeat_of` is {target}, but there are {len(turns)} turns: name an earlier turn."
        else:
            sentence = f"Turn {turn.number} cannot repeat turn {target}, which comes later: name an earlier turn."
        fields.page.wrong(line, sentence)


def _circle(start: int, targets: dict[int, int]) -> list[int]:
    way = [start]
    while (following := targets.get(way[-1])) is not None:
        way.append(following)
        if following == start:
            return way
        if following in way[:-1]:
            break
    return []


def _repeat_line(node: Node) -> int:
    """The line of `repeat_of` within a turn."""
    import yaml

    line = int(node.start_mark.line) + 1
    queue: list[object] = [node]
    while queue:
        each = queue.pop()
        if isinstance(each, yaml.MappingNode):
            for key, value in each.value:
                if key.value == "repeat_of":
                    return int(key.start_mark.line) + 1
                queue.append(value)
        elif isinstance(each, yaml.SequenceNode):
            queue += each.value
    return line


def _inherited(turn: Turn, turns: list[Turn]) -> Turn:
    """A repeat that says nothing of its own is held to what the first asking was."""
    target = turn.expect.repeat_of
    if target is None or target >= turn.number or turn.branches:
        return turn
    first = turns[target - 1].expect
    expect = turn.expect
    if not (expect.facts or expect.says or expect.names != Names()):
        expect = replace(expect, facts=first.facts, says=first.says, names=first.names)
    return replace(turn, expect=expect)
