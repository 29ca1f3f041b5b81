"""What the network sees of a step: sets of short strings for the whole, for each thing in view and for each room.

Names of things that the goal or a note mentions are kept apart (`names`), so that training can leave them out and
the policy learns to act on what is asked for rather than on what it happened to be called.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from minds.policies.swift import colours
from minds.policies.swift.memory import Memory
from minds.policies.swift.reading import Thing
from minds.policies.swift.wording import FILLER, words

DIGITS = re.compile(r"-?\d+(?:\.\d+)?")
BUCKETS = (0, 1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 80, 120)
MOST_THINGS = 72


@dataclass
class Token:
    """One candidate: features that always hold, and features of its name, which training may drop."""

    base: list[str]
    names: list[str]
    mentioned: bool = False


@dataclass
class State:
    """Token 0 is the whole; then things in view, then rooms. `things` says how many things there are."""

    tokens: list[Token]
    things: int
    rooms: tuple[str, ...]


def bucket(number: float) -> int:
    """The largest bucket that is not above."""
    return max((b for b in BUCKETS if b <= number), default=0)


def state(memory: Memory, rooms: Sequence[str]) -> State:
    """The features of the present view and memory."""
    seen = memory.seen[:MOST_THINGS]
    peers = _peers(memory, seen)
    heads = [kind_of(t.name) for t in seen]
    tokens = [whole(memory)]
    for index, thing in enumerate(seen):
        rank = f"{heads[:index].count(heads[index])}/{min(heads.count(heads[index]), 5)}"
        tokens.append(_thing(index, thing, memory, seen, rank, peers))
    tokens += [_room(room, memory) for room in rooms]
    return State(tokens, len(seen), tuple(rooms))


@lru_cache(maxsize=8192)
def kind_of(name: str) -> str:
    """`flower pot 3` is a pot, `inclined plane with a soapy surface` a plane."""
    plain = [w for w in words(name.partition(" with ")[0]) if not w.isdigit() and len(w) > 1]
    return plain[-1] if plain else name


@lru_cache(maxsize=8192)
def _clean(text: str) -> str:
    return DIGITS.sub("#", text)


def whole(memory: Memory) -> Token:
    """Features of the goal, the place, time, the last acts and answers, and numbers."""
    out = [f"room:{memory.room}", f"t:{bucket(memory.at)}", f"waits:{bucket(memory.waits)}"]
    out += [f"visits:{bucket(len(memory.visits.get(memory.room, [])))}", f"focused:{len(memory.focused)}"]
    out += [f"rooms:{len(memory.visits)}", f"goes:{len(memory.notes.sentences) > 0}"]
    names = []
    for sentence in memory.goal.sentences:
        plain = [_clean(w) for w in sentence]
        names += [f"g:{w}" for w in plain] + [f"gg:{a} {b}" for a, b in pairwise(plain)]
    for back, (pattern, used, room, ok, said) in enumerate(memory.recent):
        out.append(f"a{back}:{pattern}:{ok}")
        if back < 3:
            out += [f"a{back}:{slot}:{kind_of(name)}" for slot, name in enumerate(used)]
            out += [f"a{back}:{slot}:{k}" for slot, n in enumerate(used) for k in memory.goal.mention(n)[1][:2]]
            if room:
                out.append(f"a{back}:room:{room}")
        if back < 2:
            out += [f"o{back}:{_clean(w)}" for w in words(said)[:16] if w not in FILLER]
    out += [f"done:{pattern}:{bucket(count)}" for pattern, count in memory.done.items()]
    out += _marks(memory) + _numbers(memory) + _sight(memory) + _used(memory) + _filled(memory) + _items(memory)
    names += [f"nw:{w}" for sentence in memory.notes.sentences for w in sentence]
    return Token(out, names, True)


def _marks(memory: Memory) -> list[str]:
    """How often the value the goal asks about was seen, beside another of its kind."""
    if not memory.marks:
        return []
    yes, no = (sum(pair[i] for pair in memory.marks.values()) for i in (0, 1))
    pots = [sum(pair[i] > pair[1 - i] for pair in memory.marks.values()) for i in (0, 1)]
    out = [f"marks:{name}:{min(count, 6)}" for name, count in zip(("yes", "no"), pots, strict=True)]
    return [*out, f"marks:most:{_sign(memory.most())}", f"marks:share:{round(5 * yes / max(1, yes + no))}"]


def _filled(memory: Memory) -> list[str]:
    """How many things of a sort hold a thing of a sort: three pots with soil."""
    pairs: Counter[tuple[str, str]] = Counter()
    for thing in memory.seen:
        pairs.update({(kind_of(thing.name), kind_of(memory.seen[i].name)) for i in thing.holds})
    return [f"pair:{holder}:{held}:{min(count, 4)}" for (holder, held), count in sorted(pairs.items())]


def _items(memory: Memory) -> list[str]:
    """How far the things of a list that was read are found and brought together."""
    every = range(len(memory.notes.items))
    if not every:
        return []
    inside = [{memory.notes.item(memory.seen[i].name) for i in thing.holds} - {-1} for thing in memory.seen]
    held = {memory.notes.item(t.name) for t in memory.seen if t.held} - {-1}
    view = {memory.notes.item(t.name) for t in memory.seen} - {-1}
    away = {memory.notes.item(name) for name in memory.places} - view - {-1}
    together = max(map(len, inside), default=0)
    counts = {"together": together, "held": len(held), "view": len(view), "away": len(away)}
    out = [f"items:{name}:{count}/{len(every)}" for name, count in counts.items()]
    return [*out, f"items:left:{len(every) - together}", f"items:unseen:{len(every) - len(view | away)}"]


def _used(memory: Memory) -> list[str]:
    """The states of the things that were used, and how many show what the goal speaks of."""
    out = []
    shown: Counter[str] = Counter()
    for thing in memory.seen:
        if memory.root(thing.name) != thing.name:
            out.append("changed")
        if thing.name in memory.uses:
            out += [f"used:{kind_of(thing.name)}:{_clean(s)}" for s in thing.states]
        for one in thing.states:
            if memory.goal.mention(one)[0]:
                shown[memory.goal.share(one)] += thing.count
    return out + [f"shown:{kind}:{bucket(count)}" for kind, count in shown.items()]


def _numbers(memory: Memory) -> list[str]:
    """How the last reading compares with the goal's numbers and with the readings before."""
    out = [f"readings:{bucket(len(memory.numbers))}"]
    if memory.numbers:
        last = memory.numbers[-1]
        out += [f"limit{i}:{_sign(last - n)}" for i, n in enumerate(memory.goal.numbers[:2])]
        out += [f"gap:{_sign(last - n)}:{bucket(abs(last - n))}" for n in memory.goal.numbers[:1]]
    if sides := memory.turned_of_goal():
        out += ["turned", *(f"turned:{_sign(sum(sides) / 2 - n)}" for n in memory.goal.numbers[:1])]
    if len(memory.numbers) > 1:
        out.append(f"trend:{_sign(memory.numbers[-1] - memory.numbers[-2])}")
        out.append(f"step:{bucket(abs(memory.numbers[-1] - memory.numbers[-2]))}")
    if len(memory.numbers) > 2:
        out.append(f"trend2:{_sign(memory.numbers[-2] - memory.numbers[-3])}")
    return out


def _sign(number: float) -> str:
    return "up" if number > 0 else "down" if number < 0 else "same"


def _sight(memory: Memory) -> list[str]:
    """Whether what the goal or a note names is held, in view, or was seen elsewhere."""
    out = set()
    for thing in memory.seen:
        for text in (memory.goal, memory.notes):
            if kind := text.mention(thing.name)[0]:
                where = "held" if thing.held else "open" if thing.holder < 0 else "inside"
                out.add(f"view:{text.source}:{kind}:{where}")
    for name, room in memory.places.items():
        if room != memory.room:
            out.add(f"else:{memory.goal.mention(name)[0]}:{memory.notes.mention(name)[0]}")
    return sorted(out)


def _peers(memory: Memory, seen: Sequence[Thing]) -> dict[str, str]:
    """For things with readings: the highest, the lowest, one of several, or alone."""
    last = {n: r[-1] for n, r in memory.readings.items() if memory.goal.mention(n)[0]}
    out = {}
    for name, value in last.items():
        others = [v for n, v in last.items() if n != name]
        above = sum(value > v for v in others)
        out[name] = "alone" if not others else f"above{above}of{len(others)}:{sum(value == v for v in others)}"
    return out


def _thing(index: int, thing: Thing, memory: Memory, seen: Sequence[Thing], rank: str, peers: dict[str, str]) -> Token:
    names = list(_named(thing.name))
    base = ["thing", f"rank:{rank}", f"count:{min(thing.count, 4)}"]
    for one in thing.states:
        base.append(f"s:{_clean(one)}")
        if kind := memory.goal.mention(one)[0]:
            base += [f"s@:{kind}", f"s@:{memory.goal.share(one)}"]
    base.append("held" if thing.held and thing.holder < 0 else "inside" if thing.holder >= 0 else "loose")
    if thing.holder >= 0:
        base += [f"in:{_clean(seen[thing.holder].name)}", f"in:{kind_of(seen[thing.holder].name)}"]
        base += [f"in:s:{_clean(s)}" for s in seen[thing.holder].states]
        base += [f"in:{k}" for k in memory.goal.mention(seen[thing.holder].name)[1]]
        base += [f"in:focus:{i}" for i, (name, _) in enumerate(memory.focused) if name == seen[thing.holder].name]
        if thing.held:
            base.append("inheld")
    base += _holds(thing, memory, seen)
    mentioned = False
    for text in (memory.goal, memory.notes):
        kind, contexts, _ = text.mention(thing.name)
        mentioned |= kind in ("full", "tail")
        base += contexts
    base += _conditions(thing, memory)
    if (apart := colours.apart(thing.name, memory.goal.raw)) >= 0:
        base.append(f"wheel:{apart}")
    root = memory.root(thing.name)
    if root != thing.name:
        base += [f"was:{k}" for k in memory.goal.mention(root)[1]] + [f"was:{h}" for h in _history(root, memory, thing)]
        names.append(f"was:{root}")
    base += _history(thing.name, memory, thing)
    if thing.name in peers:
        base.append(f"peer:{peers[thing.name]}")
    if thing.name in memory.fresh:
        base.append("fresh")
    return Token(base, names, mentioned)


def _conditions(thing: Thing, memory: Memory) -> list[str]:
    """Whether what the goal says of a thing (`if above 50, ...`) holds of what was read; lists it belongs to."""
    out = []
    asked = memory.goal.condition(thing.name)
    if asked and (reading := memory.telling()) is not None:
        holds = (reading - asked[1]) * asked[0] > 0
        out += [f"if:{holds}", *([f"if:turned:{holds}"] if memory.turned_of_goal() else [])]
    if memory.marks:
        most = _sign(memory.most())
        out += [f"marks:{most}:{c}" for c in memory.goal.mention(thing.name)[1] if ":b:" in c]
    if memory.notes.items:
        if memory.notes.item(thing.name) >= 0:
            out.append("item")
        if inside := {memory.notes.item(memory.seen[i].name) for i in thing.holds} - {-1}:
            out.append(f"items:{len(inside)}/{len(memory.notes.items)}")
    return out


@lru_cache(maxsize=8192)
def _named(name: str) -> tuple[str, ...]:
    return (*(f"n:{w}" for w in words(name) if not w.isdigit()), f"N:{_clean(name)}")


def _holds(thing: Thing, memory: Memory, seen: Sequence[Thing]) -> list[str]:
    out = [f"holds:{min(len(thing.holds), 5)}"]
    for other in (seen[i] for i in thing.holds if i < len(seen)):
        out += [f"has:{_clean(other.name)}", f"has:{kind_of(other.name)}", f"hasn:{min(other.count, 3)}"]
        out += [f"has:s:{_clean(s)}" for s in other.states]
        out += [f"has:focus:{i}" for i, (name, _) in enumerate(memory.focused) if name == other.name]
        if (apart := colours.apart(other.name, memory.goal.raw)) >= 0:
            out.append(f"has:wheel:{apart}")
        out += [f"has:{k}" for text in (memory.goal, memory.notes) for k in text.mention(other.name)[1][:2]]
    return out


def _history(called: str, memory: Memory, thing: Thing) -> list[str]:
    out: list[str] = []
    uses = memory.uses.get(called, ())
    counts: Counter[str] = Counter()
    for use in uses:
        key = f"{use.pattern}:{use.slot}:{'' if use.ok else 'x'}"
        counts[key] += 1
        out.append(f"with:{use.pattern}:{use.slot}:{kind_of(use.partner)}" if use.partner else f"u:{key}")
        if thing.place and thing.place in (use.place, use.partner):
            out.append(f"uh:{use.pattern}:{use.slot}")
        if memory.at - use.at <= 3:
            out.append(f"u{memory.at - use.at}:{key}")
    out += [f"u:{key}:{bucket(count)}" for key, count in counts.items()]
    if uses:
        out.append(f"last:{uses[-1].pattern}:{uses[-1].slot}")
    if turns := [i for i, (name, _) in enumerate(memory.focused) if name == called]:
        out += [f"focus:{i}" for i in turns]
        out.append(f"focus:same:{any(memory.focused[i][1] == thing.states for i in turns)}")
    return list(dict.fromkeys(out))


def _room(room: str, memory: Memory) -> Token:
    visits = memory.visits.get(room, [])
    base = ["place", f"here:{room == memory.room}", f"visited:{min(len(visits), 4)}"]
    if visits:
        base.append(f"ago:{bucket(memory.at - visits[-1])}")
    base += [f"spot:{kind}" for kind in sorted(memory.spotted.get(room, ()))]
    base += memory.goal.mention(room)[1] + memory.notes.mention(room)[1]
    return Token(list(base), [f"R:{room}"])
