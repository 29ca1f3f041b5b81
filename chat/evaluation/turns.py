"""One turn of a scripted dialogue: what the person says, and what is expected of the reply. Read from YAML."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, model_validator
from pydantic.dataclasses import dataclass

from chat.evaluation.marked_yaml import STRICT, Wrong
from chat.evaluation.references import typed
from chat.evaluation.script_words import Change, Demand, Many, Named, Offer, Pattern, Signs, Tool, Words, listed


@dataclass(frozen=True, config=STRICT)
class Fact:
    """What is so in the database: `H-0421.price` is 84000. The names are those of the tools' facts."""

    name: Words
    value: Any

    @model_validator(mode="before")
    @classmethod
    def _referred(cls, raw: Any, info: ValidationInfo) -> Any:
        """`best.price`, or {name: "{best}.sold_at", value: "{sale.price}"}."""
        if isinstance(raw, str) and info.context:
            name, value = info.context.fact(raw.strip())
            return {"name": name, "value": value}
        if isinstance(raw, dict) and isinstance(raw.get("value"), str) and info.context:
            return {**raw, "value": typed(info.context.said(raw["value"]))}
        return raw


@dataclass(frozen=True, config=STRICT)
class Names:
    """Ids that a reply names: at least one of `any`, and each of `all`."""

    any: Named = ()
    all: Named = ()

    @model_validator(mode="before")
    @classmethod
    def _all(cls, raw: Any) -> Any:
        """`best`, [best, second] (all of them), or {any: ..., all: ...}."""
        return {"all": raw} if isinstance(raw, str | list) else raw


@dataclass(frozen=True, config=STRICT)
class CallWanted:
    """A tool call that a turn needs."""

    tools: Many[Tool]
    """Any of these does it."""
    contains: Many[Words] = ()
    """All of them stand in its input, in any case."""
    gives: Many[Fact] = ()
    """All of them are among its facts."""


def _calls(raw: Any) -> Any:
    """`search`, `details|compare`, {search: [Riverside, "300000"]}, {search: {contains: ..., gives: found.count}}."""
    found = []
    for each in listed(raw):
        for names, body in each.items() if isinstance(each, dict) else [(each, {})]:
            more = body if isinstance(body, dict) else {"contains": body}
            called = [name.strip() for name in names.split("|")] if isinstance(names, str) else []
            found.append({"tools": called, **more} if called else names)
    return found


@dataclass(frozen=True, config=STRICT)
class Expect:
    """What is expected of the reply to one turn."""

    facts: Many[Fact] = ()
    """The reply says them."""
    names: Names = Names()
    says: Many[Pattern] = ()
    """Each is found in the reply."""
    says_not: Many[Pattern] = ()
    calls: Annotated[tuple[CallWanted, ...], BeforeValidator(_calls)] = ()
    """Each is made in this turn."""
    no_calls: Many[Tool] = ()
    changes: Annotated[tuple[Change, ...], BeforeValidator(lambda raw: [c for c in listed(raw) if c != "none"])] = ()
    """Exactly these are made in the database: {"kind": "viewing", "done": "made", "home": "H-0421"}. What is not
    expected is forbidden."""
    must_mine: Many[Demand] = ()
    """The reply asks for at least one of these demands."""
    invite: Literal["right", "wrong", "allowed"] = "allowed"
    invoke: bool | None = None
    """Whether the turn needs a slow run; None: either way is right. Of a repeat, memory may answer instead."""
    trade: bool = False
    """A question of the trade (loans, buying, words, policy): the reply counts for industry familiarity."""
    repeat_of: Annotated[int, Field(ge=1)] | None = None
    """The turn that asked the same in other words; its facts, names and words hold where this one has none."""


@dataclass(frozen=True, config=STRICT)
class When:
    """A condition on the last reply (`called`: on the tools used for it); exactly one of these."""

    contains: Words | None = None
    matches: Pattern | None = None
    offered: Offer | None = None
    asked_for: Demand | None = None
    called: Tool | None = None

    @model_validator(mode="after")
    def _one(self) -> When:
        if sum(each is not None for each in vars(self).values()) != 1:
            raise Wrong(f"`when` needs exactly one condition of: {', '.join(vars(self))}.")
        return self

    def covers(self, other: When) -> bool:
        """Whether it holds whenever the other does."""
        if self.contains and other.contains:
            return self.contains.lower() in other.contains.lower()
        return self == other

    def holds(self, reply: str, called: Collection[str], signs: Signs) -> bool:
        return bool(
            (self.contains and self.contains.lower() in reply.lower())
            or (self.matches and self.matches.search(reply))
            or self.offered in signs.offered(reply)
            or self.asked_for in signs.asked(reply)
            or self.called in called
        )


@dataclass(frozen=True, config=STRICT)
class Branch:
    """One way in which the person goes on."""

    person: Words
    when: When | None
    """None for the last, which holds where no other does."""
    expect: Expect | None = None
    """None: what its turn expects."""
    tells: Many[Demand] | None = None

    @model_validator(mode="before")
    @classmethod
    def _else(cls, raw: Any) -> Any:
        """`else: words` in short."""
        if not isinstance(raw, dict) or "else" not in raw:
            return raw
        if "when" in raw:
            raise Wrong("A branch has `when` or `else`, not both: take one out.", "when")
        return {"person": raw["else"], "when": None, **{key: raw[key] for key in raw if key != "else"}}


@dataclass(frozen=True, config=STRICT)
class Goal:
    """A simulated person for the turns from here on, played by any chat model."""

    persona: Words
    goal: Words
    facts: Many[Words] = ()
    """What the person knows and tells when asked."""
    most: Annotated[int, Field(ge=1, le=40)] = 6
    """Exchanges."""


@dataclass(frozen=True, config=STRICT, kw_only=True)
class Turn:
    """One turn of the person: fixed words, or branches, or a goal; exactly one of the three."""

    number: int = Field(exclude=True)
    """From 1."""
    person: Words | None = None
    branches: tuple[Branch, ...] | None = None
    goal: Goal | None = None
    expect: Expect = Expect()
    """Of branches: of those that have none of their own. Of a goal: holds for all its exchanges taken together."""
    tells: Many[Demand] = ()
    """Demands that the words give away: they need not be asked for any more."""
    later: bool = False
    """The person comes back: a new conversation of the same person, at the same desk, in which nothing was said yet."""

    @model_validator(mode="after")
    def _right(self) -> Turn:
        ways = [name for name in ("person", "branches", "goal") if getattr(self, name) is not None]
        if len(ways) != 1:
            how = f"has {' and '.join(f'`{way}`' for way in ways)}" if ways else "says nothing"
            raise Wrong(f"Turn {self.number} {how}: give it one of `person`, `branches` or `goal`.")
        if self.later and self.number == 1:
            raise Wrong("Nobody comes back with the first turn: move `later: true` to the turn after a break.", "later")
        if self.later and self.branches is not None:
            raise Wrong("Who comes back does not go on from the last reply: give the turn `person: ...`.", "later")
        if self.branches is not None:
            _branches(self.number, self.branches)
        return self

    @property
    def ways(self) -> tuple[Expect, ...]:
        return tuple(branch.expect or self.expect for branch in self.branches or ()) or (self.expect,)

    def spoken(self, reply: str, called: Collection[str], signs: Signs) -> Spoken:
        """`reply`: the assistant's last; `called`: the tools used for it. Raises ValueError for a turn with a goal."""
        fixed = () if self.person is None else (Branch(self.person, None),)
        for branch in self.branches or fixed:
            if branch.when is None or branch.when.holds(reply, called, signs):
                tells = self.tells if branch.tells is None else branch.tells
                return Spoken(branch.person, branch.expect or self.expect, tells)
        raise ValueError(f"turn {self.number} has a goal: a simulated person says its words")


@dataclass(frozen=True)
class Spoken:
    """What the person says now, and what is expected then."""

    person: str
    expect: Expect
    tells: tuple[str, ...]


def _branches(number: int, branches: tuple[Branch, ...]) -> None:
    """Raises Wrong where one of them cannot be reached, or none may hold."""
    if number == 1:
        raise Wrong("The first turn has no reply before it to branch on: give it `person: ...`.", "branches")
    if not branches:
        raise Wrong("`branches` is empty: add `- when: ...` and `- else: ...`, or use `person`.", "branches")
    for place, branch in enumerate(branches):
        for before, other in enumerate(branches[:place], 1):
            if other.when is None or (branch.when and other.when.covers(branch.when)):
                why = f"branch {before} holds whenever it does. Change one of them, or their order."
                raise Wrong(f"This branch can never be reached: {why}", "branches", place)
    if branches[-1].when is not None:
        raise Wrong("The last branch must be `else`, for when no other holds: add `- else: ...`.", "branches")
