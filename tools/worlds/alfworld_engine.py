"""ALFWorld's own text engine for one game at a time: its rules run in the planner's library, its texts in its grammar.

The package's environment translates every game four times, copies and opens a 33 MB library for each environment
(never closed: that is its leak) and derives every command of every step from the grammar anew. Here the same parts of
the package do the same work once: libraries are lent and given back, translations and parsed sentences are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from tools.worlds import alfworld_package as parts
from tools.worlds.alfworld_package import LOCK, package
from tools.worlds.world import WorldFault

UNKNOWN = "UNKNOWN GOAL"


@dataclass(frozen=True)
class Game:
    """What a game file holds."""

    domain: str
    grammar: str
    """With UNKNOWN GOAL where the goal is said, so that all games share one parsed grammar."""
    problem: str
    goal: str
    """`put a mug in desk`, without a full stop."""
    walkthrough: tuple[str, ...] = ()


class Engine:
    """A loaded game. Not for two threads at once. Raises WorldFault where the game cannot be read."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._library: Any = None
        self._now: dict[str, SimpleNamespace] | None = None
        with LOCK:
            try:
                self._logic = parts.logic(game.domain, game.grammar)
                self._task, self._sas = parts.translated(game.domain, game.problem)
                self._library = parts.borrow()
                self._begin()
            except (Exception, SystemExit) as fault:
                self.close()
                why = f"{type(fault).__name__} {fault}".strip().splitlines()[0][:120]
                raise WorldFault(f"The game cannot be read ({why}); name another game file.") from fault
            self._entities = self._named()
        self.places = tuple(sorted({fact[1] for fact in self.facts() if fact[0] == "receptacleatlocation"}))
        self._actions: dict[str, tuple[str, SimpleNamespace]] = {}

    def restart(self) -> str:
        """The game from its beginning; returns the opening text."""
        with LOCK:
            self._begin()
            return self._say("#intro#", {}).replace(UNKNOWN, self._game.goal)

    def act(self, command: str) -> str:
        """Does a command; returns what the game says."""
        with LOCK:
            action = self._possible().get(command.strip())
            if action is None:
                return "Nothing happens."
            self._state._operators = {action.id: self._operators[action.id]}
            self._state.apply(action)
            self._now = None
            return self._say(action.feedback_rule, action.mapping)

    def peek(self, command: str) -> str:
        """What the game would say to `look`, `inventory` or an `examine`, without a step; empty if it is impossible."""
        with LOCK:
            action = self._possible().get(command)
            return self._say(action.feedback_rule, action.mapping) if action else ""

    def overview(self) -> str:
        """What the opening text says of the place where one stands: of the middle of the room, all receptacles."""
        with LOCK:
            return self._say("#look.feedback#", {})

    def commands(self) -> tuple[str, ...]:
        """Everything that can be done now, in alphabetical order."""
        with LOCK:
            return tuple(sorted(self._possible()))

    def won(self) -> bool:
        return bool(self._library.check_goal())

    def facts(self) -> Iterator[tuple[str, ...]]:
        """(predicate, argument, ...) of all that is so now, arguments by the names that texts use."""
        for fact in self._state.facts:
            yield (fact.name, *(self._entities[argument.name].name for argument in fact.arguments))

    def close(self) -> None:
        """Gives the library back; safe to repeat."""
        library, self._library = self._library, None
        if library is not None:
            parts.give_back(library)

    def _begin(self) -> None:
        self._library.load_sas(self._sas)
        self._state = parts.fresh_state(self._library, self._task, self._logic)
        self._operators: dict[int, Any] = {}
        self._now = None

    def _named(self) -> dict[str, Any]:
        """Id -> the package's note on the thing, with the name that texts use."""
        entity = package("textworld.generator.game").EntityInfo
        found = {v.name: entity(v.name, v.type) for fact in self._state.facts for v in fact.arguments}
        for id_, name in names(found).items():
            found[id_].name, found[id_].definite, found[id_].indefinite = name, "the", "a"
        return found

    def _possible(self) -> dict[str, SimpleNamespace]:
        """Command -> action, for all that can be done now; kept until something is done."""
        if self._now is None:
            operators = (package("fast_downward").Operator * self._library.get_applicable_operators_count())()
            self._library.get_applicable_operators(operators)
            self._operators = {operator.id: operator for operator in operators}
            now: dict[str, SimpleNamespace] = {}
            for operator in operators:
                command, action = self._action(operator)
                now.setdefault(command, action)
            self._now = now
        return self._now

    def _action(self, operator: Any) -> tuple[str, SimpleNamespace]:
        """An operator as (command, action). What a command is called never changes within a game."""
        name = operator.name
        if name not in self._actions:
            logic = package("textworld.logic")
            kind, *arguments = name.split()
            rule = self._logic.actions[kind]
            mapping = {
                logic.Placeholder(p.name.strip("?"), p.type_name): logic.Variable(argument, p.type_name)
                for p, argument in zip(self._state._actions[kind].parameters, arguments, strict=False)
            }
            template = self._say(rule.template, mapping)
            command = template.format(**{p.name: self._entities[v.name].name for p, v in mapping.items()})
            action = SimpleNamespace(id=operator.id, mapping=mapping, feedback_rule=rule.feedback_rule)
            self._actions[name] = (command, action)
        return self._actions[name]

    def _say(self, rule: str, mapping: dict[Any, Any]) -> str:
        context = {
            "state": self._state,
            "facts": (),
            "variables": {p.name: self._entities[v.name] for p, v in mapping.items()},
            "mapping": mapping,
            "entity_infos": self._entities,
        }
        with parts.parsed_once():
            return str(self._logic.grammar.derive(rule, context))


def names(ids: Iterable[str]) -> dict[str, str]:
    """Id of the simulator -> name in texts (`Mug_bar__plus_01...` -> `mug 2`), numbered as the package does."""
    kinds = {
        id_: id_.partition("_bar_")[0] + ("basin" if "_bar_" in id_ and "basin" in id_ else "") for id_ in sorted(ids)
    }
    left, named = Counter(kinds.values()), {}
    for id_, kind in kinds.items():
        single = "_bar_" not in id_
        named[id_] = f"{kind} " if single else f"{kind} {left[kind]}"
        left[kind] -= not single
    return named
